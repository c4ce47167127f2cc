//! Jobs that a page starts and watches, and the bounds of their files.

pub(crate) mod formats;

pub use engine::jobs::Jobs;

pub(crate) use engine::jobs::JobState;

use crate::pages::format_size;
use model::{ErrorCode, Failure};

/// Maximum size of an uploaded file in bytes; larger files need the command line.
pub(crate) const UPLOAD_BYTES: usize = 64 * 1024 * 1024;

/// Creates the failure of an upload that is too large.
pub(crate) fn upload_too_large() -> Failure {
    let size = format_size(UPLOAD_BYTES as u64);
    let message = format!("an upload has at most {size}; use `quipu import`");
    Failure::new(ErrorCode::LimitExceeded, message)
}
