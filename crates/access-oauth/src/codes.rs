//! Authorization codes: valid once, for a minute, and stored only in the memory of this process.
//! After a restart in that minute the client has to ask again.

use crate::pkce::Challenge;
use crate::secret::{Secret, hash};
use crate::{Asked, OAuthError};
use model::{Consent, ContentHash, FamilyId, Moment};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Lifetime of a code, in seconds.
const CODE_SECONDS: i64 = 60;
/// Maximum number of codes that are not exchanged yet.
const CODES_MAX: usize = 1_000;

/// Authorization codes that have not expired.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    issued: Mutex<HashMap<ContentHash, Issued>>,
}

#[derive(Debug)]
struct Issued {
    bound: Bound,
    until: Moment,
    state: State,
}

/// The consent behind a code, and the values that an exchange must match.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub consent: Consent,
    pub redirect: String,
    pub challenge: Challenge,
}

#[derive(Debug)]
enum State {
    Fresh,
    /// Exchanged, for a token family that may not be stored yet; `again` if the code was presented
    /// once more meanwhile.
    Spent {
        family: Option<FamilyId>,
        again: bool,
    },
}

/// Result of presenting a code.
pub(crate) enum Shown {
    /// Valid; the code is spent now.
    Fresh(Box<Bound>),
    /// Exchanged before: the token family that came of it must be revoked.
    Spent(Option<(Consent, FamilyId)>),
    /// Unknown or expired.
    Nothing,
}

impl Codes {
    /// Issues a code for what the owner approved.
    pub fn issue(
        &self,
        asked: &Asked,
        consent: Consent,
        now: Moment,
    ) -> Result<Secret, OAuthError> {
        let code = Secret::new("qpo_")?;
        let mut issued = self.issued();
        // Expired codes are removed here, so that no timer is needed.
        issued.retain(|_, one| now < one.until);
        if issued.len() >= CODES_MAX {
            return Err(OAuthError::TemporarilyUnavailable);
        }
        let (redirect, challenge) = (asked.redirect.clone(), asked.challenge.clone());
        let bound = Bound { consent, redirect, challenge };
        let until = now.plus_seconds(CODE_SECONDS);
        issued.insert(code.hash(), Issued { bound, until, state: State::Fresh });
        Ok(code)
    }

    /// Spends a code, whether or not the exchange then succeeds, so that its PKCE verifier can be
    /// guessed only once.
    pub fn spend(&self, code: &str, now: Moment) -> Shown {
        let mut issued = self.issued();
        let Some(one) = issued.get_mut(&hash(code)).filter(|one| now < one.until) else {
            return Shown::Nothing;
        };
        match &mut one.state {
            State::Fresh => {
                one.state = State::Spent { family: None, again: false };
                Shown::Fresh(Box::new(one.bound.clone()))
            }
            State::Spent { family, again } => {
                *again = true;
                Shown::Spent(family.map(|family| (one.bound.consent.clone(), family)))
            }
        }
    }

    /// Records the token family of a code. Returns true if the code was presented again meanwhile,
    /// so that the family must be revoked.
    pub fn became(&self, code: &str, new: FamilyId) -> bool {
        let mut issued = self.issued();
        match issued.get_mut(&hash(code)).map(|one| &mut one.state) {
            Some(State::Spent { family, again }) => {
                *family = Some(new);
                *again
            }
            _ => false,
        }
    }

    fn issued(&self) -> MutexGuard<'_, HashMap<ContentHash, Issued>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
