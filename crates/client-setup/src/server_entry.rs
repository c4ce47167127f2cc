//! The entry of the MCP server, in the shape that each client expects.

use crate::client::ClientKind;
use crate::plan::SetupScope;
use serde_json::{Map, Value, json};

/// The way a client reaches the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServerEntry {
    /// The client starts the binary.
    Stdio { binary: String, home: String },
    /// The client calls a running server.
    Http { url: String, key: Option<String> },
}

/// Name of the server in every client.
pub(crate) const SERVER_NAME: &str = "quipu";

/// Fields of an entry that say how the server is reached. One that the new entry lacks belongs to
/// another way, and is removed.
pub(crate) const TRANSPORT_FIELDS: [&str; 14] = [
    "type",
    "command",
    "args",
    "cmd",
    "url",
    "serverUrl",
    "httpUrl",
    "uri",
    "source",
    "headers",
    "http_headers",
    "bearer_token_env_var",
    "oauth",
    "transport",
];

/// Returns the path of keys at which a client keeps the entry.
pub(crate) fn entry_path(client: ClientKind) -> Vec<String> {
    let list = match client {
        ClientKind::Codex => "mcp_servers",
        ClientKind::VsCode => "servers",
        ClientKind::OpenCode => "mcp",
        ClientKind::Zed => "context_servers",
        ClientKind::Goose => "extensions",
        _ => "mcpServers",
    };
    vec![list.to_owned(), SERVER_NAME.to_owned()]
}

impl ServerEntry {
    /// Returns the entry in the shape of a client; `None` if the client cannot be configured so.
    pub(crate) fn for_client(
        &self,
        client: ClientKind,
        scope: SetupScope,
        trusted: bool,
    ) -> Option<Value> {
        let mut entry = match self {
            Self::Stdio { binary, home } => stdio_entry(client, binary, home),
            Self::Http { url, key } => http_entry(client, scope, url, key.as_deref())?,
        };
        // Gemini CLI keeps its permission in the entry itself.
        if client == ClientKind::Gemini && trusted {
            entry["trust"] = true.into();
        }
        Some(entry)
    }
}

/// Returns the entry of a plugin. It names no path, because a plugin is the same on every machine:
/// the client finds the binary on its search path, and passes on the variables of its environment.
pub(crate) fn plugin_entry(client: ClientKind, binary: &str) -> Value {
    let mut entry = stdio_entry(client, binary, "");
    if let Some(entry) = entry.as_object_mut() {
        entry.retain(|name, _| !matches!(name.as_str(), "env" | "environment"));
        if client == ClientKind::Codex {
            entry.insert("env_vars".into(), json!(["QUIPU_HOME", "XDG_DATA_HOME"]));
        }
    }
    entry
}

fn stdio_entry(client: ClientKind, binary: &str, home: &str) -> Value {
    // Always given: Codex removes the variable from the environment, and desktop programs never
    // had it.
    let env = json!({ "QUIPU_HOME": home });
    match client {
        ClientKind::ClaudeCode | ClientKind::VsCode => {
            json!({ "type": "stdio", "command": binary, "args": ["mcp"], "env": env })
        }
        ClientKind::OpenCode => {
            json!({ "type": "local", "command": [binary, "mcp"], "environment": env,
                    "enabled": true })
        }
        ClientKind::Goose => json!({
            "enabled": true, "type": "stdio", "name": SERVER_NAME, "cmd": binary,
            "args": ["mcp"], "envs": env, "timeout": 300
        }),
        _ => json!({ "command": binary, "args": ["mcp"], "env": env }),
    }
}

fn http_entry(
    client: ClientKind,
    scope: SetupScope,
    url: &str,
    key: Option<&str>,
) -> Option<Value> {
    let mut headers = Map::new();
    // A key in a file of the project would be shared with everyone who has the project.
    if let Some(key) = key.filter(|_| scope == SetupScope::User) {
        headers.insert("Authorization".into(), format!("Bearer {key}").into());
    }
    if client == ClientKind::ClaudeCode {
        // Expanded by the client, so that the server knows the project.
        headers.insert("X-Quipu-Project".into(), "${PWD}".into());
    }
    let mut entry = match client {
        ClientKind::ClaudeDesktop => return None,
        ClientKind::ClaudeCode | ClientKind::VsCode => json!({ "type": "http", "url": url }),
        ClientKind::OpenCode => json!({ "type": "remote", "url": url, "enabled": true }),
        ClientKind::Gemini => json!({ "type": "http", "url": url }),
        ClientKind::Windsurf => json!({ "serverUrl": url }),
        ClientKind::Cline => json!({ "type": "streamableHttp", "url": url }),
        ClientKind::Roo | ClientKind::Continue => json!({ "type": "streamable-http", "url": url }),
        ClientKind::Goose => json!({
            "enabled": true, "type": "streamable_http", "name": SERVER_NAME, "uri": url,
            "timeout": 300
        }),
        ClientKind::Codex | ClientKind::Cursor | ClientKind::Zed => json!({ "url": url }),
    };
    let field = if client == ClientKind::Codex { "http_headers" } else { "headers" };
    if !headers.is_empty() && client != ClientKind::Continue {
        entry[field] = headers.into();
    } else if let Some(value) = headers.remove("Authorization") {
        entry["requestOptions"] = json!({ "headers": { "Authorization": value } });
    }
    Some(entry)
}
