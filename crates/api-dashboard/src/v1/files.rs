//! Operations on import and export. A file is uploaded in parts; the import or export itself runs
//! as a job.

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

/// An export to start.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Wanted {
    /// `jsonl` or `amem`.
    format: String,
}

/// A job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WorkShown {
    /// Id of the job.
    work: i64,
    /// `coming`, `going`, `done` or `failed`.
    state: &'static str,
    /// Amount done.
    done: usize,
    /// Total amount; 0 while it is not known.
    total: usize,
    /// Result in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<String>,
    /// Path of the created file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl WorkShown {
    /// Encodes the state of a job.
    pub fn new(work: i64, state: State) -> Self {
        let job = |state, done, total| Self { work, state, done, total, said: None, file: None };
        match state {
            State::Coming(file) => job("coming", file.len(), 0),
            State::Going(done, total) => job("going", done, total),
            State::Failed(why) => Self { said: Some(why), ..job("failed", 0, 0) },
            State::Done(said, file) => Self {
                said: Some(said),
                file: file.map(|_| format!("/exported/{work}")),
                ..job("done", 1, 1)
            },
        }
    }
}

pub(super) async fn work(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WorkShown>, Failure> {
    // Fails for an agent: only the owner may start jobs, so only the owner may watch them.
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    Answer::of(WorkShown::new(path.id, context.works.state(&context.caller.owner, path.id)?))
}

pub(super) async fn import(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<WorkShown>, Failure> {
    context.engine.admin().note_of_owner(&context.caller, "started an import").await?;
    let state = State::Coming(Vec::new());
    let id = context.works.begin(&context.caller.owner, state.clone())?;
    Answer::of(WorkShown::new(id, state))
}

/// A part of an uploaded file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// Bytes in base64.
    data: String,
}

pub(super) async fn part(
    context: Desk,
    path: ById,
    input: Part,
) -> Result<Answer<WorkShown>, Failure> {
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    let part = BASE64_STANDARD.decode(input.data.trim());
    let part =
        part.map_err(|error| Failure::invalid(format!("the part is not base64: {error}")))?;
    let bytes = context.works.add(&context.caller.owner, path.id, &part)?;
    Answer::of(WorkShown::new(path.id, State::Going(bytes, UPLOAD_BYTES)))
}

pub(super) async fn start(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<WorkShown>, Failure> {
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    let file = context.works.take(&context.caller.owner, path.id)?;
    let Desk { engine, caller, works: jobs, .. } = context;
    // Runs on after the response; the page follows it through its events.
    tokio::spawn(async move {
        let report = |done, total| jobs.tell(&caller.owner, path.id, State::Going(done, total));
        let ended = formats::read_in(&engine, &caller, file, report).await;
        jobs.tell(&caller.owner, path.id, ended);
    });
    Answer::of(WorkShown::new(path.id, State::Going(0, 0)))
}

pub(super) async fn export(
    context: Desk,
    _: Nothing,
    input: Wanted,
) -> Result<Answer<WorkShown>, Failure> {
    let format = Format::parse(&input.format);
    let format = format.ok_or_else(|| Failure::invalid("the format must be one of jsonl, amem"))?;
    context.engine.admin().note_of_owner(&context.caller, "started an export").await?;
    let id = context.works.begin(&context.caller.owner, State::Going(0, 0))?;
    let Desk { engine, caller, works: jobs, .. } = context;
    tokio::spawn(async move {
        let report = |done, total| jobs.tell(&caller.owner, id, State::Going(done, total));
        let ended = formats::write_out(&engine, &caller, format, report).await;
        jobs.tell(&caller.owner, id, ended);
    });
    Answer::of(WorkShown::new(id, State::Going(0, 0)))
}
