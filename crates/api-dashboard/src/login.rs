//! Login and logout: a one-time link, the owner's token, the password or an identity provider opens
//! a browser session.
//! If the dashboard has a host name of its own, the login at the plain address leads there; the
//! name is told to nobody before. A new session hands its form token to the script of the page,
//! once.

mod provider;

pub use provider::{ProviderLogin, SIGN_IN_RETURN};

use crate::Dashboard;
use crate::authorize;
use crate::pages::shell::{html_response, html_response_reaching, standalone_with};
use axum::extract::{Form, Query};
use axum::http::header::{RETRY_AFTER, SET_COOKIE};
use axum::http::{Extensions, HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use engine::Engine;
use engine::credentials::Credentials;
use maud::{Markup, html};
use model::{Moment, OwnerId};
use serde::Deserialize;
use server::{
    BrowserSession, BrowserSessions, ClientAddress, DashboardHost, Endpoints, LoginError,
    LoginOutcome,
};
use std::sync::Arc;

/// Path of the login page.
pub(crate) const PATH: &str = "/login";
/// Path that forwards to a page of this site. A browser that comes from another site sends the
/// session cookie only from here on.
const FORWARD: &str = "/login/forward";

/// Query of the login page.
#[derive(Debug, Deserialize)]
struct LoginQuery {
    link: Option<String>,
    next: Option<String>,
    /// Present after a redirect between two addresses of this server.
    here: Option<String>,
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
    let login = LoginPages {
        sessions: dashboard.sessions.clone(),
        engine: Arc::clone(&dashboard.engine),
        credentials: Arc::clone(&dashboard.credentials),
        owner: dashboard.owner.clone(),
        provider: dashboard.provider.clone(),
    };
    let endpoints = provider::add(endpoints, &login);
    // Each route owns its clone; they share the same sessions.
    let (shown, typed, ended) = (login.clone(), login.clone(), login);
    let show = get(move |headers: HeaderMap, Query(query): Query<LoginQuery>| async move {
        shown.show(&headers, &query).await
    });
    let both = show.post(
        move |headers: HeaderMap, request: Extensions, Form(input): Form<LoginForm>| async move {
            typed.log_in(&headers, &request, &input).await
        },
    );
    let forward = get(|Query(query): Query<LoginQuery>| async move {
        authorize::refresh(&NextPage::parse(query.next.as_deref()).0, "Opening the page")
    });
    let logout = post(move |extensions: Extensions| async move {
        let now = ended.engine.now();
        log_out(&ended.sessions, &extensions, now).await
    });
    endpoints.open_route(PATH, both).open_route(FORWARD, forward).route("/v1/leave", logout)
}

const WRONG_SECRET: &str = "Wrong password or token.";
const USED_LINK: &str = "This link was already used or has expired.";

/// The login page and what follows it.
#[derive(Clone)]
struct LoginPages {
    sessions: BrowserSessions,
    engine: Arc<Engine>,
    credentials: Arc<Credentials>,
    /// Owner of the server.
    owner: OwnerId,
    provider: Option<ProviderLogin>,
}

impl LoginPages {
    /// Returns the host name of the dashboard, if the request was sent to another one.
    fn elsewhere(&self, headers: &HeaderMap) -> Option<&DashboardHost> {
        self.sessions.dashboard_host().filter(|dashboard| !dashboard.is_host_of(headers))
    }

    async fn show(&self, headers: &HeaderMap, query: &LoginQuery) -> Response {
        let (next, elsewhere) = (NextPage::parse(query.next.as_deref()), self.elsewhere(headers));
        let now = self.engine.now();
        match (&query.link, elsewhere) {
            (Some(link), Some(dashboard)) => match self.sessions.has_link(link, now).await {
                Ok(true) => lead_to_dashboard(dashboard, headers, link, &next),
                Ok(false) => self.refuse(&next, USED_LINK).await,
                Err(error) => self.fail(&next, error).await,
            },
            (Some(link), None) => {
                let session = self.sessions.open_with_link(link, now).await;
                self.enter(session, &next, USED_LINK).await
            }
            (None, elsewhere) => {
                html_response(StatusCode::OK, self.page(&next, None, elsewhere).await)
            }
        }
    }

    async fn log_in(
        &self,
        headers: &HeaderMap,
        request: &Extensions,
        input: &LoginForm,
    ) -> Response {
        let (next, now) = (NextPage::parse(input.next.as_deref()), self.engine.now());
        let from = ClientAddress::of_request(request);
        let Some(dashboard) = self.elsewhere(headers) else {
            let session = self.sessions.log_in(&input.token, from, now).await;
            return self.enter(session, &next, WRONG_SECRET).await;
        };
        let link = match self.sessions.is_owner(&input.token, from, now).await {
            Ok(true) => self.sessions.create_link(now).await,
            Ok(false) => return self.refuse(&next, WRONG_SECRET).await,
            Err(error) => Err(error),
        };
        match link {
            Ok(link) => lead_to_dashboard(dashboard, headers, &link, &next),
            Err(error) => self.fail(&next, error).await,
        }
    }

    /// Hands out a new session, or shows the login page with the reason.
    async fn enter(
        &self,
        session: Result<Option<LoginOutcome>, LoginError>,
        next: &NextPage,
        otherwise: &str,
    ) -> Response {
        match session {
            Ok(Some(session)) => session_response(&session, next),
            Ok(None) => self.refuse(next, otherwise).await,
            Err(error) => self.fail(next, error).await,
        }
    }

    async fn refuse(&self, next: &NextPage, problem: &str) -> Response {
        html_response(StatusCode::UNAUTHORIZED, self.page(next, Some(problem), None).await)
    }

    async fn fail(&self, next: &NextPage, error: LoginError) -> Response {
        let markup = self.page(next, Some(&format!("{error}.")), None).await;
        match error {
            LoginError::NoRandomness | LoginError::NotStored => {
                html_response(StatusCode::SERVICE_UNAVAILABLE, markup)
            }
            LoginError::TooManyAttempts(seconds) => {
                let mut answer = html_response(StatusCode::TOO_MANY_REQUESTS, markup);
                answer.headers_mut().insert(RETRY_AFTER, seconds.into());
                answer
            }
        }
    }

    /// Renders the login page. A browser that knows the dashboard elsewhere goes there.
    async fn page(
        &self,
        next: &NextPage,
        problem: Option<&str>,
        elsewhere: Option<&DashboardHost>,
    ) -> Markup {
        let tag = elsewhere.map(DashboardHost::tag);
        let values = tag.as_deref().map(|tag| [("dashboard-tag", tag), ("next", &*next.0)]);
        let provider = self.provider.as_ref().map(ProviderLogin::name);
        let body = login_form(self.sessions.has_password().await, provider, next, problem);
        standalone_with("Log in", values.as_ref().map_or(&[], |values| &values[..]), body)
    }
}

/// Leads the browser to the dashboard, with a link that opens a session there.
fn lead_to_dashboard(
    dashboard: &DashboardHost,
    headers: &HeaderMap,
    link: &str,
    next: &NextPage,
) -> Response {
    let (origin, tag) = (dashboard.origin_for(headers), dashboard.tag());
    let query = form_urlencoded::Serializer::new(String::new())
        .extend_pairs([("link", link), ("next", &next.0)])
        .finish();
    let go = format!("{origin}{PATH}?{query}");
    let values = [("dashboard", &*origin), ("dashboard-tag", &*tag), ("go", &*go)];
    let name = origin.trim_start_matches("http://").split(':').next().unwrap_or_default();
    let body = html! {
        div.arrive {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Opening the dashboard" }
            p { a href=(go) { "Continue" } }
            div #unreachable hidden {
                p.problem role="alert" { "This browser does not find the dashboard." }
                p { "Use another browser, or add this line to the file " code { "hosts" }
                    " of this computer and reload: " code { "127.0.0.1 " (name) } }
            }
        }
    };
    html_response_reaching(&origin, standalone_with("Dashboard", &values, body))
}

