//! Operations on sessions: list, and get one with its summary.

use super::json::{MemoryJson, SessionJson};
use super::memories::IdPath;
use super::paging::{ListJson, parse_page};
use super::profile::PageQuery;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::sessions::SessionRef;
use model::{Failure, SessionId};
use schemars::JsonSchema;
use serde::Serialize;

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    input: PageQuery,
) -> Result<ApiResponse<ListJson<SessionJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let listed = context.engine.sessions().list(&context.caller, page).await?;
    let items = listed.items.into_iter().map(SessionJson::from).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

/// A session with its summary.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SessionDetailsJson {
    session: SessionJson,
    /// Memory with the summary.
    episode: Option<MemoryJson>,
    /// Number of active memories written in the session.
    memories: usize,
}

pub(super) async fn one(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<SessionDetailsJson>, Failure> {
    let view =
        context.engine.sessions().get(&context.caller, &SessionRef::Id(SessionId(path.id))).await?;
    ApiResponse::new(SessionDetailsJson {
        session: view.session.into(),
        episode: view.episode.map(MemoryJson::from),
        memories: view.memories,
    })
}
