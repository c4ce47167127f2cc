//! Login and logout: a one-time link, the owner's token or the password opens a browser session.

use crate::Dashboard;
use crate::pages::shell::{html_response, standalone};
use axum::extract::{Form, Query};
use axum::http::header::{RETRY_AFTER, SET_COOKIE};
use axum::http::{Extensions, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use maud::{Markup, html};
use serde::Deserialize;
use server::{BrowserSession, BrowserSessions, ClientAddress, Endpoints, LoginError};

/// Path of the login page.
pub(crate) const PATH: &str = "/login";

/// Query of the login page.
#[derive(Debug, Deserialize)]
struct LoginQuery {
    link: Option<String>,
    next: Option<String>,
}

/// Fields of the login form.
#[derive(Deserialize)]
struct LoginForm {
    token: String,
    next: Option<String>,
}

/// Page to open after the login: always a path of this site.
struct NextPage(String);

impl NextPage {
    /// Validates the requested page. Anything that could lead to another site becomes the start
    /// page.
    fn parse(requested: Option<&str>) -> Self {
        // Browsers take `//host` and `/\host` for another site.
        let is_ours = |path: &&str| {
            path.starts_with('/')
                && !path.starts_with("//")
                && path.chars().all(|c| c.is_ascii_graphic() && c != '\\')
        };
        Self(requested.filter(is_ours).unwrap_or("/").to_owned())
    }
}

/// Adds login and logout to the endpoints.
pub(crate) fn add(endpoints: Endpoints, dashboard: &Dashboard) -> Endpoints {
    // Each route owns its clones; they share the same sessions.
    let (sessions, ended) = (dashboard.sessions.clone(), dashboard.sessions.clone());
    let (form_sessions, engine) = (dashboard.sessions.clone(), dashboard.engine.clone());
    let login =
        get(move |Query(link): Query<LoginQuery>| async move { show_login(&sessions, &link) })
            .post(move |extensions: Extensions, Form(input): Form<LoginForm>| async move {
                let from = ClientAddress::of_request(&extensions);
                let session = form_sessions.log_in(&input.token, from, engine.now()).await;
                login_response(
                    &form_sessions,
                    session,
                    &NextPage::parse(input.next.as_deref()),
                    WRONG_SECRET,
                )
            });
    let logout = post(move |extensions: Extensions| async move { log_out(&ended, &extensions) });
    endpoints.open_route(PATH, login).route("/v1/leave", logout)
}

const WRONG_SECRET: &str = "Wrong password or token.";
const USED_LINK: &str = "This link was already used or has expired.";

fn show_login(sessions: &BrowserSessions, query: &LoginQuery) -> Response {
    let next = NextPage::parse(query.next.as_deref());
    match &query.link {
        Some(link) => login_response(sessions, sessions.open_with_link(link), &next, USED_LINK),
        None => html_response(StatusCode::OK, login_page(sessions, &next, None)),
    }
}

/// Sets the session cookie, or shows the login page with the reason.
fn login_response(
    sessions: &BrowserSessions,
    session: Result<Option<String>, LoginError>,
    next: &NextPage,
    otherwise: &str,
) -> Response {
    let cookie =
        session.map(|session| session.and_then(|cookie| HeaderValue::from_str(&cookie).ok()));
    match cookie {
        Ok(Some(cookie)) => ([(SET_COOKIE, cookie)], Redirect::to(&next.0)).into_response(),
        Ok(None) => {
            html_response(StatusCode::UNAUTHORIZED, login_page(sessions, next, Some(otherwise)))
        }
        Err(error) => {
            let markup = login_page(sessions, next, Some(&format!("{error}.")));
            match error {
                LoginError::NoRandomness => html_response(StatusCode::SERVICE_UNAVAILABLE, markup),
                LoginError::TooManyAttempts(seconds) => {
                    let mut answer = html_response(StatusCode::TOO_MANY_REQUESTS, markup);
                    answer.headers_mut().insert(RETRY_AFTER, seconds.into());
                    answer
                }
            }
        }
    }
}

fn log_out(sessions: &BrowserSessions, request: &Extensions) -> Response {
    let cookie = request
        .get::<BrowserSession>()
        .and_then(|session| HeaderValue::from_str(&sessions.end(session)).ok());
    let body = axum::Json(serde_json::json!({ "said": "You are logged out." }));
    match cookie {
        Some(cookie) => ([(SET_COOKIE, cookie)], body).into_response(),
        None => body.into_response(),
    }
}

fn login_page(sessions: &BrowserSessions, next: &NextPage, problem: Option<&str>) -> Markup {
    let password = sessions.has_password();
    let label = if password { "Password" } else { "Token" };
    let body = html! {
        div.arrive {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Quipu" }
            p.lead { "This memory is private. Log in if it is yours." }
            @if let Some(problem) = problem { p.problem role="alert" { (problem) } }
            ol.steps {
                @if password { li { "Enter the password that you set." } }
                li {
                    "Open the link that " code { "quipu serve" } " printed when it started. "
                    "It works once, for ten minutes."
                }
                li { "Or paste the token from the file that it named." }
            }
            form method="post" action=(PATH) {
                label for="token" { (label) }
                input #token name="token" type="password"
                    autocomplete=(if password { "current-password" } else { "off" }) required
                    autofocus placeholder=[(!password).then_some("qp_…")];
                input type="hidden" name="next" value=(next.0);
                button.primary { "Log in" }
            }
        }
    };
    standalone("Log in", body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_after_the_login_is_always_on_this_site() {
        assert_eq!(
            NextPage::parse(Some("/oauth/consent?client_id=a&state=b")).0,
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
            assert_eq!(NextPage::parse(Some(elsewhere)).0, "/", "{elsewhere}");
        }
        assert_eq!(NextPage::parse(None).0, "/");
    }
}
