//! Forgetting: removes memories from every place that contains them, with a receipt. A query only
//! shows what would be removed; forgetting takes ids. A hash of the text remains, so that the same
//! text is not captured again.

use crate::Memories;
use crate::profile::ProfileErasure;
use crate::versions::visible_versions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use model::{Failure, Memory, MemoryId, Permission, limits};
use std::collections::{BTreeMap, BTreeSet};
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
}

impl<'e> Memories<'e> {
    /// Forgets memories.
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
            let memories = match (&input.query, input.memories.is_empty()) {
                (Some(query), true) => return preview(&call, query).await,
                (None, false) => with_versions(&call, &input.memories).await?,
                (Some(_), false) => return Err(Failure::invalid("give ids or a query, not both")),
                (None, true) => {
                    return Err(Failure::invalid(
                        "give ids, or a query to see what would be forgotten",
                    ));
                }
            };
            call.require_changeable(&memories).await?;
            if input.dry_run {
                call.note_shown(format!("would forget {}", memories.len()), &[]).await;
                return Ok(ForgetOutcome { memories, receipt: None });
            }
            // A field of the profile that such a memory was made from would bring the text back.
            let fields = memories
                .iter()
                .flat_map(crate::profile::profile_fields)
                .map(str::to_owned)
                .collect();
            let receipt =
                forget_now(&call, memories.iter().map(|memory| memory.id).collect(), fields)
                    .await?;
            Ok(ForgetOutcome { memories, receipt: Some(receipt) })
        })
    }
}

/// Removes memories from the store, the view and its snapshot, and with them fields of the
/// profile.
pub async fn forget_now(
    call: &Call<'_>,
    ids: Vec<MemoryId>,
    fields: Vec<String>,
) -> Result<ForgetReceipt, Failure> {
    let erasure = ProfileErasure::prepare(call, &fields).await?;
    let mut forgotten: BTreeSet<MemoryId> = ids.into_iter().collect();
    forgotten.extend(erasure.iter().flat_map(|erasure| &erasure.memories));
    let note = format!("forgot {}", forgotten.len());
    let mut plan = BatchPlan::default();
    if let Some(erasure) = erasure {
        erasure.plan(call, &mut plan, &forgotten).await?;
    }
    plan.push(Change::Forget { memories: forgotten.into_iter().collect() });
    let committed = call.write_plan(note, plan).await?;
    let mut receipt = ForgetReceipt::default();
    for result in &committed.results {
        if let ChangeResult::Forgotten(part) = result {
            receipt.memories.extend(&part.memories);
            receipt.removed.extend(part.removed.iter().cloned());
        }
    }
    let rewritten = call.core.forget_in_view(&call.caller.owner).await?;
    receipt.removed.push(("view".to_owned(), receipt.memories.len()));
    receipt.removed.push(("view snapshot".to_owned(), usize::from(rewritten)));
    Ok(receipt)
}

async fn preview(call: &Call<'_>, query: &str) -> Result<ForgetOutcome, Failure> {
    let request = SearchRequest::new(call, query, SearchModes::default())?;
    let memories = call.core.nearest_memories(call, &request, PROPOSED).await?;
    call.note_shown(format!("would forget {}", memories.len()), &[]).await;
    Ok(ForgetOutcome { memories, receipt: None })
}

/// Adds all versions: the history of a memory contains what is to be forgotten too.
async fn with_versions(call: &Call<'_>, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
    let mut all = BTreeMap::new();
    for &id in ids {
        if all.contains_key(&id) {
            continue;
        }
        call.memory(id).await?;
        for memory in visible_versions(call, id).await?.all {
            all.insert(memory.id, memory);
        }
    }
    Ok(all.into_values().collect())
}
