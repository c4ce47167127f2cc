//! Resolving the session of a call, and joining it.

use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::plan::BatchPlan;
use index::{Direction, LinkKinds, View};
use model::{
    ErrorCode, Failure, Kind, LinkKind, MemoryId, NewSession, Page, Session, SessionId, limits,
};
use std::fmt;
use store::{Change, MemoryQuery, Ref};

// The newest memories may all be episodes and corrections beside the chain.
const CHAIN_END: usize = 16;

/// Reference to a session, as a caller gives it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SessionRef {
    Id(SessionId),
    /// Name that a client gave it.
    Key(String),
}

impl SessionRef {
    /// Parses a name: digits are a number, everything else is a key.
    #[must_use]
    pub fn parse(name: &str) -> Self {
        let name = name.trim();
        name.parse().map_or_else(|_| Self::Key(name.to_owned()), Self::Id)
    }
}

impl fmt::Display for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Key(key) => write!(f, "`{key}`"),
        }
    }
}

/// The session of a batch.
#[derive(Debug, Clone)]
pub(crate) struct JoinedSession {
    /// Reference to use in the changes of the batch.
    pub reference: Ref<SessionId>,
    /// `None` when the batch itself starts the session.
    pub session: Option<Session>,
}

/// Returns the session that a call refers to: the named one, else the client's, else none.
pub(crate) fn resolve_session(caller: &Caller, named: Option<&SessionRef>) -> Option<NewSession> {
    let reported = caller.environment.session.as_deref();
    let (id, key) = match named {
        Some(SessionRef::Id(id)) => (Some(*id), None),
        Some(SessionRef::Key(key)) => (None, Some(key.as_str())),
        None => (None, reported),
    };
    // A client may report an empty session, which is none.
    let key = key.map(str::trim).filter(|key| !key.is_empty()).map(str::to_owned);
    if id.is_none() && key.is_none() {
        return None;
    }
    let project = caller.environment.project.clone();
    Some(NewSession { id, key, project, ..NewSession::default() })
}

/// Joins the session that a call refers to. An unknown key starts a session in the same batch; an
/// unknown number is an error.
pub(crate) async fn join_session(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    named: Option<&SessionRef>,
) -> Result<Option<JoinedSession>, Failure> {
    let Some(new) = resolve_session(call.caller, named) else { return Ok(None) };
    new.check()?;
    if let Some(session) = find_joinable(call, &new).await? {
        return Ok(Some(JoinedSession { reference: Ref::Id(session.id), session: Some(session) }));
    }
    if let Some(id) = new.id {
        return Err(session_not_found(&SessionRef::Id(id)));
    }
    let index = plan.push(Change::StartSession(new));
    Ok(Some(JoinedSession { reference: Ref::ResultOf(index), session: None }))
}

/// Returns the last memory of a session's chain. An episode that sums up the session and a
/// correction that replaces another memory stand beside the chain, unless they were put into it.
pub(crate) async fn last_in_session(
    call: &Call<'_>,
    session: SessionId,
) -> Result<Option<MemoryId>, Failure> {
    let query = MemoryQuery { sessions: vec![session], ..call.query() };
    let page = Page::first(CHAIN_END);
    let listed = call.store().list_memories(&query, page).await?.items;
    let may_stand_beside = [Kind::episode(), Kind::correction()];
    if listed.first().is_none_or(|newest| !may_stand_beside.contains(&newest.kind)) {
        return Ok(listed.first().map(|newest| newest.id));
    }
    let view = call.view().await?;
    let in_chain = view.read(|view| {
        listed
            .iter()
            .find(|memory| !may_stand_beside.contains(&memory.kind) || is_in_chain(view, memory.id))
    });
    Ok(in_chain.map(|memory| memory.id))
}

/// Returns true if a memory follows another one in a chain, or could begin one: it neither replaces
/// a memory nor sums any up.
fn is_in_chain(view: &View, memory: MemoryId) -> bool {
    let has = |direction, kind| !view.links(memory, direction, LinkKinds::only(kind)).is_empty();
    let stands_beside =
        has(Direction::Out, LinkKind::Supersedes) || has(Direction::In, LinkKind::PartOf);
    has(Direction::In, LinkKind::TemporalNext) || !stands_beside
}

/// Returns the ids of those of these sessions that exist, without a look at their memories: a
/// number is taken as it is, since an unknown one has none.
pub(crate) async fn known_session_ids(
    call: &Call<'_>,
    sessions: &[SessionRef],
) -> Result<Vec<SessionId>, Failure> {
    let mut ids = Vec::with_capacity(sessions.len());
    for session in sessions {
        match session {
            SessionRef::Id(id) => ids.push(*id),
            key => ids.extend(find(call, key).await?.map(|found| found.id)),
        }
    }
    Ok(ids)
}

