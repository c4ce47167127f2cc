//! The chain of a session: each memory that joins it comes after the one before.

use super::conflicts::is_repetition;
use super::draft::Draft;
use super::input::Remember;
use crate::sessions::last_in_session;
use engine_core::call::Call;
use engine_core::plan::Plan;
use model::{Failure, LinkKind, MemoryId, SessionId};
use store::{Change, Ref};

/// Which memory the draft comes after. A text that is there already has its place in a chain.
pub(super) async fn find_last(
    call: &Call<'_>,
    input: &Remember,
    draft: &Draft,
    session: Option<Ref<SessionId>>,
) -> Result<Option<MemoryId>, Failure> {
    let (true, Some(Ref::Id(session))) = (input.chained, session) else { return Ok(None) };
    if is_repetition(call, draft).await? {
        return Ok(None);
    }
    last_in_session(call, session).await
}

/// Links the last memory of the chain to the new one.
pub(super) fn plan_after(plan: &mut Plan, last: MemoryId, place: usize) {
    let (source, target) = (Ref::Id(last), Ref::Made(place));
    plan.push(Change::Link { source, target, kind: LinkKind::TemporalNext, weight: 1.0 });
}
