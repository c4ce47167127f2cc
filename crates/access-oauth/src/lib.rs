//! OAuth 2.1 authorization server for remote clients: registration, consent of the owner, exchange
//! of codes for tokens, and identification of the caller by a token. Public clients with PKCE only;
//! tokens are opaque and stored as hashes. Knows no HTTP, no web page and no clock: requests,
//! responses and the time are values.

mod authorization_codes;
mod authorization_server;
mod client_document;
mod consent_request;
mod error;
pub mod metadata;
mod pkce;
mod redirect;
mod registration;
mod scope;
mod secret;
mod site;

pub use authorization_server::{AuthorizationServer, CodeExchange, TokenRefresh, TokenResponse};
pub use client_document::{ClientDocuments, DocumentError};
pub use consent_request::{AuthorizeRefusal, AuthorizeRequest, ConsentRequest};
pub use error::OAuthError;
pub use registration::{RegistrationRequest, RegistrationResponse};
pub use scope::SCOPES;
pub use site::Site;

#[cfg(test)]
mod fuzz_tests;
