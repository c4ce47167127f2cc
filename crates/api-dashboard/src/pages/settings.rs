//! Settings page: backups, import and export, embeddings, dialects, keys, the password, and erasing
//! everything.

mod access;
mod files;
mod keeping;

pub(super) use files::exported;

use super::parts::{number, problem, size};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::ERASE;
use engine::maintenance::StoreStatus;
use engine::reembed::EmbeddingProgress;
use maud::{Markup, html};
use model::Failure;

pub(super) async fn page(context: Desk, _: Nothing, _: Nothing) -> Result<Page, Failure> {
    let status = context.engine.admin().status(&context.caller).await?;
    let body = html! {
        h1 { "Settings" }
        div.columns {
            div {
                (keeping::backups(&context).await?)
                (files::in_and_out())
                (meaning(&status.embedding))
                (access::dialects(&context).await)
                (access::keys(&context).await?)
                (access::password(&context))
                (access::questions(&context).await?)
                (erasing(&status))
            }
            div {
                section { h2 { "Overview" } (what_there_is(&context, &status)) }
                (access::coming_in())
            }
        }
    };
    Ok(Page { title: "Settings".into(), place: "/settings", body })
}

fn meaning(embedding: &EmbeddingProgress) -> Markup {
    html! {
        section {
            h2 { "Embeddings" }
            p {
                "Vectors are computed by " code { (embedding.model) }
                ". After a change of the model "
                "everything is embedded again; keyword search keeps working meanwhile."
            }
            progress #embedding data-events="/v1/events/embedding" max=(embedding.total.max(1))
                value=(embedding.done) aria-label="Memories with vectors" {}
            p.note #embedded role="status" {
                (number(embedding.done)) " of " (number(embedding.total)) " memories"
            }
        }
    }
}

fn what_there_is(context: &Desk, status: &StoreStatus) -> Markup {
    let counts = &status.counts;
    html! {
        dl.pairs {
            dt { "Owner" } dd { (context.caller.owner) }
            dt { "Size on disk" } dd { (size(counts.bytes)) }
            @for (status, count) in &counts.memories {
                dt { (status.name()) } dd { (number(*count)) }
            }
            dt { "Links" } dd { (number(counts.links)) }
            dt { "Events" } dd { (number(counts.events)) }
            dt { "Location" } dd { code { (status.location) } }
            dt { "Version" } dd { (env!("CARGO_PKG_VERSION")) }
            dt { "REST" } dd { a href="/v1/openapi.json" { "/v1/openapi.json" } }
        }
    }
}

fn erasing(status: &StoreStatus) -> Markup {
    let counts = &status.counts;
    let all: usize = counts.memories.iter().map(|(_, count)| count).sum();
    html! {
        section {
            h2 { "Erase everything" }
            p {
                "Deletes everything of this owner: " (number(all))
                " memories with their vectors, links and history, "
                (number(counts.records)) " rows, " (number(counts.entities))
                " entities, the profile, "
                (number(counts.sessions)) " sessions, " (number(counts.handoffs)) " handoffs, "
                (number(counts.references))
                " documents, review items, questions, usage counts and the index snapshot. "
                "Keys, grants, settings and the audit log stay. Backups are separate files: they "
                "are listed afterwards, and you can delete them. This cannot be undone."
            }
            details.danger {
                summary { "Erase everything" }
                form.wide data-call="POST /v1/erase" data-receipt="#erased" {
                    label {
                        span { "Type “" (ERASE) "”" }
                        input name="confirm" required autocomplete="off" placeholder=(ERASE);
                    }
                    (problem()) button.danger { "Erase everything" }
                }
                div #erased role="status" {}
            }
        }
    }
}
