//! Resuming: what the last sessions left, within a number of memories that is kept to.

use super::{ids_of, join, last_episode, newest, previous_session};
use crate::Sessions;
use crate::sessions::SessionRef;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, Kind, Memory, Page, Permission, Session, Status};
use store::{HandoffQuery, MemoryQuery};

/// How many memories a resume gives unless told otherwise.
const MEMORIES: usize = 15;
/// How many it gives at most.
const MEMORIES_MAX: usize = 200;

/// What to resume.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ResumeSession {
    /// The session that goes on; the client's when missing.
    pub session: Option<SessionRef>,
    /// The project; the client's when missing.
    pub project: Option<String>,
    /// How many memories at most, the episode counted; 15 unless told otherwise.
    pub limit: Option<usize>,
}

/// What the last sessions left.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumed {
    /// The session that goes on.
    pub current: Option<Session>,
    /// The one before it.
    pub previous: Option<Session>,
    /// The newest episode.
    pub last_episode: Option<Memory>,
    /// The newest decisions.
    pub decisions: Vec<Memory>,
    /// The newest facts and preferences.
    pub facts: Vec<Memory>,
    /// The newest skills, corrections and inferences.
    pub others: Vec<Memory>,
    /// How many handoffs wait for somebody.
    pub open_handoffs: usize,
}

impl Resumed {
    /// Every memory in it.
    pub fn memories(&self) -> impl Iterator<Item = &Memory> {
        let lists = [&self.decisions, &self.facts, &self.others];
        self.last_episode.iter().chain(lists.into_iter().flatten())
    }
}

impl Sessions<'_> {
    /// What a new session should know of the ones before it.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn resume(self, caller: &Caller, input: &ResumeSession) -> Result<Resumed, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                .await?;
        let current = match super::resolve_session(caller, input.session.as_ref()) {
            Some(session) => match join::known(&call, &session).await? {
                Some(known) if join::exists_for(&call, &known).await? => Some(known),
                _ => None,
            },
            None => None,
        };
        let project = input.project.clone().or_else(|| caller.surroundings.project.clone());
        let project =
            project.or_else(|| current.as_ref().and_then(|session| session.project.clone()));
        let (previous, _) =
            previous_session(&call, current.as_ref().map(|session| session.id), project.as_deref())
                .await?;
        let last_episode = last_episode(&call, project.as_deref()).await?;
        let limit = input.limit.unwrap_or(MEMORIES).clamp(1, MEMORIES_MAX);
        let room = limit - usize::from(last_episode.is_some());
        let [decisions, facts, others] = recent(&call, project.as_deref(), room).await?;
        let open_handoffs = open_handoffs(&call, project).await?;
        let resumed =
            Resumed { current, previous, last_episode, decisions, facts, others, open_handoffs };
        call.note_shown("resumed", &ids_of(resumed.memories())).await;
        Ok(resumed)
    }
}

/// The newest decisions, facts and others, sharing the room fairly.
async fn recent(
    call: &Call<'_>,
    project: Option<&str>,
    room: usize,
) -> Result<[Vec<Memory>; 3], Failure> {
    let mut lists = [
        of_kinds(call, project, &["decision"], room).await?,
        of_kinds(call, project, &["fact", "preference"], room).await?,
        of_kinds(call, project, &["skill", "correction", "inference"], room).await?,
    ];
    let shares = share(room, lists.each_ref().map(Vec::len));
    for (list, share) in lists.iter_mut().zip(shares) {
        list.truncate(share);
    }
    Ok(lists)
}

async fn of_kinds(
    call: &Call<'_>,
    project: Option<&str>,
    kinds: &[&str],
    limit: usize,
) -> Result<Vec<Memory>, Failure> {
    let query = MemoryQuery {
        kinds: kinds.iter().map(|kind| Kind::new(kind)).collect::<Result<_, _>>()?,
        statuses: vec![Status::Active],
        project: project.map(str::to_owned),
        ..call.query()
    };
    newest(call, &query, limit).await
}

/// Gives each list one place after another until the room or the lists are used up.
fn share(room: usize, wanted: [usize; 3]) -> [usize; 3] {
    let mut given = [0; 3];
    let mut left = room.min(wanted.iter().sum());
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

/// How many handoffs wait, as far as this caller may know.
async fn open_handoffs(call: &Call<'_>, project: Option<String>) -> Result<usize, Failure> {
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
    fn the_room_is_shared_fairly_and_never_exceeded() {
        assert_eq!(share(9, [10, 10, 10]), [3, 3, 3]);
        assert_eq!(share(9, [1, 10, 0]), [1, 8, 0]);
        assert_eq!(share(1, [5, 5, 5]), [1, 0, 0]);
        assert_eq!(share(0, [5, 5, 5]), [0, 0, 0]);
        assert_eq!(share(50, [2, 0, 3]), [2, 0, 3]);
    }
}
