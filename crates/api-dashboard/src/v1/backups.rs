//! Operations on backups: one now, the last result, and the schedule.

use super::files::JobJson;
use super::json::{MessageJson, format_time};
use crate::api::{ApiResponse, NoFields};
use crate::jobs::JobState;
use crate::pages::format_size;
use crate::request_context::RequestContext;
use engine::backups::{BackupSchedule, LastBackup};
use model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A backup.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupJson {
    /// Path of the file.
    file: String,
    /// Size in bytes.
    bytes: u64,
    /// Time of the backup.
    at: String,
    /// Reason the backup failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl From<LastBackup> for BackupJson {
    fn from(last: LastBackup) -> Self {
        Self { file: last.file, bytes: last.bytes, at: format_time(last.at), problem: last.problem }
    }
}

pub(super) async fn create(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<BackupJson>, Failure> {
    ApiResponse::new(
        context.engine.admin().back_up_into(&context.caller, &context.backups).await?.into(),
    )
}

pub(super) async fn start(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<JobJson>, Failure> {
    context.engine.admin().note_owner_action(&context.caller, "started a backup").await?;
    let progress = context.jobs.start(&context.caller.owner).await?;
    let (id, RequestContext { engine, caller, backups, .. }) = (progress.id(), context);
    // Runs on after the response; the page follows it through its events.
    tokio::spawn(async move {
        let end_state = match engine.admin().back_up_into(&caller, &backups).await {
            Ok(backup) => JobState::Done(
                format!("Backed up just now, {}, and verified", format_size(backup.bytes)),
                None,
            ),
            Err(failure) => JobState::Failed(failure.message),
        };
        progress.end(end_state).await;
    });
    ApiResponse::new(JobJson::new(id, JobState::Running(0, 0)))
}

/// Last backup and schedule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupStatusJson {
    /// Last backup.
    last: Option<BackupJson>,
    /// Interval of the schedule in hours; missing when there is none.
    every_hours: Option<u32>,
    /// Number of scheduled backups to keep.
    keep: u32,
    /// Directory of the backups.
    directory: String,
}

pub(super) async fn status(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<BackupStatusJson>, Failure> {
    let plan = context.engine.admin().backup_schedule(&context.caller).await?;
    ApiResponse::new(BackupStatusJson {
        last: context.engine.admin().last_backup(&context.caller).await?.map(BackupJson::from),
        every_hours: plan.every_hours,
        keep: plan.keep,
        directory: context.backups.display().to_string(),
    })
}

/// A backup schedule.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BackupPlanBody {
    /// Interval in hours; missing or 0 turns the schedule off.
    every_hours: Option<u32>,
    /// Number of scheduled backups to keep; default 7.
    keep: Option<u32>,
}

pub(super) async fn plan(
    context: RequestContext,
    _: NoFields,
    input: BackupPlanBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    let every_hours = input.every_hours.filter(|hours| *hours > 0);
    let plan =
        BackupSchedule { every_hours, keep: input.keep.unwrap_or(BackupSchedule::default().keep) };
    context.engine.admin().set_backup_schedule(&context.caller, plan).await?;
    let said = every_hours.map_or("The backup schedule is off".to_owned(), |hours| {
        format!("A backup is created every {hours} hours; the last {} are kept", plan.keep)
    });
    ApiResponse::new(MessageJson { said })
}
