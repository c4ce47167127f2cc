//! Operations on review items: list, get, decide and undo.

use super::memories::ById;
use super::paging::{Listed, page};
use super::shown::ReviewShown;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::review::{ListReviews, ResolveReview};
use model::{Failure, Resolution, ReviewId, ReviewKind};
use schemars::JsonSchema;
use serde::Deserialize;

/// Filter for review items.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListItems {
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
    context: Desk,
    _: Nothing,
    input: ListItems,
) -> Result<Answer<Listed<ReviewShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let kind = input.kind.as_deref().map(|name| {
        ReviewKind::parse(name).ok_or_else(|| {
            Failure::invalid("the kind must be one of contradiction, flag, proposal")
        })
    });
    let list = ListReviews {
        decided: input.decided,
        kind: kind.transpose()?,
        memory: None,
        limit: Some(page.limit),
        offset: page.offset,
    };
    let listed = context.engine.reviews().list(&context.caller, &list).await?;
    let items = listed.items.into_iter().map(ReviewShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

pub(super) async fn one(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<ReviewShown>, Failure> {
    Answer::of(context.engine.reviews().get(&context.caller, ReviewId(path.id)).await?.into())
}

/// Decision on a review item.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// `confirm`, `reject` or `keep_both`.
    resolution: String,
}

pub(super) async fn decide(
    context: Desk,
    path: ById,
    input: Decision,
) -> Result<Answer<ReviewShown>, Failure> {
    let resolution = Resolution::parse(&input.resolution).ok_or_else(|| {
        Failure::invalid("the resolution must be one of confirm, reject, keep_both")
    })?;
    let resolve = ResolveReview { review: ReviewId(path.id), resolution };
    Answer::of(context.engine.reviews().resolve(&context.caller, &resolve).await?.into())
}

pub(super) async fn undo(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<ReviewShown>, Failure> {
    Answer::of(context.engine.reviews().undo(&context.caller, ReviewId(path.id)).await?.into())
}
