//! Reads request bodies to their end, within a size limit and a timeout. The body of a refused
//! request is read too: a connection cannot be reused while a request on it is unfinished, and a
//! client that does not know would send its next request in vain.

use super::refusal::HttpRefusal;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum request size in bytes.
pub(super) const BYTES_MAX: usize = 1 << 20;

/// Number of bytes still read of a request that is too long.
// A client that is busy sending does not read our answer, and one that is cut off never learns why.
const DISCARDED_MAX: usize = 16 << 20;

/// Time that a request may take to arrive.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Time that the rest of a refused request may take to arrive. Shorter, because an unauthenticated
/// client should not be able to hold connections open.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(5);

/// Returns the request with its whole body in memory.
pub(super) async fn read(request: Request) -> Result<Request, HttpRefusal> {
    let (parts, body) = request.into_parts();
    let body =
        timeout(READ_TIMEOUT, collect(body)).await.unwrap_or(Err(HttpRefusal::too_slow()))?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

async fn collect(mut body: Body) -> Result<Vec<u8>, HttpRefusal> {
    let announced = announced_length(&body);
    if announced > DISCARDED_MAX {
        return Err(HttpRefusal::too_long(BYTES_MAX).closing_connection());
    }
    // The announced length is only a claim of the sender, so it is capped.
    let mut collected = Vec::with_capacity(announced.min(BYTES_MAX));
    let mut received = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| HttpRefusal::broken_body())?;
        let Some(bytes) = frame.data_ref() else { continue };
        received += bytes.len();
        if received > DISCARDED_MAX {
            return Err(HttpRefusal::too_long(BYTES_MAX).closing_connection());
        }
        // Past the limit bytes are counted but not stored.
        if received <= BYTES_MAX {
            collected.extend_from_slice(bytes);
        }
    }
    if received > BYTES_MAX { Err(HttpRefusal::too_long(BYTES_MAX)) } else { Ok(collected) }
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
