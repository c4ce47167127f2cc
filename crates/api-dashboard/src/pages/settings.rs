//! Settings page: members of a group, backups, import and export, embeddings, dialects, keys, the
//! password, and erasing everything.

mod access;
mod backups;
mod files;
mod members;

pub(super) use files::{exported, progress};

use super::components::{counted, form_error, format_count, format_size};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use crate::v1::ERASE_CONFIRMATION;
use engine::maintenance::StoreStatus;
use engine::reembed::EmbeddingProgress;
use maud::{Markup, html};
use model::Failure;

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<PageContent, Failure> {
    let status = context.engine.admin().status(&context.caller).await?;
    let body = html! {
        h1 { "Settings" }
        div.columns {
            div {
                (members::section(&context).await?)
                (backups::section(&context).await?)
                (files::section())
                (embeddings(&status.embedding))
                (access::dialects(&context).await)
                (access::keys(&context).await?)
                (access::password(&context).await)
                (access::questions(&context).await?)
                (erase_section(&status))
            }
            div {
                section { h2 { "Overview" } (overview(&context, &status)) }
                (access::login_link())
            }
        }
    };
    Ok(PageContent { title: "Settings".into(), nav_path: "/settings", body })
}

fn embeddings(embedding: &EmbeddingProgress) -> Markup {
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
                (format_count(embedding.done)) " of " (format_count(embedding.total)) " memories"
            }
        }
    }
}

fn overview(context: &RequestContext, status: &StoreStatus) -> Markup {
    let counts = &status.counts;
    html! {
        dl.pairs {
            dt { "Owner" } dd { (context.caller.owner) }
            dt { "Size on disk" } dd { (format_size(counts.bytes)) }
            @for (status, count) in &counts.memories {
                dt { (super::words::memories_in(*status)) } dd { (format_count(*count)) }
            }
            dt { "Links" } dd { (format_count(counts.links)) }
            dt { "Events" } dd { (format_count(counts.events)) }
            dt { "Location" } dd { code data-copy { (status.location) } }
            dt { "Version" } dd { (env!("CARGO_PKG_VERSION")) }
            dt { "REST" } dd { a href="/v1/openapi.json" { "/v1/openapi.json" } }
        }
    }
}

fn erase_section(status: &StoreStatus) -> Markup {
    let counts = &status.counts;
    let all: usize = counts.memories.iter().map(|(_, count)| count).sum();
    html! {
        section {
            h2 { "Erase everything" }
            p {
                "Deletes everything of this owner: " (counted(all, "memory", "memories"))
                " with their vectors, links and history, "
                (counted(counts.records, "row", "rows")) ", "
                (counted(counts.entities, "entity", "entities")) ", the profile, "
                (counted(counts.sessions, "session", "sessions")) ", "
                (counted(counts.handoffs, "handoff", "handoffs")) ", "
                (counted(counts.references, "document", "documents"))
                ", review items, questions, usage counts and the index snapshot. "
                "Keys, grants, settings and the audit log stay. Backups are separate files: they "
                "are listed afterwards, and you can delete them. This cannot be undone."
            }
            details.danger {
                summary { "Erase everything" }
                form.wide data-call="POST /v1/erase" data-receipt="1" {
                    label {
                        span { "Type “" (ERASE_CONFIRMATION) "”" }
                        input name="confirm" required autocomplete="off"
                            placeholder=(ERASE_CONFIRMATION);
                    }
                    (form_error()) button.danger { "Erase everything" }
                }
            }
        }
    }
}
