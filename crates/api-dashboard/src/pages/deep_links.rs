//! Links that open a client and add Quipu to its configuration after asking.

use super::components::percent_encode;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// Returns the name of each client that knows such links, with its link to a server.
pub(super) fn deep_links(server: &Value) -> [(&'static str, String); 2] {
    let config = percent_encode(&BASE64_STANDARD.encode(server.to_string()));
    let cursor =
        format!("cursor://anysphere.cursor-deeplink/mcp/install?name=quipu&config={config}");
    let mut named = json!({ "name": "quipu" });
    if let (Some(named), Some(server)) = (named.as_object_mut(), server.as_object()) {
        named.extend(server.clone());
    }
    let vscode = format!("vscode:mcp/install?{}", percent_encode(&named.to_string()));
    [("Cursor", cursor), ("VS Code", vscode)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_gets_the_server_in_its_own_encoding() {
        let [(_, cursor), (_, vscode)] = deep_links(&json!({ "command": "quipu" }));
        // The base64 of {"command":"quipu"}, with its padding encoded.
        assert!(
            cursor.ends_with("?name=quipu&config=eyJjb21tYW5kIjoicXVpcHUifQ%3D%3D"),
            "{cursor}"
        );
        assert!(vscode.starts_with("vscode:mcp/install?%7B%22"), "{vscode}");
        assert!(vscode.contains("%22name%22%3A%22quipu%22"), "{vscode}");
    }
}
