//! Legacy REST API of a contract: its tools over plain requests, `GET /mcp/tools` and `POST
//! /mcp/call/:tool`, with every response in an envelope. Disabled unless the owner turns it on;
//! until then both paths answer 410.

use super::refusal::HttpRefusal;
use super::request_span::RequestSpan;
use crate::admission::Admission;
use crate::call::{CallContext, CallRunner, CallTrace};
use crate::identity::legacy_rest_caller;
use crate::nearest::nearest;
use crate::response_notes::ResponseNotes;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use dialects::{DialectApi, ToolSpec};
use engine::Engine;
use http_body_util::BodyExt;
use model::{ErrorCode, Failure, JsonMap};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const LIST_PATH: &str = "/mcp/tools";
/// Path of a call, with the tool's name.
const CALL_PATH: &str = "/mcp/call/{tool}";

/// Returns true for one of the two paths.
pub(super) fn is_legacy_path(path: &str) -> bool {
    path == LIST_PATH || is_call_path(path)
}

/// Returns true for the path of a call.
pub(super) fn is_call_path(path: &str) -> bool {
    path.starts_with("/mcp/call/")
}

/// Routes of the two paths.
pub(super) type LegacyRoutes = [(String, MethodRouter); 2];

/// Returns the routes, served by a dialect.
pub(super) fn enabled_routes(
    engine: Arc<Engine>,
    dialect: Arc<dyn DialectApi>,
    dialect_name: model::Dialect,
    admission: Arc<Admission>,
    cancelled: CancellationToken,
) -> LegacyRoutes {
    let calls = CallRunner::new(engine, Arc::clone(&dialect), admission);
    let legacy = Arc::new(LegacyRest { calls, dialect, dialect_name, cancelled });
    let list = get(list).with_state(Arc::clone(&legacy));
    [(LIST_PATH.to_owned(), list), (CALL_PATH.to_owned(), post(call).with_state(legacy))]
}

/// Returns the routes of the disabled API.
pub(super) fn disabled_routes() -> LegacyRoutes {
    [LIST_PATH, CALL_PATH].map(|path| (path.to_owned(), any(gone)))
}

// 410 instead of 404: a client of the older contract learns that the API exists and how to get
// it back.
async fn gone() -> Response {
    let message = "the legacy REST API is turned off; connect an MCP client to /mcp/epitome, \
        or set epitome_legacy_rest = true";
    error_envelope(StatusCode::GONE, "LEGACY_ENDPOINT_DISABLED", message)
}

struct LegacyRest {
    calls: CallRunner,
    dialect: Arc<dyn DialectApi>,
    dialect_name: model::Dialect,
    cancelled: CancellationToken,
}

impl LegacyRest {
    fn tools(&self) -> impl Iterator<Item = &ToolSpec> {
        self.dialect.tools().iter().chain(self.dialect.unlisted_tools())
    }

    async fn run(&self, name: &str, parts: &Parts, arguments: JsonMap) -> Result<Value, Failure> {
        let tool =
            self.tools().find(|tool| tool.name == name).ok_or_else(|| self.no_such_tool(name))?;
        let caller = legacy_rest_caller(parts, self.dialect_name)?.with_tool(tool.name);
        let context = CallContext {
            cancelled: &self.cancelled,
            response_notes: parts.extensions.get::<ResponseNotes>(),
            trace: CallTrace { request: RequestSpan::of(parts), traceparent: None },
        };
        Ok(self.calls.run(caller, tool, arguments, &context).await?.value)
    }

    fn no_such_tool(&self, name: &str) -> Failure {
        let near = nearest(name, self.tools().map(|tool| tool.name));
        let truncated: String = name.chars().take(100).collect();
        let proposal = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Failure::not_found("tool", format!("{truncated}{proposal}"))
    }

    fn failure_response(&self, failure: &Failure) -> Response {
        let name = self.dialect.error_code(failure.code);
        error_envelope(status(failure.code), name, &failure.message)
    }
}

async fn list(State(legacy): State<Arc<LegacyRest>>) -> Response {
    let tools: Vec<Value> = legacy
        .tools()
        .map(|tool| {
            let ToolSpec { name, description, input, .. } = tool;
            json!({ "name": name, "description": description, "inputSchema": input })
        })
        .collect();
    Json(json!({ "tools": tools })).into_response()
}

async fn call(
    State(legacy): State<Arc<LegacyRest>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // The service has already read the body to its end and enforced the limit.
    let Ok(body) = body.collect().await else { return HttpRefusal::broken_body().into_response() };
    let Some(arguments) = parse_arguments(&body.to_bytes()) else {
        return error_envelope(
            StatusCode::BAD_REQUEST,
            "BAD_REQUEST",
            "the body must be a JSON object of arguments",
        );
    };
    match legacy.run(&name, &parts, arguments).await {
        Ok(result) => Json(json!({ "success": true, "result": result })).into_response(),
        Err(failure) => legacy.failure_response(&failure),
    }
}

/// Parses the arguments; an empty body means no arguments.
fn parse_arguments(body: &Bytes) -> Option<JsonMap> {
    if body.is_empty() { Some(JsonMap::new()) } else { serde_json::from_slice(body).ok() }
}

/// Returns the status of a failure. The legacy contract knows neither 413 nor 422.
fn status(code: ErrorCode) -> StatusCode {
    match code.http_status() {
        413 | 422 => StatusCode::BAD_REQUEST,
        other => StatusCode::from_u16(other).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// Builds an error response in the legacy envelope.
pub(super) fn error_envelope(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({ "success": false, "error": { "code": code, "message": message } })))
        .into_response()
}
