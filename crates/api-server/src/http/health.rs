//! Health and readiness for process supervisors: one word, and nothing about anybody's memory. The
//! process is healthy while it answers; it is ready while its store does too.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Path of the process itself, which answers without a credential, even under load.
pub(super) const PATH: &str = "/healthz";
/// Path of the process with its store.
pub(super) const READY_PATH: &str = "/readyz";

/// Returns true for a path that tells the state of the server to anybody.
pub(super) fn is_state_path(path: &str) -> bool {
    path == PATH || path == READY_PATH
}

/// Time after which a health check counts as failed.
// A check that hangs must still produce an answer.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

type HealthCheck = dyn Fn() -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync;

/// Readiness with an optional check; without one, answering is being ready.
#[derive(Clone, Default)]
pub struct Readiness {
    check: Option<Arc<HealthCheck>>,
}

impl Readiness {
    /// Creates the readiness that a check tells. Anybody may ask for it, so it should be cheap.
    pub fn with_check<F>(check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        Self { check: Some(Arc::new(move || Box::pin(check()))) }
    }

    pub(super) async fn respond(self) -> Response {
        if self.is_ready().await {
            respond_healthy().await
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "failing" }))).into_response()
        }
    }

    async fn is_ready(&self) -> bool {
        match &self.check {
            Some(check) => tokio::time::timeout(CHECK_TIMEOUT, check()).await.unwrap_or(false),
            None => true,
        }
    }
}

/// Answers that the process is running.
pub(super) async fn respond_healthy() -> Response {
    Json(json!({ "status": "ok" })).into_response()
}
