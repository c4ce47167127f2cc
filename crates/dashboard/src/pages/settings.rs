//! Settings: what keeps the memory, a backup now, and erasing everything.

use super::parts::{number, problem, size};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::ERASE;
use maud::html;
use model::Failure;
use server::PASSWORD_CHARS_MIN;

pub(super) async fn page(desk: Desk, _: Nothing, _: Nothing) -> Result<Page, Failure> {
    let status = desk.engine.status(&desk.caller).await?;
    let embedding = desk.engine.embedding_progress(&desk.caller).await?;
    let counts = &status.counts;
    let all: usize = counts.memories.iter().map(|(_, count)| count).sum();
    let body = html! {
        h1 { "Settings" }
        div.columns {
            div {
                section { h2 { "Backup" }
                    p { "A checked copy of everything in one file, made while the memory is in use. " code { "quipu restore" } " takes it." }
                    form data-call="POST /v1/backup" data-told="#backed-up" { button.primary { "Back up now" } (problem()) }
                    p #backed-up role="status" {}
                    p.note { "Into " code { (desk.backups.display()) } }
                }
                section { h2 { "Meaning" }
                    p { "Vectors are made by " code { (embedding.model) } ", inside the program." }
                    progress #embedding data-events="/v1/events/embedding" max=(embedding.total.max(1)) value=(embedding.done) aria-label="Memories with vectors" {}
                    p.note #embedded { (number(embedding.done)) " of " (number(embedding.total)) " memories" }
                }
                @if desk.visits.password().is_some() { section { h2 { "Password" }
                    p { @if desk.visits.wants_a_password() { "A password lets you in from another machine." } @else { "None is set. Other machines are not served without one." } }
                    form.inline data-call="PUT /v1/password" data-say="The password is set; every other visit has ended." {
                        label { span { "New password, " (PASSWORD_CHARS_MIN) " characters or more" } input type="password" name="password" required minlength=(PASSWORD_CHARS_MIN) autocomplete="new-password"; }
                        button { "Set it" } (problem())
                    }
                } }
                section { h2 { "Erase everything" }
                    p { "Every memory, row and entity of this owner goes from every place: " (number(all)) " memories, " (number(counts.records)) " rows, " (number(counts.entities)) " entities. Profile, handoffs, references and the log stay. This cannot be undone; back up first." }
                    details.danger { summary { "Erase everything" }
                        form.wide data-call="POST /v1/erase" data-receipt="#erased" {
                            label { span { "Type “" (ERASE) "”" } input name="confirm" required autocomplete="off" placeholder=(ERASE); }
                            (problem()) button.danger { "Erase everything" }
                        }
                        div #erased role="status" {}
                    }
                }
            }
            section { h2 { "What there is" } dl.pairs {
                dt { "Owner" } dd { (desk.caller.owner) }
                dt { "On disk" } dd { (size(counts.bytes)) }
                @for (status, count) in &counts.memories { dt { (status.name()) } dd { (number(*count)) } }
                dt { "Links" } dd { (number(counts.links)) }
                dt { "Events" } dd { (number(counts.events)) }
                dt { "Version" } dd { (env!("CARGO_PKG_VERSION")) }
                dt { "REST" } dd { a href="/v1/openapi.json" { "/v1/openapi.json" } }
            } }
        }
    };
    Ok(Page { title: "Settings".into(), place: "/settings", body })
}
