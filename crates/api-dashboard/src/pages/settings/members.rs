//! Members of a group on its settings page: who is in it, what each may do, and adding somebody.

use super::super::components::form_error;
use crate::request_context::RequestContext;
use crate::v1::part_name;
use engine::people::GroupMember;
use maud::{Markup, html};
use model::Failure;
use serde_json::json;

/// The parts that a member can have, in words.
const PARTS: [(&str, &str); 3] =
    [("write", "reads and writes"), ("read", "reads"), ("admin", "admin")];

/// Operation that gives a member a part.
const PUT: &str = "PUT /v1/members";

/// Renders the members; nothing for the memory of one person.
pub(super) async fn section(context: &RequestContext) -> Result<Markup, Failure> {
    let people = context.credentials.people();
    if !people.is_group(&context.caller.owner).await? {
        return Ok(html! {});
    }
    let members = people.members(&context.caller).await?;
    Ok(html! {
        section #members {
            h2 { "Members" }
            p {
                "People who share this memory, each under their own name. An admin acts as its "
                "owner and decides on members; the others read, or read and write, everything that "
                "their grants on the " a href="/agents" { "Agents" } " page do not refuse."
            }
            @if members.is_empty() { p { "Nobody is in this group yet." } }
            ul.plain { @for member in &members { (member_item(member)) } }
            form.inline data-call=(PUT) data-say="{said}." {
                label {
                    span { "Name of the person" }
                    input name="person" required autocomplete="off" spellcheck="false";
                }
                label { span { "May do" } (part_choice("write")) }
                button { "Add" } (form_error())
            }
            p.note {
                "The person must have signed in once, or been created with "
                code data-copy { "quipu owners create NAME" } "."
            }
        }
    })
}

fn member_item(member: &GroupMember) -> Markup {
    let (person, part) = (member.person.as_str(), part_name(member));
    // Someone with single grants cannot be given exactly those again.
    let undo = (part != "grants").then(|| json!({ "person": person, "part": part }).to_string());
    html! {
        li {
            p.title dir="auto" { (person) }
            @if part == "grants" { p.note { "has single grants only" } }
            form.inline data-call=(PUT) data-say="{said}." data-undo=[undo.as_ref().map(|_| PUT)]
                data-undo-body=[undo.as_ref()] {
                input type="hidden" name="person" value=(person);
                label { span { (person) " may do" } (part_choice(part)) }
                button { "Change" span.hidden { " " (person) } } (form_error())
            }
            form data-call="DELETE /v1/members" data-say="{said}."
                data-sure={ "Remove " (person) " with all their grants?" } {
                input type="hidden" name="person" value=(person);
                button.danger { "Remove" span.hidden { " " (person) } } (form_error())
            }
        }
    }
}

fn part_choice(chosen: &str) -> Markup {
    html! {
        select name="part" {
            @for (part, words) in PARTS {
                option value=(part) selected[part == chosen] { (words) }
            }
        }
    }
}
