//! Numeric codes of enum values in the tables that are written most. They are part of the file
//! format: a code, once assigned, keeps its meaning.

use crate::error::conversion_error;
use model::{AuditOutcome, LinkKind, Origin, Status};

/// Returns the code of a status.
pub(crate) fn status_code(status: Status) -> u8 {
    match status {
        Status::Active => 0,
        Status::Proposed => 1,
        Status::Superseded => 2,
        Status::Rejected => 3,
        Status::Retired => 4,
    }
}

/// The code of `Status::Active`, for statements that filter by it.
pub(crate) const ACTIVE: u8 = 0;

/// Returns the code of an origin.
pub(crate) fn origin_code(origin: Origin) -> u8 {
    match origin {
        Origin::Typed => 0,
        Origin::Stated => 1,
        Origin::Agent => 2,
        Origin::Imported => 3,
        Origin::Inferred => 4,
        Origin::Outside => 5,
    }
}

/// Returns the code of an outcome.
pub(crate) fn outcome_code(outcome: AuditOutcome) -> u8 {
    match outcome {
        AuditOutcome::Done => 0,
        AuditOutcome::Refused => 1,
        AuditOutcome::Failed => 2,
    }
}

/// Returns the status of a code.
pub(crate) fn status(code: u8) -> rusqlite::Result<Status> {
    decode(&Status::ALL, status_code, code, "status")
}

/// Returns the origin of a code.
pub(crate) fn origin(code: u8) -> rusqlite::Result<Origin> {
    decode(&Origin::ALL, origin_code, code, "origin")
}

/// Returns the outcome of a code.
pub(crate) fn outcome(code: u8) -> rusqlite::Result<AuditOutcome> {
    decode(&AuditOutcome::ALL, outcome_code, code, "outcome")
}

/// Returns the link kind of a code.
pub(crate) fn link_kind(code: u8) -> rusqlite::Result<LinkKind> {
    LinkKind::from_code(code)
        .ok_or_else(|| conversion_error(0, format!("no link kind has the code {code}")))
}

fn decode<T: Copy>(all: &[T], code_of: fn(T) -> u8, code: u8, what: &str) -> rusqlite::Result<T> {
    // A linear search in a handful of values; one table per enum serves both directions.
    let found = all.iter().copied().find(|value| code_of(*value) == code);
    found.ok_or_else(|| conversion_error(0, format!("no {what} has the code {code}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_reads_back_from_its_code() {
        for value in Status::ALL {
            assert_eq!(status(status_code(value)).unwrap(), value);
        }
        for value in Origin::ALL {
            assert_eq!(origin(origin_code(value)).unwrap(), value);
        }
        for value in AuditOutcome::ALL {
            assert_eq!(outcome(outcome_code(value)).unwrap(), value);
        }
        for value in LinkKind::ALL {
            assert_eq!(link_kind(value as u8).unwrap(), value);
        }
        assert_eq!(status_code(Status::Active), ACTIVE);
        assert!(status(9).is_err());
    }
}
