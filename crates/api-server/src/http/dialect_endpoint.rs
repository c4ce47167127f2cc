//! Endpoint of a dialect, served by rmcp. The service looks it up by path and calls it directly:
//! most requests come here, and the router would box each of them and clone its service several
//! times.

use super::refusal::{self, HttpRefusal};
use super::{accept, body, dialect_switch};
use crate::admission::Admission;
use crate::handler::{Handler, UnknownDialect};
use crate::identity::CallerSource;
use crate::incoming::{IncomingMessage, MessageFault, read_message, replace_lone_surrogates};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use dialects::DialectApi;
use engine::Engine;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use std::borrow::Cow;
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
            None if request.method() == Method::POST => {
                self.answer_message(request).await.unwrap_or_else(IntoResponse::into_response)
            }
            None => self.service.handle(request).await.into_response(),
        }
    }

    async fn answer_message(&self, request: Request) -> Result<Response, HttpRefusal> {
        let (mut parts, body) = request.into_parts();
        if !accept::accepts_json(&parts.headers) {
            return Err(HttpRefusal::not_acceptable());
        }
        accept::accept_both(&mut parts.headers);
        let is_json = refusal::is_json(&parts.headers);
        // In memory already, within its limit.
        let sent = to_bytes(body, body::BYTES_MAX).await.map_err(|_| HttpRefusal::broken_body())?;
        let sent = match replace_lone_surrogates(&sent) {
            Cow::Borrowed(_) => sent,
            Cow::Owned(repaired) => Bytes::from(repaired),
        };
        let request = Request::from_parts(parts, Body::from(sent.clone()));
        let response = self.service.handle(request).await.into_response();
        // rmcp answers JSON that it cannot read as if it were no JSON at all.
        if response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE && is_json {
            return Ok(refusal::unreadable_message(match read_message(&sent) {
                IncomingMessage::Unreadable(fault) => fault,
                _ => MessageFault::not_json(None, "the body holds no message"),
            }));
        }
        Ok(response)
    }
}
