//! Actions on one memory: correcting its text, editing its details, linking, flagging, retiring and
//! forgetting it.

use super::super::components::form_error;
use crate::v1::memory_tag;
use engine::get::MemoryDetails;
use maud::{Markup, html};
use model::{Kind, LinkKind, Memory, Status};
use serde_json::json;

/// Priorities with their labels.
const PRIORITIES: [(u8, &str); 5] =
    [(1, "1, most important"), (2, "2"), (3, "3, usual"), (4, "4"), (5, "5, least important")];

/// Renders what the owner can do with a memory.
pub(super) fn actions(
    memory: &Memory,
    whole: &MemoryDetails,
    projects: &[(String, usize)],
) -> Markup {
    html! {
        div.does {
            details #edit { summary { "Correct" } (correction_form(memory)) }
            details #details { summary { "Edit details" } (details_form(memory, projects)) }
            details { summary { "Link to another memory" } (link_form(whole)) }
            details {
                summary { "Flag as wrong" }
                form.wide data-call={ "POST /v1/memories/" (memory.id) "/flag" }
                    data-say="Flagged; see Review." data-undo="POST /v1/review/{review}"
                    data-undo-body=r#"{"resolution": "reject"}"# {
                    label {
                        span { "What is wrong with it?" }
                        input name="reason" required maxlength="2000" dir="auto";
                    }
                    (form_error()) button { "Flag" }
                }
            }
            @if memory.status == Status::Active {
                details {
                    summary { "Retire" }
                    form data-call="POST /v1/memories/retire"
                        data-undo="POST /v1/memories/unretire"
                        data-say="Retired; it no longer appears in recall." {
                        p {
                            "It no longer appears in recall. Its history stays, and you can "
                            "restore it."
                        }
                        input type="hidden" name="memories" value=(memory.id) data-as="ids";
                        (form_error()) button { "Retire" }
                    }
                }
            }
            details.danger {
                summary { "Forget" }
                form data-call="POST /v1/memories/forget" data-receipt="1" {
                    p {
                        "Deletes every version everywhere: text, vectors, links, mentions and the "
                        "search index. This cannot be undone."
                    }
                    input type="hidden" name="memories" value=(memory.id) data-as="ids";
                    (form_error())
                    button.danger { "Forget permanently" }
                }
            }
        }
    }
}

fn correction_form(memory: &Memory) -> Markup {
    html! {
        form.wide data-call={ "PATCH /v1/memories/" (memory.id) } data-match=(memory_tag(memory))
            data-go="/memories/{id}" data-say="Corrected; the old text stays in the history."
            data-outcome="corrected" {
            label {
                span { "Corrected text" }
                textarea name="text" rows="5" required dir="auto" { (memory.text) }
            }
            label { span { "Why" } input name="reason" maxlength="2000" dir="auto"; }
            (form_error()) button.primary { "Correct" }
        }
    }
}

/// Renders the form for everything that changes without a new version. Only changed fields are
/// sent.
fn details_form(memory: &Memory, projects: &[(String, usize)]) -> Markup {
    let address = format!("/v1/memories/{}/details", memory.id);
    let project = memory.project.clone().unwrap_or_default();
    let expires = memory.valid_to.map(|end| end.date()).unwrap_or_default();
    let before = json!({
        "title": memory.title.clone().unwrap_or_default(), "kind": memory.kind.as_str(),
        "tags": memory.tags, "project": project, "priority": memory.priority, "expires": expires,
    });
    html! {
        form.wide data-call={ "PATCH " (address) } data-say="Saved." data-keep-empty="1"
            data-undo={ "PATCH " (address) } data-undo-body=(before) {
            div.fields {
                label {
                    span { "Title" }
                    input name="title" value=[memory.title.as_deref()] maxlength="300" dir="auto";
                }
                label { span { "Kind" } (kind_choice(memory)) }
                label {
                    span { "Tags, comma-separated" }
                    input name="tags" data-as="list" value=(memory.tags.join(", ")) dir="auto";
                }
                label {
                    span { "Project" }
                    input name="project" value=(project) list="projects" maxlength="200" dir="auto";
                }
                datalist #projects { @for (name, _) in projects { option value=(name) {} } }
                label {
                    span { "Priority" }
                    select name="priority" data-as="number" {
                        @for (priority, label) in PRIORITIES {
                            option value=(priority) selected[memory.priority == priority] {
                                (label)
                            }
                        }
                    }
                }
                label {
                    span { "Valid until" } input type="date" name="expires" value=(expires);
                }
            }
            (form_error()) button.primary { "Save details" }
        }
    }
}

fn kind_choice(memory: &Memory) -> Markup {
    let is_common = Kind::COMMON.contains(&memory.kind.as_str());
    html! {
        select name="kind" {
            @if !is_common { option selected { (memory.kind) } }
            @for kind in Kind::COMMON { option selected[memory.kind.as_str() == kind] { (kind) } }
        }
    }
}

/// Renders the form that links the memory to another one.
fn link_form(whole: &MemoryDetails) -> Markup {
    let id = whole.memory.id;
    let kinds = LinkKind::ALL.into_iter().filter(|kind| *kind != LinkKind::Supersedes);
    html! {
        form.inline data-call={ "POST /v1/memories/" (id) "/links" } data-say="Linked."
            data-undo={ "DELETE /v1/memories/" (id) "/links" }
            data-undo-body=r#"{"target": {target}, "kind": "{kind}"}"# {
            label {
                span { "This memory" }
                select name="kind" {
                    @for kind in kinds {
                        option value=(kind.name()) selected[kind == LinkKind::RelatedTo] {
                            (kind.words())
                        }
                    }
                }
            }
            label {
                span { "Memory number" }
                input name="target" type="number" min="1" required data-as="number";
            }
            button { "Link" } (form_error())
        }
    }
}
