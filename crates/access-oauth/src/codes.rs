//! Codes on their way from the owner's consent to the client: good once, for a minute, in the
//! memory of this process. A restart in that minute means asking again.

use crate::pkce::Challenge;
use crate::secret::{Secret, hash};
use crate::{Asked, OAuthError};
use model::{Consent, ContentHash, FamilyId, Moment};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long a code is good, in seconds.
const CODE_SECONDS: i64 = 60;
/// How many codes may be under way.
const CODES_MAX: usize = 1_000;

/// The codes that are under way.
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

/// What a code was made for, and what an exchange must match.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub consent: Consent,
    pub redirect: String,
    pub challenge: Challenge,
}

#[derive(Debug)]
enum State {
    Fresh,
    /// Exchanged, for a family that may still be on its way; `again` when it was shown once more
    /// meanwhile.
    Spent {
        family: Option<FamilyId>,
        again: bool,
    },
}

/// What a code that is shown stands for.
pub(crate) enum Shown {
    /// What it was made for. It is spent now.
    Fresh(Box<Bound>),
    /// It was exchanged before: whatever came of it must end.
    Spent(Option<(Consent, FamilyId)>),
    /// Nothing: unknown or too old.
    Nothing,
}

impl Codes {
    /// A code for what the owner agreed to.
    pub fn issue(
        &self,
        asked: &Asked,
        consent: Consent,
        now: Moment,
    ) -> Result<Secret, OAuthError> {
        let code = Secret::new("qpo_")?;
        let mut issued = self.issued();
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

    /// Spends a code, whether or not the exchange then succeeds: a guess at its proof is never made
    /// twice.
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

    /// Notes what came of a code. Answers whether it was shown again meanwhile, so that the family
    /// must end.
    pub fn became(&self, code: &str, made: FamilyId) -> bool {
        let mut issued = self.issued();
        match issued.get_mut(&hash(code)).map(|one| &mut one.state) {
            Some(State::Spent { family, again }) => {
                *family = Some(made);
                *again
            }
            _ => false,
        }
    }

    fn issued(&self) -> MutexGuard<'_, HashMap<ContentHash, Issued>> {
        self.issued.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
