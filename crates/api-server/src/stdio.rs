//! MCP over a pipe: stdin and stdout of a process that a client started, or any other pair of
//! streams.

mod line_transport;

use crate::connections::pipe_connection;
use crate::handler::{Handler, UnknownDialect};
use crate::identity::{CallerSource, LocalClient};
use dialects::DialectApi;
use engine::Engine;
use line_transport::LineTransport;
use rmcp::ServiceExt;
use rmcp::model::Implementation;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::stdio_pipes;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Error that ends serving a pipe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The dialect has no name in provenance.
    #[error(transparent)]
    Dialect(#[from] UnknownDialect),
    /// The client opened with something that is neither of the protocol's two handshakes.
    #[error("the client did not open with a valid MCP handshake: {0}")]
    Handshake(String),
    #[error("the serving task failed: {0}")]
    TaskFailed(#[from] tokio::task::JoinError),
}

/// Serves stdin and stdout until stdin closes or `stop` is cancelled. Both are a clean end.
///
/// Requests in progress then are still answered, for up to five seconds.
///
/// # Errors
/// Fails when the client does not follow the protocol, or serving itself fails.
pub async fn serve_stdio(
    engine: Arc<Engine>,
    dialect: Arc<dyn DialectApi>,
    local: LocalClient,
    stop: CancellationToken,
) -> Result<(), StdioError> {
    serve_pipe(engine, dialect, local, stdio_pipes(), stop).await
}

/// Serves any pair of streams the way [`serve_stdio`] serves its own.
///
/// # Errors
/// Fails when the client does not follow the protocol, or serving itself fails.
pub async fn serve_pipe(
    engine: Arc<Engine>,
    dialect: Arc<dyn DialectApi>,
    local: LocalClient,
    (reader, writer): (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
    stop: CancellationToken,
) -> Result<(), StdioError> {
    let handler = Handler::new(
        Arc::clone(&engine),
        Arc::clone(&dialect),
        CallerSource::Pipe(local.clone(), pipe_connection(), Arc::default()),
        Arc::default(),
    )?;
    // Stopping ends the input only. As the token of the service it would cancel every request,
    // also one whose write is on its way to the disk.
    let pipe = LineTransport::new(reader, writer, stop);
    match handler.serve(pipe).await {
        Ok(serving) => {
            // Copied now: the peer is gone once `waiting` returns.
            let client = serving.peer().peer_info().map(|info| info.client_info.clone());
            let ended = serving.waiting().await?;
            notify_closed(&engine, &*dialect, &local, client.as_ref()).await;
            match ended {
                QuitReason::JoinError(fault) => Err(fault.into()),
                _ => Ok(()),
            }
        }
        Err(error) => handshake_outcome(error),
    }
}

/// Notifies the dialect that the client has disconnected.
async fn notify_closed(
    engine: &Engine,
    dialect: &dyn DialectApi,
    local: &LocalClient,
    client: Option<&Implementation>,
) {
    let Some(dialect_name) = model::Dialect::parse(dialect.name()) else { return };
    if let Err(failure) =
        dialect.client_disconnected(engine, &local.caller(client, dialect_name)).await
    {
        tracing::warn!(code = failure.code.name(), "a disconnect could not be recorded");
    }
}

/// Maps the error of a failed handshake. A client may start the process, look, and leave: that is a
/// clean end.
fn handshake_outcome(error: ServerInitializeError) -> Result<(), StdioError> {
    match error {
        ServerInitializeError::ConnectionClosed(_)
        | ServerInitializeError::TransportError { .. }
        | ServerInitializeError::Cancelled => Ok(()),
        other => Err(StdioError::Handshake(other.to_string())),
    }
}
