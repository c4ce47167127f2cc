//! Span of an HTTP request for traces. It has the method, the route and the status, and nothing
//! else of the request: paths contain ids, and queries contain words.

use axum::body::Body;
use axum::http::{Extensions, HeaderMap, Method, Request, StatusCode, request::Parts};
use metrics::TRACE_TARGET;
use rmcp::model::Extensions as McpExtensions;
use tracing::Span;
use tracing::field::Empty;

/// Header with the trace that the client is in, by W3C Trace Context.
const TRACEPARENT: &str = "traceparent";

/// Prefixes of paths that are named in a span. Whatever is below them is left out, which may be an
/// id, a name or a key.
const ROUTES: &[&str] = &["/mcp", "/v1", "/oauth", "/.well-known", "/assets", "/login"];
/// Paths that orchestrators ask for every few seconds, which would hide everything else.
const HEALTH: [&str; 2] = ["/healthz", "/readyz"];

/// Span of a request; disabled unless traces are exported.
#[derive(Debug, Clone)]
pub(crate) struct RequestSpan(pub Span);

impl RequestSpan {
    /// Starts the span, and attaches it to the request for the call that runs on another task.
    pub fn start(request: &mut Request<Body>, is_dialect: bool) -> Self {
        let path = request.uri().path();
        if HEALTH.contains(&path) {
            return Self(Span::none());
        }
        let (method, route) = (method_name(request.method()), route(path, is_dialect));
        let span = tracing::info_span!(
            target: TRACE_TARGET, "http",
            otel.name = format!("{method} {route}"), otel.kind = "server",
            http.request.method = method, http.route = route,
            http.response.status_code = Empty, error.type = Empty,
            traceparent = traceparent(request.headers()),
        );
        let span = Self(span);
        if !span.0.is_disabled() {
            request.extensions_mut().insert(span.clone());
        }
        span
    }

    /// Returns the span of the request that these parts belong to.
    pub fn of(parts: &Parts) -> Span {
        from_extensions(&parts.extensions)
    }

    /// Returns the span of the request that carried an MCP message; none over a pipe.
    pub fn of_message(extensions: &McpExtensions) -> Span {
        extensions.get::<Parts>().map_or_else(Span::none, Self::of)
    }

    pub fn note_status(&self, status: StatusCode) {
        self.0.record("http.response.status_code", status.as_u16());
        if status.is_server_error() {
            self.0.record("error.type", status.as_str());
        }
    }
}

fn from_extensions(extensions: &Extensions) -> Span {
    extensions.get::<RequestSpan>().map_or_else(Span::none, |span| span.0.clone())
}

fn traceparent(headers: &HeaderMap) -> Option<&str> {
    headers.get(TRACEPARENT).and_then(|value| value.to_str().ok())
}

/// Returns the name of a method; a client may send any word as one.
fn method_name(method: &Method) -> &'static str {
    const NAMED: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    NAMED.into_iter().find(|name| *name == method.as_str()).unwrap_or("_OTHER")
}

/// Returns the part of a path that is the same for all requests of its kind.
fn route(path: &str, is_dialect: bool) -> &str {
    if is_dialect {
        return path;
    }
    let is_below = |prefix: &&&str| {
        path.strip_prefix(**prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ROUTES.iter().find(is_below).copied().unwrap_or("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_route_has_no_ids_and_no_names() {
        assert_eq!(route("/v1/memories/17", false), "/v1");
        assert_eq!(route("/v1", false), "/v1");
        assert_eq!(route("/v1x", false), "/");
        assert_eq!(route("/memories/17", false), "/");
        assert_eq!(route("/mcp/call/blorptang", false), "/mcp");
        assert_eq!(route("/mcp/epitome/t/qp_blorptang", false), "/mcp", "a key");
        assert_eq!(route("/mcp/epitome", true), "/mcp/epitome");
    }

    #[test]
    fn a_method_is_one_of_the_usual_ones() {
        assert_eq!(method_name(&Method::POST), "POST");
        assert_eq!(method_name(&Method::from_bytes(b"BLORPTANG").unwrap()), "_OTHER");
    }
}
