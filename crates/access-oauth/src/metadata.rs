//! The two discovery documents: metadata of a protected endpoint (RFC 9728) and of the
//! authorization server (RFC 8414).

use crate::{SCOPES, Site, scope};
use model::Permission;
use serde_json::{Value, json};

/// Path at which the owner is asked for consent.
pub const AUTHORIZE: &str = "/oauth/authorize";
/// Path at which codes and refresh tokens are exchanged.
pub const TOKEN: &str = "/oauth/token";
/// Path at which clients register.
pub const REGISTER: &str = "/oauth/register";
/// Path at which tokens are revoked.
pub const REVOKE: &str = "/oauth/revoke";
/// Path of the authorization server metadata.
pub const SERVER_DOCUMENT: &str = "/.well-known/oauth-authorization-server";
/// Prefix of the paths of endpoint metadata; the path of the endpoint is appended.
pub const RESOURCE_DOCUMENT: &str = "/.well-known/oauth-protected-resource";

impl Site {
    /// Returns the metadata of the protected endpoint at a path.
    #[must_use]
    pub fn resource_document(&self, path: &str) -> Value {
        json!({
            "resource": self.address(path),
            "resource_name": "Quipu",
            "authorization_servers": [self.issuer()],
            "scopes_supported": SCOPES,
            "bearer_methods_supported": ["header"],
        })
    }

    /// Returns the metadata of the authorization server.
    #[must_use]
    pub fn server_document(&self) -> Value {
        json!({
            "issuer": self.issuer(),
            "authorization_endpoint": self.address(AUTHORIZE),
            "token_endpoint": self.address(TOKEN),
            "registration_endpoint": self.address(REGISTER),
            "revocation_endpoint": self.address(REVOKE),
            "scopes_supported": SCOPES,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": true,
        })
    }

    /// Returns the `WWW-Authenticate` header for a client without a valid token, which leads it to
    /// the metadata of the endpoint. `scope` is the permission that the call needs.
    #[must_use]
    pub fn www_authenticate(&self, path: &str, error: Option<&str>, scope: Permission) -> String {
        let document = self.address(&format!("{RESOURCE_DOCUMENT}{path}"));
        let scope = scope::render_scope(scope);
        let error = error.map(|name| format!("error=\"{name}\", ")).unwrap_or_default();
        format!("Bearer {error}resource_metadata=\"{document}\", scope=\"{scope}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_name_each_other() {
        let site = Site::new("https://memory.example");
        let resource = site.resource_document("/mcp");
        assert_eq!(resource["resource"], "https://memory.example/mcp");
        assert_eq!(resource["authorization_servers"][0], site.server_document()["issuer"]);
        assert_eq!(
            site.www_authenticate("/mcp", None, Permission::Read),
            "Bearer resource_metadata=\"https://memory.example/.well-known/\
             oauth-protected-resource/mcp\", scope=\"read\""
        );
    }
}
