//! Retiring everything that one agent wrote since a moment: its memories are retired, and what they
//! replaced is current again. Restoring undoes both. Only the owner in person may do this.

use super::confirmation_required;
use crate::Admin;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    AgentName, Failure, LinkKind, Memory, MemoryId, Moment, Page, Permission, SourceFilter, Status,
    limits,
};
use serde_json::Value;
use std::collections::BTreeSet;
use store::{Change, MemoryQuery, MemorySort, Ref};

/// Largest number of earlier versions followed for one memory.
const VERSIONS_MAX: usize = 1_000;

/// Input of [`Admin::retire_agent`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RetireAgentRequest {
    pub agent: AgentName,
    /// Memories of this moment and later are retired.
    pub since: Moment,
    /// Does it; otherwise the call only states what it would do.
    pub confirm: bool,
}

/// Result of retiring an agent's memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetireAgentOutcome {
    pub retired: usize,
    /// Number of memories that are current again because their replacement was retired.
    pub revived: usize,
    /// Identifies this operation for [`Admin::restore_agent`].
    pub at: Moment,
}

/// Input of [`Admin::restore_agent`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreAgentRequest {
    pub agent: AgentName,
    /// Time of the retirement to undo; the last one when missing.
    pub retired_at: Option<Moment>,
}

/// Result of restoring an agent's memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RestoreAgentOutcome {
    /// Number of memories that are current again.
    pub restored: usize,
    /// Number of memories that they replace again.
    pub replaced: usize,
}

impl<'e> Admin<'e> {
    /// Retires every active memory that an agent wrote since a moment.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `invalid_argument` while it is not
    /// confirmed.
    pub fn retire_agent(
        self,
        caller: &'e Caller,
        input: &'e RetireAgentRequest,
    ) -> UseCaseFuture<'e, RetireAgentOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Write, input)
                    .await?;
            let query = MemoryQuery {
                created_from: Some(input.since),
                ..written_by(&input.agent, Status::Active)
            };
            if !input.confirm {
                let total = list(&call, &query, Page::first(1)).await?.1;
                return Err(confirmation_required(&format!(
                    "retire {total} memories by {} since {}",
                    input.agent, input.since
                )));
            }
            let mut done = RetireAgentOutcome { retired: 0, revived: 0, at: call.at };
            loop {
                // Always the first page: what a round retired no longer matches the query.
                let (memories, _) = list(&call, &query, Page::first(limits::IDS_PER_CALL)).await?;
                if memories.is_empty() {
                    return Ok(done);
                }
                let mut revived = BTreeSet::new();
                for memory in &memories {
                    revived.extend(to_revive(&call, memory.id, input).await?);
                }
                done.retired += memories.len();
                done.revived += revived.len();
                let mut changes: Vec<Change> =
                    memories.iter().map(|m| status_change(m.id, Status::Retired)).collect();
                changes.extend(revived.into_iter().map(|id| status_change(id, Status::Active)));
                // In the same batch as the memories, so that a crash cannot leave them without the
                // time to undo.
                changes.push(Change::PutSetting {
                    name: last_retired_setting(&input.agent),
                    value: call.at.0.into(),
                });
                call.write(format!("retired {} memories of one agent", memories.len()), changes)
                    .await?;
            }
        })
    }

    /// Undoes [`Admin::retire_agent`].
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `not_found` when nothing of this
    /// agent was retired.
    pub fn restore_agent(
        self,
        caller: &'e Caller,
        input: &'e RestoreAgentRequest,
    ) -> UseCaseFuture<'e, RestoreAgentOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Write, input)
                    .await?;
            let at = match input.retired_at {
                Some(at) => at,
                None => last_retired(&call, &input.agent).await?,
            };
            let query = written_by(&input.agent, Status::Retired);
            let mut done = RestoreAgentOutcome { restored: 0, replaced: 0 };
            let mut page = Page::first(limits::IDS_PER_CALL);
            loop {
                let (listed, _) = list(&call, &query, page).await?;
                if listed.is_empty() {
                    return Ok(done);
                }
                let read = listed.len();
                // Memories retired at another time, for another reason, stay retired and are
                // skipped.
                let memories: Vec<Memory> =
                    listed.into_iter().filter(|memory| memory.ended_at == Some(at)).collect();
                page.offset += read - memories.len();
                let mut changes: Vec<Change> =
                    memories.iter().map(|m| status_change(m.id, Status::Active)).collect();
                for memory in &memories {
                    changes.extend(to_replace_again(&call, memory.id, &input.agent).await?);
                }
                done.restored += memories.len();
                done.replaced += changes.len() - memories.len();
                if !changes.is_empty() {
                    call.write(
                        format!("restored {} memories of one agent", memories.len()),
                        changes,
                    )
                    .await?;
                }
            }
        })
    }
}

