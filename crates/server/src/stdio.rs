//! MCP over a pipe: stdin and stdout of a process that a client started, or any other pair of streams.

use crate::handler::{Handler, UnknownDialect};
use crate::identity::{Door, Local};
use dialects::Dialect;
use engine::Engine;
use rmcp::ServiceExt;
use rmcp::service::{QuitReason, ServerInitializeError};
use rmcp::transport::{async_rw::AsyncRwTransport, stdio_pipes};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

/// Why serving a pipe ended badly.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StdioError {
    /// The dialect has no name in provenance.
    #[error(transparent)]
    Dialect(#[from] UnknownDialect),
    /// The client began with something that is neither of the protocol's two beginnings.
    #[error("the client did not begin as the protocol says: {0}")]
    Beginning(String),
    /// The serving task itself failed.
    #[error("serving broke off: {0}")]
    BrokenOff(#[from] tokio::task::JoinError),
}

/// Serves stdin and stdout until stdin closes or `stop` is cancelled; both are a clean end.
///
/// Requests under way when stdin closes are still answered, for up to five seconds.
///
/// # Errors
/// When the client does not speak the protocol, or serving itself fails.
pub async fn stdio(
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    local: Local,
    stop: CancellationToken,
) -> Result<(), StdioError> {
    pipe(engine, dialect, local, stdio_pipes(), stop).await
}

/// Serves any pair of streams as [`stdio`] serves its own.
///
/// # Errors
/// When the client does not speak the protocol, or serving itself fails.
pub async fn pipe(
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    local: Local,
    (reader, writer): (impl AsyncRead + Send + Unpin + 'static, impl AsyncWrite + Send + Unpin + 'static),
    stop: CancellationToken,
) -> Result<(), StdioError> {
    let handler = Handler::new(engine, dialect, Door::Pipe(local))?;
    match handler.serve_with_ct(AsyncRwTransport::new_server(reader, writer), stop).await {
        Ok(serving) => match serving.waiting().await? {
            QuitReason::JoinError(fault) => Err(fault.into()),
            _ => Ok(()),
        },
        Err(error) => before_the_first_request(error),
    }
}

/// A client may start us, look, and leave: that is no fault.
fn before_the_first_request(error: ServerInitializeError) -> Result<(), StdioError> {
    match error {
        ServerInitializeError::ConnectionClosed(_)
        | ServerInitializeError::TransportError { .. }
        | ServerInitializeError::Cancelled => Ok(()),
        // The display of this one would quote what the client sent.
        ServerInitializeError::ExpectedInitializeRequest(_) => {
            Err(StdioError::Beginning("a notification or a response came before any request".to_owned()))
        }
        other => Err(StdioError::Beginning(other.to_string())),
    }
}
