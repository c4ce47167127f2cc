//! Operations on sessions: list, and get one with its summary.

use super::memories::ById;
use super::paging::{Listed, page};
use super::profile::Paged;
use super::shown::{MemoryShown, SessionShown};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::sessions::SessionRef;
use model::{Failure, SessionId};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) async fn list(
    context: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<SessionShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.sessions().list(&context.caller, page).await?;
    let items = listed.items.into_iter().map(SessionShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// A session with its summary.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WholeSession {
    session: SessionShown,
    /// Memory with the summary.
    episode: Option<MemoryShown>,
    /// Number of active memories written in the session.
    memories: usize,
}

pub(super) async fn one(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WholeSession>, Failure> {
    let view =
        context.engine.sessions().get(&context.caller, &SessionRef::Id(SessionId(path.id))).await?;
    Answer::of(WholeSession {
        session: view.session.into(),
        episode: view.episode.map(MemoryShown::from),
        memories: view.memories,
    })
}
