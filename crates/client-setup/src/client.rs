//! The clients that can be set up, and their names.

use serde::{Deserialize, Serialize};

/// A client whose files are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClientKind {
    ClaudeCode,
    ClaudeDesktop,
    Codex,
    Cursor,
    #[serde(rename = "vscode")]
    VsCode,
    Gemini,
    #[serde(rename = "opencode")]
    OpenCode,
    Zed,
    Windsurf,
    Cline,
    Roo,
    Continue,
    Goose,
}

impl ClientKind {
    /// Every client, in the order in which they are listed.
    pub const ALL: [Self; 13] = [
        Self::ClaudeCode,
        Self::ClaudeDesktop,
        Self::Codex,
        Self::Cursor,
        Self::VsCode,
        Self::Gemini,
        Self::OpenCode,
        Self::Zed,
        Self::Windsurf,
        Self::Cline,
        Self::Roo,
        Self::Continue,
        Self::Goose,
    ];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::ClaudeDesktop => "claude-desktop",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
            Self::Zed => "zed",
            Self::Windsurf => "windsurf",
            Self::Cline => "cline",
            Self::Roo => "roo",
            Self::Continue => "continue",
            Self::Goose => "goose",
        }
    }

    /// Returns the name that its maker uses.
    pub fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::ClaudeDesktop => "Claude Desktop",
            Self::Codex => "Codex",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Gemini => "Gemini CLI",
            Self::OpenCode => "opencode",
            Self::Zed => "Zed",
            Self::Windsurf => "Windsurf",
            Self::Cline => "Cline",
            Self::Roo => "Roo Code",
            Self::Continue => "Continue",
            Self::Goose => "Goose",
        }
    }

    /// Returns the version that the developers run it in; `None` if they only read its
    /// documentation.
    pub fn tried_version(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("2.1.325"),
            Self::Codex => Some("0.166.0"),
            Self::Gemini => Some("0.61.0"),
            Self::OpenCode => Some("1.18.33"),
            _ => None,
        }
    }

    /// Returns the client with a name, in any of its common spellings.
    pub fn parse(name: &str) -> Option<Self> {
        let plain = name.trim().to_lowercase().replace([' ', '_'], "-");
        let same = |client: &Self| {
            client.name() == plain || client.title().to_lowercase().replace(' ', "-") == plain
        };
        Self::ALL.into_iter().find(same).or(match plain.as_str() {
            "claude" => Some(Self::ClaudeCode),
            "copilot" | "code" => Some(Self::VsCode),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_found_by_its_name_and_by_its_title() {
        for client in ClientKind::ALL {
            assert_eq!(ClientKind::parse(client.name()), Some(client));
            assert_eq!(ClientKind::parse(client.title()), Some(client));
            let written = serde_json::to_value(client).unwrap();
            assert_eq!(written, client.name(), "the journal uses the same names");
        }
        assert_eq!(ClientKind::parse("copilot"), Some(ClientKind::VsCode));
        assert_eq!(ClientKind::parse("emacs"), None);
    }
}
