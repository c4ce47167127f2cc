//! Reads request bodies to their end, within a size limit, a timeout and a least pace. The body of
//! a refused request is read too: a connection cannot be reused while a request on it is
//! unfinished, and a client that does not know would send its next request in vain.

use super::connection_limits::{BODY_GRACE, BODY_PACE, BODY_TIMEOUT};
use super::refusal::HttpRefusal;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Maximum request size in bytes.
pub(super) const BYTES_MAX: usize = 1 << 20;

/// Number of bytes still read of a request that is too long.
// A client that is busy sending does not read our answer, and one that is cut off never learns why.
const DISCARDED_MAX: usize = 16 << 20;

/// Time that the rest of a refused request may take to arrive. Shorter, because an unauthenticated
/// client should not be able to hold connections open.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the request with its whole body in memory, of at most `bytes_max`.
pub(super) async fn read(request: Request, bytes_max: usize) -> Result<Request, HttpRefusal> {
    let (parts, body) = request.into_parts();
    Ok(Request::from_parts(parts, Body::from(collect(body, bytes_max).await?)))
}

async fn collect(mut body: Body, bytes_max: usize) -> Result<Vec<u8>, HttpRefusal> {
    let (announced, started) = (announced_length(&body), Instant::now());
    if announced > DISCARDED_MAX {
        return Err(HttpRefusal::too_long(bytes_max).closing_connection());
    }
    // The announced length is only a claim of the sender, so it is capped.
    let mut collected = Vec::with_capacity(announced.min(bytes_max));
    let mut received = 0;
    while let Some(frame) = timeout_at(started + time_for(received), body.frame())
        .await
        .map_err(|_| HttpRefusal::too_slow())?
    {
        let frame = frame.map_err(|_| HttpRefusal::broken_body())?;
        let Some(bytes) = frame.data_ref() else { continue };
        received += bytes.len();
        if received > DISCARDED_MAX {
            return Err(HttpRefusal::too_long(bytes_max).closing_connection());
        }
        // Past the limit bytes are counted but not stored.
        if received <= bytes_max {
            collected.extend_from_slice(bytes);
        }
    }
    if received > bytes_max { Err(HttpRefusal::too_long(bytes_max)) } else { Ok(collected) }
}

/// Returns the time that this many bytes may take, and the next one with them.
fn time_for(received: usize) -> Duration {
    let paced = Duration::from_millis((received as u64).saturating_mul(1_000) / BODY_PACE as u64);
    (BODY_GRACE + paced).min(BODY_TIMEOUT)
}

/// Reads and discards the body of a refused request. Returns whether all of it arrived.
pub(super) async fn drain(body: Body) -> bool {
    body.is_end_stream() || timeout(DISCARD_TIMEOUT, discard(body)).await.unwrap_or(false)
}

async fn discard(mut body: Body) -> bool {
    let (announced, mut received) = (announced_length(&body), 0);
    while announced.max(received) <= BYTES_MAX {
        match body.frame().await {
            Some(Ok(frame)) => received += frame.data_ref().map_or(0, |bytes| bytes.len()),
            Some(Err(_)) => return false,
            None => return true,
        }
    }
    false
}

/// Returns the length that the body announces; 0 when it announces none.
fn announced_length(body: &Body) -> usize {
    usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Bytes;
    use futures_util::stream;
    use std::convert::Infallible;

    /// Reads a body that arrives in pieces of this many bytes, one each second, and returns the
    /// seconds until its end or its refusal.
    async fn read_slowly(bytes: usize, seconds: u64) -> Result<u64, u64> {
        let start = Instant::now();
        let pieces = stream::unfold(0, move |second| async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            let piece = Ok::<_, Infallible>(Bytes::from(vec![b'x'; bytes]));
            (second < seconds).then_some((piece, second + 1))
        });
        let read = collect(Body::from_stream(pieces), BYTES_MAX).await;
        read.map(|_| start.elapsed().as_secs()).map_err(|_| start.elapsed().as_secs())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_has_a_least_pace_and_a_longest_time() {
        assert_eq!(read_slowly(2 * BODY_PACE, 20).await, Ok(21));
        assert_eq!(read_slowly(BODY_PACE / 2, 20).await, Err(9), "half of the pace");
        assert_eq!(read_slowly(0, 20).await, Err(BODY_GRACE.as_secs()), "nothing at all");
        assert_eq!(read_slowly(2 * BODY_PACE, 40).await, Err(BODY_TIMEOUT.as_secs()));
    }

    #[tokio::test]
    async fn a_body_longer_than_its_limit_is_refused() {
        assert!(collect(Body::from(vec![0; 10]), 10).await.is_ok());
        assert!(collect(Body::from(vec![0; 11]), 10).await.is_err());
    }
}
