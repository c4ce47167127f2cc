//! Sessions: stretches of work, so that a new one begins with what the last one left.
//! A session is named by its number or its key in every call; nothing here knows a connection.

mod called;
mod current;
mod end;
mod episode;
mod join;
mod log;
mod resume;

pub use end::{EndSession, Episode, SessionEnded};
pub use join::{SessionRef, named_session};
pub(crate) use join::{find as find_session, join_session, last_in_session, resolve_session};
pub use log::{LogExchange, Logged};
pub use resume::{ResumeSession, Resumed};

use crate::Sessions;
use crate::adding::session_of;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use join::open_to;
use model::{
    Failure, JsonMap, Kind, Listing, Memory, NewSession, Page, Permission, Session, SessionId,
    Status, limits,
};
use store::{Change, MemoryQuery};

/// A session to begin, or to take up again.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StartSession {
    /// Which; a new number when neither this nor the client's surroundings name one.
    pub session: Option<SessionRef>,
    /// The project it belongs to; the client's when missing.
    pub project: Option<String>,
    /// Whatever else is told.
    pub metadata: JsonMap,
}

/// A session that began, and what it can build on.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionStarted {
    /// The session.
    pub session: Session,
    /// Whether it was there already.
    pub taken_up: bool,
    /// The session of the same project that was begun last before it.
    pub previous: Option<Session>,
    /// The newest episode of the project.
    pub last_episode: Option<Memory>,
    /// How many sessions there are.
    pub total: usize,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

/// A session with what sums it up.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionView {
    /// The session.
    pub session: Session,
    /// The memory that sums it up.
    pub episode: Option<Memory>,
    /// How many active memories were made in it.
    pub memories: usize,
}

impl Sessions<'_> {
    /// Begins a session, or takes a known one up again, and answers with what came before it.
    ///
    /// # Errors
    /// When a field is past its limit or the store cannot answer.
    pub async fn start(
        self,
        caller: &Caller,
        input: &StartSession,
    ) -> Result<SessionStarted, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                .await?;
        let new = session_to_start(caller, input)?;
        let taken_up = open_to(&call, &new).await?.is_some();
        let committed = call.write("session started", vec![Change::StartSession(new)]).await?;
        let id = session_of(&committed.made)?;
        let session = session_by_id(&call, id).await?;
        let (previous, total) =
            previous_session(&call, Some(id), session.project.as_deref()).await?;
        let last_episode = last_episode(&call, session.project.as_deref()).await?;
        call.note_shown("session started", &ids_of(last_episode.as_ref())).await;
        Ok(SessionStarted { session, taken_up, previous, last_episode, total, notes: call.notes() })
    }

    /// Sessions, the one begun last first.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn list(self, caller: &Caller, page: Page) -> Result<Listing<Session>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &page)
                .await?;
        let sessions = seen_sessions(&call, page.capped()).await?;
        call.note_shown(format!("listed {} sessions", sessions.items.len()), &[]).await;
        Ok(sessions)
    }

    /// One session.
    ///
    /// # Errors
    /// `not_found` when there is none of this number or key.
    pub async fn get(self, caller: &Caller, session: &SessionRef) -> Result<SessionView, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, session)
                .await?;
        let session = named_session(&call, session).await?;
        let query = MemoryQuery {
            sessions: vec![session.id],
            statuses: vec![Status::Active],
            ..call.query()
        };
        let memories = call.store().list_memories(&query, Page::first(1)).await;
        let memories = memories?.total;
        let episode = episode_of(&call, &session).await?;
        call.note_shown(format!("session {}", session.id), &ids_of(episode.as_ref())).await;
        Ok(SessionView { session, episode, memories })
    }
}

fn session_to_start(caller: &Caller, input: &StartSession) -> Result<NewSession, Failure> {
    let mut new = resolve_session(caller, input.session.as_ref()).unwrap_or_default();
    new.project = input.project.clone().or_else(|| caller.surroundings.project.clone());
    new.metadata.clone_from(&input.metadata);
    new.check()?;
    if let Some(SessionId(number)) = new.id.filter(|id| id.0 > limits::NUMBER) {
        // The numbers that come after it must have room to rise.
        let message = format!("a session's number is at most {}; got {number}", limits::NUMBER);
        return Err(Failure::invalid(message));
    }
    Ok(new)
}

async fn session_by_id(call: &Call<'_>, id: SessionId) -> Result<Session, Failure> {
    named_session(call, &SessionRef::Id(id)).await
}

/// The session begun last beside this one, of the same project where one is known; and how many
/// there are.
async fn previous_session(
    call: &Call<'_>,
    current: Option<SessionId>,
    project: Option<&str>,
) -> Result<(Option<Session>, usize), Failure> {
    let sessions = seen_sessions(call, Page::first(limits::PAGE)).await?;
    let fits = |session: &Session| {
        Some(session.id) != current && (project.is_none() || session.project.as_deref() == project)
    };
    Ok((sessions.items.into_iter().find(fits), sessions.total))
}

/// A page of the sessions that exist for the caller, the one begun last first.
pub(crate) async fn seen_sessions(
    call: &Call<'_>,
    page: Page,
) -> Result<Listing<Session>, Failure> {
    let store = call.store();
    if call.readable.is_all() {
        return store.sessions(page).await;
    }
    let (mut seen, mut from) = (Vec::new(), Page::first(limits::PAGE));
    loop {
        let some = store.sessions(from).await?.items;
        from.offset += some.len();
        let last = some.len() < limits::PAGE;
        for session in some {
            if join::exists_for(call, &session).await? {
                seen.push(session);
            }
        }
        if last {
            let total = seen.len();
            let items = seen.into_iter().skip(page.offset).take(page.limit).collect();
            return Ok(Listing { items, total });
        }
    }
}

/// The newest episode that holds, of the project where one is known.
async fn last_episode(call: &Call<'_>, project: Option<&str>) -> Result<Option<Memory>, Failure> {
    let query = MemoryQuery {
        kinds: vec![Kind::episode()],
        statuses: vec![Status::Active],
        project: project.map(str::to_owned),
        ..call.query()
    };
    Ok(newest(call, &query, 1).await?.pop())
}

/// The memory that sums a session up, as far as it exists for this caller.
async fn episode_of(call: &Call<'_>, session: &Session) -> Result<Option<Memory>, Failure> {
    match session.episode {
        Some(id) => Ok(call.memories(&[id]).await?.pop()),
        None => Ok(None),
    }
}

/// Memories that match and exist for this caller.
async fn newest(
    call: &Call<'_>,
    query: &MemoryQuery,
    limit: usize,
) -> Result<Vec<Memory>, Failure> {
    let listed = call.store().list_memories(query, Page::first(limit)).await;
    Ok(call.visible(listed?.items))
}

fn ids_of<'m>(memories: impl IntoIterator<Item = &'m Memory>) -> Vec<model::MemoryId> {
    memories.into_iter().map(|memory| memory.id).collect()
}
