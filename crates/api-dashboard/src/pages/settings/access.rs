//! Who reaches the memory: the dialects that answer, the password, what is kept of questions, and
//! new ways in.

use super::super::parts::{encoded, key_line, problem};
use crate::desk::Desk;
use maud::{Markup, html};
use model::Failure;
use server::PASSWORD_CHARS_MIN;

/// Every dialect that is served, with its switch.
pub(super) async fn dialects(desk: &Desk) -> Markup {
    let mut rows = Vec::new();
    for (dialect, path) in &desk.dialects {
        rows.push((
            dialect.name(),
            path,
            desk.engine.admin().speaks(&desk.caller.owner, *dialect).await,
        ));
    }
    html! {
        section #dialects { h2 { "Dialects" }
            p { "The same memory under five contracts. One that is off answers nobody over HTTP; agents that run " code { "quipu mcp" } " here are not concerned." }
            ul.plain { @for (name, path, on) in &rows {
                li.switch { code { (path) } " " b { (name) } " "
                    span.status data-status=(if *on { "active" } else { "retired" }) { @if *on { "on" } @else { "off" } }
                    form data-call="PUT /v1/dialects" data-say="Changed." {
                        input type="hidden" name="dialect" value=(name); input type="hidden" name="on" value=(!on) data-as="json";
                        button { @if *on { "Turn off" } @else { "Turn on" } span.hidden { " " (name) } } (problem())
                    } }
            } }
        }
    }
}

/// Every key that opens something, with the agent that has it.
pub(super) async fn keys(desk: &Desk) -> Result<Markup, Failure> {
    let mut keys = desk.credentials.keys(&desk.caller).await?;
    keys.retain(|key| key.revoked_at.is_none());
    Ok(html! {
        section #keys { h2 { "Keys" }
            @if keys.is_empty() { p { "No agent has a key of its own. " a href="/agents" { "Agents" } " makes one with the line that connects it." } }
            ul.plain { @for key in &keys { li {
                p.title { a href={ "/agents/one?agent=" (encoded(key.key.agent.as_str())) } dir="auto" { (key.key.agent) } }
                (key_line(key))
            } } }
        }
    })
}

/// The password that lets the owner in from another machine.
pub(super) fn password(desk: &Desk) -> Markup {
    html! {
        @if desk.visits.password().is_some() { section { h2 { "Password" }
            p { @if desk.visits.wants_a_password() { "A password lets you in from another machine." } @else { "None is set. Other machines are not served without one." } }
            form.inline data-call="PUT /v1/password" data-say="The password is set; every other visit has ended." {
                label { span { "New password, " (PASSWORD_CHARS_MIN) " characters or more" } input type="password" name="password" required minlength=(PASSWORD_CHARS_MIN) autocomplete="new-password"; }
                button { "Set it" } (problem())
            }
        } }
    }
}

/// Whether the words of questions are kept.
pub(super) async fn questions(desk: &Desk) -> Result<Markup, Failure> {
    let kept = desk.engine.admin().are_questions_kept(&desk.caller).await?;
    Ok(html! {
        section #questions { h2 { "Questions without an answer" }
            p { @if kept { "The words of a question that found nothing are kept until it finds something, so that you can write what was missing." } @else { "No question is kept; they are only counted." } }
            form data-call="PUT /v1/questions/kept" data-say="Changed." {
                input type="hidden" name="kept" value=(!kept) data-as="json";
                button { @if kept { "Keep none, and forget these" } @else { "Keep them" } } (problem())
            }
        }
    })
}

/// How to come in again, or on another device of this machine.
pub(super) fn coming_in() -> Markup {
    html! {
        section { h2 { "Come in elsewhere" }
            p { "A link opens this window once, within ten minutes, in any browser of this machine. " code { "quipu login" } " prints one too." }
            form data-call="POST /v1/login-links" data-told="#new-link" { button { "Make a link" } (problem()) }
            p.note #new-link role="status" {}
        }
    }
}
