//! The body of a request, read to its end within a limit and within a time. One that nobody wants
//! is read too: the connection of a request whose end never came cannot be used again, and its
//! client, who was refused and told nothing of that, would send the next one into nothing.

use super::refusal::Refusal;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use http_body_util::BodyExt;
use std::time::Duration;
use tokio::time::timeout;

/// The longest request, in bytes.
pub(super) const BYTES_MAX: usize = 1 << 20;

/// How much of a request that is too long is still read. A client that is sending does not hear us,
/// and one that is cut off never learns why.
const DISCARDED_MAX: usize = 16 << 20;

/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long one may take that is refused already.
const PATIENCE_WITH_STRANGERS: Duration = Duration::from_secs(5);

/// The same request with its whole body in memory.
pub(super) async fn read(request: Request) -> Result<Request, Refusal> {
    let (parts, body) = request.into_parts();
    let body = timeout(PATIENCE, collected(body)).await.unwrap_or(Err(Refusal::too_slow()))?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

async fn collected(mut body: Body) -> Result<Vec<u8>, Refusal> {
    let announced = announced(&body);
    if announced > DISCARDED_MAX {
        return Err(Refusal::too_long(BYTES_MAX).ending_the_connection());
    }
    let mut kept = Vec::with_capacity(announced.min(BYTES_MAX));
    let mut came = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::broken_body())?;
        let Some(bytes) = frame.data_ref() else { continue };
        came += bytes.len();
        if came > DISCARDED_MAX {
            return Err(Refusal::too_long(BYTES_MAX).ending_the_connection());
        }
        if came <= BYTES_MAX {
            kept.extend_from_slice(bytes);
        }
    }
    if came > BYTES_MAX { Err(Refusal::too_long(BYTES_MAX)) } else { Ok(kept) }
}

/// Lets the body of a refused request go by, and tells whether all of it came.
pub(super) async fn went_by(body: Body) -> bool {
    body.is_end_stream() || timeout(PATIENCE_WITH_STRANGERS, discarded(body)).await.unwrap_or(false)
}

async fn discarded(mut body: Body) -> bool {
    let (announced, mut came) = (announced(&body), 0);
    while announced.max(came) <= BYTES_MAX {
        match body.frame().await {
            Some(Ok(frame)) => came += frame.data_ref().map_or(0, |bytes| bytes.len()),
            Some(Err(_)) => return false,
            None => return true,
        }
    }
    false
}

/// How long a body says that it is, as far as it says so.
fn announced(body: &Body) -> usize {
    usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX)
}
