//! Operations on backups: one now, the last result, and the schedule.

use super::files::WorkShown;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use crate::work::State;
use engine::backups::{BackupPlan, LastBackup};
use model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A backup.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupShown {
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

impl From<LastBackup> for BackupShown {
    fn from(last: LastBackup) -> Self {
        Self { file: last.file, bytes: last.bytes, at: time(last.at), problem: last.problem }
    }
}

pub(super) async fn now(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<BackupShown>, Failure> {
    Answer::of(context.engine.admin().back_up_into(&context.caller, &context.backups).await?.into())
}

pub(super) async fn begin(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<WorkShown>, Failure> {
    context.engine.admin().note_of_owner(&context.caller, "started a backup").await?;
    let id = context.works.begin(&context.caller.owner, State::Going(0, 0))?;
    let Desk { engine, caller, works: jobs, backups, .. } = context;
    // Runs on after the response; the page follows it through its events.
    tokio::spawn(async move {
        let ended = match engine.admin().back_up_into(&caller, &backups).await {
            Ok(backup) => State::Done(
                format!("Backed up and verified: {}, {} bytes", backup.file, backup.bytes),
                None,
            ),
            Err(failure) => State::Failed(failure.message),
        };
        jobs.tell(&caller.owner, id, ended);
    });
    Answer::of(WorkShown::new(id, State::Going(0, 0)))
}

/// Last backup and schedule.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupsShown {
    /// Last backup.
    last: Option<BackupShown>,
    /// Interval of the schedule in hours; missing when there is none.
    every_hours: Option<u32>,
    /// Number of scheduled backups to keep.
    keep: u32,
    /// Directory of the backups.
    directory: String,
}

pub(super) async fn stand(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<BackupsShown>, Failure> {
    let plan = context.engine.admin().backup_plan(&context.caller).await?;
    Answer::of(BackupsShown {
        last: context.engine.admin().last_backup(&context.caller).await?.map(BackupShown::from),
        every_hours: plan.every_hours,
        keep: plan.keep,
        directory: context.backups.display().to_string(),
    })
}

/// A backup schedule.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlan {
    /// Interval in hours; missing or 0 turns the schedule off.
    every_hours: Option<u32>,
    /// Number of scheduled backups to keep; default 7.
    keep: Option<u32>,
}

pub(super) async fn plan(
    context: Desk,
    _: Nothing,
    input: NewPlan,
) -> Result<Answer<Done>, Failure> {
    let every_hours = input.every_hours.filter(|hours| *hours > 0);
    let plan = BackupPlan { every_hours, keep: input.keep.unwrap_or(BackupPlan::default().keep) };
    context.engine.admin().plan_backups(&context.caller, plan).await?;
    let said = every_hours.map_or("The backup schedule is off".to_owned(), |hours| {
        format!("A backup is created every {hours} hours; the last {} are kept", plan.keep)
    });
    Answer::of(Done { said })
}
