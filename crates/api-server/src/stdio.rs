//! MCP over a pipe: stdin and stdout of a process that a client started, or any other pair of
//! streams.

use crate::handler::{Handler, UnknownDialect};
use crate::identity::{Door, Local};
use dialects::Dialect;
use engine::Engine;
use rmcp::ServiceExt;
use rmcp::model::{ClientRequest, GetMeta, Implementation, JsonRpcMessage};
use rmcp::service::{
    QuitReason, RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage,
};
use rmcp::transport::async_rw::AsyncRwTransport;
use rmcp::transport::{Transport, stdio_pipes};
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
    Beginning(String),
    #[error("the serving task failed: {0}")]
    BrokenOff(#[from] tokio::task::JoinError),
}

/// Serves stdin and stdout until stdin closes or `stop` is cancelled. Both are a clean end.
///
/// Requests in progress when stdin closes are still answered, for up to five seconds.
///
/// # Errors
/// When the client does not follow the protocol, or serving itself fails.
pub async fn stdio(
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    local: Local,
    stop: CancellationToken,
) -> Result<(), StdioError> {
    pipe(engine, dialect, local, stdio_pipes(), stop).await
}

/// Serves any pair of streams the way [`serve_stdio`] serves its own.
///
/// # Errors
/// When the client does not follow the protocol, or serving itself fails.
pub async fn pipe(
    engine: Arc<Engine>,
    dialect: Arc<dyn Dialect>,
    local: Local,
    (reader, writer): (
        impl AsyncRead + Send + Unpin + 'static,
        impl AsyncWrite + Send + Unpin + 'static,
    ),
    stop: CancellationToken,
) -> Result<(), StdioError> {
    let handler = Handler::new(
        Arc::clone(&engine),
        Arc::clone(&dialect),
        Door::Pipe(local.clone()),
        Arc::default(),
    )?;
    let pipe =
        FromTheBeginning { pipe: AsyncRwTransport::new_server(reader, writer), begun: false };
    match handler.serve_with_ct(pipe, stop).await {
        Ok(serving) => {
            // Copied now: the peer is gone once `waiting` returns.
            let client = serving.peer().peer_info().map(|info| info.client_info.clone());
            let ended = serving.waiting().await?;
            closed(&engine, &*dialect, &local, client.as_ref()).await;
            match ended {
                QuitReason::JoinError(fault) => Err(fault.into()),
                _ => Ok(()),
            }
        }
        Err(error) => before_the_first_request(error),
    }
}

/// Notifies the dialect that the client has disconnected.
async fn closed(
    engine: &Engine,
    dialect: &dyn Dialect,
    local: &Local,
    client: Option<&Implementation>,
) {
    let Some(dialect_name) = model::Dialect::parse(dialect.name()) else { return };
    if let Err(failure) = dialect.closed(engine, &local.caller(client, dialect_name)).await {
        tracing::warn!(code = failure.code.name(), "a disconnect could not be recorded");
    }
}

/// Maps the error of a failed handshake. A client may start the process, look, and leave: that is a
/// clean end.
fn before_the_first_request(error: ServerInitializeError) -> Result<(), StdioError> {
    match error {
        ServerInitializeError::ConnectionClosed(_)
        | ServerInitializeError::TransportError { .. }
        | ServerInitializeError::Cancelled => Ok(()),
        other => Err(StdioError::Beginning(other.to_string())),
    }
}

/// Transport that drops notifications and responses until a conversation has started.
///
/// A client that gave up waiting for our first answer may send a cancellation and then start over;
/// rmcp would take it for a broken handshake.
struct FromTheBeginning<P> {
    pipe: P,
    begun: bool,
}

impl<P: Transport<RoleServer>> Transport<RoleServer> for FromTheBeginning<P> {
    type Error = P::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), P::Error>> + Send + 'static {
        self.pipe.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.pipe.receive().await?;
            let JsonRpcMessage::Request(request) = &message else {
                if self.begun {
                    return Some(message);
                }
                continue;
            };
            self.begun |= begins(&request.request);
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), P::Error>> + Send {
        self.pipe.close()
    }
}

/// Returns true for a request that selects one of the protocol's two handshakes. Discovery and
/// pings do not.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}
