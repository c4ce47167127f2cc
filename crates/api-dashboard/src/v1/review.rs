//! What waits for a decision, and deciding it.

use super::memories::ById;
use super::paging::{Listed, page};
use super::shown::ReviewShown;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::review::{ListReviews, ResolveReview};
use model::{Failure, Resolution, ReviewId, ReviewKind};
use schemars::JsonSchema;
use serde::Deserialize;

/// Which review items to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListItems {
    /// Those that were decided too.
    #[serde(default)]
    pub decided: bool,
    /// `contradiction`, `flag` or `proposal`.
    pub kind: Option<String>,
    /// How many at most.
    pub limit: Option<u16>,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

pub(super) async fn list(
    desk: Desk,
    _: Nothing,
    input: ListItems,
) -> Result<Answer<Listed<ReviewShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let kind = input.kind.as_deref().map(|name| {
        ReviewKind::parse(name)
            .ok_or_else(|| Failure::invalid("the kind is none of contradiction, flag, proposal"))
    });
    let list = ListReviews {
        decided: input.decided,
        kind: kind.transpose()?,
        memory: None,
        limit: Some(page.limit),
        offset: page.offset,
    };
    let listed = desk.engine.reviews().list(&desk.caller, &list).await?;
    let items = listed.items.into_iter().map(ReviewShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

pub(super) async fn one(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<ReviewShown>, Failure> {
    Answer::of(desk.engine.reviews().get(&desk.caller, ReviewId(path.id)).await?.into())
}

/// A decision.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// `confirm`, `reject` or `keep_both`.
    resolution: String,
}

pub(super) async fn decide(
    desk: Desk,
    path: ById,
    input: Decision,
) -> Result<Answer<ReviewShown>, Failure> {
    let resolution = Resolution::parse(&input.resolution)
        .ok_or_else(|| Failure::invalid("the resolution is none of confirm, reject, keep_both"))?;
    let resolve = ResolveReview { review: ReviewId(path.id), resolution };
    Answer::of(desk.engine.reviews().resolve(&desk.caller, &resolve).await?.into())
}

pub(super) async fn undo(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<ReviewShown>, Failure> {
    Answer::of(desk.engine.reviews().undo(&desk.caller, ReviewId(path.id)).await?.into())
}
