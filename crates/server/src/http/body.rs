//! The body of a request, read to its end within a limit and within a time.

use super::refusal::Refusal;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_LENGTH;
use http_body_util::BodyExt;
use std::time::Duration;

/// The longest request, in bytes.
pub(super) const BYTES_MAX: usize = 1 << 20;

/// How much of a request that is too long is still read. A client that is sending does not hear us, and one
/// that is cut off never learns why.
const DISCARDED_MAX: usize = 16 << 20;

/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(30);

/// The same request with its whole body in memory.
pub(super) async fn read(request: Request) -> Result<Request, Refusal> {
    let (parts, body) = request.into_parts();
    let announced = parts.headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    let reading = collected(body, announced.unwrap_or(0));
    let body = tokio::time::timeout(PATIENCE, reading).await.unwrap_or(Err(Refusal::too_slow()))?;
    Ok(Request::from_parts(parts, Body::from(body)))
}

async fn collected(mut body: Body, announced: usize) -> Result<Vec<u8>, Refusal> {
    if announced > DISCARDED_MAX {
        return Err(Refusal::too_long(BYTES_MAX));
    }
    let mut kept = Vec::with_capacity(announced.min(BYTES_MAX));
    let mut came = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Refusal::broken_body())?;
        let Some(bytes) = frame.data_ref() else { continue };
        came += bytes.len();
        if came > DISCARDED_MAX {
            break;
        }
        if came <= BYTES_MAX {
            kept.extend_from_slice(bytes);
        }
    }
    if came > BYTES_MAX { Err(Refusal::too_long(BYTES_MAX)) } else { Ok(kept) }
}
