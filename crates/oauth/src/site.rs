//! The addresses of this server: the issuer of tokens and the endpoints that they open.

/// Where this server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    issuer: String,
}

impl Site {
    /// A server at this address, such as `https://memory.example` or `http://127.0.0.1:7717`.
    #[must_use]
    pub fn new(address: &str) -> Self {
        Self { issuer: address.trim_end_matches('/').to_owned() }
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
        let below = asked.strip_prefix(self.issuer.as_str())?;
        let plain = |c: char| c.is_ascii_alphanumeric() || "/-_.".contains(c);
        let is_ours = below.is_empty() || below.starts_with('/') && below.chars().all(plain);
        is_ours.then(|| asked.to_owned())
    }

    /// Whether a token for this resource opens this path: the path itself, and what lies below it.
    #[must_use]
    pub fn covers(&self, resource: &str, path: &str) -> bool {
        let Some(opened) = resource.strip_prefix(self.issuer.as_str()) else { return false };
        path.strip_prefix(opened).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_its_endpoint_and_what_lies_below_and_nothing_else() {
        let site = Site::new("http://127.0.0.1:7717/");
        let mcp = site.resource(Some("http://127.0.0.1:7717/mcp/")).unwrap();
        assert!(site.covers(&mcp, "/mcp") && site.covers(&mcp, "/mcp/epitome"));
        assert!(!site.covers(&mcp, "/mcpx") && !site.covers(&mcp, "/v1/memories") && !site.covers(&mcp, "/"));
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
