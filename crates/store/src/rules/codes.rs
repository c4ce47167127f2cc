//! Numeric codes of enum values in the tables that are written most. They are part of the stored
//! formats: a code, once assigned, keeps its meaning.

use model::{AuditOutcome, LinkKind, Origin, Status};

/// The code of `Status::Active`, for statements that filter by it.
pub const ACTIVE: u8 = 0;

/// Returns the code of a status.
#[must_use]
pub fn status_code(status: Status) -> u8 {
    match status {
        Status::Active => 0,
        Status::Proposed => 1,
        Status::Superseded => 2,
        Status::Rejected => 3,
        Status::Retired => 4,
    }
}

/// Returns the code of an origin.
#[must_use]
pub fn origin_code(origin: Origin) -> u8 {
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
#[must_use]
pub fn outcome_code(outcome: AuditOutcome) -> u8 {
    match outcome {
        AuditOutcome::Done => 0,
        AuditOutcome::Refused => 1,
        AuditOutcome::Failed => 2,
    }
}

/// Returns the status of a code.
///
/// # Errors
/// Fails when no status has the code; so the functions below.
pub fn status(code: u8) -> Result<Status, String> {
    decode(&Status::ALL, status_code, code, "status")
}

/// Returns the origin of a code.
///
/// # Errors
/// Fails when no origin has the code.
pub fn origin(code: u8) -> Result<Origin, String> {
    decode(&Origin::ALL, origin_code, code, "origin")
}

/// Returns the outcome of a code.
///
/// # Errors
/// Fails when no outcome has the code.
pub fn outcome(code: u8) -> Result<AuditOutcome, String> {
    decode(&AuditOutcome::ALL, outcome_code, code, "outcome")
}

/// Returns the link kind of a code.
///
/// # Errors
/// Fails when no link kind has the code.
pub fn link_kind(code: u8) -> Result<LinkKind, String> {
    LinkKind::from_code(code).ok_or_else(|| format!("no link kind has the code {code}"))
}

fn decode<T: Copy>(all: &[T], code_of: fn(T) -> u8, code: u8, what: &str) -> Result<T, String> {
    // A linear search in a handful of values; one table per enum serves both directions.
    let found = all.iter().copied().find(|value| code_of(*value) == code);
    found.ok_or_else(|| format!("no {what} has the code {code}"))
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
