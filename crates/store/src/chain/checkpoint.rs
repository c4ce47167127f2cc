//! Checkpoints: signed lines outside of the store that state the MAC of the chain at an event. They
//! reveal what the store alone cannot: that its newest events were truncated, or that its oldest
//! were removed by something other than retention.

use super::{ChainKey, Mac};
use model::{AuditId, Moment};

/// Purpose of the signatures of checkpoints.
// Lines under this one were written beside a kept head, which therefore must exist; those under the
// earlier one are from before there was any.
const PURPOSE: &str = "checkpoint";
const PURPOSE_WITHOUT_HEAD: &str = "mark";

/// The statement of a checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckpointKind {
    /// The chain begins after this event: earlier ones were removed or are under another key.
    Start,
    /// The chain contained this event.
    Reached,
}

/// A signed statement about the chain at one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Checkpoint {
    pub kind: CheckpointKind,
    pub id: AuditId,
    /// The MAC that the event carries.
    pub mac: Mac,
    pub at: Moment,
}

impl Checkpoint {
    /// Formats the checkpoint as a signed line without a line end.
    #[must_use]
    pub fn to_line(&self, key: &ChainKey) -> String {
        self.line_for(PURPOSE, key)
    }

    fn line_for(&self, purpose: &str, key: &ChainKey) -> String {
        let statement = self.statement();
        let seal = hex(&key.sign(purpose, statement.as_bytes()));
        format!("{statement} {seal}")
    }

    /// Parses a signed line; `None` when this key did not sign it.
    #[must_use]
    pub fn parse(line: &str, key: &ChainKey) -> Option<Self> {
        Self::parse_with_origin(line, key).map(|(checkpoint, _)| checkpoint)
    }

    /// Parses a signed line, and says whether it was written beside a kept head.
    #[must_use]
    pub fn parse_with_origin(line: &str, key: &ChainKey) -> Option<(Self, bool)> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        let kind = match next()? {
            "begin" => CheckpointKind::Start,
            "check" => CheckpointKind::Reached,
            _ => return None,
        };
        let (id, mac, at) = (next()?.parse().ok()?, unhex(next()?)?, next()?.parse().ok()?);
        let mark = Self { kind, id: AuditId(id), mac, at: Moment(at) };
        // Comparing the whole line checks the signature and also rejects any other spelling of the
        // same values.
        let signed_for = |purpose| mark.line_for(purpose, key) == line;
        let beside_head = signed_for(PURPOSE);
        (beside_head || signed_for(PURPOSE_WITHOUT_HEAD)).then_some((mark, beside_head))
    }

    fn statement(&self) -> String {
        let kind = match self.kind {
            CheckpointKind::Start => "begin",
            CheckpointKind::Reached => "check",
        };
        format!("{kind} {} {} {}", self.id, hex(&self.mac), self.at.0)
    }
}

pub(super) fn hex(mac: &Mac) -> String {
    mac.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn unhex(digits: &str) -> Option<Mac> {
    let mut mac = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (byte, pair) in mac.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(mac)
}
