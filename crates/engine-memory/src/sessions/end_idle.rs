//! Ending sessions that nobody ended: a client that is closed tells nobody.

use super::{EndSessionRequest, SessionRef, last_moment, newest_memory, visible_sessions};
use crate::Sessions;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Moment, Page, Permission, Session};

/// Number of recent sessions that are looked at.
const SESSIONS_READ: usize = 20;
/// Number of sessions ended at once; the next call ends more.
const ENDED_MAX: usize = 3;

impl<'e> Sessions<'e> {
    /// Ends the caller's own sessions in which nothing was written since a moment, and sums them
    /// up. Returns the number of them. The session that the caller is in does not end.
    ///
    /// # Errors
    /// Fails when the store cannot be read or written.
    pub fn end_idle(self, caller: &'e Caller, before: Moment) -> UseCaseFuture<'e, usize> {
        Box::pin(async move {
            let resource = Resource::Memories(None);
            let call = Call::begin(self.core, caller, resource, Permission::Write, &before).await?;
            let own = caller.environment.session.as_deref();
            let may_be_idle = |session: &Session| {
                session.ended_at.is_none()
                    && session.started_at < before
                    && session.agent == caller.author.agent
                    && session.key.as_deref().is_some_and(|key| Some(key) != own)
            };
            let recent = visible_sessions(&call, Page::first(SESSIONS_READ)).await?.items;
            let mut ended = 0;
            for session in recent.into_iter().filter(may_be_idle).take(ENDED_MAX) {
                let newest = newest_memory(&call, &session).await?;
                if last_moment(&session, newest.as_ref()) < before {
                    let session = Some(SessionRef::Id(session.id));
                    let request = EndSessionRequest { session, ..EndSessionRequest::default() };
                    self.end(caller, &request).await?;
                    ended += 1;
                }
            }
            Ok(ended)
        })
    }
}
