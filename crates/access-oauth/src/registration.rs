//! Dynamic registration (RFC 7591): a program tells its name and where answers go, and gets an id.
//! What it says of itself is believed by nobody; the owner sees the name and the host and decides.

use crate::{OAuthError, redirect};
use model::{Client, Moment, limits};
use serde::{Deserialize, Serialize};

/// How many addresses a client may register.
const REDIRECTS_MAX: usize = 10;
/// What a client is called that does not say.
const NAMELESS: &str = "a program without a name";

/// What a program may say of itself. What is not listed is ignored, as the RFC asks.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct RegistrationRequest {
    /// Where answers go.
    #[serde(default)]
    pub redirect_uris: Vec<String>,
    /// What it calls itself.
    pub client_name: Option<String>,
}

/// What a program is told when it has registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Registered {
    /// What it is known by.
    pub client_id: String,
    /// When, in seconds since 1970.
    pub client_id_issued_at: i64,
    /// What it is called.
    pub client_name: String,
    /// Where answers go.
    pub redirect_uris: Vec<String>,
    /// Always without a secret: whoever has the code and its proof is the client.
    pub token_endpoint_auth_method: &'static str,
    /// What it may exchange.
    pub grant_types: [&'static str; 2],
    /// What it may ask for.
    pub response_types: [&'static str; 1],
}

impl RegistrationRequest {
    /// The client as it is to be kept.
    pub(crate) fn client(self, id: String, now: Moment) -> Result<Client, OAuthError> {
        if self.redirect_uris.is_empty() || self.redirect_uris.len() > REDIRECTS_MAX {
            return Err(OAuthError::InvalidRedirect(format!(
                "redirect_uris: give 1 to {REDIRECTS_MAX}"
            )));
        }
        self.redirect_uris.iter().try_for_each(|address| redirect::check(address))?;
        let name = shown(self.client_name.as_deref().unwrap_or_default());
        limits::chars("client_name", &name, limits::NAME_CHARS)
            .map_err(|error| OAuthError::InvalidMetadata(error.to_string()))?;
        Ok(Client { id, name, redirects: self.redirect_uris, registered_at: now })
    }
}

/// A name as it can be shown: one line, without what cannot be seen.
fn shown(name: &str) -> String {
    let words = |c: char| if c.is_control() || c.is_whitespace() { ' ' } else { c };
    let name: String = name.chars().map(words).filter(|c| !reads_backwards_or_hides(*c)).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() { NAMELESS.to_owned() } else { name }
}

/// Characters that make a name look like another one.
fn reads_backwards_or_hides(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

impl From<&Client> for Registered {
    fn from(client: &Client) -> Self {
        Self {
            client_id: client.id.clone(),
            client_id_issued_at: client.registered_at.0.div_euclid(1_000_000),
            client_name: client.name.clone(),
            redirect_uris: client.redirects.clone(),
            token_endpoint_auth_method: "none",
            grant_types: ["authorization_code", "refresh_token"],
            response_types: ["code"],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(name: &str, redirects: &[&str]) -> Result<Client, OAuthError> {
        let redirect_uris = redirects.iter().map(|one| (*one).to_owned()).collect();
        RegistrationRequest { redirect_uris, client_name: Some(name.into()) }
            .client("id".into(), Moment(0))
    }

    #[test]
    fn a_client_is_kept_with_a_name_that_can_be_read() {
        assert_eq!(
            asked("  My\n editor\u{202e} ", &["https://a.example/"]).unwrap().name,
            "My editor"
        );
        assert_eq!(asked("\u{200b}", &["https://a.example/"]).unwrap().name, NAMELESS);
    }

    #[test]
    fn what_is_too_much_or_leads_nowhere_is_refused() {
        assert!(asked("x", &[]).is_err());
        assert!(asked("x", &["https://a.example/"; REDIRECTS_MAX + 1]).is_err());
        assert!(asked("x", &["https://a.example/", "javascript:alert(1)"]).is_err());
        assert!(asked(&"x".repeat(10_000), &["https://a.example/"]).is_err());
    }
}
