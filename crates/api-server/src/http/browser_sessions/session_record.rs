//! A login session as it is stored: the hash of its form token, its beginning and its last request,
//! who logged in, and the memory that the person chose.

use super::{IDLE_SECONDS, TOTAL_SECONDS};
use model::{ContentHash, Moment, OwnerId};
use store::ExpiringValue;

/// A stored login session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionRecord {
    /// Hash of the token that forms must send.
    pub form_token: ContentHash,
    started: Moment,
    /// The last request, at most a minute late.
    pub last_seen: Moment,
    /// Login at an identity provider; `None` for the owner of the server.
    pub identity: Option<ContentHash>,
    /// Group whose memory the person chose, instead of their own.
    pub memory: Option<OwnerId>,
}

/// Word for a part that is missing.
const MISSING: &str = "-";

impl SessionRecord {
    /// Creates the record of a session that starts now.
    pub fn new(form_token: ContentHash, identity: Option<ContentHash>, now: Moment) -> Self {
        Self { form_token, started: now, last_seen: now, identity, memory: None }
    }

    /// Reads a stored session.
    pub fn parse(value: &ExpiringValue) -> Option<Self> {
        let mut words = value.text.split(' ');
        let form_token = ContentHash::parse(words.next()?)?;
        let mut moment = || words.next()?.parse().ok().map(Moment);
        let (started, last_seen) = (moment()?, moment()?);
        // A word that is not readable is no login at all, instead of that of the owner.
        let identity = match words.next() {
            None | Some(MISSING) => None,
            Some(hash) => Some(ContentHash::parse(hash)?),
        };
        let memory = words.next().and_then(|name| OwnerId::new(name).ok());
        Some(Self { form_token, started, last_seen, identity, memory })
    }

    /// Returns the session as it is stored after a request at this moment.
    pub fn seen(&self, now: Moment) -> ExpiringValue {
        Self { last_seen: now, ..self.clone() }.value()
    }

    /// Returns the session as it is stored after the person chose a memory.
    pub fn showing(self, memory: Option<OwnerId>) -> ExpiringValue {
        Self { memory, ..self }.value()
    }

    /// Returns the session as it is stored.
    pub fn value(&self) -> ExpiringValue {
        let identity = self.identity.map_or(MISSING.to_owned(), |hash| hash.to_string());
        let memory = self.memory.as_ref().map_or(MISSING, OwnerId::as_str);
        let (idle, total) = (self.last_seen.plus_seconds(IDLE_SECONDS), self.total_end());
        ExpiringValue {
            text: format!(
                "{} {} {} {identity} {memory}",
                self.form_token, self.started.0, self.last_seen.0
            ),
            expires_at: idle.min(total),
        }
    }

    fn total_end(&self) -> Moment {
        self.started.plus_seconds(TOTAL_SECONDS)
    }
}