fn written_by(agent: &AgentName, status: Status) -> MemoryQuery {
    MemoryQuery {
        agent: Some(agent.clone()),
        // Memories of the profile follow the profile, which has versions of its own.
        sources: SourceFilter { profile: false, ..SourceFilter::all() },
        statuses: vec![status],
        sort: MemorySort::Oldest,
        ..MemoryQuery::default()
    }
}

async fn list(
    call: &Call<'_>,
    query: &MemoryQuery,
    page: Page,
) -> Result<(Vec<Memory>, usize), Failure> {
    let listed = call.store().list_memories(query, page).await?;
    Ok((listed.items, listed.total))
}

fn status_change(memory: MemoryId, status: Status) -> Change {
    Change::SetStatus { memory: Ref::Id(memory), status }
}

// Stored as a setting and must not change.
fn last_retired_setting(agent: &AgentName) -> String {
    format!("retired_agent/{agent}")
}

async fn last_retired(call: &Call<'_>, agent: &AgentName) -> Result<Moment, Failure> {
    let stored = call.store().setting(&last_retired_setting(agent)).await?;
    let at = stored.as_ref().and_then(Value::as_i64).map(Moment);
    at.ok_or_else(|| Failure::not_found("retirement of agent", agent))
}

/// Returns what becomes current when a memory is retired: the nearest earlier versions by other
/// writers, unless something else replaced them too.
async fn to_revive(
    call: &Call<'_>,
    retired: MemoryId,
    input: &RetireAgentRequest,
) -> Result<Vec<MemoryId>, Failure> {
    let taken_back = |memory: &Memory| {
        memory.provenance.author.agent == input.agent && memory.provenance.at >= input.since
    };
    let mut revived = Vec::new();
    for (_, behind) in earlier_versions(call, retired, taken_back).await? {
        let replacing = neighbours(call, behind.id).await?.1;
        let replaced_otherwise = call
            .memories(&replacing)
            .await?
            .iter()
            .any(|other| other.status == Status::Active && !taken_back(other));
        if behind.status == Status::Superseded && !replaced_otherwise {
            revived.push(behind.id);
        }
    }
    Ok(revived)
}

/// Returns the replacements that take effect again when a memory is restored.
async fn to_replace_again(
    call: &Call<'_>,
    restored: MemoryId,
    agent: &AgentName,
) -> Result<Vec<Change>, Failure> {
    let between = |memory: &Memory| {
        memory.provenance.author.agent == *agent && memory.status != Status::Active
    };
    let behind = earlier_versions(call, restored, between).await?;
    let active = behind.into_iter().filter(|(_, memory)| memory.status == Status::Active);
    Ok(active.map(|(by, memory)| Change::Supersede { old: memory.id, new: Ref::Id(by) }).collect())
}

/// Returns the nearest earlier versions that `pass_through` does not accept, each with its
/// replacement.
async fn earlier_versions(
    call: &Call<'_>,
    from: MemoryId,
    pass_through: impl Fn(&Memory) -> bool,
) -> Result<Vec<(MemoryId, Memory)>, Failure> {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        let replaced = neighbours(call, id).await?.0;
        for memory in call.memories(&replaced).await? {
            if seen.len() >= VERSIONS_MAX || !seen.insert(memory.id) {
                continue;
            }
            if pass_through(&memory) {
                open.push(memory.id);
            } else {
                found.push((id, memory));
            }
        }
    }
    Ok(found)
}

/// Returns what a memory replaced, and what replaced it.
async fn neighbours(
    call: &Call<'_>,
    id: MemoryId,
) -> Result<(Vec<MemoryId>, Vec<MemoryId>), Failure> {
    let links = call.store().links(id).await?;
    let replaced = links.outgoing.iter().filter(|link| link.kind == LinkKind::Supersedes);
    let replacing = links.incoming.iter().filter(|link| link.kind == LinkKind::Supersedes);
    Ok((replaced.map(|link| link.target).collect(), replacing.map(|link| link.source).collect()))
}
