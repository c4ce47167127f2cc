//! The `Accept` header of MCP requests. The protocol wants clients to accept JSON and event
//! streams; answers are JSON, so that a client that accepts JSON, anything, or says nothing is
//! served too.

use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, HeaderValue};

/// Value that rmcp demands.
const BOTH: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Media ranges that JSON is in.
const RANGES: [&str; 3] = ["application/json", "application/*", "*/*"];

/// Returns true when the client accepts JSON.
pub(super) fn accepts_json(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(ACCEPT).iter().peekable();
    if values.peek().is_none() {
        return true;
    }
    let mut ranges = values.filter_map(|value| value.to_str().ok()).flat_map(|all| all.split(','));
    ranges.any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_json = parts.next().is_some_and(|kind| {
            kind.is_empty() || RANGES.iter().any(|known| known.eq_ignore_ascii_case(kind))
        });
        is_json && !parts.any(is_refused)
    })
}

/// Returns true for the weight with which a client refuses a media type.
fn is_refused(parameter: &str) -> bool {
    let weight = parameter.strip_prefix("q=").and_then(|weight| weight.trim().parse::<f32>().ok());
    weight.is_some_and(|weight| weight <= 0.0)
}

/// Writes the header as rmcp demands it.
pub(super) fn accept_both(headers: &mut HeaderMap) {
    headers.insert(ACCEPT, BOTH);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(value: &str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, value.parse().unwrap());
        accepts_json(&headers)
    }

    #[test]
    fn json_is_accepted_by_its_name_its_ranges_and_by_silence() {
        for value in ["application/json", "*/*", "text/html, APPLICATION/JSON;q=0.5", "", "a/*,*/*"]
        {
            assert!(accepted(value), "{value}");
        }
        assert!(accepts_json(&HeaderMap::new()));
        for value in ["text/html", "text/event-stream", "application/json;q=0", "application/jsonl"]
        {
            assert!(!accepted(value), "{value}");
        }
    }
}
