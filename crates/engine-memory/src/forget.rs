//! Forgetting: removes memories from every place that contains them, with a receipt. It takes ids;
//! [`forget_candidates`](crate::forget_candidates) finds them by text. A hash of the text remains,
//! so that the same text is not captured again. Extracts that quote a forgotten memory are made
//! again without it; whoever else says the same in own words is only named. An agent forgets what
//! it wrote itself, and proposes the rest.

mod also_say;

use crate::Memories;
use crate::erasure::{
    ErasureChain, ErasureDivision, ErasureMode, ErasureProposal, divide, plan_proposal,
};
use crate::profile::{ProfileErasure, described_fields, describing_memories};
use crate::versions::forgotten_together;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::{extracts_of, is_extract, remade_in};
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{Failure, Memory, MemoryId, Permission, SourceFilter, limits};
use std::collections::BTreeSet;
use store::{Change, ChangeResult, ForgetReceipt};

/// Name of the store's files in a receipt.
const STORE_FILES: &str = "files of the store";

/// Input of [`Memories::forget`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForgetRequest {
    /// Ids; each is forgotten with its corrections and with what it replaced. What was said later
    /// with another value stays.
    pub memories: Vec<MemoryId>,
    /// Shows what would be removed.
    pub dry_run: bool,
}

/// Forgotten memories, or those that would be.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgetOutcome {
    /// All versions, without the statements that gave another value later.
    pub memories: Vec<Memory>,
    /// Statements that replaced one of them with another value, and stay.
    pub kept: Vec<Memory>,
    /// Extracts that quote them: made again without them, or forgotten with them when nothing is
    /// left to quote.
    pub derived: Vec<MemoryId>,
    /// Other memories that contain the text of one of them: somebody wrote these, so that the
    /// caller decides. At most 20.
    pub also_say: Vec<Memory>,
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
        Self {
            memories,
            kept: Vec::new(),
            derived: Vec::new(),
            also_say: Vec::new(),
            receipt: None,
            proposal: None,
            withheld: Vec::new(),
        }
    }
}

/// Proof of a removal, and the extracts that were made again for it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgetProof {
    pub receipt: ForgetReceipt,
    pub remade: Vec<MemoryId>,
}

impl<'e> Memories<'e> {
    /// Forgets memories. For an agent, those that it did not write itself, or all when they are
    /// many, become a proposal.
    ///
    /// # Errors
    /// Fails when no id is given, one is unknown, or the store cannot write.
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
            if input.memories.is_empty() {
                return Err(Failure::invalid("no memory was given; give at least one id"));
            }
            let (gone, there) = split_forgotten(&call, &input.memories).await?;
            if there.is_empty() {
                return repeat_receipt(&call, gone).await;
            }
            let (chains, kept) = all_to_forget(&call, &there).await?;
            let asked: Vec<Memory> =
                chains.iter().flat_map(|chain| &chain.memories).cloned().collect();
            call.require_changeable(&asked).await?;
            let division = divide(&call, chains).await?;
            let done = match input.dry_run {
                true => preview_division(&call, division).await?,
                false => forget_division(&call, division).await?,
            };
            Ok(ForgetOutcome { kept, ..done })
        })
    }
}

/// Splits ids into those that were forgotten before and all others.
async fn split_forgotten(
    call: &Call<'_>,
    ids: &[MemoryId],
) -> Result<(Vec<MemoryId>, Vec<MemoryId>), Failure> {
    // To an agent that may not read everything, a forgotten id is as unknown as any other.
    if call.readable != SourceFilter::all() {
        return Ok((Vec::new(), ids.to_vec()));
    }
    let gone = call.store().erasure(ids).await?.forgotten;
    let there = ids.iter().filter(|id| !gone.contains(id)).copied().collect();
    Ok((gone, there))
}

