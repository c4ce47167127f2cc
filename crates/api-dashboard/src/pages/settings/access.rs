//! Settings for access: dialects, keys, the password, stored questions, and login links.

use super::super::components::{form_error, key_line, percent_encode};
use super::super::words;
use crate::request_context::RequestContext;
use maud::{Markup, html};
use model::{Failure, limits};
use server::PASSWORD_CHARS_MIN;

/// Renders the served dialects with their switches.
pub(super) async fn dialects(context: &RequestContext) -> Markup {
    let mut rows = Vec::new();
    for served in &context.dialects {
        let owner = &context.caller.owner;
        let on = context.engine.admin().is_dialect_enabled(owner, served.dialect).await;
        rows.push((served.dialect, &served.path, on));
    }
    let origin = context.plain_origin.as_deref().unwrap_or_default();
    html! {
        section #dialects {
            h2 { "Dialects" }
            p {
                "The same memory under five tool contracts. A dialect that is off does not answer "
                "over "
                "HTTP; agents that run " code data-copy { "quipu mcp" }
                " on this machine are not affected."
            }
            ul.plain {
                @for (dialect, path, on) in &rows {
                    @let (name, title) = (dialect.name(), words::way(*dialect));
                    li.switch {
                        code data-copy={ (origin) (path) } { (path) } " " b { (title) } " "
                        span.status data-status=(if *on { "active" } else { "retired" }) {
                            @if *on { "on" } @else { "off" }
                        }
                        form data-call="PUT /v1/dialects"
                            data-say={
                                (title) " is " @if *on { "off" } @else { "on" } " for every agent."
                            }
                            data-undo="PUT /v1/dialects"
                            data-undo-body=(serde_json::json!({ "dialect": name, "on": on })) {
                            input type="hidden" name="dialect" value=(name);
                            input type="hidden" name="on" value=(!on) data-as="json";
                            button {
                                @if *on { "Turn off" } @else { "Turn on" }
                                span.hidden { " " (title) }
                            } (form_error())
                        }
                    }
                }
            }
        }
    }
}

/// Renders the valid keys with their agents.
pub(super) async fn keys(context: &RequestContext) -> Result<Markup, Failure> {
    let mut keys = context.credentials.keys(&context.caller).await?;
    keys.retain(|key| key.revoked_at.is_none());
    Ok(html! {
        section #keys {
            h2 { "Keys" }
            @if keys.is_empty() {
                p {
                    "No agent has a key. Create one on the " a href="/agents" { "Agents" } " page."
                }
            }
            ul.plain {
                @for key in &keys {
                    li {
                        p.title {
                            a href={ "/agents/one?agent=" (percent_encode(key.key.agent.as_str())) }
                                dir="auto" {
                                (key.key.agent)
                            }
                        }
                        (key_line(key))
                    }
                }
            }
        }
    })
}

/// Renders the form for the password, which is needed to log in from another machine.
pub(super) async fn password(context: &RequestContext) -> Markup {
    let is_set = context.sessions.has_password().await;
    html! {
        @if context.is_server_owner() && context.sessions.password().is_some() {
            section {
                h2 { "Password" }
                p {
                    @if is_set {
                        "You can log in from other machines with it."
                    } @else { "No password is set. Access from other machines requires one." }
                }
                form.inline data-call="PUT /v1/password"
                    data-say="Password set; all other sessions are ended." {
                    label {
                        span { "New password (at least " (PASSWORD_CHARS_MIN) " characters)" }
                        input type="password" name="password" required
                            minlength=(PASSWORD_CHARS_MIN) autocomplete="new-password";
                    }
                    button { "Set password" } (form_error())
                }
            }
        }
    }
}

/// Renders the switch for storing the words of questions.
pub(super) async fn questions(context: &RequestContext) -> Result<Markup, Failure> {
    let stored = context.engine.admin().question_retention(&context.caller).await?;
    Ok(html! {
        section #questions {
            h2 { "Questions of agents" }
            p {
                @if stored {
                    "The words of the last " (limits::RECENT_QUESTIONS)
                    " questions are stored, so that you see what was asked, until you forget a "
                    "memory. A question without a sure answer is stored until it has one, so that "
                    "you can write what was missing."
                } @else { "Questions are counted but not stored." }
            }
            form data-call="PUT /v1/questions/kept" data-say="Changed." {
                input type="hidden" name="kept" value=(!stored) data-as="json";
                button { @if stored { "Stop storing and delete these" } @else { "Store them" } }
                (form_error())
            }
        }
    })
}

/// Renders the form that creates a login link.
pub(super) fn login_link() -> Markup {
    html! {
        section {
            h2 { "Log in elsewhere" }
            p {
                "A link logs in a browser on this machine, once, within ten minutes. "
                code data-copy { "quipu login" } " prints one too."
            }
            form data-call="POST /v1/login-links" data-told="#new-link" {
                button { "Create a link" } (form_error())
            }
            p.note #new-link role="status" {}
        }
    }
}
