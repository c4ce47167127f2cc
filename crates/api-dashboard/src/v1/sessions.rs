//! Sessions and what sums them up.

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
    desk: Desk,
    _: Nothing,
    input: Paged,
) -> Result<Answer<Listed<SessionShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let listed = desk.engine.sessions().list(&desk.caller, page).await?;
    let items = listed.items.into_iter().map(SessionShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

/// A session with what sums it up.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WholeSession {
    /// The session.
    session: SessionShown,
    /// The memory that sums it up.
    episode: Option<MemoryShown>,
    /// How many active memories were made in it.
    memories: usize,
}

pub(super) async fn one(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WholeSession>, Failure> {
    let view =
        desk.engine.sessions().get(&desk.caller, &SessionRef::Id(SessionId(path.id))).await?;
    Answer::of(WholeSession {
        session: view.session.into(),
        episode: view.episode.map(MemoryShown::from),
        memories: view.memories,
    })
}
