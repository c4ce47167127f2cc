//! Operations on handoffs: list, get, release, complete, cancel and reopen.

use super::json::HandoffJson;
use super::memories::IdPath;
use super::paging::{ListJson, parse_page};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::handoffs::ListHandoffsRequest;
use model::{Failure, HandoffId, HandoffState};
use schemars::JsonSchema;
use serde::Deserialize;

/// Filter for handoffs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HandoffListQuery {
    /// `open`, `claimed`, `completed` or `cancelled`; `any` for all; default: those that can be
    /// claimed.
    state: Option<String>,
    /// Name of the project.
    project: Option<String>,
    /// Maximum number of items.
    limit: Option<u16>,
    /// Value of `next` from the previous page.
    cursor: Option<String>,
}

/// Parses a state; an empty list means the handoffs that can be claimed.
fn states(named: Option<&str>) -> Result<Vec<HandoffState>, Failure> {
    match named {
        None => Ok(Vec::new()),
        Some("any") => Ok(HandoffState::ALL.to_vec()),
        Some(name) => HandoffState::parse(name).map(|state| vec![state]).ok_or_else(|| {
            Failure::invalid("the state must be one of open, claimed, completed, cancelled, any")
        }),
    }
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    input: HandoffListQuery,
) -> Result<ApiResponse<ListJson<HandoffJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let list = ListHandoffsRequest {
        states: states(input.state.as_deref())?,
        project: input.project,
        limit: Some(page.limit),
        offset: page.offset,
        ..ListHandoffsRequest::default()
    };
    let listed = context.engine.handoffs().list(&context.caller, &list).await?.handoffs;
    let items = listed.items.into_iter().map(HandoffJson::from).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

pub(super) async fn one(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<HandoffJson>, Failure> {
    ApiResponse::new(
        context.engine.handoffs().get(&context.caller, HandoffId(path.id)).await?.into(),
    )
}

pub(super) async fn release(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<HandoffJson>, Failure> {
    ApiResponse::new(
        context.engine.handoffs().release(&context.caller, HandoffId(path.id)).await?.into(),
    )
}

pub(super) async fn complete(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<HandoffJson>, Failure> {
    ApiResponse::new(
        context.engine.handoffs().complete(&context.caller, HandoffId(path.id)).await?.into(),
    )
}

pub(super) async fn cancel(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<HandoffJson>, Failure> {
    ApiResponse::new(
        context.engine.handoffs().cancel(&context.caller, HandoffId(path.id)).await?.into(),
    )
}

pub(super) async fn reopen(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<HandoffJson>, Failure> {
    ApiResponse::new(
        context.engine.handoffs().reopen(&context.caller, HandoffId(path.id)).await?.into(),
    )
}
