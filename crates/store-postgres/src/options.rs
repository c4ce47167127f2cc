//! Options of a store on PostgreSQL.

use std::path::PathBuf;
use std::time::Duration;
use store::{ChainKey, StoreError};

/// Options for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// The schema that holds the tables.
    pub schema: String,
    /// Maximum number of connections.
    pub connections_max: usize,
    /// Time that a call waits for a connection or a lock before it fails as busy.
    pub busy_timeout: Duration,
    /// Master key of the audit logs. Every server needs the same; it is not in the database.
    pub audit_key: [u8; ChainKey::BYTES],
    /// Password, where the address has none.
    pub password: Option<String>,
    /// File of a certificate authority, where the address names none.
    pub root_certificate: Option<PathBuf>,
    /// Keeps row-level security, the second lock between owners, in force. Only tests turn it off,
    /// to see that the first one holds alone.
    pub row_security: bool,
}

/// Generates a master key of audit logs.
///
/// # Errors
/// Fails when the system has no random numbers.
pub fn new_audit_key() -> Result<[u8; ChainKey::BYTES], StoreError> {
    let mut key = [0; ChainKey::BYTES];
    getrandom::fill(&mut key)
        .map_err(|error| StoreError::Failed { cause: format!("no random numbers: {error}") })?;
    Ok(key)
}

impl Options {
    /// Returns the defaults, with a master key of the audit logs.
    #[must_use]
    pub fn new(audit_key: [u8; ChainKey::BYTES]) -> Self {
        Self {
            schema: "quipu".to_owned(),
            // A server with a few hundred busy agents needs no more; PostgreSQL allows 100 in all.
            connections_max: 16,
            busy_timeout: Duration::from_secs(10),
            audit_key,
            password: None,
            root_certificate: None,
            row_security: true,
        }
    }
}
