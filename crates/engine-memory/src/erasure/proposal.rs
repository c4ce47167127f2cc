//! Proposals to delete. The same agent that asks again for the same items gets the proposal that
//! is already open.

use super::Erasure;
use engine_core::call::{Call, internal};
use engine_core::plan::{BatchPlan, result_at};
use model::{Failure, JsonMap, NewReview, Page, ReviewId, ReviewItem, ReviewKind, limits};
use store::{Change, ChangeResult, ReviewQuery};

/// A deletion that waits for the owner. Nothing of it is deleted yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErasureProposal {
    pub review: ReviewId,
    pub erasure: Erasure,
}

impl ErasureProposal {
    /// Tells an agent that nothing of this was deleted, and how it goes on.
    #[must_use]
    pub fn message(&self) -> String {
        format!(
            "not deleted yet: {}. What the owner typed or another agent wrote, and more than {} \
             memories at once, go only with the owner's consent. Proposal {} waits for it; ask \
             the owner to run `quipu review` or to open Review on the dashboard",
            self.erasure.summary(),
            limits::ERASED_AT_ONCE,
            self.review
        )
    }
}

/// A proposal within a batch.
#[derive(Debug)]
pub struct PlannedProposal {
    erasure: Erasure,
    place: ProposalPlace,
}

#[derive(Debug)]
enum ProposalPlace {
    /// An earlier call raised it.
    Open(ReviewId),
    /// Index in the batch that raises it.
    InBatch(usize),
}

/// Adds a proposal to a batch, unless the caller has an open one that covers it; `None` when there
/// is nothing to propose.
///
/// # Errors
/// `limit_exceeded` when it names too many memories; otherwise fails when the store cannot be read.
pub async fn plan_proposal(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    erasure: Erasure,
) -> Result<Option<PlannedProposal>, Failure> {
    if erasure.is_empty() {
        return Ok(None);
    }
    limits::count("memories to erase", erasure.memories.len(), limits::PROPOSED_ERASURES)?;
    let covers =
        |details: &JsonMap| Erasure::decode(details).is_some_and(|open| open.covers(&erasure));
    let place = match open_proposal(call, covers).await? {
        Some(review) => ProposalPlace::Open(review),
        None => ProposalPlace::InBatch(plan.push(raise(&erasure))),
    };
    Ok(Some(PlannedProposal { erasure, place }))
}

/// Raises a proposal, or returns the caller's open one that covers it.
///
/// # Errors
/// As [`plan_proposal`]; fails when the store cannot write.
pub(crate) async fn propose(call: &Call<'_>, erasure: Erasure) -> Result<ErasureProposal, Failure> {
    let mut plan = BatchPlan::default();
    let note = format!("proposed to {} {}", erasure.mode.name(), erasure.summary());
    let planned = plan_proposal(call, &mut plan, erasure).await?;
    let planned = planned.ok_or_else(|| internal("a proposal names nothing to erase"))?;
    let results = match plan.changes.is_empty() {
        true => call.note_done(note).await.map(|()| Vec::new())?,
        false => call.write(note, plan.changes).await?.results,
    };
    planned.finish(&results)
}

impl PlannedProposal {
    /// Builds the proposal from the results of its batch.
    ///
    /// # Errors
    /// Fails when the store did not raise it.
    pub fn finish(self, results: &[ChangeResult]) -> Result<ErasureProposal, Failure> {
        let review = match self.place {
            ProposalPlace::Open(review) => review,
            ProposalPlace::InBatch(place) => match result_at(results, place) {
                ChangeResult::Review(review) => *review,
                _ => return Err(internal("the store returned no review item for RaiseReview")),
            },
        };
        Ok(ErasureProposal { review, erasure: self.erasure })
    }
}

fn raise(erasure: &Erasure) -> Change {
    let reason = format!("wants to {} {}", erasure.mode.name(), erasure.summary());
    let item = NewReview { kind: ReviewKind::Proposal, reason, details: erasure.encode() };
    // Without sides: the item would vanish with a forgotten side before it can be decided.
    Change::RaiseReview { item, subject: None, against: None }
}

/// Returns the caller's open proposal with matching details.
pub(crate) async fn open_proposal(
    call: &Call<'_>,
    matches: impl Fn(&JsonMap) -> bool,
) -> Result<Option<ReviewId>, Failure> {
    let query =
        ReviewQuery { open_only: true, kind: Some(ReviewKind::Proposal), ..ReviewQuery::default() };
    let mut page = Page::first(limits::PAGE_ITEMS);
    loop {
        let listed = call.store().reviews(&query, page).await?;
        let own = |item: &&ReviewItem| {
            item.raised_by == call.caller.author.agent && matches(&item.details)
        };
        if let Some(item) = listed.items.iter().find(own) {
            return Ok(Some(item.id));
        }
        page.offset += listed.items.len();
        if listed.items.is_empty() || page.offset >= listed.total {
            return Ok(None);
        }
    }
}
