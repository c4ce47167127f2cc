//! Marks: signed lines outside the store that say what the chain was at an event. They show what
//! the store alone cannot: that its newest events were cut off, or its oldest removed by somebody
//! else than retention.

use super::{ChainKey, Mac};
use model::{AuditId, Moment};

/// What a mark says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkKind {
    /// The chain begins after this event: what came before it is gone, or was not sealed with this
    /// key.
    Begin,
    /// The chain had come to this event.
    Check,
}

/// A mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// What it says.
    pub kind: MarkKind,
    /// Of which event.
    pub id: AuditId,
    /// The value of the chain after that event.
    pub mac: Mac,
    /// When it was made.
    pub at: Moment,
}

impl Mark {
    /// The mark as a signed line, without its end.
    #[must_use]
    pub fn line(&self, key: &ChainKey) -> String {
        let statement = self.statement();
        let seal = hex(&key.seal("mark", statement.as_bytes()));
        format!("{statement} {seal}")
    }

    /// The mark in a line; `None` when this key did not sign it.
    #[must_use]
    pub fn read(line: &str, key: &ChainKey) -> Option<Self> {
        let mut words = line.split(' ');
        let mut next = || words.next();
        let kind = match next()? {
            "begin" => MarkKind::Begin,
            "check" => MarkKind::Check,
            _ => return None,
        };
        let (id, mac, at) = (next()?.parse().ok()?, unhex(next()?)?, next()?.parse().ok()?);
        let mark = Self { kind, id: AuditId(id), mac, at: Moment(at) };
        // What is written must be what we would have written, to the letter.
        (mark.line(key) == line).then_some(mark)
    }

    fn statement(&self) -> String {
        let kind = match self.kind {
            MarkKind::Begin => "begin",
            MarkKind::Check => "check",
        };
        format!("{kind} {} {} {}", self.id, hex(&self.mac), self.at.0)
    }
}

fn hex(mac: &Mac) -> String {
    mac.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(digits: &str) -> Option<Mac> {
    let mut mac = [0; 32];
    if digits.len() != 64 || !digits.is_ascii() {
        return None;
    }
    for (byte, pair) in mac.iter_mut().zip(digits.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(mac)
}
