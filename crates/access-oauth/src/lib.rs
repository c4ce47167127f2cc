//! OAuth 2.1 authorization server for remote clients: registration, consent of the owner, exchange
//! of codes for tokens, and identification of the caller by a token. Public clients with PKCE only;
//! tokens are opaque and stored as hashes. Knows no HTTP, no web page and no clock: requests,
//! responses and the time are values.

mod authorize;
mod codes;
mod desk;
mod document;
mod error;
pub mod metadata;
mod pkce;
mod redirect;
mod registration;
mod scope;
mod secret;
mod site;

pub use authorize::{Asked, AuthorizeRequest, Turned};
pub use desk::{Desk, Exchange, Refresh, Tokens};
pub use document::{Documents, NoDocument};
pub use error::OAuthError;
pub use registration::{Registered, RegistrationRequest};
pub use scope::SCOPES;
pub use site::Site;
