//! The audit chain: each event carries a MAC over itself and the one before it, under a key that
//! lies outside the store. Whoever changes, drops, swaps or cuts off events without the key is
//! found out, and where. Every backend chains and verifies with what is here; where key and
//! checkpoints lie is the backend's own.

mod mark;
mod verify;

pub use mark::{Mark, MarkKind};
pub use verify::{ChainFault, ChainReport, Head, Verifier};

use hmac::{Hmac, KeyInit, Mac as _};
use model::AuditEvent;
use sha2::Sha256;
use std::fmt;

/// The value of a chain after an event.
pub type Mac = [u8; 32];

/// The value of a chain before its first event.
pub const CHAIN_START: Mac = [0; 32];

/// The key of one owner's chain. It is never printed.
#[derive(Clone)]
pub struct ChainKey([u8; 32]);

impl ChainKey {
    /// How long a key is, in bytes.
    pub const BYTES: usize = 32;

    /// Takes a key as it was made.
    #[must_use]
    pub fn new(key: [u8; Self::BYTES]) -> Self {
        Self(key)
    }

    /// The value of the chain after an event, whose number is part of it.
    #[must_use]
    pub fn link(&self, before: &Mac, event: &AuditEvent) -> Mac {
        let AuditEvent { id, seq, author, resource, outcome, at, duration_us, arguments, note } =
            event;
        let mut mac = self.purpose("event");
        mac.update(before);
        for number in [id.0, seq.0, at.0] {
            mac.update(&number.to_le_bytes());
        }
        mac.update(&duration_us.to_le_bytes());
        mac.update(&arguments.0);
        let client = author.client.as_deref();
        mac.update(&[u8::from(client.is_some())]);
        let words = [
            author.agent.as_str(),
            client.unwrap_or(""),
            author.dialect.name(),
            &author.tool,
            resource,
            outcome.name(),
            note,
        ];
        for word in words {
            // With its length before it, no two lists of words look the same.
            mac.update(&(word.len() as u64).to_le_bytes());
            mac.update(word.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    /// A seal over a statement, for one purpose and no other.
    pub(crate) fn seal(&self, purpose: &str, statement: &[u8]) -> Mac {
        let mut mac = self.purpose(purpose);
        mac.update(statement);
        mac.finalize().into_bytes().into()
    }

    fn purpose(&self, purpose: &str) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key of any length will do");
        mac.update(&(purpose.len() as u64).to_le_bytes());
        mac.update(purpose.as_bytes());
        mac
    }
}

impl fmt::Debug for ChainKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ChainKey(…)")
    }
}

#[cfg(test)]
mod tests;
