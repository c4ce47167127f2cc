//! The chain of a session: each memory links to the next.

use super::draft::MemoryDraft;
use super::neighbours::is_duplicate;
use super::request::RememberRequest;
use crate::sessions::last_in_session;
use engine_core::call::Call;
use engine_core::plan::BatchPlan;
use model::{Failure, LinkKind, MemoryId, SessionId};
use store::{Change, Ref};

/// Returns the memory that the draft follows. A duplicate has its place in a chain already.
pub(super) async fn find_predecessor(
    call: &Call<'_>,
    input: &RememberRequest,
    draft: &MemoryDraft,
    session: Option<Ref<SessionId>>,
) -> Result<Option<MemoryId>, Failure> {
    let (true, Some(Ref::Id(session))) = (input.chained, session) else { return Ok(None) };
    if is_duplicate(call, draft).await? {
        return Ok(None);
    }
    last_in_session(call, session).await
}

/// Links the last memory of the chain to the new one.
pub(super) fn plan_successor(plan: &mut BatchPlan, last: MemoryId, index: usize) {
    let (source, target) = (Ref::Id(last), Ref::ResultOf(index));
    plan.push(Change::Link { source, target, kind: LinkKind::TemporalNext, weight: 1.0 });
}
