//! Sessions: units of work, so that a new one starts with what the last one left. Each call names
//! its session by number or key; nothing here depends on a connection.

mod current;
mod end;
mod end_idle;
mod join;
mod log;
mod names;
mod resume;

pub use end::{EndSessionOutcome, EndSessionRequest, EpisodeSource};
pub use join::{SessionRef, require_session};
pub(crate) use join::{
    find as find_session, join_session, known_session_ids, last_in_session, resolve_session,
};
pub use log::{LogExchangeOutcome, LogExchangeRequest};
pub use resume::{ResumeResults, ResumeSessionRequest};

use crate::Sessions;
use crate::add_memory::session_of;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Filter, StatusFilter};
use join::find_joinable;
use model::{
    Failure, JsonMap, Listing, Memory, Moment, NewSession, Page, Permission, Session, SessionId,
    Status, limits,
};
use store::{Change, MemoryQuery};

/// Number of sessions that are read first to find the previous one.
const RECENT_SESSIONS: usize = 16;

/// Input of [`Sessions::start`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StartSessionRequest {
    /// A new number when neither this nor the client's environment gives one.
    pub session: Option<SessionRef>,
    /// The client's project when missing.
    pub project: Option<String>,
    pub metadata: JsonMap,
}

/// A started session, with what came before it.
#[derive(Debug, Clone, PartialEq)]
pub struct StartSessionOutcome {
    pub session: Session,
    /// True when the session existed already.
    pub resumed: bool,
    /// Previous session of the same project.
    pub previous: Option<Session>,
    /// Newest episode of the project.
    pub last_episode: Option<Memory>,
    /// Number of all sessions.
    pub total: usize,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

/// A session with its summary.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionView {
    pub session: Session,
    /// Memory that sums it up.
    pub episode: Option<Memory>,
    /// Number of active memories written in it.
    pub memories: usize,
}

impl<'e> Sessions<'e> {
    /// Starts a session, or resumes an existing one, and returns what came before it.
    ///
    /// # Errors
    /// Fails when a field is past its limit or the store cannot be read.
    pub fn start(
        self,
        caller: &'e Caller,
        input: &'e StartSessionRequest,
    ) -> UseCaseFuture<'e, StartSessionOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            let new = session_to_start(caller, input)?;
            // Asked before the write, which starts or resumes without saying which.
            let resumed = find_joinable(&call, &new).await?.is_some();
            let committed = call.write("session started", vec![Change::StartSession(new)]).await?;
            let id = session_of(&committed.results)?;
            let session = session_by_id(&call, id).await?;
            let (previous, total) =
                previous_session(&call, Some(id), session.project.as_deref()).await?;
            // Of the whole project: the previous session may have ended without one.
            let last_episode = last_episode(&call, session.project.as_deref()).await?;
            call.note_shown("session started", &ids_of(last_episode.as_ref())).await;
            Ok(StartSessionOutcome {
                session,
                resumed,
                previous,
                last_episode,
                total,
                notes: call.notes(),
            })
        })
    }

    /// Lists sessions, the most recently started first.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list(self, caller: &'e Caller, page: Page) -> UseCaseFuture<'e, Listing<Session>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &page)
                    .await?;
            let sessions = visible_sessions(&call, page.capped()).await?;
            call.note_shown(format!("listed {} sessions", sessions.items.len()), &[]).await;
            Ok(sessions)
        })
    }

    /// Returns one session.
    ///
    /// # Errors
    /// `not_found` when there is none with this number or key.
    pub fn get(
        self,
        caller: &'e Caller,
        session: &'e SessionRef,
    ) -> UseCaseFuture<'e, SessionView> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, session)
                    .await?;
            let session = require_session(&call, session).await?;
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
        })
    }
}

fn session_to_start(caller: &Caller, input: &StartSessionRequest) -> Result<NewSession, Failure> {
    let mut new = resolve_session(caller, input.session.as_ref()).unwrap_or_default();
    new.project = input.project.clone().or_else(|| caller.environment.project.clone());
    new.metadata.clone_from(&input.metadata);
    new.check()?;
    if let Some(SessionId(number)) = new.id.filter(|id| id.0 > limits::IMPORTED_ID_MAX) {
        // Numbers given by the store continue after the largest one and must be able to grow.
        let message =
            format!("a session number is at most {}; got {number}", limits::IMPORTED_ID_MAX);
        return Err(Failure::invalid(message));
    }
    Ok(new)
}

