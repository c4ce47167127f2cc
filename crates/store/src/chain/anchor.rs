//! The head of a chain in a form that its owner can keep elsewhere, and its comparison with the
//! chain of today. It needs no key: nobody without the key can make events that carry its MAC, and
//! whoever has the key cannot change what was kept elsewhere.

use super::checkpoint::{hex, unhex};
use super::{ChainReport, Mac};
use model::{AuditId, OwnerId};

/// First part of each line.
const LABEL: &str = "quipu-audit-head";

/// The head of an owner's chain at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainAnchor {
    pub owner: OwnerId,
    /// The newest event; 0 when there was none.
    pub id: AuditId,
    /// The MAC that the newest event carries.
    pub mac: Mac,
}

impl ChainAnchor {
    /// Formats the anchor as a line without a line end.
    #[must_use]
    pub fn to_line(&self) -> String {
        format!("{LABEL}:{}:{}:{}", self.owner, self.id, hex(&self.mac))
    }

    /// Parses a line; `None` when it is not one.
    #[must_use]
    pub fn parse(line: &str) -> Option<Self> {
        let mut parts = line.trim().split(':');
        let label = parts.next()?;
        let owner = OwnerId::new(parts.next()?).ok()?;
        let id = AuditId(parts.next()?.parse().ok().filter(|id| *id >= 0)?);
        let mac = unhex(parts.next()?)?;
        (label == LABEL && parts.next().is_none()).then_some(Self { owner, id, mac })
    }

    /// Compares the anchor with a verified chain, given the MAC that its event carries there.
    /// Returns the problem in words.
    ///
    /// # Errors
    /// Fails when the chain does not contain the anchor.
    pub fn check(&self, report: &ChainReport, carried: Option<Mac>) -> Result<(), String> {
        let Self { id, mac, .. } = self;
        match (carried, report.end) {
            // Nothing comes before the first event.
            _ if id.0 == 0 => Ok(()),
            (Some(carried), _) if carried == *mac => Ok(()),
            (None, Some((end, value))) if end == *id && value == *mac => Ok(()),
            (Some(_), _) => Err(format!("event {id} is not the one that the line names")),
            (None, Some((end, _))) if end < *id => Err(format!(
                "events {} to {id} are missing: the log ends earlier than the line",
                end.0 + 1
            )),
            (None, _) => Err(format!(
                "event {id} is not in the log any more, so it cannot be compared; retention or a \
                 restore may have removed it"
            )),
        }
    }
}