/// Sets the session cookie, and hands the form token to the script of the page.
fn session_response(session: &LoginOutcome, next: &NextPage) -> Response {
    let values = [("form-token", &*session.form_token), ("go", &*next.0)];
    let body = html! {
        div.arrive {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "You are logged in" }
            p { a href=(next.0) { "Continue" } }
        }
    };
    let mut answer = html_response(StatusCode::OK, standalone_with("Logged in", &values, body));
    // A cookie is made of hexadecimal digits and fixed words.
    if let Ok(cookie) = HeaderValue::from_str(&session.cookie) {
        answer.headers_mut().insert(SET_COOKIE, cookie);
    }
    answer
}

async fn log_out(sessions: &BrowserSessions, request: &Extensions, now: Moment) -> Response {
    let ended = match request.get::<BrowserSession>() {
        Some(session) => sessions.end(session, now).await.map(Some),
        None => Ok(None),
    };
    let Ok(cookie) = ended else {
        let body = axum::Json(serde_json::json!({ "said": "Try again: you are still logged in." }));
        return (StatusCode::SERVICE_UNAVAILABLE, body).into_response();
    };
    let cookie = cookie.and_then(|cookie| HeaderValue::from_str(&cookie).ok());
    let body = axum::Json(serde_json::json!({ "said": "You are logged out." }));
    match cookie {
        Some(cookie) => ([(SET_COOKIE, cookie)], body).into_response(),
        None => body.into_response(),
    }
}

fn login_form(
    password: bool,
    provider: Option<&str>,
    next: &NextPage,
    problem: Option<&str>,
) -> Markup {
    let label = if password { "Password" } else { "Token" };
    html! {
        div.arrive {
            img.mark src="/assets/mark.svg" alt="" width="56" height="56";
            h1 { "Quipu" }
            p.lead { "This memory is private. Log in if it is yours." }
            @if let Some(problem) = problem { p.problem role="alert" { (problem) } }
            @if let Some(provider) = provider {
                p { a.button href=(provider::start_path(next)) { "Sign in with " (provider) } }
                p.lead { "Or, if this server is yours:" }
            }
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
    }
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
