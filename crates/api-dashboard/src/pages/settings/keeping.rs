//! Keeping the memory: a backup now, backups by themselves, and how the last one went.

use super::super::parts::{problem, size, when};
use crate::desk::Desk;
use maud::{Markup, html};
use model::Failure;

/// How often backups can be made by themselves, in hours.
const HOURS: [(u32, &str); 5] = [
    (0, "only by hand"),
    (6, "every six hours"),
    (24, "every day"),
    (168, "every week"),
    (720, "every month"),
];

pub(super) async fn backups(desk: &Desk) -> Result<Markup, Failure> {
    let plan = desk.engine.admin().backup_plan(&desk.caller).await?;
    let last = desk.engine.admin().last_backup(&desk.caller).await?;
    let every = plan.every_hours.unwrap_or(0);
    Ok(html! {
        section { h2 { "Backups" }
            p { "A checked copy of everything in one file, made while the memory is in use. " code { "quipu restore" } " takes it." }
            form data-work="/v1/backups" data-told="backup" { button.primary { "Back up now" } (problem()) }
            (super::files::progress("backup"))
            p #backed-up {
                @match &last {
                    None => "There is none yet.",
                    Some(last) => { "The last one: " (when(last.at)) ", " (size(last.bytes)) ", " code { (last.file) }
                        @if let Some(problem) = &last.problem { " " span.status data-status="rejected" { "failed" } " " (problem) } }
                }
            }
            form.inline data-call="PUT /v1/backups/plan" data-say="The schedule holds from now on." {
                label { span { "By themselves" } select name="every_hours" data-as="number" {
                    @if !HOURS.iter().any(|(hours, _)| *hours == every) { option value=(every) selected { "every " (every) " hours" } }
                    @for (hours, says) in HOURS { option value=(hours) selected[hours == every] { (says) } }
                } }
                label { span { "Keep the last" } input name="keep" type="number" min="1" max="1000" value=(plan.keep) data-as="number"; }
                button { "Save" } (problem())
            }
            p.note { "Into " code { (desk.backups.display()) } ". Only what the schedule made is removed by it." }
        }
    })
}
