//! Legacy REST API of a contract: its tools over plain requests, `GET /mcp/tools` and `POST
//! /mcp/call/:tool`, with every response in an envelope. Disabled unless the owner turns it on;
//! until then both paths answer 410.

use super::refusal::Refusal;
use crate::call::{Asked, Calls};
use crate::identity::rest_caller;
use crate::nearest::nearest;
use crate::turnstile::Turnstile;
use crate::way_back::WayBack;
use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, Request, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any, get, post};
use dialects::{Dialect, Tool};
use engine::Engine;
use http_body_util::BodyExt;
use model::{ErrorCode, Failure, JsonMap};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

const LIST: &str = "/mcp/tools";
/// Path of a call, with the tool's name.
const CALL: &str = "/mcp/call/{tool}";

/// Returns true for one of the two paths.
pub(super) fn is_at(path: &str) -> bool {
    path == LIST || path.starts_with("/mcp/call/")
}

/// Routes of the two paths.
pub(super) type Routes = [(String, MethodRouter); 2];

/// Returns the routes, served by a dialect.
pub(super) fn answered(
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    dialect_name: model::Dialect,
    admission: Arc<Turnstile>,
    cancelled: CancellationToken,
) -> Routes {
    let calls = Calls::new(engine, Arc::clone(&dialect), admission);
    let legacy = Arc::new(Legacy { calls, dialect, spoken: dialect_name, ended: cancelled });
    let list = get(list).with_state(Arc::clone(&legacy));
    [(LIST.to_owned(), list), (CALL.to_owned(), post(call).with_state(legacy))]
}

/// Returns the routes of the disabled API.
pub(super) fn turned_off() -> Routes {
    [LIST, CALL].map(|path| (path.to_owned(), any(gone)))
}

// 410 instead of 404: a client of the older contract learns that the API exists and how to get
// it back.
async fn gone() -> Response {
    let message = "the legacy REST API is turned off; connect an MCP client to /mcp/epitome, \
        or set epitome_legacy_rest = true";
    envelope(StatusCode::GONE, "LEGACY_ENDPOINT_DISABLED", message)
}

struct Legacy {
    calls: Calls,
    dialect: Arc<dyn Dialect>,
    spoken: model::Dialect,
    ended: CancellationToken,
}

impl Legacy {
    fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.dialect.tools().iter().chain(self.dialect.accepted())
    }

    async fn run(&self, name: &str, parts: &Parts, arguments: JsonMap) -> Result<Value, Failure> {
        let tool =
            self.tools().find(|tool| tool.name == name).ok_or_else(|| self.no_such_tool(name))?;
        let caller = rest_caller(parts, self.spoken)?.using(tool.name);
        let context = Asked { cancelled: &self.ended, way_back: parts.extensions.get::<WayBack>() };
        Ok(self.calls.run(caller, tool, arguments, &context).await?.value)
    }

    fn no_such_tool(&self, name: &str) -> Failure {
        let near = nearest(name, self.tools().map(|tool| tool.name));
        let truncated: String = name.chars().take(100).collect();
        let proposal = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Failure::not_found("tool", format!("{truncated}{proposal}"))
    }

    fn refused(&self, failure: &Failure) -> Response {
        let name = self.dialect.code(failure.code);
        envelope(status(failure.code), name, &failure.message)
    }
}

async fn list(State(legacy): State<Arc<Legacy>>) -> Response {
    let tools: Vec<Value> = legacy
        .tools()
        .map(|tool| {
            let Tool { name, description, input, .. } = tool;
            json!({ "name": name, "description": description, "inputSchema": input })
        })
        .collect();
    Json(json!({ "tools": tools })).into_response()
}

async fn call(
    State(legacy): State<Arc<Legacy>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // The service has already read the body to its end and enforced the limit.
    let Ok(body) = body.collect().await else { return Refusal::broken_body().into_response() };
    let Some(arguments) = object(&body.to_bytes()) else {
        return envelope(
            StatusCode::BAD_REQUEST,
            "BAD_REQUEST",
            "the body must be a JSON object of arguments",
        );
    };
    match legacy.run(&name, &parts, arguments).await {
        Ok(result) => Json(json!({ "success": true, "result": result })).into_response(),
        Err(failure) => legacy.refused(&failure),
    }
}

/// Parses the arguments; an empty body means no arguments.
fn object(body: &Bytes) -> Option<JsonMap> {
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
pub(super) fn envelope(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({ "success": false, "error": { "code": code, "message": message } })))
        .into_response()
}
