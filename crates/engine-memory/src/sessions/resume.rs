//! Resuming: what the last sessions left, within a number of memories.

use super::{ids_of, join, last_episode, newest, previous_session};
use crate::Sessions;
use crate::sessions::SessionRef;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, Memory, Page, Permission, Session};
use store::HandoffQuery;

/// Default number of memories.
const MEMORIES: usize = 15;
const MEMORIES_MAX: usize = 200;

/// Input of [`Sessions::resume`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResumeSessionRequest {
    /// The client's session when missing.
    pub session: Option<SessionRef>,
    /// The client's project when missing.
    pub project: Option<String>,
    /// Number of memories including the episode; 15 when missing.
    pub limit: Option<usize>,
}

/// Context left by the last sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct ResumeResults {
    /// The session that continues.
    pub current: Option<Session>,
    /// The session before it.
    pub previous: Option<Session>,
    pub last_episode: Option<Memory>,
    /// Newest first.
    pub decisions: Vec<Memory>,
    /// Facts and preferences, newest first.
    pub facts: Vec<Memory>,
    /// Skills, corrections and inferences, newest first.
    pub others: Vec<Memory>,
    /// Number of handoffs that can be claimed.
    pub open_handoffs: usize,
}

impl ResumeResults {
    /// Iterates over every memory of the result.
    pub fn memories(&self) -> impl Iterator<Item = &Memory> {
        let lists = [&self.decisions, &self.facts, &self.others];
        self.last_episode.iter().chain(lists.into_iter().flatten())
    }
}

impl<'e> Sessions<'e> {
    /// Returns what the last sessions left.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn resume(
        self,
        caller: &'e Caller,
        input: &'e ResumeSessionRequest,
    ) -> UseCaseFuture<'e, ResumeResults> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                    .await?;
            let current = match super::resolve_session(caller, input.session.as_ref()) {
                Some(session) => match join::find_existing(&call, &session).await? {
                    Some(known) if join::is_visible(&call, &known).await? => Some(known),
                    _ => None,
                },
                None => None,
            };
            let project = input.project.clone().or_else(|| caller.environment.project.clone());
            // The session's own project comes last: its caller may work on another one by now.
            let project =
                project.or_else(|| current.as_ref().and_then(|session| session.project.clone()));
            let (previous, _) = previous_session(
                &call,
                current.as_ref().map(|session| session.id),
                project.as_deref(),
            )
            .await?;
            let last_episode = last_episode(&call, project.as_deref()).await?;
            let limit = input.limit.unwrap_or(MEMORIES).clamp(1, MEMORIES_MAX);
            // The limit counts the episode too, since it costs the caller as much as any other
            // memory.
            let remaining = limit - usize::from(last_episode.is_some());
            let [decisions, facts, others] = recent(&call, project.as_deref(), remaining).await?;
            let open_handoffs = open_handoffs(&call, project).await?;
            let resumed = ResumeResults {
                current,
                previous,
                last_episode,
                decisions,
                facts,
                others,
                open_handoffs,
            };
            call.note_shown("resumed", &ids_of(resumed.memories())).await;
            Ok(resumed)
        })
    }
}

/// Returns the newest decisions, facts and others, with equal shares of the limit.
async fn recent(
    call: &Call<'_>,
    project: Option<&str>,
    limit: usize,
) -> Result<[Vec<Memory>; 3], Failure> {
    let mut lists = [
        newest(call, &["decision"], project, limit).await?,
        newest(call, &["fact", "preference"], project, limit).await?,
        newest(call, &["skill", "correction", "inference"], project, limit).await?,
    ];
    let shares = share(limit, lists.each_ref().map(Vec::len));
    for (list, share) in lists.iter_mut().zip(shares) {
        list.truncate(share);
    }
    Ok(lists)
}

/// Distributes the limit round-robin until it or the lists are used up.
fn share(limit: usize, wanted: [usize; 3]) -> [usize; 3] {
    let mut given = [0; 3];
    let mut left = limit.min(wanted.iter().sum());
    while left > 0 {
        for (share, wanted) in given.iter_mut().zip(wanted) {
            if left > 0 && *share < wanted {
                *share += 1;
                left -= 1;
            }
        }
    }
    given
}

/// Returns the number of claimable handoffs, 0 for a caller who may not read them.
async fn open_handoffs(call: &Call<'_>, project: Option<String>) -> Result<usize, Failure> {
    // A resume must not fail, and not log a refusal, because of a missing grant on handoffs.
    if call.policy.admit(Resource::Handoffs, Permission::Read).is_err() {
        return Ok(0);
    }
    let query = HandoffQuery { free_at: Some(call.at), project, ..HandoffQuery::default() };
    let listed = call.store().handoffs(&query, Page::first(1)).await;
    Ok(listed?.total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_shared_fairly_and_never_exceeded() {
        assert_eq!(share(9, [10, 10, 10]), [3, 3, 3]);
        assert_eq!(share(9, [1, 10, 0]), [1, 8, 0]);
        assert_eq!(share(1, [5, 5, 5]), [1, 0, 0]);
        assert_eq!(share(0, [5, 5, 5]), [0, 0, 0]);
        assert_eq!(share(50, [2, 0, 3]), [2, 0, 3]);
    }
}
