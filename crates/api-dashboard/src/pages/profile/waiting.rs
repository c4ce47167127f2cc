//! Changes of the profile that agents propose, shown at the fields that they would change and
//! decided there.

use super::super::components::time;
use super::change::{ProposedValue, path_in_words, proposed_values};
use super::{lookup, value_text};
use crate::request_context::RequestContext;
use engine::review::{ListReviewsRequest, ReviewView};
use maud::{Markup, html};
use model::{Failure, JsonMap, Resolution, ReviewKind};
use serde_json::Value;

/// Maximum number of proposals that are read.
const PROPOSALS_MAX: usize = 100;

/// Open proposals about the profile, with the values that each would set.
pub(super) struct WaitingChanges(Vec<(ReviewView, Vec<ProposedValue>)>);

impl WaitingChanges {
    pub async fn load(context: &RequestContext) -> Result<Self, Failure> {
        let request = ListReviewsRequest {
            kind: Some(ReviewKind::Proposal),
            limit: Some(PROPOSALS_MAX),
            ..ListReviewsRequest::default()
        };
        let listed = context.engine.reviews().list(&context.caller, &request).await?;
        let with_values = listed.items.into_iter().filter_map(|view| {
            let values = proposed_values(view.item.details.get("profile")?.as_object()?, "");
            (!values.is_empty()).then_some((view, values))
        });
        Ok(Self(with_values.collect()))
    }

    /// Returns the top-level fields that the profile does not have and a proposal would add.
    pub fn new_fields(&self, data: &JsonMap) -> Vec<String> {
        let all = self.0.iter().flat_map(|(_, values)| values);
        let mut names: Vec<String> = all
            .map(|one| top_of(data, &one.path))
            .filter(|name| !data.contains_key(name))
            .collect();
        names.sort();
        names.dedup();
        names
    }

    /// Renders what would change in a top-level field, with the buttons that decide it.
    pub fn at_field(&self, data: &JsonMap, name: &str) -> Markup {
        html! {
            @for (view, values) in &self.0 {
                @for one in values.iter().filter(|one| top_of(data, &one.path) == name) {
                    (waiting(view, one, lookup(data, &one.path), values.len()))
                }
            }
        }
    }

    /// Renders the forms that the buttons at the fields belong to: a form cannot contain another.
    pub fn forms(&self) -> Markup {
        html! {
            @for (view, _) in &self.0 {
                form #{ "decide-" (view.item.id) }
                    data-call={ "POST /v1/review/" (view.item.id) } data-say="Decided."
                    data-undo={ "POST /v1/review/" (view.item.id) "/undo" } data-undo-body="{}" {}
            }
        }
    }
}

/// Returns the top-level field of a path; a name may contain a dot itself.
fn top_of(data: &JsonMap, path: &str) -> String {
    let is_known = |name: &&String| path == **name || path.starts_with(&format!("{name}."));
    let known = data.keys().filter(is_known).max_by_key(|name| name.len());
    let first = || path.split('.').next().unwrap_or(path);
    known.map_or_else(|| first().to_owned(), Clone::clone)
}

fn waiting(view: &ReviewView, one: &ProposedValue, now: Option<&Value>, of: usize) -> Markup {
    let id = view.item.id;
    let decides = format!("decide-{id}");
    html! {
        div.waiting data-path=(one.path) role="group"
            aria-label={ "Proposed change of " (one.path) } {
            p.about {
                b dir="auto" { (view.item.raised_by) }
                span {
                    @if one.value.is_some() { "would set " } @else { "would remove " }
                    span dir="auto" { (path_in_words(&one.path)) }
                }
                (time(view.item.raised_at))
            }
            p {
                @if let Some(now) = now { del dir="auto" { (value_text(now)) } " " }
                @if let Some(value) = &one.value { ins dir="auto" { (value_text(value)) } }
            }
            p.decide {
                @for (resolution, word) in
                    [(Resolution::Confirm, "Accept"), (Resolution::Reject, "Reject")] {
                    button form=(decides) name="resolution" value=(resolution.name()) {
                        (word) span.hidden { " the change of " (one.path) }
                    }
                }
                @if of > 1 { span.note { "with the other " (of - 1) " of the same proposal" } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_belongs_to_the_longest_field_that_it_begins_with() {
        let data = json!({ "a": { "b": 1 }, "a.b": 2 });
        let data = data.as_object().unwrap();
        assert_eq!(top_of(data, "a.b"), "a.b");
        assert_eq!(top_of(data, "a.c"), "a");
        assert_eq!(top_of(data, "new.field"), "new");
    }
}
