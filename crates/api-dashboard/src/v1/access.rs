//! Operations on access: the dialects served over HTTP, and login links.

use super::shown::Done;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use crate::login;
use model::{Dialect, ErrorCode, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A served dialect.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DialectShown {
    /// Name of the dialect.
    dialect: &'static str,
    /// Path of its endpoint.
    path: String,
    /// True when it is turned on.
    on: bool,
}

pub(super) async fn dialects(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<DialectShown>>, Failure> {
    // Fails for an agent: which dialects are on is the owner's configuration.
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    let mut dialects = Vec::new();
    for (dialect, path) in &context.dialects {
        let on = context.engine.admin().speaks(&context.caller.owner, *dialect).await;
        dialects.push(DialectShown { dialect: dialect.name(), path: path.clone(), on });
    }
    Answer::of(dialects)
}

/// A switch of a dialect.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switch {
    /// Name of the dialect.
    dialect: String,
    /// True to turn it on.
    on: bool,
}

pub(super) async fn switch(
    context: Desk,
    _: Nothing,
    input: Switch,
) -> Result<Answer<Done>, Failure> {
    let known = Dialect::parse(&input.dialect);
    let served = known.filter(|known| context.dialects.iter().any(|(dialect, _)| dialect == known));
    let dialect = served.ok_or_else(|| Failure::not_found("dialect", &input.dialect))?;
    context.engine.admin().switch_dialect(&context.caller, dialect, input.on).await?;
    let state = if input.on { "on" } else { "off" };
    Answer::of(Done { said: format!("{} is turned {state}", dialect.name()) })
}

/// A login link.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NewLink {
    /// Path that logs in once, within ten minutes.
    path: String,
}

pub(super) async fn link(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<NewLink>, Failure> {
    context.engine.admin().note_of_owner(&context.caller, "created a login link").await?;
    let secret = context.visits.invite();
    let secret = secret.map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    Answer::of(NewLink { path: format!("{}?link={secret}", login::PATH) })
}
