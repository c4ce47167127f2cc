//! The head of a chain as it is kept outside of the store: one signed line of a fixed length that
//! states the newest event, written after every transaction. It reveals that an older copy of the
//! store was put back, also between two checkpoints.

use super::checkpoint::{hex, unhex};
use super::{ChainKey, Mac};
use model::{AuditId, Moment};

/// The origin of the key of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainOrigin {
    /// Created with the memory, by a restore, or when the owner began the chain anew.
    Lawful,
    /// Created because the former key was missing, so that nothing proves the earlier events.
    KeyLost,
}

/// A signed statement, outside of the store, of how far a chain had come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptHead {
    /// The newest event; 0 when there is none.
    pub id: AuditId,
    /// The MAC that the newest event carries.
    pub mac: Mac,
    pub at: Moment,
    pub origin: ChainOrigin,
}

impl KeptHead {
    /// Formats the head as a signed line without a line end. All lines have the same length, so
    /// that one can be written over another.
    #[must_use]
    pub fn to_line(&self, key: &ChainKey) -> String {
        let origin = match self.origin {
            ChainOrigin::Lawful => "lawful",
            ChainOrigin::KeyLost => "broken",
        };
        let statement =
            format!("head {:020} {} {:020} {origin}", self.id.0, hex(&self.mac), self.at.0);
        let seal = hex(&key.sign("kept head", statement.as_bytes()));
        format!("{statement} {seal}")
    }

    /// Parses a signed line; `None` when this key did not sign it.
    #[must_use]
    pub fn parse(line: &str, key: &ChainKey) -> Option<Self> {
        let mut words = line.split(' ').skip(1);
        let mut next = || words.next();
        let (id, mac, at) = (next()?.parse().ok()?, unhex(next()?)?, next()?.parse().ok()?);
        let origin = match next()? {
            "lawful" => ChainOrigin::Lawful,
            "broken" => ChainOrigin::KeyLost,
            _ => return None,
        };
        let head = Self { id: AuditId(id), mac, at: Moment(at), origin };
        // Comparing the whole line checks the signature as well.
        (head.to_line(key) == line).then_some(head)
    }
}
