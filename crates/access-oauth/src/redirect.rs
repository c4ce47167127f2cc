//! Redirect addresses. An address must equal a registered one exactly; only the port of a loopback
//! address may differ, because a program on the machine of the owner uses any free port (RFC 8252).

use crate::OAuthError;

/// Maximum length of an address.
const LENGTH_MAX: usize = 2_000;
/// Schemes of programs in wide use that are no reversed domain names.
const KNOWN_SCHEMES: [&str; 1] = ["cursor"];
/// Loopback host names.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "[::1]", "localhost"];

/// Validates an address that a client wants to register.
pub(crate) fn validate(address: &str) -> Result<(), OAuthError> {
    let refused = |why: &str| Err(OAuthError::InvalidRedirect(format!("redirect_uris: {why}")));
    if address.len() > LENGTH_MAX {
        return refused("an address may have at most 2000 characters");
    }
    let Some(parts) = RedirectParts::parse(address) else {
        return refused("must be an absolute address without a fragment");
    };
    match parts.scheme.as_str() {
        "https" if !parts.host.is_empty() => Ok(()),
        "http" if parts.is_loopback() => Ok(()),
        "http" | "https" => refused("use https, or http with 127.0.0.1, [::1] or localhost"),
        scheme if is_private_use(scheme) => Ok(()),
        _ => refused("use https, http with 127.0.0.1, or a scheme such as com.example.app"),
    }
}

/// Returns true for a scheme of a program on the machine of the owner: a domain name in reverse, as
/// RFC 8252 requires. Any other scheme may belong to something that does not expect a code, and
/// that acts on what it gets.
fn is_private_use(scheme: &str) -> bool {
    let is_label = |label: &str| label.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_reversed_domain = scheme.contains('.') && scheme.split('.').all(is_label);
    is_reversed_domain || KNOWN_SCHEMES.contains(&scheme)
}

/// Returns true if a requested address matches a registered one.
pub(crate) fn matches(registered: &str, requested: &str) -> bool {
    if registered == requested {
        return true;
    }
    let (Some(registered), Some(requested)) =
        (RedirectParts::parse(registered), RedirectParts::parse(requested))
    else {
        return false;
    };
    registered.is_loopback()
        && requested.is_loopback()
        && registered.without_port() == requested.without_port()
}

/// Returns the host of an address, for people to judge.
pub(crate) fn host(address: &str) -> String {
    RedirectParts::parse(address).map_or_else(String::new, |parts| match parts.scheme.as_str() {
        "http" | "https" => parts.host.to_owned(),
        scheme => format!("{scheme}:"),
    })
}

/// Returns true if a response to this address stays on the machine of the browser.
pub(crate) fn is_local(address: &str) -> bool {
    RedirectParts::parse(address).is_some_and(|parts| parts.scheme != "https")
}

/// Appends query parameters to an address.
pub(crate) fn with_parameters(address: &str, parameters: &[(&str, &str)]) -> String {
    let joint = if address.contains('?') { '&' } else { '?' };
    let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    format!("{address}{joint}{query}")
}

struct RedirectParts<'a> {
    scheme: String,
    host: &'a str,
    rest: &'a str,
}

impl<'a> RedirectParts<'a> {
    /// Parses an address; `None` when it is invalid or ambiguous.
    fn parse(address: &'a str) -> Option<Self> {
        let plain = |c: char| c.is_ascii_graphic() && !"\"<>\\^`{|}#".contains(c);
        let (scheme, rest) = address.split_once(':')?;
        let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
        if !is_scheme || !address.chars().all(plain) {
            return None;
        }
        let scheme = scheme.to_ascii_lowercase();
        let Some(rest) = rest.strip_prefix("//") else {
            return (!rest.is_empty()).then_some(Self { scheme, host: "", rest });
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        Some(Self { scheme, host: host_of(authority)?, rest })
    }

    fn is_loopback(&self) -> bool {
        self.scheme == "http" && LOOPBACK.contains(&self.host)
    }

    fn without_port(&self) -> (&str, &str, &str) {
        (&self.scheme, self.host, self.rest)
    }
}

/// Returns the host; `None` when there is user info before it, or no valid port after it.
fn host_of(authority: &str) -> Option<&str> {
    if authority.contains('@') {
        return None;
    }
    let after_brackets = authority.rfind(']').map_or(0, |at| at + 1);
    match authority.get(after_brackets..)?.rfind(':') {
        None => Some(authority),
        Some(at) => {
            let (host, port) = authority.split_at_checked(after_brackets + at)?;
            let port = port.strip_prefix(':')?;
            port.parse::<u16>().ok().map(|_| host)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_safe_addresses_can_be_registered() {
        for good in [
            "https://claude.ai/api/mcp/auth_callback",
            "http://127.0.0.1:33418/callback",
            "http://localhost/callback",
            "http://[::1]:9/cb",
            "cursor://anysphere.cursor-mcp/oauth/callback",
            "com.example.app:/oauth",
        ] {
            assert_eq!(validate(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "/callback",
            "http://example.com/cb",
            "http://localhost.evil.example/cb",
            "http://127.0.0.1@evil.example/cb",
            "https://user:pass@example.com/",
            "https://example.com/#here",
            "https:///cb",
            "javascript:alert(1)",
            "JavaScript:alert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "mailto:owner@example.com",
            "vscode://file/etc",
            "ms-settings:privacy",
            "tel:112",
            ".com.example:/cb",
            "com..example:/cb",
            "https://exa mple.com/",
            "https://example.com\\@evil.example/",
            "http://127.0.0.1:port/cb",
            "https://exämple.com/",
        ] {
            assert!(validate(bad).is_err(), "{bad}");
        }
        assert!(validate(&format!("https://example.com/{}", "a".repeat(LENGTH_MAX))).is_err());
    }

    #[test]
    fn only_the_port_of_a_loopback_address_may_differ() {
        assert!(matches("http://127.0.0.1:1/cb", "http://127.0.0.1:2/cb"));
        assert!(matches("http://localhost/cb", "http://localhost:2/cb"));
        for (registered, requested) in [
            ("http://127.0.0.1:1/cb", "http://127.0.0.1:1/cb/"),
            ("http://127.0.0.1:1/cb", "http://localhost:1/cb"),
            ("http://127.0.0.1:1/cb", "http://127.0.0.1:1/cb?x=1"),
            ("https://example.com/cb", "https://example.com:8443/cb"),
            ("https://example.com/cb", "https://example.com/CB"),
            ("https://example.com/cb", "https://example.com.evil.example/cb"),
        ] {
            assert!(!matches(registered, requested), "{requested}");
        }
    }

    #[test]
    fn parameters_are_escaped() {
        let address =
            with_parameters("https://example.com/cb?a=b", &[("state", "x&code=1#"), ("code", "é")]);
        assert_eq!(address, "https://example.com/cb?a=b&state=x%26code%3D1%23&code=%C3%A9");
    }
}
