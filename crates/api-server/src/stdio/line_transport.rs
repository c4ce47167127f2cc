//! Transport over a pair of streams, one message per line. Every line that asks for an answer gets
//! one: a line that is too long or not JSON is answered with an error, and reading goes on.

use crate::incoming::{IdScanner, IncomingMessage, MessageFault, read_message};
use crate::request_params::unreadable_first_request;
use rmcp::ErrorData;
use rmcp::model::{ClientRequest, GetMeta, JsonRpcMessage, RequestId};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use std::io;
use std::pin::Pin;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader, Empty};
use tokio_util::sync::CancellationToken;

/// Maximum length of a line in bytes.
const LINE_BYTES_MAX: usize = 16 << 20;

/// Time that closing waits for a reply that the client does not read.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// Reply that is being written.
type PendingReply = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// Transport that reads lines itself and leaves writing to rmcp.
///
/// Notifications and responses are dropped until a conversation has started: a client that gave up
/// waiting for our first answer may send a cancellation and then start over, and rmcp would take it
/// for a broken handshake.
// Everything that `receive` has begun is in a field, because rmcp drops its future at any await.
pub(super) struct LineTransport<R, W: AsyncWrite> {
    reader: BufReader<R>,
    writer: AsyncRwTransport<RoleServer, Empty, W>,
    line: Vec<u8>,
    /// Set while the rest of a line that is too long is skipped.
    skipped: Option<IdScanner>,
    reply: Option<PendingReply>,
    started: bool,
    stop: CancellationToken,
}

/// Outcome of reading one line.
enum LineRead {
    /// A line, or the rest of the stream without a line end.
    Complete,
    TooLong(IdScanner),
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Creates a transport that reads no further message once `stop` is cancelled, as if the client
    /// had closed its end: requests in progress are still answered.
    pub fn new(reader: R, writer: W, stop: CancellationToken) -> Self {
        Self {
            reader: BufReader::new(reader),
            writer: AsyncRwTransport::new_server(tokio::io::empty(), writer),
            line: Vec::new(),
            skipped: None,
            reply: None,
            started: false,
            stop,
        }
    }

    async fn read_line(&mut self) -> io::Result<LineRead> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(self.end_of_stream());
            }
            let line_end = available.iter().position(|byte| *byte == b'\n');
            let taken = line_end.map_or(available.len(), |at| at + 1);
            match &mut self.skipped {
                Some(scanner) => scanner.feed(&available[..taken]),
                None if self.line.len() + taken > LINE_BYTES_MAX => {
                    let mut scanner = IdScanner::default();
                    scanner.feed(&self.line);
                    scanner.feed(&available[..taken]);
                    self.line = Vec::new();
                    self.skipped = Some(scanner);
                }
                None => self.line.extend_from_slice(&available[..taken]),
            }
            self.reader.consume(taken);
            if line_end.is_some() {
                return Ok(self.skipped.take().map_or(LineRead::Complete, LineRead::TooLong));
            }
        }
    }

    fn end_of_stream(&mut self) -> LineRead {
        match self.skipped.take() {
            Some(scanner) => LineRead::TooLong(scanner),
            None if self.line.is_empty() => LineRead::End,
            None => LineRead::Complete,
        }
    }

    async fn next_message(&mut self) -> io::Result<Option<IncomingMessage>> {
        let message = match self.read_line().await? {
            LineRead::End => return Ok(None),
            LineRead::Complete => read_message(&self.line),
            LineRead::TooLong(scanner) => {
                let reason = format!("the line is longer than {LINE_BYTES_MAX} bytes");
                IncomingMessage::Unreadable(MessageFault::not_json(scanner.finish(), &reason))
            }
        };
        self.line.clear();
        Ok(Some(message))
    }

    /// Waits until the pending reply is written.
    async fn finish_reply(&mut self) -> io::Result<()> {
        if let Some(reply) = &mut self.reply {
            let written = reply.await;
            self.reply = None;
            return written;
        }
        Ok(())
    }

    async fn receive_or_fail(&mut self) -> io::Result<Option<RxJsonRpcMessage<RoleServer>>> {
        loop {
            self.finish_reply().await?;
            match self.next_message().await? {
                None => return Ok(None),
                Some(IncomingMessage::Nothing) => {}
                Some(IncomingMessage::Unreadable(MessageFault { id, error })) => {
                    tracing::debug!(%error, "a line could not be read");
                    self.refuse(id, error);
                }
                Some(IncomingMessage::Message(message)) => {
                    if let Some(message) = self.admit(*message) {
                        return Ok(Some(message));
                    }
                }
            }
        }
    }

    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        let reply = self.writer.send(TxJsonRpcMessage::<RoleServer>::error(error, id));
        self.reply = Some(Box::pin(reply));
    }

    /// Returns the message if rmcp may see it. Before the handshake a request of anything else is
    /// refused here, because rmcp would end the conversation.
    fn admit(
        &mut self,
        message: RxJsonRpcMessage<RoleServer>,
    ) -> Option<RxJsonRpcMessage<RoleServer>> {
        let JsonRpcMessage::Request(request) = message else {
            return self.started.then_some(message);
        };
        self.started |= starts_conversation(&request.request);
        if self.started || is_allowed_before_start(&request.request) {
            return Some(JsonRpcMessage::Request(request));
        }
        let error = match request.request {
            ClientRequest::CustomRequest(unreadable) => unreadable_first_request(unreadable),
            _ => ErrorData::invalid_request("Invalid request: send `initialize` first", None),
        };
        self.refuse(Some(request.id), error);
        None
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.writer.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let stop = self.stop.clone();
        let received = stop.run_until_cancelled(self.receive_or_fail()).await?;
        received.inspect_err(|error| tracing::error!(%error, "the pipe failed")).ok().flatten()
    }

    async fn close(&mut self) -> io::Result<()> {
        // A client that does not read leaves a reply half written, which closing would wait for.
        tokio::time::timeout(CLOSE_TIMEOUT, self.writer.close())
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }
}

/// Returns true for a request that selects one of the protocol's two handshakes.
fn starts_conversation(request: &ClientRequest) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => other.get_meta().protocol_version().is_some(),
    }
}

fn is_allowed_before_start(request: &ClientRequest) -> bool {
    matches!(request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_))
}
