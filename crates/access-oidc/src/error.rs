//! Reasons why nobody was signed in.

use store::StoreError;

/// Error for a sign-in that did not succeed. The message is for the person at the browser and
/// contains no secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignInError {
    /// The provider cannot be reached, or its answer makes no sense.
    #[error("the identity provider does not answer as it should: {0}")]
    Provider(String),
    /// The provider refused, or the person did.
    #[error("the identity provider refused: {0}")]
    Refused(String),
    /// The sign-in was not started in this browser, has expired, or was already used.
    #[error("this sign-in has expired or was started in another browser; start again")]
    UnknownState,
    /// The ID token is not acceptable.
    #[error("the identity provider sent a token that is not valid: {0}")]
    Token(&'static str),
    #[error("the system provided no random numbers")]
    NoRandomness,
    #[error("the sign-in cannot be stored at the moment; try again")]
    NotStored,
}

impl From<StoreError> for SignInError {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, cause = error.cause(), "a sign-in cannot be stored");
        Self::NotStored
    }
}
