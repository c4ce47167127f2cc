//! Serves one connection, until either side closes it, its time is up, or it must make room for
//! another.

use super::connection_activity::ConnectionActivity;
use super::connection_limits::IDLE_TIMEOUT;
use super::watched_stream::WatchedStream;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

/// Serves a connection. Once stopping, the request in progress is the last.
pub(super) async fn serve<I, S>(
    stream: I,
    service: S,
    activity: Arc<ConnectionActivity>,
    stopping: CancellationToken,
) where
    I: AsyncRead + AsyncWrite + Unpin,
    S: Service<hyper::Request<Incoming>, Response = Response, Error = Infallible>,
{
    let stream = TokioIo::new(WatchedStream::new(stream, Arc::clone(&activity)));
    let mut connection = pin!(http1::Builder::new().serve_connection(stream, service));
    let ended = tokio::select! {
        // First, because what it reads and answers moves the deadline.
        biased;
        ended = connection.as_mut() => ended,
        () = stopping.cancelled() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = time_up(&activity) => return tracing::debug!("a silent connection was closed"),
        () = room_needed(&activity) => return tracing::debug!("a connection made room"),
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended with an error");
    }
}

/// Completes when the deadline of the connection has passed. Must be polled by the task that serves
/// the connection, after it: the deadline moves without waking anybody.
async fn time_up(activity: &ConnectionActivity) {
    let mut sleep = pin!(sleep_until(Instant::now() + IDLE_TIMEOUT));
    poll_fn(|context| {
        let Some(deadline) = activity.deadline() else { return Poll::Pending };
        if deadline < sleep.deadline() {
            sleep.as_mut().reset(deadline);
        }
        loop {
            ready!(sleep.as_mut().poll(context));
            if deadline <= Instant::now() {
                return Poll::Ready(());
            }
            // It slept until an earlier deadline, which something has moved since.
            sleep.as_mut().reset(deadline);
        }
    })
    .await;
}

/// Completes when the connection must make room, unless it answers an owner by now.
async fn room_needed(activity: &ConnectionActivity) {
    loop {
        activity.shed.notified().await;
        if activity.shed_rank().is_some() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::connection_limits::HEAD_TIMEOUT;
    use super::*;
    use axum::response::IntoResponse;
    use hyper::service::service_fn;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";

    /// Serves one end of a pipe, as a connection whose every request takes `busy`.
    fn connect(busy: Duration) -> (DuplexStream, Arc<ConnectionActivity>) {
        let (client, server) = tokio::io::duplex(64 << 10);
        let activity = Arc::new(ConnectionActivity::new(Instant::now()));
        let noted = Arc::clone(&activity);
        let service = service_fn(move |_| {
            let noted = Arc::clone(&noted);
            async move {
                noted.note_request(Instant::now());
                tokio::time::sleep(busy).await;
                noted.note_response(Instant::now());
                Ok("served".into_response())
            }
        });
        tokio::spawn(serve(server, service, Arc::clone(&activity), CancellationToken::new()));
        (client, activity)
    }

    /// Sends a request and reads its response.
    async fn exchange(client: &mut DuplexStream) {
        client.write_all(REQUEST).await.unwrap();
        let mut response = [0; 1_000];
        let read = client.read(&mut response).await.unwrap();
        assert!(response[..read].ends_with(b"served"));
    }

    /// Returns the time until the server closes the connection.
    async fn closed_after(client: &mut DuplexStream) -> Duration {
        let start = Instant::now();
        assert_eq!(client.read(&mut [0; 100]).await.unwrap(), 0);
        start.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_head_that_does_not_arrive_ends_the_connection() {
        let (mut client, _) = connect(Duration::ZERO);
        client.write_all(&REQUEST[..20]).await.unwrap();
        tokio::time::sleep(HEAD_TIMEOUT / 2).await;
        client.write_all(&REQUEST[20..21]).await.unwrap();
        assert!(closed_after(&mut client).await <= HEAD_TIMEOUT / 2 + Duration::from_millis(5));
    }

    #[tokio::test(start_paused = true)]
    async fn the_head_of_a_later_request_has_the_same_time() {
        let (mut client, _) = connect(Duration::ZERO);
        exchange(&mut client).await;
        tokio::time::sleep(IDLE_TIMEOUT / 2).await;
        client.write_all(&REQUEST[..20]).await.unwrap();
        assert!(closed_after(&mut client).await <= HEAD_TIMEOUT + Duration::from_millis(5));
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_without_requests_stays_open_for_a_while() {
        let (mut client, _) = connect(Duration::ZERO);
        for _ in 0..3 {
            exchange(&mut client).await;
            tokio::time::sleep(IDLE_TIMEOUT - Duration::from_secs(1)).await;
        }
        exchange(&mut client).await;
        let open = closed_after(&mut client).await;
        assert!(open > HEAD_TIMEOUT && open <= IDLE_TIMEOUT + Duration::from_millis(5), "{open:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_that_takes_long_is_answered() {
        let (mut client, _) = connect(3 * IDLE_TIMEOUT);
        exchange(&mut client).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_makes_room_unless_it_answers_an_owner() {
        let (mut waiting, activity) = connect(Duration::ZERO);
        activity.shed.notify_one();
        assert_eq!(closed_after(&mut waiting).await, Duration::ZERO);
        let (mut busy, activity) = connect(Duration::from_secs(1));
        busy.write_all(REQUEST).await.unwrap();
        tokio::time::sleep(Duration::from_millis(1)).await;
        activity.note_credential();
        activity.shed.notify_one();
        assert!(busy.read(&mut [0; 100]).await.unwrap() > 0);
    }
}
