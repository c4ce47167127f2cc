//! Signs people in through an OpenID Connect provider: discovery, the authorization code flow with
//! PKCE, and the ID token, verified against the provider's keys. It calls the one provider that is
//! configured, and follows no redirect. Knows no page, no owner and no session: the result is the
//! issuer and the subject of a person.

mod error;
mod id_token;
mod provider_client;
mod provider_documents;
mod ring_verifier;
mod settings;
mod sign_in;
mod sign_in_secret;

pub use error::SignInError;
pub use settings::{BadProvider, ProviderSettings};
pub use sign_in::{ProviderResponse, SignIn, SignInOutcome, SignInRedirect};

/// A person as the provider knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderIdentity {
    pub issuer: String,
    /// Name of the person at the provider, which never changes.
    pub subject: String,
    /// Name that the person chose; another one may have it later.
    pub username: Option<String>,
}
