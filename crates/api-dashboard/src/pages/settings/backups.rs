//! Settings for backups: one now, a schedule, and the result of the last one.

use super::super::components::{form_error, format_size, time};
use crate::request_context::RequestContext;
use maud::{Markup, html};
use model::Failure;

/// Intervals of the backup schedule in hours.
const HOURS: [(u32, &str); 5] = [
    (0, "off"),
    (6, "every six hours"),
    (24, "every day"),
    (168, "every week"),
    (720, "every month"),
];

pub(super) async fn section(context: &RequestContext) -> Result<Markup, Failure> {
    let plan = context.engine.admin().backup_schedule(&context.caller).await?;
    let last = context.engine.admin().last_backup(&context.caller).await?;
    let every = plan.every_hours.unwrap_or(0);
    Ok(html! {
        section {
            h2 { "Backups" }
            p {
                "A verified copy of everything in one file, created while the memory is in use. "
                "Restore it with " code data-copy { "quipu restore" } "."
            }
            form data-work="/v1/backups" data-told="backup" data-then="show" {
                button.primary { "Back up now" } (form_error())
            }
            (super::files::progress("backup"))
            p #backed-up {
                @match &last {
                    None => "No backup yet.",
                    Some(last) => {
                        "Backed up " (time(last.at)) ", " (format_size(last.bytes)) ": "
                        code data-copy { (last.file) }
                        @if let Some(problem) = &last.problem {
                            " " span.status data-status="rejected" { "failed" } " " (problem)
                        }
                    }
                }
            }
            form.inline data-call="PUT /v1/backups/plan" data-say="Schedule saved." {
                label {
                    span { "Automatic" }
                    select name="every_hours" data-as="number" {
                        @if !HOURS.iter().any(|(hours, _)| *hours == every) {
                            option value=(every) selected { "every " (every) " hours" }
                        }
                        @for (hours, says) in HOURS {
                            option value=(hours) selected[hours == every] { (says) }
                        }
                    }
                }
                label {
                    span { "Keep the last" }
                    input name="keep" type="number" min="1" max="1000" value=(plan.keep)
                        data-as="number";
                }
                button { "Save" } (form_error())
            }
            p.note {
                "Written to " code data-copy { (context.backups.display()) } ". "
                "The schedule removes only backups that it created."
            }
        }
    })
}