/// Returns the existing session with the id or key of a new one.
pub(super) async fn find_existing(
    call: &Call<'_>,
    new: &NewSession,
) -> Result<Option<Session>, Failure> {
    match (new.id, &new.key) {
        (Some(id), _) => find(call, &SessionRef::Id(id)).await,
        (None, Some(key)) => find(call, &SessionRef::Key(key.clone())).await,
        (None, None) => Ok(None),
    }
}

/// Returns the existing session that a new one would resume, if the caller may see it. A key of a
/// hidden session cannot be used.
pub(super) async fn find_joinable(
    call: &Call<'_>,
    new: &NewSession,
) -> Result<Option<Session>, Failure> {
    match find_existing(call, new).await? {
        Some(session) if !is_visible(call, &session).await? => Err(match (new.id, &new.key) {
            (Some(id), _) => session_not_found(&SessionRef::Id(id)),
            // The message does not say that the key is taken: that would reveal a hidden session.
            (None, key) => {
                let message = format!(
                    "the session key `{}` cannot be used; choose another",
                    key.as_deref().unwrap_or("")
                );
                Failure::new(ErrorCode::Conflict, message)
            }
        }),
        known => Ok(known),
    }
}

/// Finds the session with this number or key.
pub(crate) async fn find(
    call: &Call<'_>,
    session: &SessionRef,
) -> Result<Option<Session>, Failure> {
    let store = call.store();
    match session {
        SessionRef::Id(id) => store.session(*id).await,
        SessionRef::Key(key) => {
            limits::chars("session", key.trim(), limits::NAME_CHARS)?;
            store.session_by_key(key.trim()).await
        }
    }
}

/// Returns the session with this number or key; fails when the caller may not see it.
pub async fn require_session(call: &Call<'_>, session: &SessionRef) -> Result<Session, Failure> {
    match find(call, session).await? {
        Some(found) if is_visible(call, &found).await? => Ok(found),
        _ => Err(session_not_found(session)),
    }
}

/// Returns whether the caller may see a session: it started it, or may read a memory of it.
pub(super) async fn is_visible(call: &Call<'_>, session: &Session) -> Result<bool, Failure> {
    if call.readable.is_all() || session.agent == call.caller.author.agent {
        return Ok(true);
    }
    let query = MemoryQuery { sessions: vec![session.id], ..call.query() };
    let written = call.store().list_memories(&query, Page::first(1)).await;
    Ok(written?.total > 0)
}

/// Returns the session that a call refers to; fails when it does not exist.
pub(super) async fn require_resolved(
    call: &Call<'_>,
    named: Option<&SessionRef>,
) -> Result<Session, Failure> {
    let Some(new) = resolve_session(call.caller, named) else { return Err(session_required()) };
    let missing = || match (new.id, &new.key) {
        (Some(id), _) => session_not_found(&SessionRef::Id(id)),
        (None, key) => session_not_found(&SessionRef::Key(key.clone().unwrap_or_default())),
    };
    match find_existing(call, &new).await? {
        Some(session) if is_visible(call, &session).await? => Ok(session),
        _ => Err(missing()),
    }
}

/// Builds the failure for an unknown session, with how to find the right one.
pub(super) fn session_not_found(session: &SessionRef) -> Failure {
    let message = format!("there is no session {session}; list the sessions, or start one");
    Failure::new(ErrorCode::NotFound, message)
}

/// Builds the failure for a call that needs a session.
pub(super) fn session_required() -> Failure {
    Failure::invalid(
        "no session was given and the client reports none; start a session, then give its number",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentName, Dialect, OwnerId};

    fn caller(session: Option<&str>) -> Caller {
        let mut caller = Caller::agent(OwnerId::me(), AgentName::new("codex"), Dialect::Quipu);
        caller.environment.session = session.map(str::to_owned);
        caller.environment.project = Some("quipu".into());
        caller
    }

    #[test]
    fn the_argument_takes_precedence_over_the_client_environment() {
        let named = SessionRef::Key("mine".into());
        let session = resolve_session(&caller(Some("theirs")), Some(&named)).unwrap();
        assert_eq!(
            (session.key.as_deref(), session.project.as_deref()),
            (Some("mine"), Some("quipu"))
        );
        let numbered =
            resolve_session(&caller(Some("theirs")), Some(&SessionRef::Id(SessionId(7)))).unwrap();
        assert_eq!((numbered.id, numbered.key), (Some(SessionId(7)), None));
    }

    #[test]
    fn the_client_environment_names_the_session_when_the_argument_does_not() {
        assert_eq!(
            resolve_session(&caller(Some("theirs")), None).unwrap().key.as_deref(),
            Some("theirs")
        );
        assert_eq!(resolve_session(&caller(None), None), None);
        assert_eq!(resolve_session(&caller(Some(" ")), None), None);
    }
}
