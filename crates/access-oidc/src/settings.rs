//! The configuration of a provider, validated.

use std::fmt;

/// Addresses of this machine, which alone may be used without TLS.
const LOCAL_HOSTS: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// A provider and this server's registration with it.
#[derive(Clone, PartialEq, Eq)]
pub struct ProviderSettings {
    /// Issuer, exactly as the provider writes it.
    pub issuer: String,
    pub client_id: String,
    /// Secret of the client; a public client has none.
    pub client_secret: Option<String>,
    /// Name of the provider on the login page.
    pub name: String,
    /// Scopes besides `openid`, separated by spaces.
    pub scopes: String,
}

/// Error for a provider that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadProvider {
    #[error("`{0}` is not an issuer; write it as https://login.example, without a query")]
    Issuer(String),
    #[error("the client id is empty")]
    ClientId,
}

impl ProviderSettings {
    /// Creates the settings of a public client that asks for the name of a person.
    ///
    /// # Errors
    /// Fails when the issuer is no https address (http is allowed on this machine), or the client
    /// has no id.
    pub fn new(issuer: &str, client_id: &str) -> Result<Self, BadProvider> {
        let (issuer, client_id) = (issuer.trim(), client_id.trim());
        if !is_allowed(issuer) || issuer.contains(['?', '#', ' ', '@']) {
            return Err(BadProvider::Issuer(issuer.chars().take(200).collect()));
        }
        if client_id.is_empty() {
            return Err(BadProvider::ClientId);
        }
        let host = issuer.split('/').nth(2).unwrap_or(issuer).to_owned();
        Ok(Self {
            issuer: issuer.to_owned(),
            client_id: client_id.to_owned(),
            client_secret: None,
            name: host,
            scopes: "profile".to_owned(),
        })
    }
}

impl fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The secret stays out of logs.
        f.debug_struct("ProviderSettings")
            .field("issuer", &self.issuer)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

/// Returns true for an address that may be called: https, or http on this machine.
pub(crate) fn is_allowed(url: &str) -> bool {
    if let Some(rest) = url.strip_prefix("https://") {
        return !rest.is_empty() && !rest.starts_with('/');
    }
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split('/').next().unwrap_or_default();
    LOCAL_HOSTS.iter().any(|host| {
        let port = authority.strip_prefix(host).map(|port| port.strip_prefix(':').unwrap_or(port));
        port.is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_https_or_on_this_machine() {
        for good in
            ["https://login.example", "https://login.example/realms/x", "http://127.0.0.1:9/a"]
        {
            assert!(ProviderSettings::new(good, "quipu").is_ok(), "{good}");
        }
        for bad in [
            "",
            "login.example",
            "http://login.example",
            "http://127.0.0.1.evil.example",
            "http://localhost@evil.example",
            "https://",
            "https://login.example?x=1",
            "ftp://login.example",
        ] {
            assert!(ProviderSettings::new(bad, "quipu").is_err(), "{bad}");
        }
        assert_eq!(ProviderSettings::new("https://login.example", " "), Err(BadProvider::ClientId));
    }

    #[test]
    fn the_secret_is_not_printed() {
        let settings = ProviderSettings::new("https://login.example", "quipu").unwrap();
        let settings = ProviderSettings { client_secret: Some("hush".to_owned()), ..settings };
        assert!(!format!("{settings:?}").contains("hush"));
    }
}
