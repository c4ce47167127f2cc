//! Consent page of OAuth: which program requests access, where the browser is redirected, and the
//! permissions for each resource. An invalid request is shown to the person and never redirected
//! automatically.

use super::parts::{number, problem};
use super::rules::{Place, Places, another, offered, rule};
use super::shell::{alone, html};
use crate::api::Nothing;
use crate::desk::Desk;
use crate::v1::ConsentAsked;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::{Failure, Permission};
use oauth::{Asked, Turned};

pub(super) async fn page(
    context: Desk,
    _: Nothing,
    query: ConsentAsked,
) -> Result<Response, Failure> {
    let request = match context.asked(query.clone().into()).await? {
        Ok(request) => request,
        Err(rejected) => return Ok(html(StatusCode::BAD_REQUEST, refused(&rejected))),
    };
    let resources = Places::of(&context, &request.agent()).await?;
    let body = html! {
        div.arrive.asking {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Allow " span dir="auto" { (request.client.name) } " to access your memory?" }
            p.lead {
                "It requests permission to "
                b { @if request.scope == Permission::Write { "read and write" } @else { "read" } }
                " the memory of " b { (context.caller.owner) } "."
            }
            (about(&request))
            (choices(&request, &query, &resources))
        }
    };
    Ok(html(StatusCode::OK, alone("Access request", &context.form_token, body)))
}

fn about(request: &Asked) -> Markup {
    html! {
        dl.pairs {
            dt { "Name" } dd dir="auto" { (request.client.name) }
            @if request.client.id.starts_with("https://") {
                dt { "Described at" } dd { code { (request.client.id) } }
            }
            dt { "Redirects to" } dd { b { (request.host()) } br; code { (request.redirect) } }
            dt { "Agent name" } dd dir="auto" { (request.agent()) }
            dt { "Endpoint" } dd { code { (request.resource) } }
        }
        p.note {
            "The name is not verified. "
            @if request.is_local() {
                "The redirect goes to a program on this computer; "
                "continue only if you have just started it."
            } @else { "Continue only if you have just come from there." }
        }
    }
}

fn choices(request: &Asked, query: &ConsentAsked, resources: &Places) -> Markup {
    let global = resources.whole.iter().filter(|resource| resource.name != "*");
    html! {
        form data-call="POST /v1/consent" data-nested="grants" data-leave="go" {
            input type="hidden" name="request" value=(query.json()) data-as="json";
            table {
                thead { tr { th scope="col" { "Resource" } th scope="col" { "Permission" } } }
                tbody { @for resource in global { (choice(resource, request.scope)) } }
            }
            (single(request.scope, resources))
            (problem())
            p.row {
                button.primary name="decision" value="allow" { "Allow" }
                button name="decision" value="deny" { "Deny" }
            }
        }
    }
}

/// Row for one resource, preset to the earlier grant or to what the program requests; never more
/// than that.
fn choice(resource: &Place, most: Permission) -> Markup {
    let chosen = resource.granted.map_or(most, |granted| granted.min(most));
    html! {
        tr {
            th scope="row" { (resource.says) }
            td {
                select name=(resource.name) data-nest="always"
                    aria-label={ "What it may do with " (resource.says) } {
                    (offered(most, Some(chosen)))
                }
            }
        }
    }
}

/// Rules for individual tables and collections, which override those for all of them.
fn single(most: Permission, resources: &Places) -> Markup {
    const NONE: &str = "same as for all";
    // Opened when a rule exists, so that the owner sees what already applies.
    let ruled = resources.single.iter().any(|resource| resource.granted.is_some());
    html! {
        details open[ruled] {
            summary {
                "Individual tables and collections"
                @if !resources.single.is_empty() { " (" (number(resources.single.len())) ")" }
            }
            p.note { "A choice here overrides the choice for all tables or all memories." }
            div.scroll tabindex="0" role="region" aria-label="Individual tables and collections" {
                table {
                    thead { tr { th scope="col" { "Resource" } th scope="col" { "Permission" } } }
                    tbody #rules {
                        @for resource in &resources.single { (rule(resource, NONE, most)) }
                    }
                }
            }
            @if resources.left_out > 0 {
                p.note { (number(resources.left_out)) " more are not listed; add them by name." }
            }
            (another(NONE, most))
        }
    }
}

/// Page for an invalid request. Returning to the program is a link, not a redirect: anybody can
/// register a program, and an automatic redirect would be an open redirector.
fn refused(rejected: &Turned) -> Markup {
    let (why, back) = match rejected {
        Turned::ToPerson(error) => (error.to_string(), None),
        Turned::ToClient(back) => {
            ("the program requests something that does not exist".to_owned(), Some(back))
        }
    };
    let body = html! {
        div.arrive {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Invalid access request" }
            p.problem role="alert" { (why) }
            @match back {
                Some(back) => p { a href=(back) rel="noreferrer" { "Return to the program" } },
                None => p { "No access was granted. Go back to the program and connect again." },
            }
        }
    };
    super::shell::bare("Invalid access request", body)
}
