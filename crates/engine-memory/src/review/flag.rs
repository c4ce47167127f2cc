//! Flags: complaints about a memory. It stays, ranks lower, and waits for a decision.

use crate::Reviews;
use crate::versions::visible_versions;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use engine_core::plan::{BatchPlan, result_at};
use guard::Resource;
use model::{
    ErrorCode, Failure, FlagId, JsonMap, Memory, MemoryId, NewReview, Page, Permission, ReviewId,
    ReviewKind, Status, limits,
};
use store::{Change, ChangeResult, Ref, ReviewQuery};

/// Input of [`Reviews::flag`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagMemoryRequest {
    pub memory: MemoryId,
    /// Complaint in words.
    pub reason: String,
}

/// Result of flagging a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlagOutcome {
    pub flag: FlagId,
    /// The open item; an earlier flag of the same memory may have raised it.
    pub review: ReviewId,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

impl<'e> Reviews<'e> {
    /// Flags a memory.
    ///
    /// # Errors
    /// `not_found` when there is no such memory, `conflict` when it is not recalled any more,
    /// `invalid_argument` without a reason.
    pub fn flag(
        self,
        caller: &'e Caller,
        input: &'e FlagMemoryRequest,
    ) -> UseCaseFuture<'e, FlagOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Review, Permission::Write, input).await?;
            let mut reason = input.reason.trim().to_owned();
            call.screen().text("reason", &mut reason)?;
            if reason.is_empty() {
                return Err(Failure::invalid(
                    "reason is empty; state in a sentence what is wrong with the memory",
                ));
            }
            limits::chars("reason", &reason, limits::REASON_CHARS)?;
            let memory = call.memory(input.memory).await?;
            if let Status::Superseded | Status::Rejected | Status::Retired = memory.status {
                return Err(no_longer_recalled(&call, &memory).await?);
            }
            let memory = memory.id;
            let waiting = open_item(&call, memory).await?;
            let mut plan = BatchPlan::default();
            let flag = plan.push(Change::Flag { memory, reason: reason.clone() });
            // One open item per memory: a second flag adds to it instead of asking twice.
            if waiting.is_none() {
                let item = NewReview { kind: ReviewKind::Flag, reason, details: JsonMap::new() };
                plan.push(Change::RaiseReview {
                    item,
                    subject: Some(Ref::Id(memory)),
                    against: None,
                });
            }
            let results = call.write(format!("flagged {memory}"), plan.changes).await?.results;
            let raised = results.iter().find_map(|result| {
                if let ChangeResult::Review(id) = result { Some(*id) } else { None }
            });
            match (result_at(&results, flag), waiting.or(raised)) {
                (ChangeResult::Flag(flag), Some(review)) => {
                    Ok(FlagOutcome { flag: *flag, review, notes: call.notes() })
                }
                _ => Err(internal("the store returned no flag or no review item for Flag")),
            }
        })
    }
}

/// Builds the failure for a memory that is not recalled any more; it names the current version.
async fn no_longer_recalled(call: &Call<'_>, memory: &Memory) -> Result<Failure, Failure> {
    let latest = visible_versions(call, memory.id).await?.latest;
    let instead = if latest == memory.id {
        "nothing is left to flag".to_owned()
    } else {
        format!("memory {latest} replaced it; flag that one if it is wrong")
    };
    let message =
        format!("memory {} is {} and not recalled; {instead}", memory.id, memory.status.name());
    Ok(Failure::new(ErrorCode::Conflict, message))
}

/// Returns the open item raised by an earlier flag.
async fn open_item(call: &Call<'_>, memory: MemoryId) -> Result<Option<ReviewId>, Failure> {
    let query =
        ReviewQuery { open_only: true, kind: Some(ReviewKind::Flag), memories: Some(vec![memory]) };
    let listed = call.store().reviews(&query, Page::first(1)).await;
    Ok(listed?.items.first().map(|item| item.id))
}