async fn session_by_id(call: &Call<'_>, id: SessionId) -> Result<Session, Failure> {
    require_session(call, &SessionRef::Id(id)).await
}

/// Returns the most recently started other session, of the same project if there is one, and the
/// number of all sessions.
async fn previous_session(
    call: &Call<'_>,
    current: Option<SessionId>,
    project: Option<&str>,
) -> Result<(Option<Session>, usize), Failure> {
    let fits = |session: &Session| {
        Some(session.id) != current && (project.is_none() || session.project.as_deref() == project)
    };
    let mut page = Page::first(RECENT_SESSIONS);
    loop {
        let Listing { items, total } = visible_sessions(call, page).await?;
        page.offset += items.len();
        let is_last = items.is_empty() || page.offset >= total;
        let found = items.into_iter().find(fits);
        if found.is_some() || is_last {
            return Ok((found, total));
        }
        page.limit = limits::PAGE_ITEMS;
    }
}

/// Returns a page of the sessions that the caller may see, the most recently started first.
pub(crate) async fn visible_sessions(
    call: &Call<'_>,
    page: Page,
) -> Result<Listing<Session>, Failure> {
    let store = call.store();
    if call.readable.is_all() {
        return store.sessions(page).await;
    }
    // Visibility depends on the memories of a session, so all pages are read before one is cut.
    let (mut seen, mut from) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let some = store.sessions(from).await?.items;
        from.offset += some.len();
        let last = some.len() < limits::PAGE_ITEMS;
        for session in some {
            if join::is_visible(call, &session).await? {
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

/// Returns the newest memory of a session.
pub(crate) async fn newest_memory(
    call: &Call<'_>,
    session: &Session,
) -> Result<Option<Memory>, Failure> {
    let query = MemoryQuery { sessions: vec![session.id], ..call.query() };
    Ok(call.store().list_memories(&query, Page::first(1)).await?.items.pop())
}

/// Returns the time of the last sign of life in a session, whose newest memory is given.
pub(crate) fn last_moment(session: &Session, newest: Option<&Memory>) -> Moment {
    let written = newest.map_or(session.started_at, |memory| memory.provenance.at);
    session.ended_at.unwrap_or(written).max(written)
}

/// Returns the newest current episode, of the project if there is one.
async fn last_episode(call: &Call<'_>, project: Option<&str>) -> Result<Option<Memory>, Failure> {
    Ok(newest(call, &["episode"], project, 1).await?.pop())
}

/// Returns the episode of a session in its newest version, if it is current and the caller may
/// read it.
async fn episode_of(call: &Call<'_>, session: &Session) -> Result<Option<Memory>, Failure> {
    let Some(id) = session.episode else { return Ok(None) };
    let newest = crate::versions::newest_version(call, id).await?;
    let episode = call.memories(&[newest]).await?.pop();
    Ok(episode.filter(|memory| memory.status == Status::Active))
}

/// Returns the newest active memories of these kinds, of the project if there is one.
async fn newest(
    call: &Call<'_>,
    kinds: &[&str],
    project: Option<&str>,
    limit: usize,
) -> Result<Vec<Memory>, Failure> {
    let filter = Filter {
        status: StatusFilter::Statuses(vec![Status::Active]),
        kinds: kinds.iter().map(|kind| (*kind).to_owned()).collect(),
        projects: project.map(str::to_owned).into_iter().collect(),
        ..call.filter()
    };
    let view = call.view().await?;
    let ids = view.read(|view| view.newest_matching(&filter, call.at, limit));
    call.memories(&ids).await
}

fn ids_of<'m>(memories: impl IntoIterator<Item = &'m Memory>) -> Vec<model::MemoryId> {
    memories.into_iter().map(|memory| memory.id).collect()
}
