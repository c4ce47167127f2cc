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

/// Tells the dialect that the client has left.
async fn closed(
    engine: &Engine,
    dialect: &dyn Dialect,
    local: &Local,
    client: Option<&Implementation>,
) {
    let Some(spoken) = model::Dialect::parse(dialect.name()) else { return };
    if let Err(failure) = dialect.closed(engine, &local.caller(client, spoken)).await {
        tracing::warn!(code = failure.code.name(), "a client that left could not be noted");
    }
}

/// A client may start us, look, and leave: that is no fault.
fn before_the_first_request(error: ServerInitializeError) -> Result<(), StdioError> {
    match error {
        ServerInitializeError::ConnectionClosed(_)
        | ServerInitializeError::TransportError { .. }
        | ServerInitializeError::Cancelled => Ok(()),
        other => Err(StdioError::Beginning(other.to_string())),
    }
}

/// A pipe that passes over notifications and responses until a conversation has begun. They mean
/// nothing then: a client that gave up waiting for our first answer may send one, and then begins
/// anew.
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

/// Whether a request chooses one of the protocol's two eras. Discovery and pings do not.
fn begins(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}
