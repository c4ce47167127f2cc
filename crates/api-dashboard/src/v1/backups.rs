//! Backups: one now, how the last one went, and how often they are made by themselves.

use super::files::WorkShown;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use crate::work::State;
use engine::backups::{BackupPlan, LastBackup};
use model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A copy of the memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupShown {
    /// The file.
    file: String,
    /// Its size.
    bytes: u64,
    /// When it was made.
    at: String,
    /// Why there is no such file after all.
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<String>,
}

impl From<LastBackup> for BackupShown {
    fn from(last: LastBackup) -> Self {
        Self { file: last.file, bytes: last.bytes, at: time(last.at), problem: last.problem }
    }
}

pub(super) async fn now(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<BackupShown>, Failure> {
    Answer::of(desk.engine.admin().back_up_into(&desk.caller, &desk.backups).await?.into())
}

pub(super) async fn begin(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<WorkShown>, Failure> {
    desk.engine.admin().note_of_owner(&desk.caller, "begins a backup").await?;
    let id = desk.works.begin(&desk.caller.owner, State::Going(0, 0))?;
    let Desk { engine, caller, works, backups, .. } = desk;
    tokio::spawn(async move {
        let ended = match engine.admin().back_up_into(&caller, &backups).await {
            Ok(made) => State::Done(
                format!("Backed up and checked: {}, {} bytes", made.file, made.bytes),
                None,
            ),
            Err(failure) => State::Failed(failure.message),
        };
        works.tell(&caller.owner, id, ended);
    });
    Answer::of(WorkShown::new(id, State::Going(0, 0)))
}

/// How backups stand.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupsShown {
    /// How the last one went.
    last: Option<BackupShown>,
    /// Every so many hours one is made; only by hand when missing.
    every_hours: Option<u32>,
    /// How many of those are kept.
    keep: u32,
    /// Where they lie.
    directory: String,
}

pub(super) async fn stand(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<BackupsShown>, Failure> {
    let plan = desk.engine.admin().backup_plan(&desk.caller).await?;
    Answer::of(BackupsShown {
        last: desk.engine.admin().last_backup(&desk.caller).await?.map(BackupShown::from),
        every_hours: plan.every_hours,
        keep: plan.keep,
        directory: desk.backups.display().to_string(),
    })
}

/// How often backups are made by themselves.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewPlan {
    /// Every so many hours; missing or 0 for never.
    every_hours: Option<u32>,
    /// How many of those are kept; 7 when missing.
    keep: Option<u32>,
}

pub(super) async fn plan(desk: Desk, _: Nothing, input: NewPlan) -> Result<Answer<Done>, Failure> {
    let every_hours = input.every_hours.filter(|hours| *hours > 0);
    let plan = BackupPlan { every_hours, keep: input.keep.unwrap_or(BackupPlan::default().keep) };
    desk.engine.admin().plan_backups(&desk.caller, plan).await?;
    let said = every_hours.map_or("Backups are made by hand".to_owned(), |hours| {
        format!("A backup is made every {hours} hours, and {} are kept", plan.keep)
    });
    Answer::of(Done { said })
}
