//! Handoffs: list, read, and what the owner does with them.

use super::memories::ById;
use super::paging::{Listed, page};
use super::shown::HandoffShown;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::handoffs::ListHandoffs;
use model::{Failure, HandoffId, HandoffState};
use schemars::JsonSchema;
use serde::Deserialize;

/// Which handoffs to list.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InState {
    /// `open`, `claimed`, `completed` or `cancelled`; `any` for all; those that are free when
    /// missing.
    state: Option<String>,
    /// Of this project.
    project: Option<String>,
    /// How many at most.
    limit: Option<u16>,
    /// Where the page before ended.
    cursor: Option<String>,
}

/// The states of a name; none means those that anybody may claim.
fn states(named: Option<&str>) -> Result<Vec<HandoffState>, Failure> {
    match named {
        None => Ok(Vec::new()),
        Some("any") => Ok(HandoffState::ALL.to_vec()),
        Some(name) => HandoffState::parse(name).map(|state| vec![state]).ok_or_else(|| {
            Failure::invalid("the state is none of open, claimed, completed, cancelled, any")
        }),
    }
}

pub(super) async fn list(
    desk: Desk,
    _: Nothing,
    input: InState,
) -> Result<Answer<Listed<HandoffShown>>, Failure> {
    let page = page(input.limit, input.cursor.as_deref())?;
    let list = ListHandoffs {
        states: states(input.state.as_deref())?,
        project: input.project,
        limit: Some(page.limit),
        offset: page.offset,
        ..ListHandoffs::default()
    };
    let listed = desk.engine.handoffs().list(&desk.caller, &list).await?.handoffs;
    let items = listed.items.into_iter().map(HandoffShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

pub(super) async fn one(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(desk.engine.handoffs().get(&desk.caller, HandoffId(path.id)).await?.into())
}

pub(super) async fn release(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(desk.engine.handoffs().release(&desk.caller, HandoffId(path.id)).await?.into())
}

pub(super) async fn complete(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(desk.engine.handoffs().complete(&desk.caller, HandoffId(path.id)).await?.into())
}

pub(super) async fn cancel(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(desk.engine.handoffs().cancel(&desk.caller, HandoffId(path.id)).await?.into())
}

pub(super) async fn reopen(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(desk.engine.handoffs().reopen(&desk.caller, HandoffId(path.id)).await?.into())
}
