//! The host name under which the owner's browser opens the dashboard of a server on this machine.
//! Browsers send a cookie to every port of the host that set it, so under `127.0.0.1` any other
//! local server that the owner opens would get the session. Under a name of `.localhost`, which
//! browsers resolve to this machine, only a server that knows the name could; and it is told to
//! nobody who did not log in.

use super::public_url::host_of;
use super::token::OwnerToken;
use axum::http::HeaderMap;
use axum::http::header::HOST;
use model::ContentHash;
use std::net::Ipv4Addr;

/// Number of hexadecimal digits in the name, which nobody can guess.
const NAME_DIGITS: usize = 32;
/// Number of hexadecimal digits by which a browser recognizes a name that it has stored.
const TAG_DIGITS: usize = 16;

/// Host name of the dashboard.
#[derive(Clone, PartialEq, Eq)]
pub struct DashboardHost(String);

impl DashboardHost {
    /// Derives the name from the owner's token: it stays the same until the token changes, so that
    /// bookmarks do too, and it is as secret as the token.
    pub(super) fn from_token(token: &OwnerToken) -> Self {
        let digest = token.derive_text("dashboard host");
        Self(format!("quipu-{}.localhost", digest.get(..NAME_DIGITS).unwrap_or(&digest)))
    }

    /// Returns true when a `Host` header names the dashboard, with any port, because a tunnel may
    /// have changed it.
    pub(super) fn is_host(&self, authority: &str) -> bool {
        host_of(authority).eq_ignore_ascii_case(&self.0)
    }

    /// Returns true when a request was sent to the dashboard.
    #[must_use]
    pub fn is_host_of(&self, headers: &HeaderMap) -> bool {
        self.is_host(host_header(headers))
    }

    /// Returns the address of the dashboard for the sender of this request: under the same port.
    #[must_use]
    pub fn origin_for(&self, headers: &HeaderMap) -> String {
        format!("http://{}{}", self.0, port_suffix(headers))
    }

    /// Returns the address that programs use, for a request that was sent to the dashboard: they do
    /// not resolve names below `localhost`, and are not told this one.
    #[must_use]
    pub fn plain_origin_for(&self, headers: &HeaderMap) -> Option<String> {
        let plain = || format!("http://{}{}", Ipv4Addr::LOCALHOST, port_suffix(headers));
        self.is_host_of(headers).then(plain)
    }

    /// Returns a text by which a browser recognizes the name, and which does not reveal it.
    #[must_use]
    pub fn tag(&self) -> String {
        let digest = ContentHash::of_bytes(self.0.as_bytes()).to_string();
        digest.get(..TAG_DIGITS).unwrap_or(&digest).to_owned()
    }
}

/// Returns the port of the `Host` header with its colon; nothing when it has none.
fn port_suffix(headers: &HeaderMap) -> String {
    let port = host_header(headers).rsplit_once(':').map(|(_, port)| port);
    let port = port.filter(|port| port.parse::<u16>().is_ok());
    port.map_or_else(String::new, |port| format!(":{port}"))
}

fn host_header(headers: &HeaderMap) -> &str {
    headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(host: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(HOST, host.parse().unwrap());
        headers
    }

    #[test]
    fn the_name_follows_from_the_token_and_keeps_the_port_of_the_request() {
        let host = DashboardHost::from_token(&OwnerToken::new("open-sesame").unwrap());
        assert!(host == DashboardHost::from_token(&OwnerToken::new("open-sesame").unwrap()));
        assert!(host != DashboardHost::from_token(&OwnerToken::new("open-sesam").unwrap()));
        let name = host.0.clone();
        assert!(!host.is_host_of(&headers("127.0.0.1:7717")));
        assert!(host.is_host_of(&headers(&format!("{name}:7717"))));
        assert!(!host.is_host_of(&headers(&format!("{name}.evil.example"))));
        for (asked, origin) in [
            ("127.0.0.1:7717", format!("http://{name}:7717")),
            ("[::1]:9", format!("http://{name}:9")),
            ("[::1]", format!("http://{name}")),
            ("localhost", format!("http://{name}")),
        ] {
            assert_eq!(host.origin_for(&headers(asked)), origin, "{asked}");
        }
        assert_eq!(
            host.plain_origin_for(&headers(&format!("{name}:7717"))).as_deref(),
            Some("http://127.0.0.1:7717")
        );
        assert_eq!(host.plain_origin_for(&headers("localhost:7717")), None);
        assert!(!name.contains(&host.tag()));
    }
}
