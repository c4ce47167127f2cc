//! The profile: as a form, as JSON, and as it was; any version can be restored.

use super::parts::{nothing, pager, problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use maud::{Markup, html};
use model::{Failure, JsonMap, Page as Part, ProfileVersion};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// How many versions a page shows.
const SIZE: usize = 20;

/// Which part of the history.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    cursor: Option<usize>,
}

pub(super) async fn page(desk: Desk, _: Nothing, asked: Asked) -> Result<Page, Failure> {
    let standing = desk.engine.profile().get(&desk.caller).await?;
    let offset = asked.cursor.unwrap_or(0);
    // One more than is shown, to compare the last one with.
    let part = Part { limit: SIZE + 1, offset };
    let history = desk.engine.profile().history(&desk.caller, part).await?;
    let version = standing.as_ref().map_or(0, |version| version.version);
    let data = standing.map(|version| version.data).unwrap_or_default();
    let body = html! {
        h1 { "Profile" }
        p.lead { "What every agent you allow may know about you." }
        @if data.is_empty() {
            (nothing("Nothing about you yet", html! { p { "Add a field below: a name, a diet, a time zone. Agents add what you tell them; what you typed yourself they cannot overwrite." } }))
        }
        div.columns {
            div {
                (fields(&data, version))
                (new_field(version))
                (as_json(&data, version))
            }
            section { h2 { "History" }
                ol.timeline { @for (at, kept) in history.items.iter().take(SIZE).enumerate() { (change(kept, history.items.get(at + 1), version)) } }
                (pager("/profile", offset, history.items.len().min(SIZE), history.total, SIZE))
            }
        }
    };
    Ok(Page { title: "Profile".into(), place: "/profile", body })
}

fn fields(data: &JsonMap, version: u32) -> Markup {
    html! {
        @if !data.is_empty() {
            form.wide data-call="PATCH /v1/profile" data-match={ "\"p" (version) "\"" } data-group="patch" data-say="Saved as a new version." {
                @for (name, value) in data { (field(name, value)) }
                p.note { "An empty field is removed." }
                (problem()) button.primary { "Save" }
            }
        }
    }
}

/// A field with the editor of its type; only what changed is sent.
fn field(name: &str, value: &Value) -> Markup {
    html! {
        label { span dir="auto" { (name.replace('_', " ")) }
            @match value {
                Value::String(text) if text.len() > 80 || text.contains('\n') => textarea name=(name) rows="3" data-as="text" dir="auto" { (text) },
                Value::String(text) => input name=(name) value=(text) data-as="text" dir="auto";,
                Value::Number(number) => input name=(name) type="number" step="any" value=(number) data-as="number";,
                Value::Bool(is) => select name=(name) data-as="json" { option value="true" selected[*is] { "yes" } option value="false" selected[!*is] { "no" } },
                other => textarea.code name=(name) rows="4" data-as="json" spellcheck="false" { (serde_json::to_string_pretty(other).unwrap_or_default()) },
            }
        }
    }
}

fn new_field(version: u32) -> Markup {
    html! {
        form.inline data-call="PATCH /v1/profile" data-match={ "\"p" (version) "\"" } data-pair="patch" data-say="Added." {
            label { span { "New field" } input name="name" required maxlength="200" placeholder="diet" dir="auto"; }
            label { span { "Value" } input name="value" required placeholder="vegetarian" dir="auto"; }
            button { "Add" } (problem())
        }
    }
}

fn as_json(data: &JsonMap, version: u32) -> Markup {
    html! {
        details { summary { "As JSON" }
            form.wide data-call="PUT /v1/profile" data-match={ "\"p" (version) "\"" } data-say="Saved as a new version." {
                label { span { "The whole profile" } textarea.code name="profile" rows="16" data-as="json" spellcheck="false" { (serde_json::to_string_pretty(data).unwrap_or_default()) } }
                (problem()) button { "Replace" }
            }
        }
    }
}

/// One version: who made it, and what it changed from and to.
fn change(kept: &ProfileVersion, before: Option<&ProfileVersion>, standing: u32) -> Markup {
    let earlier = |path: &str| before.and_then(|before| lookup(&before.data, path));
    html! {
        li {
            p.about { b { "version " (kept.version) } (when(kept.provenance.at)) span { "by " b dir="auto" { (kept.provenance.author.agent) } }
                @if kept.version == standing { span.status data-status="active" { "stands" } } }
            @if let Some(reason) = &kept.reason { p.note dir="auto" { (reason) } }
            dl.diff { @for path in kept.changed.iter().take(20) {
                dt dir="auto" { (path) }
                @if let Some(old) = earlier(path) { dd { del dir="auto" { (told(old)) } } }
                @if let Some(new) = lookup(&kept.data, path) { dd { ins dir="auto" { (told(new)) } } }
            } }
            @if kept.version != standing {
                form data-call="POST /v1/profile/restore" data-say="Restored as a new version." { input type="hidden" name="version" value=(kept.version) data-as="number"; (problem()) button.plain { "Restore this version" } }
            }
        }
    }
}

fn told(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    super::parts::teaser(&text)
}

/// The value at a dotted path; a name may hold a dot itself, so each cut is tried.
fn lookup<'d>(data: &'d JsonMap, path: &str) -> Option<&'d Value> {
    if let Some(value) = data.get(path) {
        return Some(value);
    }
    path.match_indices('.')
        .find_map(|(cut, _)| lookup(data.get(&path[..cut])?.as_object()?, &path[cut + 1..]))
}
