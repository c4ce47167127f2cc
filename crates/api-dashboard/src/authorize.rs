//! The OAuth authorization endpoint, to which programs send the owner's browser. The browser does
//! not send the `SameSite=Strict` session cookie when it comes from another site, so this page
//! shows no data and only forwards, from our own site, to the consent page.

use crate::pages::shell::{html_response, standalone};
use axum::extract::Request;
use axum::http::header::REFRESH;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use axum::routing::get;
use maud::html;
use oauth::metadata::AUTHORIZE;
use server::Endpoints;

/// Path of the consent page.
pub(crate) const CONSENT: &str = "/oauth/consent";
/// Maximum length of the forwarded query in bytes.
const QUERY_BYTES: usize = 8 << 10;

/// Adds the page to the endpoints.
pub(crate) fn add(endpoints: Endpoints) -> Endpoints {
    endpoints.open_route(AUTHORIZE, get(forward_to_consent))
}

async fn forward_to_consent(request: Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let next = format!("{CONSENT}?{query}");
    // A parsed query contains only characters that are valid in a header.
    let refresh = HeaderValue::from_str(&format!("0; url={next}"))
        .ok()
        .filter(|_| query.len() <= QUERY_BYTES);
    let Some(refresh) = refresh else {
        let body = html! { div.arrive {
            h1 { "The request is too long" }
            p { "Go back to the program and try again." }
        } };
        return html_response(StatusCode::URI_TOO_LONG, standalone("Request too long", body));
    };
    let body = html! { div.arrive {
        img.mark src="/assets/mark.svg" alt="" width="56" height="56";
        h1 { "A program requests access" }
        p { a href=(next) { "Continue" } }
    } };
    // A `Refresh` header, not a redirect: after a redirect the browser still counts the request as
    // coming from the other site, and withholds the cookie.
    let mut answer = html_response(StatusCode::OK, standalone("Access request", body));
    answer.headers_mut().insert(REFRESH, refresh);
    answer
}
