//! Consent page of OAuth: which program requests access, where the browser is redirected, and the
//! permissions for each resource. An invalid request is shown to the person and never redirected
//! automatically.

use super::components::{form_error, format_count};
use super::rules::{
    ERASE, RuleResource, RuleResources, add_rule_form, permission_options, rule_row,
};
use super::shell::{html_response, standalone};
use crate::api::NoFields;
use crate::request_context::RequestContext;
use crate::v1::ConsentQuery;
use axum::http::StatusCode;
use axum::response::Response;
use maud::{Markup, html};
use model::{Failure, Permission};
use oauth::{AuthorizeRefusal, ConsentRequest};

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: ConsentQuery,
) -> Result<Response, Failure> {
    let request = match context.parse_authorization(query.clone()).await? {
        Ok(request) => request,
        Err(rejected) => {
            return Ok(html_response(StatusCode::BAD_REQUEST, invalid_request_page(&rejected)));
        }
    };
    let resources = RuleResources::for_agent(&context, &request.agent()).await?;
    let body = html! {
        div.arrive.asking {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Allow " span dir="auto" { (request.client.name) } " to access your memory?" }
            p.lead {
                "It requests permission to "
                b { @if request.scope == Permission::Write { "read and write" } @else { "read" } }
                " the memory of " b { (context.caller.owner) } "."
            }
            (request_details(&request))
            (consent_form(&request, &query, &resources))
        }
    };
    Ok(html_response(StatusCode::OK, standalone("Access request", body)))
}

fn request_details(request: &ConsentRequest) -> Markup {
    html! {
        dl.pairs {
            dt { "Name" } dd dir="auto" { (request.client.name) }
            @if request.client.id.starts_with("https://") {
                dt { "Described at" } dd { code { (request.client.id) } }
            }
            dt { "Answer goes to" } dd { b { (request.host()) } br; code { (request.redirect) } }
            dt { "Agent name" } dd dir="auto" { (request.agent()) }
            dt { "Endpoint" } dd { code { (request.resource) } }
        }
        p.note {
            "If you allow it, whoever receives the answer at " b { (request.host()) }
            " gets the access that you choose below. The name is not verified. "
            @if request.is_local() {
                "The answer goes to a program on this computer; "
                "continue only if you have just started it."
            } @else { "Continue only if you have just come from there." }
        }
    }
}

fn consent_form(
    request: &ConsentRequest,
    query: &ConsentQuery,
    resources: &RuleResources,
) -> Markup {
    // A program that was never seen before is not asked about deletions.
    let shown = |resource: &&RuleResource| resource.name != "*" && resource.name != ERASE;
    let global = resources.global.iter().filter(shown);
    html! {
        form data-call="POST /v1/consent" data-nested="grants" data-leave="go" {
            input type="hidden" name="request" value=(query.json()) data-as="json";
            @if request.scope == Permission::Write {
                p.note { "It may read. Choose write where it may change something, one by one." }
            }
            table {
                thead { tr { th scope="col" { "Resource" } th scope="col" { "Permission" } } }
                tbody { @for resource in global { (resource_row(resource, request.scope)) } }
            }
            (individual_rules(request.scope, resources))
            (form_error())
            p.row {
                button.primary name="decision" value="allow" { "Allow" }
                button name="decision" value="deny" { "Deny" }
            }
        }
    }
}

/// Row for one resource, preset to the earlier grant or to reading; never more than the program
/// requests. Writing is chosen for each resource, so that nobody gives it in passing.
fn resource_row(resource: &RuleResource, most: Permission) -> Markup {
    let chosen = resource.granted.unwrap_or(Permission::Read).min(most);
    html! {
        tr {
            th scope="row" { (resource.label) }
            td {
                select name=(resource.name) data-nest="always"
                    aria-label={ "What it may do with " (resource.label) } {
                    (permission_options(most, Some(chosen)))
                }
            }
        }
    }
}

/// Rules for individual tables and collections, which override those for all of them.
fn individual_rules(most: Permission, resources: &RuleResources) -> Markup {
    const NONE: &str = "same as for all";
    // Opened when a rule exists, so that the owner sees what already applies.
    let ruled = resources.individual.iter().any(|resource| resource.granted.is_some());
    html! {
        details open[ruled] {
            summary {
                "Individual tables and collections"
                @if !resources.individual.is_empty() {
                    " (" (format_count(resources.individual.len())) ")"
                }
            }
            p.note { "A choice here overrides the choice for all tables or all memories." }
            div.scroll tabindex="0" role="region" aria-label="Individual tables and collections" {
                table {
                    thead { tr { th scope="col" { "Resource" } th scope="col" { "Permission" } } }
                    tbody #rules {
                        @for resource in &resources.individual { (rule_row(resource, NONE, most)) }
                    }
                }
            }
            @if resources.left_out > 0 {
                p.note {
                    (format_count(resources.left_out)) " more are not listed; add them by name."
                }
            }
            (add_rule_form(NONE, most))
        }
    }
}

/// Page for an invalid request. Returning to the program is a link, not a redirect: anybody can
/// register a program, and an automatic redirect would be an open redirector.
fn invalid_request_page(rejected: &AuthorizeRefusal) -> Markup {
    let (why, back) = match rejected {
        AuthorizeRefusal::ToPerson(error) => (error.to_string(), None),
        AuthorizeRefusal::ToClient(back) => {
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
    standalone("Invalid access request", body)
}
