//! Operations on import and export. A file is uploaded in parts; the import or export itself runs
//! as a job.

use super::memories::IdPath;
use crate::api::{ApiResponse, NoFields};
use crate::jobs::formats::{self, FileFormat, ImportFile};
use crate::jobs::{JobState, UPLOAD_BYTES, upload_too_large};
use crate::request_context::RequestContext;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use engine::jobs::Upload;
use interchange::ForgottenTexts;
use model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An export to start.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportBody {
    /// `jsonl` or `amem`.
    format: String,
}

/// A job.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JobJson {
    /// Id of the job.
    work: i64,
    /// `coming`, `going`, `done` or `failed`.
    state: &'static str,
    /// Amount done.
    done: usize,
    /// Total amount; 0 while it is not known.
    total: usize,
    /// Unit of the amounts: `bytes` or `items`.
    unit: &'static str,
    /// Result in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    said: Option<String>,
    /// Path of the created file.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl JobJson {
    /// Encodes the state of a job.
    pub fn new(work: i64, state: JobState) -> Self {
        let job = |state, done, total| {
            let (unit, said, file) = ("items", None, None);
            Self { work, state, done, total, unit, said, file }
        };
        match state {
            JobState::Uploading(file) => Self { unit: "bytes", ..job("coming", file.bytes, 0) },
            JobState::Running(done, total) => job("going", done, total),
            JobState::Reading(done, total) => Self { unit: "bytes", ..job("going", done, total) },
            JobState::Failed(why) => Self { said: Some(why), ..job("failed", 0, 0) },
            JobState::Done(said, file) => Self {
                said: Some(said),
                file: file.map(|_| format!("/exported/{work}")),
                ..job("done", 1, 1)
            },
        }
    }
}

pub(super) async fn job(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<JobJson>, Failure> {
    // Fails for an agent: only the owner may start jobs, so only the owner may watch them.
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    let state = context.jobs.state(&context.caller.owner, path.id).await?;
    ApiResponse::new(JobJson::new(path.id, state))
}

pub(super) async fn import(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<JobJson>, Failure> {
    context.engine.admin().note_owner_action(&context.caller, "started an import").await?;
    let id = context.jobs.start_upload(&context.caller.owner).await?;
    ApiResponse::new(JobJson::new(id, JobState::Uploading(Upload::default())))
}

/// A part of an uploaded file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UploadPartBody {
    /// Bytes in base64.
    data: String,
}

pub(super) async fn upload_part(
    context: RequestContext,
    path: IdPath,
    input: UploadPartBody,
) -> Result<ApiResponse<JobJson>, Failure> {
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    let part = BASE64_STANDARD.decode(input.data.trim());
    let part =
        part.map_err(|error| Failure::invalid(format!("the part is not base64: {error}")))?;
    let added = context.jobs.add_part(&context.caller.owner, path.id, part, UPLOAD_BYTES).await?;
    let bytes = added.ok_or_else(upload_too_large)?;
    ApiResponse::new(JobJson::new(path.id, JobState::Reading(bytes, UPLOAD_BYTES)))
}

/// Options of an import.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StartImportBody {
    /// True to import texts that were forgotten before, too.
    #[serde(default)]
    include_forgotten: bool,
    /// Name of the file, whose ending tells a list from an export.
    #[serde(default)]
    name: String,
}

pub(super) async fn start(
    context: RequestContext,
    path: IdPath,
    input: StartImportBody,
) -> Result<ApiResponse<JobJson>, Failure> {
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    let (bytes, progress) = context.jobs.take_upload(&context.caller.owner, path.id).await?;
    let forgotten = match input.include_forgotten {
        true => ForgottenTexts::Include,
        false => ForgottenTexts::Skip,
    };
    let file = ImportFile { name: input.name, bytes, forgotten };
    let RequestContext { engine, caller, .. } = context;
    // Runs on after the response; the page follows it through its events.
    tokio::spawn(async move {
        let report = |state| progress.report(state);
        let end_state = formats::import_file(&engine, &caller, file, report).await;
        progress.end(end_state).await;
    });
    ApiResponse::new(JobJson::new(path.id, JobState::Running(0, 0)))
}

pub(super) async fn export(
    context: RequestContext,
    _: NoFields,
    input: ExportBody,
) -> Result<ApiResponse<JobJson>, Failure> {
    let format = FileFormat::parse(&input.format);
    let format = format.ok_or_else(|| Failure::invalid("the format must be one of jsonl, amem"))?;
    context.engine.admin().note_owner_action(&context.caller, "started an export").await?;
    let progress = context.jobs.start(&context.caller.owner).await?;
    let (id, RequestContext { engine, caller, .. }) = (progress.id(), context);
    tokio::spawn(async move {
        let report = |state| progress.report(state);
        match formats::export_file(&engine, &caller, format, report).await {
            Ok(file) => {
                let newest_erasure = engine.admin().newest_erasure(&caller);
                progress.end_with_file(formats::describe_export(&file), file, newest_erasure).await;
            }
            Err(reason) => progress.end(JobState::Failed(reason)).await,
        }
    });
    ApiResponse::new(JobJson::new(id, JobState::Running(0, 0)))
}
