//! Health endpoint for process supervisors: one word, and nothing about anybody's memory.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// Path that answers without a credential, even under load.
pub(super) const PATH: &str = "/healthz";

/// Time after which a health check counts as failed.
// A check that hangs must still produce an answer.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

type HealthCheck = dyn Fn() -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync;

/// Health endpoint with an optional check; without one, answering is healthy.
#[derive(Clone, Default)]
pub(super) struct HealthEndpoint {
    check: Option<Arc<HealthCheck>>,
}

impl HealthEndpoint {
    pub fn with_check<F>(check: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        Self { check: Some(Arc::new(move || Box::pin(check()))) }
    }

    pub async fn respond(self) -> Response {
        if self.is_healthy().await {
            Json(json!({ "status": "ok" })).into_response()
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, Json(json!({ "status": "failing" }))).into_response()
        }
    }

    async fn is_healthy(&self) -> bool {
        match &self.check {
            Some(check) => tokio::time::timeout(CHECK_TIMEOUT, check()).await.unwrap_or(false),
            None => true,
        }
    }
}
