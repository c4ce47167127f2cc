//! Dynamic client registration (RFC 7591): a program sends its name and redirect addresses, and
//! gets an id. The name is not trusted; the owner sees it together with the host and decides.

use crate::{OAuthError, redirect};
use model::{Client, Moment, limits};
use serde::{Deserialize, Serialize};

/// Maximum number of redirect addresses of a client.
const REDIRECTS_MAX: usize = 10;
/// Name of a client that sends none. It becomes part of the name of the agent, to which grants are
/// bound, so it must not change.
const UNNAMED_CLIENT: &str = "a program without a name";

/// Metadata in a registration. Other fields are ignored, as the RFC requires.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RegistrationRequest {
    #[serde(default)]
    pub redirect_uris: Vec<String>,
    pub client_name: Option<String>,
}

/// Response to a registration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegistrationResponse {
    pub client_id: String,
    /// Time of the registration, in seconds since 1970.
    pub client_id_issued_at: i64,
    pub client_name: String,
    pub redirect_uris: Vec<String>,
    /// Always `none`: public clients have no secret and prove themselves by PKCE.
    pub token_endpoint_auth_method: &'static str,
    pub grant_types: [&'static str; 2],
    pub response_types: [&'static str; 1],
}

impl RegistrationRequest {
    /// Validates the metadata and returns the client to store.
    pub(crate) fn into_client(self, id: String, now: Moment) -> Result<Client, OAuthError> {
        if self.redirect_uris.is_empty() || self.redirect_uris.len() > REDIRECTS_MAX {
            return Err(OAuthError::InvalidRedirect(format!(
                "redirect_uris: send 1 to {REDIRECTS_MAX} addresses"
            )));
        }
        self.redirect_uris.iter().try_for_each(|address| redirect::validate(address))?;
        let name = display_name(self.client_name.as_deref().unwrap_or_default());
        limits::chars("client_name", &name, limits::NAME_CHARS)
            .map_err(|error| OAuthError::InvalidMetadata(error.to_string()))?;
        Ok(Client { id, name, redirect_uris: self.redirect_uris, registered_at: now })
    }
}

/// Normalises a name for display: one line, without invisible characters.
fn display_name(name: &str) -> String {
    let words = |c: char| if c.is_control() || c.is_whitespace() { ' ' } else { c };
    let name: String = name.chars().map(words).filter(|c| !is_deceptive(*c)).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { UNNAMED_CLIENT.to_owned() } else { name }
}

/// Returns true for characters that can make a name look like another one.
fn is_deceptive(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(c, '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

impl From<&Client> for RegistrationResponse {
    fn from(client: &Client) -> Self {
        Self {
            client_id: client.id.clone(),
            client_id_issued_at: client.registered_at.0.div_euclid(1_000_000),
            client_name: client.name.clone(),
            redirect_uris: client.redirect_uris.clone(),
            token_endpoint_auth_method: "none",
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(name: &str, redirects: &[&str]) -> Result<Client, OAuthError> {
        let redirect_uris = redirects.iter().map(|one| (*one).to_owned()).collect();
        RegistrationRequest { redirect_uris, client_name: Some(name.into()) }
            .into_client("id".into(), Moment(0))
    }

    #[test]
    fn the_name_of_a_client_is_normalised() {
        assert_eq!(
            register("  My\n editor\u{202e} ", &["https://a.example/"]).unwrap().name,
            "My editor"
        );
        assert_eq!(register("\u{200b}", &["https://a.example/"]).unwrap().name, UNNAMED_CLIENT);
    }

    #[test]
    fn invalid_metadata_is_refused() {
        assert!(register("x", &[]).is_err());
        assert!(register("x", &["https://a.example/"; REDIRECTS_MAX + 1]).is_err());
        assert!(register("x", &["https://a.example/", "javascript:alert(1)"]).is_err());
        assert!(register(&"x".repeat(10_000), &["https://a.example/"]).is_err());
    }
}
