//! Endpoint of a dialect, served by rmcp. The service looks it up by path and calls it directly:
//! most requests come here, and the router would box each of them and clone its service several
//! times.

use super::{body, dialect_switch};
use crate::admission::Admission;
use crate::handler::{Handler, UnknownDialect};
use crate::identity::CallerSource;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use dialects::DialectApi;
use engine::Engine;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Endpoint of one dialect, without sessions.
pub(super) struct DialectEndpoint {
    service: StreamableHttpService<Arc<Handler>, NeverSessionManager>,
    engine: Arc<Engine>,
    dialect: model::Dialect,
}

impl DialectEndpoint {
    /// Creates the endpoint. Cancelling `calls` ends the calls in progress.
    pub fn new(
        engine: Arc<Engine>,
        dialect: Arc<dyn DialectApi>,
        admission: Arc<Admission>,
        calls: CancellationToken,
    ) -> Result<Self, UnknownDialect> {
        let handler = Handler::new(Arc::clone(&engine), dialect, CallerSource::Http, admission)?;
        let (dialect, handler) = (handler.dialect_name, Arc::new(handler));
        // The authorizer has already checked the host against the names that we answer to.
        // No sessions and no event streams: any process can answer the next request.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_max_request_body_bytes(body::BYTES_MAX)
            .with_cancellation_token(calls);
        let sessions = Arc::new(NeverSessionManager::default());
        let service =
            StreamableHttpService::new(move || Ok(Arc::clone(&handler)), sessions, config);
        Ok(Self { service, engine, dialect })
    }

    /// Answers a request of any method, unless the owner turned the dialect off.
    pub async fn answer(&self, request: Request) -> Response {
        match dialect_switch::refusal_if_off(&self.engine, self.dialect, request.extensions()).await
        {
            Some(refused) => refused,
            None => self.service.handle(request).await.into_response(),
        }
    }
}
