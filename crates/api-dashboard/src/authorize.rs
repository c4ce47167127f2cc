//! The OAuth authorization endpoint, to which programs send the owner's browser. The browser does
//! not send the `SameSite=Strict` session cookie when it comes from another site, so this page
//! shows no data and only forwards, from our own site, to the consent page.

use crate::Dashboard;
use crate::login;
use crate::pages::shell::{html_response, standalone, standalone_with};
use axum::extract::Request;
use axum::http::header::{HOST, REFRESH};
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::get;
use maud::{Markup, html};
use oauth::metadata::AUTHORIZE;
use server::{BrowserSessions, DashboardHost, Endpoints};

/// Path of the consent page.
pub(crate) const CONSENT: &str = "/oauth/consent";
/// Maximum length of the forwarded query in bytes.
const QUERY_BYTES: usize = 8 << 10;

/// Adds the page to the endpoints.
pub(crate) fn add(endpoints: Endpoints, dashboard: &Dashboard) -> Endpoints {
    let sessions = dashboard.sessions.clone();
    let answer = move |request: Request| async move { forward_to_consent(&sessions, &request) };
    endpoints.open_route(AUTHORIZE, get(answer))
}

fn forward_to_consent(sessions: &BrowserSessions, request: &Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    if query.len() > QUERY_BYTES {
        return html_response(StatusCode::URI_TOO_LONG, too_long_page());
    }
    let next = format!("{CONSENT}?{query}");
    match sessions.dashboard_host().filter(|host| !host.is_host_of(request.headers())) {
        Some(dashboard) => lead_to_dashboard(dashboard, request, &next),
        None => refresh(&next, "A program requests access"),
    }
}

/// Leads the browser to the dashboard, which has another host name. Only the browser knows it.
fn lead_to_dashboard(dashboard: &DashboardHost, request: &Request, next: &str) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let via: String = form_urlencoded::byte_serialize(host.as_bytes()).collect();
    let next = format!("{next}&via={via}");
    let encoded: String = form_urlencoded::byte_serialize(next.as_bytes()).collect();
    let (tag, otherwise) = (dashboard.tag(), format!("{}?next={encoded}", login::PATH));
    let values = [("dashboard-tag", &*tag), ("next", &*next), ("otherwise", &*otherwise)];
    let body = forwarding_body("A program requests access", &otherwise);
    html_response(StatusCode::OK, standalone_with("Access request", &values, body))
}

/// Sends the browser to another page of this site.
// A `Refresh` header, not a redirect: after a redirect the browser still counts the request as
// coming from the other site, and withholds the cookie.
pub(crate) fn refresh(next: &str, heading: &str) -> Response {
    let mut answer =
        html_response(StatusCode::OK, standalone(heading, forwarding_body(heading, next)));
    // A parsed query contains only characters that are valid in a header.
    if let Ok(value) = HeaderValue::from_str(&format!("0; url={next}")) {
        answer.headers_mut().insert(REFRESH, value);
    }
    answer
}

fn forwarding_body(heading: &str, next: &str) -> Markup {
    html! { div.arrive {
        img.mark src="/assets/mark.svg" alt="" width="56" height="56";
        h1 { (heading) }
        p { a href=(next) { "Continue" } }
    } }
}

fn too_long_page() -> Markup {
    let body = html! { div.arrive {
        h1 { "The request is too long" }
        p { "Go back to the program and try again." }
    } };
    standalone("Request too long", body)
}