/// Returns the receipt of memories that were forgotten before, with what is owed by now.
async fn repeat_receipt(call: &Call<'_>, gone: Vec<MemoryId>) -> Result<ForgetOutcome, Failure> {
    let owed = call.store().erasure(&[]).await?.traces_owed;
    let mut receipt = ForgetReceipt { memories: gone, ..ForgetReceipt::default() };
    receipt.owed.extend(owed.then(|| STORE_FILES.to_owned()));
    call.note_shown(format!("{} forgotten before", receipt.memories.len()), &[]).await;
    Ok(ForgetOutcome { receipt: Some(receipt), ..ForgetOutcome::preview(Vec::new()) })
}

async fn preview_division(
    call: &Call<'_>,
    division: ErasureDivision,
) -> Result<ForgetOutcome, Failure> {
    let withheld = division.others.iter().map(|memory| memory.id).collect();
    let mut memories = division.own;
    memories.extend(division.others);
    memories.sort_by_key(|memory| memory.id);
    let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    let derived = extracts_quoting(call, &ids).await?;
    let also_say = also_say::find(call, &memories, &derived).await?;
    call.note_shown(format!("would forget {}", memories.len()), &[]).await;
    Ok(ForgetOutcome { derived, also_say, withheld, ..ForgetOutcome::preview(memories) })
}

/// Forgets the caller's own memories and proposes the others, in one batch.
async fn forget_division(
    call: &Call<'_>,
    division: ErasureDivision,
) -> Result<ForgetOutcome, Failure> {
    let ids: Vec<MemoryId> = division.own.iter().map(|memory| memory.id).collect();
    let quoting = extracts_quoting(call, &ids).await?;
    // Before the removal, after which the words of the texts are in no index any more.
    let also_say = also_say::find(call, &division.own, &quoting).await?;
    let mut plan = BatchPlan::default();
    plan_forget(call, &mut plan, ids.clone(), division.own_fields.clone()).await?;
    let proposal = plan_proposal(call, &mut plan, division.proposed(ErasureMode::Forget)).await?;
    let note = format!("forgot {}, proposed {}", ids.len(), division.others.len());
    let (ForgetProof { receipt, remade }, results) = write_forget(call, note, plan).await?;
    let removed = receipt.memories.iter().filter(|id| !ids.contains(id)).copied();
    Ok(ForgetOutcome {
        derived: remade.into_iter().chain(removed).collect(),
        also_say,
        receipt: (!ids.is_empty()).then_some(receipt),
        proposal: proposal.map(|proposal| proposal.finish(&results)).transpose()?,
        ..ForgetOutcome::preview(division.own)
    })
}

/// Removes memories from the store, the view and its snapshot, and with them fields of the
/// profile.
pub async fn forget_now(
    call: &Call<'_>,
    ids: Vec<MemoryId>,
    fields: Vec<String>,
) -> Result<ForgetProof, Failure> {
    let mut plan = BatchPlan::default();
    let forgotten = plan_forget(call, &mut plan, ids, fields).await?;
    Ok(write_forget(call, format!("forgot {forgotten}"), plan).await?.0)
}

/// Adds the removal of memories and profile fields to a batch, with the memories that state these
/// fields. Returns the number of memories.
///
/// # Errors
/// Fails when the store cannot be read.
pub async fn plan_forget(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    memories: Vec<MemoryId>,
    fields: Vec<String>,
) -> Result<usize, Failure> {
    let erasure = ProfileErasure::prepare(call, &fields).await?;
    let mut forgotten: BTreeSet<MemoryId> = memories.into_iter().collect();
    forgotten.extend(erasure.iter().flat_map(|erasure| &erasure.memories));
    if let Some(erasure) = erasure {
        erasure.plan(call, plan, &forgotten).await?;
    }
    let count = forgotten.len();
    if count > 0 {
        plan.push(Change::Forget { memories: forgotten.into_iter().collect() });
    }
    Ok(count)
}

