//! Metrics, health and readiness on an address of their own, for those who run the servers. Nothing
//! there needs a credential, and nothing tells of a memory; the address should not be reachable for
//! strangers.

use super::health::{self, Readiness};
use super::{HttpError, cannot_bind};
use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use std::io;
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// Path of the metrics.
const PATH: &str = "/metrics";
/// Content type of the text format of Prometheus.
const TEXT_FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A bound address that serves metrics.
#[derive(Debug)]
pub struct MetricsServer {
    listener: TcpListener,
    address: SocketAddr,
}

impl MetricsServer {
    /// Binds an address; port 0 lets the system choose one.
    ///
    /// # Errors
    /// Fails when the address is in use or does not belong to this machine.
    pub async fn bind(address: SocketAddr) -> Result<Self, HttpError> {
        let failed = |source| cannot_bind(address, source);
        let listener = TcpListener::bind(address).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }

    /// Returns the bound address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Serves until `stop` completes.
    ///
    /// # Errors
    /// Fails when the system accepts no connections.
    pub async fn serve(
        self,
        readiness: Readiness,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let router = Router::new()
            .route(PATH, get(respond))
            .route(health::PATH, get(health::respond_healthy))
            .route(health::READY_PATH, get(move || readiness.respond()));
        axum::serve(self.listener, router).with_graceful_shutdown(stop).await
    }
}

async fn respond() -> Response {
    ([(CONTENT_TYPE, TEXT_FORMAT)], metrics::render()).into_response()
}
