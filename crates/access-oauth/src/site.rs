//! Addresses of this server: the issuer of tokens and the protected endpoints.

/// Loopback host names. A server at one of them is reachable by all of them, and clients insist on
/// the one that they were configured with.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Endpoint that a client wants which names none: older clients of MCP do not.
const DEFAULT_ENDPOINT: &str = "/mcp";

/// Addresses at which this server is reachable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    issuer: String,
    aliases: Vec<String>,
}

impl Site {
    /// Creates the site of a server at this address, such as `https://memory.example` or
    /// `http://127.0.0.1:7717`.
    #[must_use]
    pub fn new(address: &str) -> Self {
        let issuer = address.trim_end_matches('/').to_owned();
        let aliases = loopback_aliases(&issuer);
        Self { issuer, aliases }
    }

    /// Returns the same site under the host name of a request, if that is another loopback name of
    /// this server.
    #[must_use]
    pub fn for_host(&self, host: &str) -> Self {
        let requested = format!("http://{}", host.to_ascii_lowercase());
        match self.aliases.iter().find(|name| **name == requested) {
            Some(name) => Self::new(name),
            None => self.clone(),
        }
    }

    /// Returns the issuer of tokens and metadata, which clients compare byte for byte.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Returns the address of a path.
    #[must_use]
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.issuer)
    }

    /// Returns the canonical address of a requested endpoint, if it is one of this server; that of
    /// MCP when none is requested.
    pub(crate) fn resource(&self, requested: Option<&str>) -> Option<String> {
        let Some(requested) = requested else { return Some(self.address(DEFAULT_ENDPOINT)) };
        let requested = requested.trim_end_matches('/');
        let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
        let is_path =
            |below: &&str| below.is_empty() || below.starts_with('/') && below.chars().all(plain);
        let names = std::iter::once(&self.issuer).chain(&self.aliases);
        let below = names.filter_map(|name| requested.strip_prefix(name.as_str())).find(is_path)?;
        Some(self.address(below))
    }

    /// Returns true if a token for this resource is valid for this path: the resource itself and
    /// everything below it.
    #[must_use]
    pub fn covers(&self, resource: &str, path: &str) -> bool {
        let Some(covered) = resource.strip_prefix(self.issuer.as_str()) else { return false };
        // Whole segments only: a token for /mcp must not be valid for /mcpx.
        path.strip_prefix(covered).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Returns the other loopback names of a local site; any other site has none.
fn loopback_aliases(issuer: &str) -> Vec<String> {
    let Some(authority) = issuer.strip_prefix("http://") else { return Vec::new() };
    let port = |name: &&str| {
        authority.strip_prefix(*name).filter(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    let Some(port) = LOOPBACK.iter().find_map(port) else { return Vec::new() };
    LOOPBACK
        .iter()
        .map(|name| format!("http://{name}{port}"))
        .filter(|name| name != issuer)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_local_site_has_all_loopback_names_and_any_other_site_has_one() {
        let site = Site::new("http://127.0.0.1:7717");
        assert_eq!(site.for_host("LocalHost:7717").issuer(), "http://localhost:7717");
        assert_eq!(site.for_host("[::1]:7717").issuer(), "http://[::1]:7717");
        for other in ["localhost:80", "localhost", "evil.example:7717", "localhost:7717.evil", ""] {
            assert_eq!(site.for_host(other).issuer(), "http://127.0.0.1:7717", "{other}");
        }
        let canonical = Some("http://127.0.0.1:7717/mcp".to_owned());
        assert_eq!(site.resource(Some("http://localhost:7717/mcp")), canonical);
        assert_eq!(
            site.for_host("localhost:7717").resource(Some("http://127.0.0.1:7717/mcp/")).unwrap(),
            "http://localhost:7717/mcp"
        );
        assert_eq!(site.resource(Some("http://localhost:77170/mcp")), None);
        assert_eq!(
            Site::new("https://memory.example").for_host("localhost").issuer(),
            "https://memory.example"
        );
        assert_eq!(
            Site::new("http://127.0.0.1.evil.example").for_host("localhost").issuer(),
            "http://127.0.0.1.evil.example"
        );
    }

    #[test]
    fn a_token_covers_its_endpoint_and_everything_below() {
        let site = Site::new("http://127.0.0.1:7717/");
        let mcp = site.resource(Some("http://127.0.0.1:7717/mcp/")).unwrap();
        assert!(site.covers(&mcp, "/mcp") && site.covers(&mcp, "/mcp/epitome"));
        assert!(
            !site.covers(&mcp, "/mcpx")
                && !site.covers(&mcp, "/v1/memories")
                && !site.covers(&mcp, "/")
        );
        let unnamed = site.resource(None).unwrap();
        assert!(site.covers(&unnamed, "/mcp") && site.covers(&unnamed, "/mcp/epitome"));
        assert!(!site.covers(&unnamed, "/v1/memories") && !site.covers(&unnamed, "/"));
        assert!(!Site::new("http://127.0.0.1:1").covers(&mcp, "/mcp"));
    }

    #[test]
    fn only_endpoints_of_this_server_are_resources() {
        let site = Site::new("https://memory.example");
        for other in [
            "https://memory.example.evil/mcp",
            "https://memory.example@evil.example/",
            "http://memory.example/mcp",
            "https://other.example/mcp",
            "https://memory.example/mcp?x=1",
            "",
        ] {
            assert_eq!(site.resource(Some(other)), None, "{other}");
        }
    }
}
