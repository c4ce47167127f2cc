//! Numeric codes of enum values, with a code that cannot be read reported as damage.

use crate::error::conversion_error;
use model::{AuditOutcome, LinkKind, Origin, Status};
use store::rules::codes;

pub(crate) use codes::{ACTIVE, origin_code, outcome_code, status_code};

/// Returns the status of a code.
pub(crate) fn status(code: u8) -> rusqlite::Result<Status> {
    codes::status(code).map_err(|problem| conversion_error(0, problem))
}

/// Returns the origin of a code.
pub(crate) fn origin(code: u8) -> rusqlite::Result<Origin> {
    codes::origin(code).map_err(|problem| conversion_error(0, problem))
}

/// Returns the outcome of a code.
pub(crate) fn outcome(code: u8) -> rusqlite::Result<AuditOutcome> {
    codes::outcome(code).map_err(|problem| conversion_error(0, problem))
}

/// Returns the link kind of a code.
pub(crate) fn link_kind(code: u8) -> rusqlite::Result<LinkKind> {
    codes::link_kind(code).map_err(|problem| conversion_error(0, problem))
}
