//! Authorization codes: valid once, for a minute, and stored as hashes where all servers of a team
//! find them. A server over files keeps them in its memory; after a restart in that minute the
//! client has to ask again.

use crate::pkce::PkceChallenge;
use crate::secret::{OauthSecret, hash};
use crate::{ConsentRequest, OAuthError};
use model::{AgentName, Consent, Moment, OwnerId, Permission, TokenFamilyId};
use serde::{Deserialize, Serialize};
use store::{ExpiringValue, OwnerValues, ValueKind};

/// Lifetime of a code, in seconds.
const CODE_SECONDS: i64 = 60;

/// Authorization codes that have not expired.
#[derive(Clone)]
pub(crate) struct AuthorizationCodes {
    values: OwnerValues,
}

/// A code as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct IssuedCode {
    owner: String,
    agent: String,
    client: String,
    resource: String,
    scope: String,
    redirect: String,
    challenge: String,
    state: CodeState,
}

/// The consent behind a code, and the values that an exchange must match.
#[derive(Debug, Clone)]
pub(crate) struct CodeBinding {
    pub consent: Consent,
    pub redirect: String,
    pub challenge: PkceChallenge,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
enum CodeState {
    Fresh,
    /// Exchanged, for a token family that may not be stored yet; `again` if the code was presented
    /// once more meanwhile.
    Spent {
        family: Option<i64>,
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
    pub fn new(values: OwnerValues) -> Self {
        Self { values }
    }

    /// Issues a code for what the owner approved.
    pub async fn issue(
        &self,
        asked: &ConsentRequest,
        consent: Consent,
        now: Moment,
    ) -> Result<OauthSecret, OAuthError> {
        let code = OauthSecret::new("qpo_")?;
        let (redirect, challenge) = (asked.redirect.clone(), asked.challenge.clone());
        let issued = IssuedCode::new(CodeBinding { consent, redirect, challenge });
        let value = issued.value(now.plus_seconds(CODE_SECONDS))?;
        self.values.put(ValueKind::OauthCode, code.hash(), value, now).await?;
        Ok(code)
    }

    /// Spends a code, whether or not the exchange then succeeds, so that its PKCE verifier can be
    /// guessed only once.
    pub async fn spend(&self, code: &str, now: Moment) -> Result<PresentedCode, OAuthError> {
        self.change(code, now, PresentedCode::Unknown, |issued| {
            let before = issued.binding()?;
            Ok(match &mut issued.state {
                CodeState::Fresh => {
                    issued.state = CodeState::Spent { family: None, again: false };
                    PresentedCode::Fresh(Box::new(before))
                }
                CodeState::Spent { family, again } => {
                    *again = true;
                    PresentedCode::Spent(
                        family.map(|family| (before.consent, TokenFamilyId(family))),
                    )
                }
            })
        })
        .await
    }

    /// Records the token family of a code. Returns true if the code was presented again meanwhile,
    /// so that the family must be revoked.
    pub async fn record_family(
        &self,
        code: &str,
        new: TokenFamilyId,
        now: Moment,
    ) -> Result<bool, OAuthError> {
        self.change(code, now, false, |issued| {
            Ok(match &mut issued.state {
                CodeState::Spent { family, again } => {
                    *family = Some(new.0);
                    *again
                }
                CodeState::Fresh => false,
            })
        })
        .await
    }

    /// Changes a code that has not expired; `otherwise` is the answer for any other.
    async fn change<T>(
        &self,
        code: &str,
        now: Moment,
        otherwise: T,
        change: impl Fn(&mut IssuedCode) -> Result<T, OAuthError> + Send + Sync,
    ) -> Result<T, OAuthError> {
        let step = |found: Option<&ExpiringValue>| {
            let Some(found) = found else { return (None, Ok(None)) };
            let changed = IssuedCode::parse(found).and_then(|mut issued| {
                let answer = change(&mut issued)?;
                Ok((issued.value(found.expires_at)?, answer))
            });
            match changed {
                Ok((value, answer)) => (Some(value), Ok(Some(answer))),
                Err(error) => (Some(found.clone()), Err(error)),
            }
        };
        let changed = self.values.update(ValueKind::OauthCode, hash(code), now, step).await?;
        Ok(changed?.unwrap_or(otherwise))
    }
}

impl IssuedCode {
    fn new(binding: CodeBinding) -> Self {
        let CodeBinding { consent, redirect, challenge } = binding;
        Self {
            owner: consent.owner.to_string(),
            agent: consent.agent.to_string(),
            client: consent.client,
            resource: consent.resource,
            scope: consent.scope.name().to_owned(),
            redirect,
            challenge: challenge.as_str().to_owned(),
            state: CodeState::Fresh,
        }
    }

    fn value(&self, expires_at: Moment) -> Result<ExpiringValue, OAuthError> {
        let text = serde_json::to_string(self);
        let text = text.map_err(|error| OAuthError::ServerError(error.to_string()))?;
        Ok(ExpiringValue { text, expires_at })
    }

    fn parse(value: &ExpiringValue) -> Result<Self, OAuthError> {
        serde_json::from_str(&value.text).map_err(|_| damaged())
    }

    fn binding(&self) -> Result<CodeBinding, OAuthError> {
        let consent = Consent {
            owner: OwnerId::new(&self.owner).map_err(|_| damaged())?,
            agent: AgentName::new(&self.agent),
            client: self.client.clone(),
            resource: self.resource.clone(),
            scope: Permission::parse(&self.scope).ok_or_else(damaged)?,
        };
        let challenge = PkceChallenge::parse(Some(&self.challenge), Some("S256"))?;
        Ok(CodeBinding { consent, redirect: self.redirect.clone(), challenge })
    }
}

fn damaged() -> OAuthError {
    OAuthError::ServerError("a stored authorization code is damaged".to_owned())
}
