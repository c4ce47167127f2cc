//! Ways in: which dialects answer over HTTP, and a new link to the window.

use super::shown::Done;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use crate::login;
use model::{Dialect, ErrorCode, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A dialect that is served.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DialectShown {
    /// Its name.
    dialect: &'static str,
    /// Where it answers.
    path: String,
    /// Whether it does.
    on: bool,
}

pub(super) async fn dialects(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<DialectShown>>, Failure> {
    // Which ones are on is how the owner set things up: nothing for an agent to know.
    desk.engine.admin().are_grants_enforced(&desk.caller).await?;
    let mut shown = Vec::new();
    for (dialect, path) in &desk.dialects {
        let on = desk.engine.admin().speaks(&desk.caller.owner, *dialect).await;
        shown.push(DialectShown { dialect: dialect.name(), path: path.clone(), on });
    }
    Answer::of(shown)
}

/// A dialect to turn on or off.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Switch {
    /// Which.
    dialect: String,
    /// Whether it answers.
    on: bool,
}

pub(super) async fn switch(desk: Desk, _: Nothing, input: Switch) -> Result<Answer<Done>, Failure> {
    let known = Dialect::parse(&input.dialect);
    let served = known.filter(|known| desk.dialects.iter().any(|(dialect, _)| dialect == known));
    let dialect = served.ok_or_else(|| Failure::not_found("dialect", &input.dialect))?;
    desk.engine.admin().switch_dialect(&desk.caller, dialect, input.on).await?;
    let answers = if input.on { "answers" } else { "does not answer any more" };
    Answer::of(Done { said: format!("{} {answers}", dialect.name()) })
}

/// A way into the window.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NewLink {
    /// The path that opens it once, within ten minutes.
    path: String,
}

pub(super) async fn link(desk: Desk, _: Nothing, _: Nothing) -> Result<Answer<NewLink>, Failure> {
    desk.engine.admin().note_of_owner(&desk.caller, "made a link to the window").await?;
    let secret = desk.visits.invite();
    let secret = secret.map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    Answer::of(NewLink { path: format!("{}?link={secret}", login::PATH) })
}
