//! The addresses of this server: the issuer of tokens and the endpoints that they open.

/// The names of this machine. A server that is reached by one is reached by all of them, and
/// clients insist on the one that they were given.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// Where this server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    issuer: String,
    also: Vec<String>,
}

impl Site {
    /// A server at this address, such as `https://memory.example` or `http://127.0.0.1:7717`.
    #[must_use]
    pub fn new(address: &str) -> Self {
        let issuer = address.trim_end_matches('/').to_owned();
        let also = other_names(&issuer);
        Self { issuer, also }
    }

    /// The same site under the name that a request was sent to, when that is another name of this
    /// machine.
    #[must_use]
    pub fn known_as(&self, host: &str) -> Self {
        let asked = format!("http://{}", host.to_ascii_lowercase());
        match self.also.iter().find(|name| **name == asked) {
            Some(name) => Self::new(name),
            None => self.clone(),
        }
    }

    /// What tokens and metadata name as their issuer, byte for byte.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The address of a path.
    #[must_use]
    pub fn address(&self, path: &str) -> String {
        format!("{}{path}", self.issuer)
    }

    /// The endpoint that a client means, if it is one of ours; the whole site when it does not say.
    pub(crate) fn resource(&self, asked: Option<&str>) -> Option<String> {
        let Some(asked) = asked else { return Some(self.issuer.clone()) };
        let asked = asked.trim_end_matches('/');
        let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
        let is_ours =
            |below: &&str| below.is_empty() || below.starts_with('/') && below.chars().all(plain);
        let names = std::iter::once(&self.issuer).chain(&self.also);
        let below = names.filter_map(|name| asked.strip_prefix(name.as_str())).find(is_ours)?;
        Some(self.address(below))
    }

    /// Whether a token for this resource opens this path: the path itself, and what lies below it.
    #[must_use]
    pub fn covers(&self, resource: &str, path: &str) -> bool {
        let Some(opened) = resource.strip_prefix(self.issuer.as_str()) else { return false };
        path.strip_prefix(opened).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// What else a site of this machine is called; a site elsewhere has one name.
fn other_names(issuer: &str) -> Vec<String> {
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
    fn a_site_of_this_machine_is_known_by_each_of_its_names_and_one_elsewhere_by_its_own() {
        let site = Site::new("http://127.0.0.1:7717");
        assert_eq!(site.known_as("LocalHost:7717").issuer(), "http://localhost:7717");
        assert_eq!(site.known_as("[::1]:7717").issuer(), "http://[::1]:7717");
        for other in ["localhost:80", "localhost", "evil.example:7717", "localhost:7717.evil", ""] {
            assert_eq!(site.known_as(other).issuer(), "http://127.0.0.1:7717", "{other}");
        }
        let canonical = Some("http://127.0.0.1:7717/mcp".to_owned());
        assert_eq!(site.resource(Some("http://localhost:7717/mcp")), canonical);
        assert_eq!(
            site.known_as("localhost:7717").resource(Some("http://127.0.0.1:7717/mcp/")).unwrap(),
            "http://localhost:7717/mcp"
        );
        assert_eq!(site.resource(Some("http://localhost:77170/mcp")), None);
        assert_eq!(
            Site::new("https://memory.example").known_as("localhost").issuer(),
            "https://memory.example"
        );
        assert_eq!(
            Site::new("http://127.0.0.1.evil.example").known_as("localhost").issuer(),
            "http://127.0.0.1.evil.example"
        );
    }

    #[test]
    fn a_token_opens_its_endpoint_and_what_lies_below_and_nothing_else() {
        let site = Site::new("http://127.0.0.1:7717/");
        let mcp = site.resource(Some("http://127.0.0.1:7717/mcp/")).unwrap();
        assert!(site.covers(&mcp, "/mcp") && site.covers(&mcp, "/mcp/epitome"));
        assert!(
            !site.covers(&mcp, "/mcpx")
                && !site.covers(&mcp, "/v1/memories")
                && !site.covers(&mcp, "/")
        );
        assert!(site.covers(&site.resource(None).unwrap(), "/mcp"));
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
