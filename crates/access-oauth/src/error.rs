//! Errors of OAuth requests, by their standard names.

use store::StoreError;
use thiserror::Error;

/// Reason why a request was refused. The text is for the developer of a client.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OAuthError {
    /// A parameter is missing, repeated or malformed.
    #[error("{0}")]
    InvalidRequest(String),
    /// The client is unknown and must register again.
    #[error("this client is not registered; register again")]
    InvalidClient,
    /// The code or refresh token is not valid, or was issued for another request.
    #[error("{0}")]
    InvalidGrant(&'static str),
    /// Only codes and refresh tokens can be exchanged.
    #[error("grant_type must be authorization_code or refresh_token")]
    UnsupportedGrantType,
    /// Only the authorization code flow is supported.
    #[error("response_type must be code")]
    UnsupportedResponseType,
    /// An unknown scope.
    #[error("the supported scopes are read and write")]
    InvalidScope,
    /// The resource is not an endpoint of this server.
    #[error("resource must be the address of an endpoint of this server")]
    InvalidTarget,
    /// A redirect address that is not allowed.
    #[error("{0}")]
    InvalidRedirect(String),
    /// Another problem in a registration.
    #[error("{0}")]
    InvalidMetadata(String),
    /// Denied by the owner.
    #[error("the owner denied access")]
    AccessDenied,
    /// A limit is reached for now.
    #[error("too many requests are pending; try again later")]
    TemporarilyUnavailable,
    /// Internal error; the cause is for the log.
    #[error("internal error; try again")]
    ServerError(String),
}

impl OAuthError {
    /// Returns the error code of the protocol.
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

    /// Returns the HTTP status for errors that are not sent by redirect.
    #[must_use]
    pub fn status(&self) -> u16 {
        match self {
            // Clients react to this status by registering again.
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
