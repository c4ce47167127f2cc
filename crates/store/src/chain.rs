//! The audit chain: each event carries a MAC (HMAC-SHA-256) over itself and the MAC of the event
//! before it, under a key that is stored outside of the database. Changing, dropping, swapping or
//! truncating events without the key is detected and located. Every backend chains and verifies
//! with this module, which does not know where key and checkpoints are stored.

mod anchor;
mod checkpoint;
mod kept_head;
mod verify;

pub use anchor::ChainAnchor;
pub use checkpoint::{Checkpoint, CheckpointKind};
pub use kept_head::{ChainOrigin, KeptHead};
pub use verify::{ChainFault, ChainHead, ChainReport, ChainVerifier};

use hmac::{Hmac, KeyInit, Mac as _};
use model::AuditEvent;
use sha2::Sha256;
use std::fmt;

/// The MAC that an event carries: it covers the event and the whole chain before it.
pub type Mac = [u8; 32];

/// The MAC that precedes the first event of a chain.
pub const CHAIN_START: Mac = [0; 32];

/// The key of one owner's chain. Its `Debug` output hides the bytes.
#[derive(Clone)]
pub struct ChainKey([u8; 32]);

impl ChainKey {
    /// Length of a key in bytes.
    pub const BYTES: usize = 32;

    /// Wraps the random bytes of a key.
    #[must_use]
    pub fn new(key: [u8; Self::BYTES]) -> Self {
        Self(key)
    }

    /// Computes the MAC of an event, given the MAC of the event before it.
    #[must_use]
    pub fn next_mac(&self, before: &Mac, event: &AuditEvent) -> Mac {
        // Destructured without `..`, so that a new field cannot be left out of the MAC unnoticed.
        let AuditEvent { id, seq, author, resource, outcome, at, duration_us, arguments, note } =
            event;
        let mut mac = self.mac_for_purpose("event");
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
            // Length-prefixed, so that no two lists of words give the same bytes.
            mac.update(&(word.len() as u64).to_le_bytes());
            mac.update(word.as_bytes());
        }
        mac.finalize().into_bytes().into()
    }

    /// Computes a MAC over a statement that is valid for one purpose only.
    pub(crate) fn sign(&self, purpose: &str, statement: &[u8]) -> Mac {
        let mut mac = self.mac_for_purpose(purpose);
        mac.update(statement);
        mac.finalize().into_bytes().into()
    }

    /// Starts a MAC with its purpose (domain separation): a MAC of an event can never pass as that
    /// of a checkpoint.
    fn mac_for_purpose(&self, purpose: &str) -> Hmac<Sha256> {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes any key length");
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
