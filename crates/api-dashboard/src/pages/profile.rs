//! Profile page: as a form with an editor for each kind of value, as JSON, the changes that wait
//! for a decision, and the history; any version can be restored.

pub(super) mod change;
mod waiting;

use super::components::{empty_state, form_error, pager, time};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use change::{path_in_words, value_in_words};
use maud::{Markup, html};
use model::{Failure, JsonMap, Page as Part, ProfileVersion};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use waiting::WaitingChanges;

/// Number of versions on a page.
const SIZE: usize = 20;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ProfilePageQuery {
    cursor: Option<usize>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: ProfilePageQuery,
) -> Result<PageContent, Failure> {
    let current = context.engine.profile().get(&context.caller).await?;
    let offset = query.cursor.unwrap_or(0);
    // One more than is shown, because each version is compared with the one before it.
    let part = Part { limit: SIZE + 1, offset };
    let history = context.engine.profile().history(&context.caller, part).await?;
    let version = current.as_ref().map_or(0, |version| version.version);
    let data = current.map(|version| version.data).unwrap_or_default();
    let waiting = WaitingChanges::load(&context).await?;
    let body = html! {
        h1 { "Profile" }
        p.lead { "What agents with access may know about you." }
        @if data.is_empty() {
            (empty_state("Nothing about you yet", html! {
                p {
                    "Add a field below: a name, a diet, a time zone. Agents add what you tell "
                    "them; "
                    "they cannot overwrite what you entered yourself."
                }
            }))
        }
        div.columns {
            div {
                (waiting.forms())
                (fields(&data, version, &waiting))
                (new_field(version))
                (as_json(&data, version))
            }
            section {
                h2 { "History" }
                ol.timeline {
                    @for (at, entry) in history.items.iter().take(SIZE).enumerate() {
                        (version_entry(entry, history.items.get(at + 1), version))
                    }
                }
                (pager("/profile", offset, history.items.len().min(SIZE), history.total, SIZE))
            }
        }
    };
    Ok(PageContent { title: "Profile".into(), nav_path: "/profile", body })
}

/// Returns the operation that takes a change back; the first version has none before it.
fn restores(version: u32) -> Option<&'static str> {
    (version > 0).then_some("POST /v1/profile/restore")
}

/// Returns the body that restores the version before a change.
fn restored(version: u32) -> String {
    serde_json::json!({ "version": version }).to_string()
}

fn fields(data: &JsonMap, version: u32, waiting: &WaitingChanges) -> Markup {
    html! {
        @if !data.is_empty() {
            form.wide #profile-fields data-call="PATCH /v1/profile"
                data-match={ "\"p" (version) "\"" }
                data-group="patch" data-say="Saved as a new version."
                data-undo=[restores(version)] data-undo-body=(restored(version)) {
                @for (name, value) in data {
                    (field(name, value))
                    (waiting.at_field(data, name))
                }
                p.note { "An empty field is removed." }
                (form_error()) button.primary { "Save" }
            }
        }
        @for name in waiting.new_fields(data) {
            section aria-label={ "New field " (name) } {
                h3 dir="auto" { (name.replace('_', " ")) }
                (waiting.at_field(data, &name))
            }
        }
    }
}

/// Renders a field with an editor for its type. Only changed fields are sent.
fn field(name: &str, value: &Value) -> Markup {
    let title = name.replace('_', " ");
    if value.is_array() || value.is_object() {
        // The script builds the editor from the value.
        return html! {
            fieldset.tree data-tree=(name) {
                legend dir="auto" { (title) }
                textarea name=(name) data-as="patch" hidden { (value) }
            }
        };
    }
    html! {
        label {
            span dir="auto" { (title) }
            @match value {
                Value::String(text) if text.len() > 80 || text.contains('\n') => textarea
                    name=(name) rows="3" data-as="text" dir="auto" {
                    (text)
                },
                Value::Number(number) => input name=(name) type="number" step="any" value=(number)
                    data-as="number";,
                Value::Bool(is) => select name=(name) data-as="json" {
                    option value="true" selected[*is] { "yes" }
                    option value="false" selected[!*is] { "no" }
                },
                other => input name=(name) value=(other.as_str().unwrap_or_default())
                    data-as="text" dir="auto";,
            }
        }
    }
}

/// Kinds of values that a new field may have, each with the reader of its text.
const NEW_VALUES: [(&str, &str); 5] = [
    ("text", "text"),
    ("number", "number"),
    ("truth", "yes or no"),
    ("list", "list: one, two"),
    ("group", "group: city: Bonn, zip: 53111"),
];

fn new_field(version: u32) -> Markup {
    html! {
        form.inline data-call="PATCH /v1/profile" data-match={ "\"p" (version) "\"" }
            data-pair="patch" data-say="Added."
            data-undo=[restores(version)] data-undo-body=(restored(version)) {
            label {
                span { "New field" }
                input name="name" required maxlength="200" placeholder="diet" dir="auto";
            }
            label {
                span { "Kind" }
                select name="value_kind" {
                    @for (name, title) in NEW_VALUES { option value=(name) { (title) } }
                }
            }
            label {
                span { "Value" } input name="value" required placeholder="vegetarian" dir="auto";
            }
            button { "Add" } (form_error())
        }
    }
}

fn as_json(data: &JsonMap, version: u32) -> Markup {
    html! {
        details {
            summary { "As JSON" }
            form.wide data-call="PUT /v1/profile" data-match={ "\"p" (version) "\"" }
                data-say="Saved as a new version." data-undo=[restores(version)]
                data-undo-body=(restored(version)) {
                label {
                    span { "The whole profile" }
                    textarea.code name="profile" rows="16" data-as="json" spellcheck="false" {
                        (serde_json::to_string_pretty(data).unwrap_or_default())
                    }
                }
                (form_error()) button { "Replace" }
            }
        }
    }
}

/// Renders one version: its author, and the changed fields with old and new values.
fn version_entry(
    version: &ProfileVersion,
    before: Option<&ProfileVersion>,
    current: u32,
) -> Markup {
    let earlier = |path: &str| before.and_then(|before| lookup(&before.data, path));
    html! {
        li {
            p.about {
                b { "version " (version.version) } (time(version.provenance.at))
                span { "by " b dir="auto" { (version.provenance.author.agent) } }
                @if version.version == current { span.status data-status="active" { "current" } }
            }
            @if let Some(reason) = &version.reason { p.note dir="auto" { (reason) } }
            dl.diff {
                @for path in version.changed.iter().take(20) {
                    dt dir="auto" { (path_in_words(path)) }
                    @if let Some(old) = earlier(path) {
                        dd { del dir="auto" { (value_text(old)) } }
                    }
                    @if let Some(new) = lookup(&version.data, path) {
                        dd { ins dir="auto" { (value_text(new)) } }
                    }
                }
            }
            @if version.version != current {
                form data-call="POST /v1/profile/restore" data-say="Restored as a new version."
                    data-undo=[restores(current)] data-undo-body=(restored(current)) {
                    input type="hidden" name="version" value=(version.version) data-as="number";
                    (form_error()) button.plain { "Restore this version" }
                }
            }
        }
    }
}

fn value_text(value: &Value) -> String {
    super::components::teaser(&value_in_words(value))
}

/// Returns the value at a dotted path. A name may contain a dot itself, so every split is tried.
fn lookup<'d>(data: &'d JsonMap, path: &str) -> Option<&'d Value> {
    if let Some(value) = data.get(path) {
        return Some(value);
    }
    path.match_indices('.')
        .find_map(|(cut, _)| lookup(data.get(&path[..cut])?.as_object()?, &path[cut + 1..]))
}
