//! Coming in and going out: a one-time link becomes a session, or the owner's token does.

use crate::Window;
use crate::pages::shell::{bare, html};
use axum::extract::{Form, Query};
use axum::http::header::{RETRY_AFTER, SET_COOKIE};
use axum::http::{Extensions, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use server::{Endpoints, NotOpened, Visit, Visits};

/// The page that begins a visit.
pub(crate) const PATH: &str = "/login";

/// What a link brings along.
#[derive(Debug, Deserialize)]
struct Link {
    link: Option<String>,
    next: Option<String>,
}

/// What is typed into the page.
#[derive(Deserialize)]
struct Typed {
    token: String,
    next: Option<String>,
}

/// A page of ours to go to: a path, as nothing else could be one.
struct Next(String);

impl Next {
    /// Reads where somebody wants to go; whatever could lead elsewhere leads to the start.
    fn read(asked: Option<&str>) -> Self {
        let is_ours = |path: &&str| {
            path.starts_with('/')
                && !path.starts_with("//")
                && path.chars().all(|c| c.is_ascii_graphic() && c != '\\')
        };
        Self(asked.filter(is_ours).unwrap_or("/").to_owned())
    }
}

/// Adds coming in and going out to what is served.
pub(crate) fn add(endpoints: Endpoints, window: &Window) -> Endpoints {
    let (visits, ended) = (window.visits.clone(), window.visits.clone());
    let (typed, engine) = (window.visits.clone(), window.engine.clone());
    let come = get(move |Query(link): Query<Link>| async move { arrive(&visits, &link) }).post(
        move |Form(input): Form<Typed>| async move {
            let session = typed.open_with_typed(&input.token, engine.now()).await;
            opened(&typed, session, &Next::read(input.next.as_deref()), WRONG)
        },
    );
    let go = post(move |extensions: Extensions| async move { leave(&ended, &extensions) });
    endpoints.open_route(PATH, come).route("/v1/leave", go)
}

const WRONG: &str = "That does not open this memory.";
const USED_LINK: &str = "This link was used before, or its ten minutes are over.";

fn arrive(visits: &Visits, asked: &Link) -> Response {
    let next = Next::read(asked.next.as_deref());
    match &asked.link {
        Some(link) => opened(visits, visits.open(link), &next, USED_LINK),
        None => html(StatusCode::OK, page(visits, &next, None)),
    }
}

/// A session goes into a cookie; whoever got none is told why and how.
fn opened(
    visits: &Visits,
    session: Result<Option<String>, NotOpened>,
    next: &Next,
    otherwise: &str,
) -> Response {
    let cookie =
        session.map(|session| session.and_then(|cookie| HeaderValue::from_str(&cookie).ok()));
    match cookie {
        Ok(Some(cookie)) => ([(SET_COOKIE, cookie)], Redirect::to(&next.0)).into_response(),
        Ok(None) => html(StatusCode::UNAUTHORIZED, page(visits, next, Some(otherwise))),
        Err(error) => {
            let told = page(visits, next, Some(&format!("{error}.")));
            match error {
                NotOpened::NoChance => html(StatusCode::SERVICE_UNAVAILABLE, told),
                NotOpened::TooOften(seconds) => {
                    let mut answer = html(StatusCode::TOO_MANY_REQUESTS, told);
                    answer.headers_mut().insert(RETRY_AFTER, seconds.into());
                    answer
                }
            }
        }
    }
}

fn leave(visits: &Visits, request: &Extensions) -> Response {
    let cookie =
        request.get::<Visit>().and_then(|visit| HeaderValue::from_str(&visits.end(visit)).ok());
    let said = axum::Json(serde_json::json!({ "said": "You have left." }));
    match cookie {
        Some(cookie) => ([(SET_COOKIE, cookie)], said).into_response(),
        None => said.into_response(),
    }
}

fn page(visits: &Visits, next: &Next, problem: Option<&str>) -> Markup {
    let password = visits.wants_a_password();
    let wanted = if password { "Password" } else { "Token" };
    let body = html! {
        div.arrive {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Quipu" }
            p.lead { "This is somebody's memory. If it is yours, come in." }
            @if let Some(problem) = problem { p.problem role="alert" { (problem) } }
            ol.steps {
                @if password { li { "Type the password that you set." } }
                li { "Open the link that " code { "quipu serve" } " printed when it started. It works once, for ten minutes." }
                li { "Or paste the token from the file it named." }
            }
            form method="post" action=(PATH) {
                label for="token" { (wanted) }
                input #token name="token" type="password" autocomplete=(if password { "current-password" } else { "off" }) required autofocus placeholder=[(!password).then_some("qp_…")];
                input type="hidden" name="next" value=(next.0);
                button.primary { "Come in" }
            }
        }
    };
    bare("Come in", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_came_in_goes_on_to_a_page_of_ours_and_nowhere_else() {
        assert_eq!(
            Next::read(Some("/oauth/consent?client_id=a&state=b")).0,
            "/oauth/consent?client_id=a&state=b"
        );
        for elsewhere in [
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "/\t/evil.example",
            "/\n",
            "javascript:alert(1)",
            "evil.example",
            "",
            "/ü",
        ] {
            assert_eq!(Next::read(Some(elsewhere)).0, "/", "{elsewhere}");
        }
        assert_eq!(Next::read(None).0, "/");
    }
}
