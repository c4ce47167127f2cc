//! OAuth 2.1 for remote clients: who may ask an owner for access, how consent becomes a code, a
//! code becomes tokens, and a token tells whom it stands for. Public clients with PKCE only; tokens
//! are opaque and kept as hashes. Knows no HTTP, no page and no clock: requests, answers and the
//! time are values.

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
