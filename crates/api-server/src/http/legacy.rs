//! A contract's older way in: its tools over plain requests, `GET /mcp/tools` and `POST
//! /mcp/call/:tool`, each answer in an envelope. Off unless the owner turns it on; then whoever
//! asks is told that it is gone.

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

/// The list of tools.
const LIST: &str = "/mcp/tools";
/// A call of a tool, by its name in the path.
const CALL: &str = "/mcp/call/{tool}";

/// Whether a path is one of the two.
pub(super) fn is_at(path: &str) -> bool {
    path == LIST || path.starts_with("/mcp/call/")
}

/// What answers under the two paths.
pub(super) type Routes = [(String, MethodRouter); 2];

/// The two paths, answered by a dialect.
pub(super) fn answered(
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    spoken: model::Dialect,
    turnstile: Arc<Turnstile>,
    ended: CancellationToken,
) -> Routes {
    let calls = Calls::new(engine, Arc::clone(&dialect), turnstile);
    let legacy = Arc::new(Legacy { calls, dialect, spoken, ended });
    let list = get(list).with_state(Arc::clone(&legacy));
    [(LIST.to_owned(), list), (CALL.to_owned(), post(call).with_state(legacy))]
}

/// The two paths, turned off.
pub(super) fn turned_off() -> Routes {
    [LIST, CALL].map(|path| (path.to_owned(), any(gone)))
}

async fn gone() -> Response {
    let message = "this way in is turned off; connect an MCP client to /mcp/epitome, or set epitome_legacy_rest = true";
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
        let asked = Asked { cancelled: &self.ended, way_back: parts.extensions.get::<WayBack>() };
        Ok(self.calls.run(caller, tool, arguments, &asked).await?.value)
    }

    fn no_such_tool(&self, name: &str) -> Failure {
        let near = nearest(name, self.tools().map(|tool| tool.name));
        let shown: String = name.chars().take(100).collect();
        let proposal = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        Failure::not_found("tool", format!("{shown}{proposal}"))
    }

    fn refused(&self, failure: &Failure) -> Response {
        let name = self.dialect.code(failure.code);
        envelope(status(failure.code), name, &failure.message)
    }
}

async fn list(State(legacy): State<Arc<Legacy>>) -> Response {
    let tools: Vec<Value> = legacy
        .tools()
        .map(|tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input }))
        .collect();
    Json(json!({ "tools": tools })).into_response()
}

async fn call(
    State(legacy): State<Arc<Legacy>>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    // The gate has read the body to its end and held it to its limit.
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

/// The arguments; no body at all is none.
fn object(body: &Bytes) -> Option<JsonMap> {
    if body.is_empty() { Some(JsonMap::new()) } else { serde_json::from_slice(body).ok() }
}

/// The status of a failure. The older document knows no others.
fn status(code: ErrorCode) -> StatusCode {
    match code.http_status() {
        413 | 422 => StatusCode::BAD_REQUEST,
        other => StatusCode::from_u16(other).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
    }
}

/// An answer that says no in the older document's form.
pub(super) fn envelope(status: StatusCode, code: &str, message: &str) -> Response {
    (status, Json(json!({ "success": false, "error": { "code": code, "message": message } })))
        .into_response()
}
