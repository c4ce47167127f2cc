//! OAuth scopes: the maximum permission of a token. The resources it may access are decided by the
//! grants of the owner.

use crate::OAuthError;
use model::Permission;

/// Supported scopes, the weaker first.
pub const SCOPES: [&str; 2] = ["read", "write"];

/// Parses the requested scope; the maximum when it is missing, since the owner decides anyway.
pub(crate) fn parse_scope(text: Option<&str>) -> Result<Permission, OAuthError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(Permission::Write);
    };
    let one = |word: &str| Permission::parse(word).filter(|scope| *scope > Permission::None);
    let scopes: Option<Vec<Permission>> = text.split_whitespace().map(one).collect();
    scopes.and_then(|scopes| scopes.into_iter().max()).ok_or(OAuthError::InvalidScope)
}

/// Renders a scope for clients; write includes read.
pub(crate) fn render_scope(scope: Permission) -> &'static str {
    match scope {
        Permission::None => "",
        Permission::Read => "read",
        Permission::Write => "read write",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_requested_scope_counts() {
        assert_eq!(parse_scope(Some("read")), Ok(Permission::Read));
        assert_eq!(parse_scope(Some("write read")), Ok(Permission::Write));
        assert_eq!(parse_scope(None), Ok(Permission::Write));
        assert_eq!(parse_scope(Some("  ")), Ok(Permission::Write));
    }

    #[test]
    fn an_unknown_scope_is_refused() {
        for strange in ["admin", "read admin", "none", "READ"] {
            assert_eq!(parse_scope(Some(strange)), Err(OAuthError::InvalidScope), "{strange}");
        }
    }
}
