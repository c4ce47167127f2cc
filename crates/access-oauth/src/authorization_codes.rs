//! Authorization codes: valid once, for a minute, and stored only in the memory of this process.
//! After a restart in that minute the client has to ask again.

use crate::pkce::PkceChallenge;
use crate::secret::{OauthSecret, hash};
use crate::{ConsentRequest, OAuthError};
use model::{Consent, ContentHash, Moment, TokenFamilyId};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;

/// Lifetime of a code, in seconds.
const CODE_SECONDS: i64 = 60;
/// Maximum number of codes that are not exchanged yet.
const CODES_MAX: usize = 1_000;

/// Authorization codes that have not expired.
#[derive(Debug, Default)]
pub(crate) struct AuthorizationCodes {
    issued: Mutex<HashMap<ContentHash, IssuedCode>>,
}

#[derive(Debug)]
struct IssuedCode {
    binding: CodeBinding,
    until: Moment,
    state: CodeState,
}

/// The consent behind a code, and the values that an exchange must match.
#[derive(Debug, Clone)]
pub(crate) struct CodeBinding {
    pub consent: Consent,
    pub redirect: String,
    pub challenge: PkceChallenge,
}

#[derive(Debug)]
enum CodeState {
    Fresh,
    /// Exchanged, for a token family that may not be stored yet; `again` if the code was presented
    /// once more meanwhile.
    Spent {
        family: Option<TokenFamilyId>,
        again: bool,
    },
}

/// Result of presenting a code.
pub(crate) enum PresentedCode {
    /// Valid; the code is spent now.
    Fresh(Box<CodeBinding>),
    /// Exchanged before: the token family that came of it must be revoked.
    Spent(Option<(Consent, TokenFamilyId)>),
    /// Unknown or expired.
    Unknown,
}

impl AuthorizationCodes {
    /// Issues a code for what the owner approved.
    pub fn issue(
        &self,
        asked: &ConsentRequest,
        consent: Consent,
        now: Moment,
    ) -> Result<OauthSecret, OAuthError> {
        let code = OauthSecret::new("qpo_")?;
        let mut issued = self.lock_issued();
        // Expired codes are removed here, so that no timer is needed.
        issued.retain(|_, one| now < one.until);
        if issued.len() >= CODES_MAX {
            return Err(OAuthError::TemporarilyUnavailable);
        }
        let (redirect, challenge) = (asked.redirect.clone(), asked.challenge.clone());
        let binding = CodeBinding { consent, redirect, challenge };
        let until = now.plus_seconds(CODE_SECONDS);
        issued.insert(code.hash(), IssuedCode { binding, until, state: CodeState::Fresh });
        Ok(code)
    }

    /// Spends a code, whether or not the exchange then succeeds, so that its PKCE verifier can be
    /// guessed only once.
    pub fn spend(&self, code: &str, now: Moment) -> PresentedCode {
        let mut issued = self.lock_issued();
        let Some(one) = issued.get_mut(&hash(code)).filter(|one| now < one.until) else {
            return PresentedCode::Unknown;
        };
        match &mut one.state {
            CodeState::Fresh => {
                one.state = CodeState::Spent { family: None, again: false };
                PresentedCode::Fresh(Box::new(one.binding.clone()))
            }
            CodeState::Spent { family, again } => {
                *again = true;
                PresentedCode::Spent(family.map(|family| (one.binding.consent.clone(), family)))
            }
        }
    }

    /// Records the token family of a code. Returns true if the code was presented again meanwhile,
    /// so that the family must be revoked.
    pub fn record_family(&self, code: &str, new: TokenFamilyId) -> bool {
        let mut issued = self.lock_issued();
        match issued.get_mut(&hash(code)).map(|one| &mut one.state) {
            Some(CodeState::Spent { family, again }) => {
                *family = Some(new);
                *again
            }
            _ => false,
        }
    }

    fn lock_issued(&self) -> MutexGuard<'_, HashMap<ContentHash, IssuedCode>> {
        self.issued.lock()
    }
}
