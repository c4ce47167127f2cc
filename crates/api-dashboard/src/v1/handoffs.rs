//! Operations on handoffs: list, get, release, complete, cancel and reopen.

use super::memories::ById;
use super::paging::{Listed, page};
use super::shown::HandoffShown;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::handoffs::ListHandoffs;
use model::{Failure, HandoffId, HandoffState};
use schemars::JsonSchema;
use serde::Deserialize;

/// Filter for handoffs.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InState {
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
    context: Desk,
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
    let listed = context.engine.handoffs().list(&context.caller, &list).await?.handoffs;
    let items = listed.items.into_iter().map(HandoffShown::from).collect();
    Answer::of(Listed::new(items, listed.total, page))
}

pub(super) async fn one(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(context.engine.handoffs().get(&context.caller, HandoffId(path.id)).await?.into())
}

pub(super) async fn release(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(context.engine.handoffs().release(&context.caller, HandoffId(path.id)).await?.into())
}

pub(super) async fn complete(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(
        context.engine.handoffs().complete(&context.caller, HandoffId(path.id)).await?.into(),
    )
}

pub(super) async fn cancel(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(context.engine.handoffs().cancel(&context.caller, HandoffId(path.id)).await?.into())
}

pub(super) async fn reopen(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<HandoffShown>, Failure> {
    Answer::of(context.engine.handoffs().reopen(&context.caller, HandoffId(path.id)).await?.into())
}
