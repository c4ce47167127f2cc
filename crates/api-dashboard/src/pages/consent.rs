//! Where the owner is asked: which program wants in, where its answer goes, and what it may do with
//! each place. What cannot be asked is shown to the person, and never sent anywhere by itself.

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

pub(super) async fn page(desk: Desk, _: Nothing, query: ConsentAsked) -> Result<Response, Failure> {
    let asked = match desk.asked(query.clone().into()).await? {
        Ok(asked) => asked,
        Err(turned) => return Ok(html(StatusCode::BAD_REQUEST, refused(&turned))),
    };
    let places = Places::of(&desk, &asked.agent()).await?;
    let body = html! {
        div.arrive.asking {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Let " span dir="auto" { (asked.client.name) } " in?" }
            p.lead { "It asks to " b { @if asked.scope == Permission::Write { "read and write" } @else { "read" } } " in the memory of " b { (desk.caller.owner) } "." }
            (about(&asked))
            (choices(&asked, &query, &places))
        }
    };
    Ok(html(StatusCode::OK, alone("A program asks", &desk.form_token, body)))
}

fn about(asked: &Asked) -> Markup {
    html! {
        dl.pairs {
            dt { "It calls itself" } dd dir="auto" { (asked.client.name) }
            @if asked.client.id.starts_with("https://") { dt { "It is described at" } dd { code { (asked.client.id) } } }
            dt { "The answer goes to" } dd { b { (asked.host()) } br; code { (asked.redirect) } }
            dt { "It will be known as" } dd dir="auto" { (asked.agent()) }
            dt { "For" } dd { code { (asked.resource) } }
        }
        p.note {
            "Nobody has checked its name. "
            @if asked.is_local() { "The answer goes to a program on the computer that this browser runs on; go on only if you have just started it." }
            @else { "Go on only if you have just come from there." }
        }
    }
}

fn choices(asked: &Asked, query: &ConsentAsked, places: &Places) -> Markup {
    let whole = places.whole.iter().filter(|place| place.name != "*");
    html! {
        form data-call="POST /v1/consent" data-nested="grants" data-leave="go" {
            input type="hidden" name="request" value=(query.json()) data-as="json";
            table {
                thead { tr { th scope="col" { "Place" } th scope="col" { "It may" } } }
                tbody { @for place in whole { (choice(place, asked.scope)) } }
            }
            (single(asked.scope, places))
            (problem())
            p.row { button.primary name="decision" value="allow" { "Let it in" } button name="decision" value="deny" { "No" } }
        }
    }
}

/// What was granted before, or what the program asks for; never more than that.
fn choice(place: &Place, most: Permission) -> Markup {
    let chosen = place.granted.map_or(most, |granted| granted.min(most));
    html! {
        tr {
            th scope="row" { (place.says) }
            td { select name=(place.name) data-nest="always" aria-label={ "What it may do with " (place.says) } { (offered(most, Some(chosen))) } }
        }
    }
}

/// Single tables and collections, where something else may hold than for all of them.
fn single(most: Permission, places: &Places) -> Markup {
    const NONE: &str = "as for all";
    let ruled = places.single.iter().any(|place| place.granted.is_some());
    html! {
        details open[ruled] {
            summary { "Single tables and collections" @if !places.single.is_empty() { " (" (number(places.single.len())) ")" } }
            p.note { "What is chosen here holds instead of what is chosen for all tables or all memories." }
            div.scroll tabindex="0" role="region" aria-label="Single tables and collections" { table {
                thead { tr { th scope="col" { "Place" } th scope="col" { "It may" } } }
                tbody #rules { @for place in &places.single { (rule(place, NONE, most)) } }
            } }
            @if places.left_out > 0 { p.note { (number(places.left_out)) " more are not listed; name them here." } }
            (another(NONE, most))
        }
    }
}

/// The request of a program that cannot be asked about. Where its answer may go it is a link:
/// nobody is sent to an address that a stranger chose without seeing it.
fn refused(turned: &Turned) -> Markup {
    let (why, back) = match turned {
        Turned::ToPerson(error) => (error.to_string(), None),
        Turned::ToClient(back) => {
            ("the program asks for something that there is not".to_owned(), Some(back))
        }
    };
    let body = html! {
        div.arrive {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "This cannot be asked" }
            p.problem role="alert" { (why) }
            @match back {
                Some(back) => p { a href=(back) rel="noreferrer" { "Tell the program" } },
                None => p { "Nothing was given to anybody. Go back to the program and connect it anew." },
            }
        }
    };
    super::shell::bare("This cannot be asked", body)
}
