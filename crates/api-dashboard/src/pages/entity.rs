//! Page of one entity: its observations, relations and mentions; renaming, merging and deleting it.

use super::components::{counted, form_error, memory_line, time};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use crate::v1::IdPath;
use engine::entities::{EntityRef, EntityView};
use maud::{Markup, html};
use model::{EntityId, Failure};

/// Maximum number of mentioning memories shown.
const MEMORIES_MAX: usize = 20;

pub(super) async fn page(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<PageContent, Failure> {
    let view =
        context.engine.graph().entity(&context.caller, &EntityRef::Id(EntityId(path.id))).await?;
    let ids: Vec<_> = view.memories.items.iter().copied().take(MEMORIES_MAX).collect();
    let memories = if ids.is_empty() {
        Vec::new()
    } else {
        context.engine.memories().get(&context.caller, &ids).await?
    };
    let entity = &view.entity;
    let body = html! {
        p.crumb { a href="/graph" { "Graph" } " / " span dir="auto" { (entity.name) } }
        h1 dir="auto" { (entity.name) }
        p.about {
            span.kind dir="auto" { (entity.kind) } span { (entity.mentions) " mentions" }
            span { "first seen " (time(entity.first_seen)) }
            span { "last seen " (time(entity.last_seen)) }
            @for alias in &entity.aliases { span.tag dir="auto" { (alias) } }
            a href={ "/graph?entity=" (entity.id) } { "Show in graph" }
        }
        div.columns {
            div {
                section {
                    h2 { "Mentioned in" }
                    @if memories.is_empty() { p.note { "No active memory mentions it." } }
                    ul.cards {
                        @for memory in &memories { li.card { div { (memory_line(memory)) } } }
                    }
                }
            }
            div { (relations(&view)) (observations(&view)) (merged(&view)) (actions(&view)) }
        }
    };
    Ok(PageContent { title: entity.name.clone(), nav_path: "/graph", body })
}

fn relations(view: &EntityView) -> Markup {
    html! {
        @if !view.relations.is_empty() {
            section {
                h2 { "Relations" }
                ul.plain {
                    @for one in view.relations.iter().take(50) {
                        @let [subject, verb, object] = one.sentence();
                        li {
                            a dir="auto" href={ "/entities/" (one.relation.source) } {
                                (subject)
                            } " " span.relation { (verb) } " "
                            a dir="auto" href={ "/entities/" (one.relation.target) } {
                                (object)
                            }
                        }
                    }
                }
            }
        }
    }
}

fn observations(view: &EntityView) -> Markup {
    html! {
        @if !view.observations.is_empty() {
            section {
                h2 { "Observations" }
                ul.plain {
                    @for one in &view.observations {
                        li dir="auto" { (one.text) " " (time(one.at)) }
                    }
                }
            }
        }
    }
}

/// Entities that were merged into this one, the newest of which can be parted from it again.
fn merged(view: &EntityView) -> Markup {
    html! {
        @if !view.merged.is_empty() {
            section {
                h2 { "Merged into this one" }
                ul.plain {
                    @for (at, one) in view.merged.iter().enumerate() {
                        li {
                            span dir="auto" { (one.name) } " "
                            span.kind dir="auto" { (one.kind) } " " (time(one.at)) " "
                            @if at == 0 {
                                form.inline data-say="Undone; both are there again."
                                    data-call={ "POST /v1/entities/" (one.entity) "/merge/undo" } {
                                    button.plain { "Undo the merge" } (form_error())
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Forms for the actions. Each states what it affects before it is done.
fn actions(view: &EntityView) -> Markup {
    let entity = &view.entity;
    let touched = html! {
        (counted(view.memories.total, "memory", "memories")) ", "
        (counted(view.relations.len(), "relation", "relations")) " and "
        (counted(view.observations.len(), "observation", "observations"))
    };
    html! {
        div.does {
            details {
                summary { "Rename" }
                form.wide data-call={ "PATCH /v1/entities/" (entity.id) }
                    data-say="Renamed; the old name is kept as an alias." {
                    label {
                        span { "Name" }
                        input name="name" value=(entity.name) required maxlength="500" dir="auto";
                    } (form_error()) button { "Rename" }
                }
            }
            details {
                summary { "Merge into another" }
                form.wide data-call={ "POST /v1/entities/" (entity.id) "/merge" }
                    data-go="/entities/{id}" data-say="Merged."
                    data-undo={ "POST /v1/entities/" (entity.id) "/merge/undo" }
                    data-undo-body="{}" {
                    p { (touched) " will move, and this name becomes an alias." }
                    p {
                        a href={ "/graph#node=e" (entity.id) "&merge=1" } {
                            "Find the other one by its name"
                        } " or enter its ID:"
                    }
                    label {
                        span { "ID of the entity that stays" }
                        input name="into" type="number" min="1" required data-as="number";
                    } (form_error()) button { "Merge" }
                }
            }
            details.danger {
                summary { "Delete" }
                form data-call={ "DELETE /v1/entities/" (entity.id) } data-go="/graph"
                    data-say="Deleted." {
                    p {
                        "Also deletes "
                        (counted(view.relations.len(), "relation", "relations")) " and "
                        (counted(view.observations.len(), "observation", "observations"))
                        ". The memories that mention it stay."
                    } (form_error()) button.danger { "Delete entity" }
                }
            }
        }
    }
}
