//! What goes in from a file and what goes out into one. A file comes in parts; the work itself runs
//! beside, and tells how far it is.

use super::memories::ById;
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use crate::work::formats::{self, Format};
use crate::work::{State, UPLOAD_BYTES};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which format.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// `jsonl` or `amem`.
    format: String,
}

/// A piece of work.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkShown {
    /// Its number.
    work: i64,
    /// `coming`, `going`, `done` or `failed`.
    state: &'static str,
    /// How much is done.
    done: usize,
    /// Of how much; 0 while that is not known.
    total: usize,
    /// What came of it, in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<String>,
    /// Where the file that it made is fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl WorkShown {
    /// A piece of work as it stands.
    pub fn new(work: i64, state: State) -> Self {
        let shown = |state, done, total| Self { work, state, done, total, said: None, file: None };
        match state {
            State::Coming(file) => shown("coming", file.len(), 0),
            State::Going(done, total) => shown("going", done, total),
            State::Failed(why) => Self { said: Some(why), ..shown("failed", 0, 0) },
            State::Done(said, file) => Self {
                said: Some(said),
                file: file.map(|_| format!("/exported/{work}")),
                ..shown("done", 1, 1)
            },
        }
    }
}

pub(super) async fn work(desk: Desk, path: ById, _: Nothing) -> Result<Answer<WorkShown>, Failure> {
    // How far it is concerns whoever may begin it.
    desk.engine.admin().are_grants_enforced(&desk.caller).await?;
    Answer::of(WorkShown::new(path.id, desk.works.state(&desk.caller.owner, path.id)?))
}

pub(super) async fn import(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<WorkShown>, Failure> {
    desk.engine.admin().note_of_owner(&desk.caller, "begins to read a file in").await?;
    let state = State::Coming(Vec::new());
    let id = desk.works.begin(&desk.caller.owner, state.clone())?;
    Answer::of(WorkShown::new(id, state))
}

/// A part of a file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// Its bytes, in base64.
    data: String,
}

pub(super) async fn part(
    desk: Desk,
    path: ById,
    input: Part,
) -> Result<Answer<WorkShown>, Failure> {
    desk.engine.admin().are_grants_enforced(&desk.caller).await?;
    let part = BASE64_STANDARD.decode(input.data.trim());
    let part =
        part.map_err(|error| Failure::invalid(format!("the part is not base64: {error}")))?;
    let bytes = desk.works.add(&desk.caller.owner, path.id, &part)?;
    Answer::of(WorkShown::new(path.id, State::Going(bytes, UPLOAD_BYTES)))
}

pub(super) async fn start(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WorkShown>, Failure> {
    desk.engine.admin().are_grants_enforced(&desk.caller).await?;
    let file = desk.works.take(&desk.caller.owner, path.id)?;
    let Desk { engine, caller, works, .. } = desk;
    tokio::spawn(async move {
        let tell = |done, total| works.tell(&caller.owner, path.id, State::Going(done, total));
        let ended = formats::read_in(&engine, &caller, file, tell).await;
        works.tell(&caller.owner, path.id, ended);
    });
    Answer::of(WorkShown::new(path.id, State::Going(0, 0)))
}

pub(super) async fn export(
    desk: Desk,
    _: Nothing,
    input: Wanted,
) -> Result<Answer<WorkShown>, Failure> {
    let format = Format::parse(&input.format);
    let format = format.ok_or_else(|| Failure::invalid("the format is none of jsonl, amem"))?;
    desk.engine
        .admin()
        .note_of_owner(&desk.caller, "begins to write the memory into a file")
        .await?;
    let id = desk.works.begin(&desk.caller.owner, State::Going(0, 0))?;
    let Desk { engine, caller, works, .. } = desk;
    tokio::spawn(async move {
        let tell = |done, total| works.tell(&caller.owner, id, State::Going(done, total));
        let ended = formats::write_out(&engine, &caller, format, tell).await;
        works.tell(&caller.owner, id, ended);
    });
    Answer::of(WorkShown::new(id, State::Going(0, 0)))
}
