//! A login session as it is stored: the hash of its form token, its beginning and its last request.

use super::{IDLE_SECONDS, TOTAL_SECONDS};
use model::{ContentHash, Moment};
use store::ExpiringValue;

/// A stored login session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SessionRecord {
    /// Hash of the token that forms must send.
    pub form_token: ContentHash,
    started: Moment,
    /// The last request, at most a minute late.
    pub last_seen: Moment,
}

impl SessionRecord {
    /// Creates the record of a session that starts now.
    pub fn new(form_token: ContentHash, now: Moment) -> Self {
        Self { form_token, started: now, last_seen: now }
    }

    /// Reads a stored session.
    pub fn parse(value: &ExpiringValue) -> Option<Self> {
        let mut words = value.text.split(' ');
        let form_token = ContentHash::parse(words.next()?)?;
        let mut moment = || words.next()?.parse().ok().map(Moment);
        Some(Self { form_token, started: moment()?, last_seen: moment()? })
    }

    /// Returns the session as it is stored after a request at this moment.
    pub fn seen(self, now: Moment) -> ExpiringValue {
        Self { last_seen: now, ..self }.value()
    }

    /// Returns the session as it is stored.
    pub fn value(self) -> ExpiringValue {
        let (idle, total) = (self.last_seen.plus_seconds(IDLE_SECONDS), self.total_end());
        ExpiringValue {
            text: format!("{} {} {}", self.form_token, self.started.0, self.last_seen.0),
            expires_at: idle.min(total),
        }
    }

    fn total_end(self) -> Moment {
        self.started.plus_seconds(TOTAL_SECONDS)
    }
}