/// Writes a batch that forgets something, and removes it from the view and its snapshot. Returns
/// the proof and the results of the batch. An empty batch leaves an audit event alone.
pub async fn write_forget(
    call: &Call<'_>,
    note: String,
    plan: BatchPlan,
) -> Result<(ForgetProof, Vec<ChangeResult>), Failure> {
    if plan.changes.is_empty() {
        call.note_done(note).await?;
        return Ok((ForgetProof::default(), Vec::new()));
    }
    let forgets = plan.changes.iter().any(|change| matches!(change, Change::Forget { .. }));
    let committed = call.write_plan(note, plan).await?;
    let mut receipt = ForgetReceipt::default();
    for result in &committed.results {
        if let ChangeResult::Forgotten(part) = result {
            add_receipt(&mut receipt, part.clone());
        }
    }
    let remade = remade_in(&committed);
    if !remade.is_empty() {
        receipt.removed.push(("quotes in episodes".to_owned(), remade.len()));
    }
    if forgets {
        if committed.traces_owed {
            receipt.owed.push(STORE_FILES.to_owned());
        }
        let snapshot_removed = call.core.forget_in_view(&call.caller.owner).await?;
        let view = receipt.memories.len();
        let places = [("view", view), ("view snapshot", usize::from(snapshot_removed))];
        let removed = places.map(|(place, count)| (place.to_owned(), count)).to_vec();
        // A database has removed the snapshot already, and says so in its receipt.
        add_receipt(&mut receipt, ForgetReceipt { removed, ..ForgetReceipt::default() });
    }
    Ok((ForgetProof { receipt, remade }, committed.results))
}

/// Adds a part to a receipt.
pub(crate) fn add_receipt(receipt: &mut ForgetReceipt, part: ForgetReceipt) {
    receipt.memories.extend(part.memories);
    receipt.owed.extend(part.owed);
    receipt.owed.dedup();
    for (place, count) in part.removed {
        match receipt.removed.iter_mut().find(|(known, _)| *known == place) {
            Some((_, sum)) => *sum += count,
            None => receipt.removed.push((place, count)),
        }
    }
}

/// Returns the extracts that quote any of these memories.
async fn extracts_quoting(call: &Call<'_>, ids: &[MemoryId]) -> Result<Vec<MemoryId>, Failure> {
    let view = call.view().await?;
    let candidates: Vec<MemoryId> = view.read(|view| extracts_of(view, ids).into_iter().collect());
    let memories = call.memories(&candidates).await?;
    let quoting = memories.iter().filter(|memory| is_extract(memory)).map(|memory| memory.id);
    Ok(quoting.filter(|id| !ids.contains(id)).collect())
}

/// Returns each memory with everything that says the same: all versions, and whatever else
/// states a field of the profile that is erased with them. The statements that gave another value
/// later, and stay, are returned second.
async fn all_to_forget(
    call: &Call<'_>,
    ids: &[MemoryId],
) -> Result<(Vec<ErasureChain>, Vec<Memory>), Failure> {
    let (mut known, mut chains, mut kept) = (BTreeSet::new(), Vec::new(), Vec::new());
    for &id in ids {
        if known.contains(&id) {
            continue;
        }
        let asked = call.memory(id).await?;
        let mut memories = with_versions(call, &[id], &mut known, &mut kept).await?;
        // Only of the one that was asked for: an earlier version may be about other fields too.
        let fields = described_fields(call, &[&asked]).await?;
        if !fields.is_empty() {
            let describing = describing_memories(call, &fields).await?;
            memories.extend(with_versions(call, &describing, &mut known, &mut kept).await?);
            memories.sort_by_key(|memory| memory.id);
        }
        chains.push(ErasureChain { memories, fields });
    }
    kept.retain(|memory: &Memory| !known.contains(&memory.id));
    kept.sort_by_key(|memory| memory.id);
    kept.dedup_by_key(|memory| memory.id);
    Ok((chains, kept))
}

/// Adds all versions: the history of a memory contains what is to be forgotten too. Each is
/// returned once.
async fn with_versions(
    call: &Call<'_>,
    ids: &[MemoryId],
    known: &mut BTreeSet<MemoryId>,
    kept: &mut Vec<Memory>,
) -> Result<Vec<Memory>, Failure> {
    let mut all = Vec::new();
    for &id in ids {
        if !known.contains(&id) {
            let (versions, later) = forgotten_together(call, id).await?;
            all.extend(versions.into_iter().filter(|memory| known.insert(memory.id)));
            kept.extend(later);
        }
    }
    Ok(all)
}
