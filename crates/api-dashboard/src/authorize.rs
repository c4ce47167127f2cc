//! Where programs send the owner's browser. The session does not come along when another site sends
//! it, so this page shows nobody's data and only leads on, from our own site, to where the owner is
//! asked.

use crate::pages::shell::{bare, html};
use axum::extract::Request;
use axum::http::header::REFRESH;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::get;
use maud::html;
use oauth::metadata::AUTHORIZE;
use server::Endpoints;

/// Where the owner is asked.
pub(crate) const CONSENT: &str = "/oauth/consent";
/// The longest request that is led on, in bytes.
const QUERY_BYTES: usize = 8 << 10;

/// Adds the page to what is served.
pub(crate) fn add(endpoints: Endpoints) -> Endpoints {
    endpoints.open_route(AUTHORIZE, get(lead_on))
}

async fn lead_on(request: Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let next = format!("{CONSENT}?{query}");
    // A query is made of characters that every header takes.
    let refresh = HeaderValue::from_str(&format!("0; url={next}"))
        .ok()
        .filter(|_| query.len() <= QUERY_BYTES);
    let Some(refresh) = refresh else {
        let body = html! { div.arrive { h1 { "That is too long" } p { "The program asks in more words than any answer needs. Go back to it, and try again." } } };
        return html(StatusCode::URI_TOO_LONG, bare("Too long", body));
    };
    let body = html! { div.arrive {
        img.mark src="/assets/mark.svg" alt="" width="56" height="56";
        h1 { "A program asks to come in" }
        p { a href=(next) { "Go on to decide" } }
    } };
    let mut answer = html(StatusCode::OK, bare("A program asks", body));
    answer.headers_mut().insert(REFRESH, refresh);
    answer
}
