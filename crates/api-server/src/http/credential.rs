//! Extracts the credential of a request: a bearer token, a key in `X-API-Key`, or a key as the last
//! segment of a dialect's path, `/mcp/t/<key>`, for clients that can be configured with a URL and
//! nothing else. It is removed from the request, so that nothing behind the authorizer can log or
//! repeat it.

use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, Uri};

/// Header for keys, besides `Authorization`.
const API_KEY: HeaderName = HeaderName::from_static("x-api-key");
/// Path segment that precedes a key.
const KEY_SEGMENT: &str = "t";

/// Credential that a request presents.
#[derive(PartialEq, Eq)]
pub(super) enum PresentedCredential {
    Missing,
    /// Something that cannot be a credential, or several at once.
    Unusable,
    Header(String),
    Path(String),
}

/// Number of letters and digits after the beginning of a secret, at least.
const SECRET_CHARS_MIN: usize = 16;
/// Beginnings of keys and tokens.
const SECRET_PREFIXES: [&str; 4] = ["qp_", "qpa_", "qpr_", "epi_"];

/// Removes the credential from a request and returns it. A key is taken from a path only where
/// `accepts_key` returns true for the rest of the path.
pub(super) fn take(request: &mut Parts, accepts_key: impl Fn(&str) -> bool) -> PresentedCredential {
    let bearer = single_value(&request.headers, AUTHORIZATION).map(|value| value.and_then(bearer));
    let key =
        single_value(&request.headers, API_KEY).map(|value| value.map(|key| key.trim().to_owned()));
    // Removed even when unusable: a malformed credential may still contain a secret.
    request.headers.remove(AUTHORIZATION);
    request.headers.remove(API_KEY);
    match (bearer, key, take_from_path(request, accepts_key)) {
        (None, None, None) => PresentedCredential::Missing,
        (Some(Some(secret)), None, None) | (None, Some(Some(secret)), None) => {
            PresentedCredential::Header(secret)
        }
        (None, None, Some(key)) => PresentedCredential::Path(key),
        _ => PresentedCredential::Unusable,
    }
}

/// Returns a path that is safe to repeat: the segment where a key would be is replaced.
pub(super) fn redact_path(path: &str) -> String {
    let mut after_mark = false;
    let parts = path.split('/').map(|part| {
        let hidden = after_mark && !part.is_empty();
        after_mark = part == KEY_SEGMENT;
        if hidden { "…" } else { part }
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns the only value of a header; `Some(None)` when it is repeated or not text.
fn single_value(headers: &HeaderMap, name: HeaderName) -> Option<Option<&str>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    Some(if values.next().is_some() { None } else { first.to_str().ok() })
}

fn bearer(value: &str) -> Option<String> {
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
}

/// Returns true for an address that may hold a key or a token, wherever it is in it.
pub(super) fn may_hold_secret(address: &str) -> bool {
    SECRET_PREFIXES.iter().any(|prefix| address.split(prefix).skip(1).any(is_long_word))
        || address.split(['?', '#']).next().is_some_and(|path| redact_path(path) != path)
}

/// Returns true for a text that begins with as many letters and digits as a secret has at least.
fn is_long_word(text: &str) -> bool {
    text.bytes().take_while(u8::is_ascii_alphanumeric).count() >= SECRET_CHARS_MIN
}

fn take_from_path(request: &mut Parts, accepts_key: impl Fn(&str) -> bool) -> Option<String> {
    let (above, key) = request.uri.path().rsplit_once('/')?;
    let path = above.strip_suffix(KEY_SEGMENT)?.strip_suffix('/')?;
    if key.is_empty() || !accepts_key(path) {
        return None;
    }
    let key = key.to_owned();
    let query = request.uri.query().map_or_else(String::new, |query| format!("?{query}"));
    let mut parts = request.uri.clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(format!("{path}{query}")).ok()?);
    request.uri = Uri::from_parts(parts).ok()?;
    Some(key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn take_from(path: &str, headers: &[(&str, &str)]) -> (PresentedCredential, Parts) {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut parts = request.body(()).unwrap().into_parts().0;
        (take(&mut parts, |path| path.starts_with("/mcp")), parts)
    }

    fn describe(path: &str, headers: &[(&str, &str)]) -> String {
        match take_from(path, headers).0 {
            PresentedCredential::Missing => "nothing".to_owned(),
            PresentedCredential::Unusable => "unusable".to_owned(),
            PresentedCredential::Header(secret) => format!("header {secret}"),
            PresentedCredential::Path(key) => format!("path {key}"),
        }
    }

    #[test]
    fn a_secret_is_taken_from_each_of_the_three_places() {
        assert_eq!(
            describe("/mcp", &[("authorization", "Bearer open-sesame")]),
            "header open-sesame"
        );
        assert_eq!(
            describe("/mcp", &[("authorization", "bearer  open-sesame ")]),
            "header open-sesame"
        );
        assert_eq!(describe("/mcp", &[("x-api-key", "open-sesame")]), "header open-sesame");
        assert_eq!(describe("/mcp/t/open-sesame", &[]), "path open-sesame");
        assert_eq!(describe("/mcp", &[]), "nothing");
        assert_eq!(describe("/mcp/t/", &[]), "nothing");
        assert_eq!(describe("/t/open-sesame", &[]), "nothing");
        assert_eq!(describe("/v1/tables/t/rows", &[]), "nothing");
    }

    #[test]
    fn an_address_with_what_may_be_a_secret_is_recognized() {
        for secret in [
            "/nowhere/t/canary",
            "/memories?token=qp_0123456789abcdef",
            "/x/qpa_0123456789abcdef/y",
            "/epi_0123456789abcdefg#x",
        ] {
            assert!(may_hold_secret(secret), "{secret}");
        }
        for plain in ["/", "/memories?query=kiln", "/tables/t", "/a?state=xqp_y"] {
            assert!(!may_hold_secret(plain), "{plain}");
        }
    }

    #[test]
    fn a_malformed_or_repeated_credential_is_unusable() {
        for wrong in ["Basic open-sesame", "open-sesame", "Bearer", ""] {
            assert_eq!(describe("/mcp", &[("authorization", wrong)]), "unusable", "{wrong}");
        }
        let bearer = ("authorization", "Bearer a");
        assert_eq!(describe("/mcp", &[bearer, bearer]), "unusable");
        assert_eq!(describe("/mcp", &[bearer, ("x-api-key", "a")]), "unusable");
        assert_eq!(describe("/mcp/t/a", &[bearer]), "unusable");
        assert_eq!(describe("/mcp/t/a", &[("x-api-key", "a")]), "unusable");
    }

    #[test]
    fn nothing_of_a_secret_is_left_in_the_request() {
        let secret = [("authorization", "Bearer canary"), ("x-api-key", "canary")];
        for (path, headers) in [("/mcp/epitome/t/canary?x=1", &[][..]), ("/mcp", &secret[..])] {
            let (_, parts) = take_from(path, headers);
            assert!(!format!("{parts:?}").contains("canary"), "{parts:?}");
        }
        assert_eq!(take_from("/mcp/epitome/t/canary?x=1", &[]).1.uri, "/mcp/epitome?x=1");
    }

    #[test]
    fn a_path_is_repeated_without_what_may_be_a_key() {
        assert_eq!(redact_path("/mcp/t/canary/more"), "/mcp/t/…/more");
        assert_eq!(redact_path("/mcp/x/y"), "/mcp/x/y");
    }
}
