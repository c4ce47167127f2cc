//! Operations on review items: list, get, decide and undo.

use super::json::ReviewJson;
use super::memories::IdPath;
use super::paging::{ListJson, parse_page};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::review::{ListReviewsRequest, ResolveReviewRequest};
use model::{Failure, Resolution, ReviewId, ReviewKind};
use schemars::JsonSchema;
use serde::Deserialize;

/// Filter for review items.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewListQuery {
    /// True to include decided items.
    #[serde(default)]
    pub decided: bool,
    /// `contradiction`, `flag` or `proposal`.
    pub kind: Option<String>,
    /// Maximum number of items.
    pub limit: Option<u16>,
    /// Value of `next` from the previous page.
    pub cursor: Option<String>,
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    input: ReviewListQuery,
) -> Result<ApiResponse<ListJson<ReviewJson>>, Failure> {
    let page = parse_page(input.limit, input.cursor.as_deref())?;
    let kind = input.kind.as_deref().map(|name| {
        ReviewKind::parse(name).ok_or_else(|| {
            Failure::invalid("the kind must be one of contradiction, flag, proposal")
        })
    });
    let list = ListReviewsRequest {
        decided: input.decided,
        kind: kind.transpose()?,
        memory: None,
        limit: Some(page.limit),
        offset: page.offset,
    };
    let listed = context.engine.reviews().list(&context.caller, &list).await?;
    let items = listed.items.into_iter().map(ReviewJson::from).collect();
    ApiResponse::new(ListJson::new(items, listed.total, page))
}

pub(super) async fn one(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<ReviewJson>, Failure> {
    ApiResponse::new(context.engine.reviews().get(&context.caller, ReviewId(path.id)).await?.into())
}

/// Decision on a review item.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReviewDecisionBody {
    /// `confirm`, `reject` or `keep_both`.
    resolution: String,
}

pub(super) async fn decide(
    context: RequestContext,
    path: IdPath,
    input: ReviewDecisionBody,
) -> Result<ApiResponse<ReviewJson>, Failure> {
    let resolution = Resolution::parse(&input.resolution).ok_or_else(|| {
        Failure::invalid("the resolution must be one of confirm, reject, keep_both")
    })?;
    let resolve = ResolveReviewRequest::new(ReviewId(path.id), resolution);
    ApiResponse::new(context.engine.reviews().resolve(&context.caller, &resolve).await?.into())
}

pub(super) async fn undo(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<ReviewJson>, Failure> {
    ApiResponse::new(
        context.engine.reviews().undo(&context.caller, ReviewId(path.id)).await?.into(),
    )
}
