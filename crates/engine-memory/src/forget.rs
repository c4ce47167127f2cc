//! Forgetting: removes memories from every place that contains them, with a receipt. A query only
//! shows what would be removed; forgetting takes ids. A hash of the text remains, so that the same
//! text is not captured again. Extracts that quote a forgotten memory are made again without it;
//! whoever else says the same in own words is only named.

mod also_say;

use crate::Memories;
use crate::profile::{ProfileErasure, described_fields, describing_memories};
use crate::versions::visible_versions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::{extracts_of, is_extract, remade_in};
use engine_core::plan::BatchPlan;
use engine_core::search::{SearchModes, SearchRequest};
use guard::Resource;
use model::{Failure, Memory, MemoryId, Permission, limits};
use std::collections::{BTreeMap, BTreeSet};
use store::{Change, ChangeResult, ForgetReceipt};

/// Number of memories that a query proposes to forget.
const PROPOSED: usize = 20;

/// Input of [`Memories::forget`].
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
    /// Extracts that quote them: made again without them, or forgotten with them when nothing is
    /// left to quote.
    pub derived: Vec<MemoryId>,
    /// Other memories that contain the text of one of them: somebody wrote these, so that the
    /// caller decides. At most 20.
    pub also_say: Vec<Memory>,
    /// Number of items removed by place; `None` when nothing was removed.
    pub receipt: Option<ForgetReceipt>,
}

/// Proof of a removal, and the extracts that were made again for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ForgetProof {
    pub receipt: ForgetReceipt,
    pub remade: Vec<MemoryId>,
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
            let (memories, fields) = match (&input.query, input.memories.is_empty()) {
                (Some(query), true) => return preview(&call, query).await,
                (None, false) => all_to_forget(&call, &input.memories).await?,
                (Some(_), false) => return Err(Failure::invalid("give ids or a query, not both")),
                (None, true) => {
                    return Err(Failure::invalid(
                        "give ids, or a query to see what would be forgotten",
                    ));
                }
            };
            call.require_changeable(&memories).await?;
            let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
            let quoting = extracts_quoting(&call, &ids).await?;
            // Before the removal, after which the words of the texts are in no index any more.
            let also_say = also_say::find(&call, &memories, &quoting).await?;
            if input.dry_run {
                call.note_shown(format!("would forget {}", memories.len()), &[]).await;
                return Ok(ForgetOutcome { memories, derived: quoting, also_say, receipt: None });
            }
            let ForgetProof { receipt, remade } = forget_now(&call, ids.clone(), fields).await?;
            let removed = receipt.memories.iter().filter(|id| !ids.contains(id));
            let derived = remade.into_iter().chain(removed.copied()).collect();
            Ok(ForgetOutcome { memories, derived, also_say, receipt: Some(receipt) })
        })
    }
}

/// Removes memories from the store, the view and its snapshot, and with them fields of the
/// profile.
pub async fn forget_now(
    call: &Call<'_>,
    ids: Vec<MemoryId>,
    fields: Vec<String>,
) -> Result<ForgetProof, Failure> {
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
    let remade = remade_in(&committed);
    if !remade.is_empty() {
        receipt.removed.push(("quotes in episodes".to_owned(), remade.len()));
    }
    let snapshot_removed = call.core.forget_in_view(&call.caller.owner).await?;
    receipt.removed.push(("view".to_owned(), receipt.memories.len()));
    receipt.removed.push(("view snapshot".to_owned(), usize::from(snapshot_removed)));
    Ok(ForgetProof { receipt, remade })
}

/// Returns the extracts that quote any of these memories.
async fn extracts_quoting(call: &Call<'_>, ids: &[MemoryId]) -> Result<Vec<MemoryId>, Failure> {
    let view = call.view().await?;
    let candidates: Vec<MemoryId> = view.read(|view| extracts_of(view, ids).into_iter().collect());
    let memories = call.memories(&candidates).await?;
    let quoting = memories.iter().filter(|memory| is_extract(memory)).map(|memory| memory.id);
    Ok(quoting.filter(|id| !ids.contains(id)).collect())
}

async fn preview(call: &Call<'_>, query: &str) -> Result<ForgetOutcome, Failure> {
    let request = SearchRequest::new(call, query, SearchModes::default())?;
    let memories = call.core.nearest_memories(call, &request, PROPOSED).await?;
    call.note_shown(format!("would forget {}", memories.len()), &[]).await;
    let (derived, also_say) = (Vec::new(), Vec::new());
    Ok(ForgetOutcome { memories, derived, also_say, receipt: None })
}

/// Adds everything that says the same: all versions, and whatever else states a field of the
/// profile that is erased with them. Returns these fields too.
async fn all_to_forget(
    call: &Call<'_>,
    ids: &[MemoryId],
) -> Result<(Vec<Memory>, Vec<String>), Failure> {
    let memories = with_versions(call, ids).await?;
    // Only those that were asked for: an earlier version may be about other fields as well.
    let asked: Vec<&Memory> = memories.iter().filter(|memory| ids.contains(&memory.id)).collect();
    let fields = described_fields(call, &asked).await?;
    if fields.is_empty() {
        return Ok((memories, fields));
    }
    let mut ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    ids.extend(describing_memories(call, &fields).await?);
    Ok((with_versions(call, &ids).await?, fields))
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
