//! Forgetting: removes memories from every place that contains them, with a receipt. A query only
//! shows what would be removed; forgetting takes ids. A hash of the text remains, so that the same
//! text is not captured again.

use crate::Memories;
use crate::erasure::{ErasureDivision, ErasureMode, ErasureProposal, divide, plan_proposal};
use crate::versions::visible_versions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use model::{Failure, Memory, MemoryId, Permission, limits};
use std::collections::BTreeSet;
use store::{Change, ChangeResult, ForgetReceipt};

/// Number of memories that a query proposes to forget.
const PROPOSED: usize = 20;

/// Input of [`Engine::forget`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForgetRequest {
    /// Ids; all versions of each are forgotten.
    pub memories: Vec<MemoryId>,
    /// Shows the memories that match; removes nothing.
    pub query: Option<String>,
    /// Shows what would be removed.
    pub dry_run: bool,
}

/// Forgotten memories, or those that would be.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetOutcome {
    /// All versions.
    pub memories: Vec<Memory>,
    /// Number of items removed by place; `None` when nothing was removed.
    pub receipt: Option<ForgetReceipt>,
    /// Memories that wait for the owner's consent.
    pub proposal: Option<ErasureProposal>,
    /// In a dry run, those of the memories that would wait for the owner's consent.
    pub withheld: Vec<MemoryId>,
}

impl ForgetOutcome {
    /// Creates the outcome of a call that removes nothing.
    fn preview(memories: Vec<Memory>) -> Self {
        Self { memories, receipt: None, proposal: None, withheld: Vec::new() }
    }
}

impl<'e> Memories<'e> {
    /// Forgets memories. For an agent, those that it did not write itself, or all when they are
    /// many, become a proposal.
    ///
    /// # Errors
    /// Fails when neither ids nor a query are given, an id is unknown, or the store cannot write.
    pub fn forget(
        self,
        caller: &'e Caller,
        input: &'e ForgetRequest,
    ) -> UseCaseFuture<'e, ForgetOutcome> {
        Box::pin(async move {
            limits::count("ids", input.memories.len(), limits::IDS_PER_CALL)?;
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            let chains = match (&input.query, input.memories.is_empty()) {
                (Some(query), true) => return preview(&call, query).await,
                (None, false) => with_versions(&call, &input.memories).await?,
                (Some(_), false) => return Err(Failure::invalid("give ids or a query, not both")),
                (None, true) => {
                    return Err(Failure::invalid(
                        "give ids, or a query to see what would be forgotten",
                    ));
                }
            };
            call.require_changeable(&chains.concat()).await?;
            let division = divide(&call, chains).await?;
            if input.dry_run {
                return Ok(preview_division(&call, division).await);
            }
            forget_division(&call, division).await
        })
    }
}

async fn preview_division(call: &Call<'_>, division: ErasureDivision) -> ForgetOutcome {
    let withheld = division.others.iter().map(|memory| memory.id).collect();
    let mut memories = division.own;
    memories.extend(division.others);
    memories.sort_by_key(|memory| memory.id);
    call.note_shown(format!("would forget {}", memories.len()), &[]).await;
    ForgetOutcome { withheld, ..ForgetOutcome::preview(memories) }
}

/// Forgets the caller's own memories and proposes the others, in one batch.
async fn forget_division(
    call: &Call<'_>,
    division: ErasureDivision,
) -> Result<ForgetOutcome, Failure> {
    let mut plan = BatchPlan::default();
    // A field of the profile that such a memory was made from would bring the text back.
    let fields = division.own.iter().flat_map(crate::profile::profile_fields);
    let fields: Vec<String> = fields.map(str::to_owned).collect();
    plan_forget(&mut plan, division.own.iter().map(|memory| memory.id).collect(), fields);
    let proposal = plan_proposal(call, &mut plan, division.proposed(ErasureMode::Forget)).await?;
    let note = format!("forgot {}, proposed {}", division.own.len(), division.others.len());
    let (receipt, results) = write_forget(call, note, plan).await?;
    let receipt = (!division.own.is_empty()).then_some(receipt);
    let proposal = proposal.map(|proposal| proposal.finish(&results)).transpose()?;
    Ok(ForgetOutcome { memories: division.own, receipt, proposal, withheld: Vec::new() })
}

/// Removes memories from the store, the view and its snapshot, and with them fields of the
/// profile.
pub async fn forget_now(
    call: &Call<'_>,
    ids: Vec<MemoryId>,
    fields: Vec<String>,
) -> Result<ForgetReceipt, Failure> {
    let mut plan = BatchPlan::default();
    let note = format!("forgot {}", ids.len());
    plan_forget(&mut plan, ids, fields);
    Ok(write_forget(call, note, plan).await?.0)
}

/// Adds the removal of memories and profile fields to a batch.
pub fn plan_forget(plan: &mut BatchPlan, memories: Vec<MemoryId>, fields: Vec<String>) {
    if !memories.is_empty() {
        plan.push(Change::Forget { memories });
    }
    if !fields.is_empty() {
        plan.push(Change::EraseProfile { fields });
    }
}

/// Writes a batch that forgets something, and removes it from the view and its snapshot. Returns
/// the receipt and the results of the batch. An empty batch leaves an audit event alone.
pub async fn write_forget(
    call: &Call<'_>,
    note: String,
    plan: BatchPlan,
) -> Result<(ForgetReceipt, Vec<ChangeResult>), Failure> {
    if plan.changes.is_empty() {
        call.note_done(note).await?;
        return Ok((ForgetReceipt::default(), Vec::new()));
    }
    let forgets = plan.changes.iter().any(|change| matches!(change, Change::Forget { .. }));
    let results = call.write(note, plan.changes).await?.results;
    let mut receipt = ForgetReceipt::default();
    for result in &results {
        if let ChangeResult::Forgotten(part) = result {
            add_receipt(&mut receipt, part.clone());
        }
    }
    if forgets {
        let rewritten = call.core.forget_in_view(&call.caller.owner).await?;
        receipt.removed.push(("view".to_owned(), receipt.memories.len()));
        receipt.removed.push(("view snapshot".to_owned(), usize::from(rewritten)));
    }
    Ok((receipt, results))
}

/// Adds a part to a receipt.
pub(crate) fn add_receipt(receipt: &mut ForgetReceipt, part: ForgetReceipt) {
    receipt.memories.extend(part.memories);
    for (place, count) in part.removed {
        match receipt.removed.iter_mut().find(|(known, _)| *known == place) {
            Some((_, sum)) => *sum += count,
            None => receipt.removed.push((place, count)),
        }
    }
}

async fn preview(call: &Call<'_>, query: &str) -> Result<ForgetOutcome, Failure> {
    let request = SearchRequest::new(call, query, SearchModes::default())?;
    let memories = call.core.nearest_memories(call, &request, PROPOSED).await?;
    call.note_shown(format!("would forget {}", memories.len()), &[]).await;
    Ok(ForgetOutcome::preview(memories))
}

/// Returns each memory with all its versions: the history of a memory contains what is to be
/// forgotten too.
async fn with_versions(call: &Call<'_>, ids: &[MemoryId]) -> Result<Vec<Vec<Memory>>, Failure> {
    let (mut known, mut chains) = (BTreeSet::new(), Vec::new());
    for &id in ids {
        if known.contains(&id) {
            continue;
        }
        call.memory(id).await?;
        let mut chain = visible_versions(call, id).await?.all;
        chain.retain(|memory| known.insert(memory.id));
        chains.push(chain);
    }
    Ok(chains)
}
