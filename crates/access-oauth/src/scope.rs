//! Scopes as clients write them: how far a token reaches at most. Where it reaches is for the
//! owner's grants to say.

use crate::OAuthError;
use model::Permission;

/// The scopes there are, the weaker first.
pub const SCOPES: [&str; 2] = ["read", "write"];

/// What a client asks for; everything when it does not say, for the owner decides anyway.
pub(crate) fn asked(text: Option<&str>) -> Result<Permission, OAuthError> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(Permission::Write);
    };
    let one = |word: &str| Permission::parse(word).filter(|scope| *scope > Permission::None);
    let scopes: Option<Vec<Permission>> = text.split_whitespace().map(one).collect();
    scopes.and_then(|scopes| scopes.into_iter().max()).ok_or(OAuthError::InvalidScope)
}

/// A scope as it is told to clients; the stronger one holds the weaker.
pub(crate) fn told(scope: Permission) -> &'static str {
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
    fn the_strongest_scope_that_is_asked_for_counts() {
        assert_eq!(asked(Some("read")), Ok(Permission::Read));
        assert_eq!(asked(Some("write read")), Ok(Permission::Write));
        assert_eq!(asked(None), Ok(Permission::Write));
        assert_eq!(asked(Some("  ")), Ok(Permission::Write));
    }

    #[test]
    fn a_scope_that_there_is_not_is_refused() {
        for strange in ["admin", "read admin", "none", "READ"] {
            assert_eq!(asked(Some(strange)), Err(OAuthError::InvalidScope), "{strange}");
        }
    }
}
