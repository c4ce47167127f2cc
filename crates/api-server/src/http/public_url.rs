//! The address that clients use for a server: the one it listens on, or another one in front of a
//! proxy.

use axum::http::Uri;
use std::fmt;
use std::net::{IpAddr, SocketAddr};

/// Origin that clients and browsers use: `https://memory.example`, `http://127.0.0.1:7717`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    scheme: &'static str,
    authority: String,
}

/// Error for an address that cannot be a public address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid public address; write it as https://memory.example, without a path \
     (http is allowed only for this machine)"
)]
pub struct BadPublicUrl(String);

impl PublicUrl {
    /// Parses an address. It must be https, because passwords and tokens are sent over it; http is
    /// allowed on this machine.
    ///
    /// # Errors
    /// Fails when it is anything but a scheme and a host.
    pub fn new(text: &str) -> Result<Self, BadPublicUrl> {
        let bad = || BadPublicUrl(text.chars().take(200).collect());
        let uri: Uri = text.trim().parse().map_err(|_| bad())?;
        let (scheme, port) = match uri.scheme_str() {
            Some("https") => ("https", ":443"),
            Some("http") => ("http", ":80"),
            _ => return Err(bad()),
        };
        // Lower case and without the default port, as browsers write it in `Origin`.
        let authority = uri.authority().map(|authority| authority.as_str().to_ascii_lowercase());
        let authority = authority.filter(|authority| !authority.contains('@')).ok_or_else(bad)?;
        let authority = authority.strip_suffix(port).unwrap_or(&authority).to_owned();
        let url = Self { scheme, authority };
        let bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        if bare && (scheme == "https" || url.is_local()) { Ok(url) } else { Err(bad()) }
    }

    /// Returns the address of a server that is reached where it listens.
    #[must_use]
    pub fn from_address(address: SocketAddr) -> Self {
        Self { scheme: "http", authority: address.to_string() }
    }

    /// Returns true when the address can only mean this machine.
    #[must_use]
    pub fn is_local(&self) -> bool {
        is_loopback_name(host_of(&self.authority))
    }

    /// Returns true when connections are encrypted.
    #[must_use]
    pub fn is_https(&self) -> bool {
        self.scheme == "https"
    }

    /// Returns true when a `Host` header names this address.
    // Clients may or may not write the default port of the scheme.
    pub(super) fn matches_host(&self, host: &str) -> bool {
        let port = if self.is_https() { ":443" } else { ":80" };
        host.strip_suffix(port).unwrap_or(host).eq_ignore_ascii_case(&self.authority)
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.authority)
    }
}

/// Returns the host of an authority, without port and brackets.
pub(super) fn host_of(authority: &str) -> &str {
    if let Some(rest) = authority.strip_prefix('[') {
        return rest.split(']').next().unwrap_or_default();
    }
    authority.split(':').next().unwrap_or_default()
}

/// Returns true for a loopback address or `localhost`, which no foreign DNS entry can redirect.
pub(super) fn is_loopback_name(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost") || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_https_or_of_this_machine_and_nothing_but_a_host() {
        for (good, written) in [
            ("https://memory.example", "https://memory.example"),
            ("https://Memory.Example:443/", "https://memory.example"),
            ("https://memory.example:8443", "https://memory.example:8443"),
            ("http://localhost:7717", "http://localhost:7717"),
            ("http://[::1]:7717", "http://[::1]:7717"),
        ] {
            assert_eq!(PublicUrl::new(good).unwrap().to_string(), written);
        }
        for bad in [
            "",
            "memory.example",
            "http://memory.example",
            "https://memory.example/quipu",
            "https://memory.example?x=1",
            "https://me@memory.example",
            "ftp://memory.example",
            "https://",
        ] {
            assert!(PublicUrl::new(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_host_is_known_with_and_without_the_usual_port() {
        let url = PublicUrl::new("https://memory.example").unwrap();
        assert!(url.matches_host("memory.example") && url.matches_host("MEMORY.example:443"));
        assert!(
            !url.matches_host("memory.example:8443") && !url.matches_host("memory.example.evil")
        );
    }
}
