//! What can be wrong with a request, by the names that OAuth gives it.

use store::StoreError;
use thiserror::Error;

/// Why a request was turned down. The text is for the developer of a client.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OAuthError {
    /// Something is missing, given twice or malformed.
    #[error("{0}")]
    InvalidRequest(String),
    /// The client is not known here, so that it must register again.
    #[error("this client is not registered here; register again")]
    InvalidClient,
    /// The code or refresh token opens nothing, or was not made for this request.
    #[error("{0}")]
    InvalidGrant(&'static str),
    /// Only codes and refresh tokens are exchanged here.
    #[error("grant_type must be authorization_code or refresh_token")]
    UnsupportedGrantType,
    /// Only codes are given here.
    #[error("response_type must be code")]
    UnsupportedResponseType,
    /// A scope that there is not.
    #[error("the scopes are read and write")]
    InvalidScope,
    /// The resource is none of this server's endpoints.
    #[error("resource must be the address of an endpoint of this server")]
    InvalidTarget,
    /// A redirect address that no answer may be sent to.
    #[error("{0}")]
    InvalidRedirect(String),
    /// Something else in a registration.
    #[error("{0}")]
    InvalidMetadata(String),
    /// The owner said no.
    #[error("the owner did not agree")]
    AccessDenied,
    /// There is no room, for now.
    #[error("too many are waiting; try again in a while")]
    TemporarilyUnavailable,
    /// A fault of our own; the cause is for the log.
    #[error("something went wrong inside; try again")]
    ServerError(String),
}

impl OAuthError {
    /// The name that goes over the wire.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::InvalidRequest(_) => "invalid_request",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant(_) => "invalid_grant",
            Self::UnsupportedGrantType => "unsupported_grant_type",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::InvalidScope => "invalid_scope",
            Self::InvalidTarget => "invalid_target",
            Self::InvalidRedirect(_) => "invalid_redirect_uri",
            Self::InvalidMetadata(_) => "invalid_client_metadata",
            Self::AccessDenied => "access_denied",
            Self::TemporarilyUnavailable => "temporarily_unavailable",
            Self::ServerError(_) => "server_error",
        }
    }

    /// The HTTP status that goes with it where it is not sent by redirect.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            // Clients take this one as the word to register again.
            Self::InvalidClient => 401,
            Self::TemporarilyUnavailable => 503,
            Self::ServerError(_) => 500,
            _ => 400,
        }
    }
}

impl From<StoreError> for OAuthError {
    fn from(error: StoreError) -> Self {
        Self::ServerError(error.to_string())
    }
}
