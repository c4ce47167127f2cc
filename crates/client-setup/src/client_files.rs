//! The files of each client: where its servers, hooks, permissions and instructions are, for the
//! user and for a project, and how to tell that it is installed.

use crate::client::ClientKind;
use crate::places::{Places, Platform};
use crate::plan::SetupScope;
use std::path::PathBuf;

/// Files of one client in one scope; `None` for what it does not have there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ClientFiles {
    /// File with the list of MCP servers.
    pub server: Option<PathBuf>,
    /// File with the hooks.
    pub hooks: Option<PathBuf>,
    /// File with the permissions of tools.
    pub allow: Option<PathBuf>,
    /// File with instructions that the model reads at the start of each session.
    pub instructions: Option<PathBuf>,
}

/// Returns the files of a client.
pub(crate) fn client_files(client: ClientKind, scope: SetupScope, places: &Places) -> ClientFiles {
    match scope {
        SetupScope::User => user_files(client, places),
        SetupScope::Project => project_files(client, places),
    }
}

fn user_files(client: ClientKind, places: &Places) -> ClientFiles {
    let home = |path: &str| Some(places.home.join(path));
    let config = |path: &str| Some(places.config.join(path));
    let desktop = |path: &str| Some(places.app_support.join(path));
    let none = ClientFiles::default();
    match client {
        ClientKind::ClaudeCode => {
            let inside = |path: &str| Some(places.claude_dir().join(path));
            // Beside the directory in its usual place, and inside of another one.
            let servers = places.claude_config_dir.as_deref().unwrap_or(&places.home);
            ClientFiles {
                server: Some(servers.join(".claude.json")),
                hooks: inside("settings.json"),
                allow: inside("settings.json"),
                instructions: inside("CLAUDE.md"),
            }
        }
        ClientKind::ClaudeDesktop => {
            ClientFiles { server: desktop("Claude/claude_desktop_config.json"), ..none }
        }
        ClientKind::Codex => {
            let inside = |path: &str| Some(places.codex_dir().join(path));
            ClientFiles {
                server: inside("config.toml"),
                hooks: inside("hooks.json"),
                instructions: inside("AGENTS.md"),
                ..none
            }
        }
        ClientKind::Cursor => ClientFiles {
            server: home(".cursor/mcp.json"),
            hooks: home(".cursor/hooks.json"),
            ..none
        },
        ClientKind::VsCode => {
            ClientFiles { server: Some(places.vscode_dir().join("mcp.json")), ..none }
        }
        ClientKind::Gemini => ClientFiles {
            server: home(".gemini/settings.json"),
            hooks: home(".gemini/settings.json"),
            instructions: home(".gemini/GEMINI.md"),
            ..none
        },
        ClientKind::OpenCode => ClientFiles {
            server: Some(opencode_config(places.config.join("opencode"))),
            hooks: config("opencode/plugins/quipu.ts"),
            instructions: config("opencode/AGENTS.md"),
            ..none
        },
        ClientKind::Zed => {
            let directory = match places.platform {
                Platform::Windows => places.app_support.join("Zed"),
                Platform::Linux => places.config.join("zed"),
                Platform::MacOs => places.home.join(".config/zed"),
            };
            ClientFiles { server: Some(directory.join("settings.json")), ..none }
        }
        ClientKind::Windsurf => ClientFiles {
            server: home(".codeium/windsurf/mcp_config.json"),
            instructions: home(".codeium/windsurf/memories/global_rules.md"),
            ..none
        },
        ClientKind::Cline => ClientFiles { server: Some(cline_settings(places)), ..none },
        ClientKind::Roo => {
            let storage = "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json";
            ClientFiles { server: Some(places.vscode_dir().join(storage)), ..none }
        }
        ClientKind::Continue => {
            ClientFiles { server: home(".continue/mcpServers/quipu.yaml"), ..none }
        }
        ClientKind::Goose => {
            let directory = match places.platform {
                Platform::Windows => places.app_support.join("Block/goose/config"),
                _ => places.config.join("goose"),
            };
            ClientFiles {
                server: Some(directory.join("config.yaml")),
                instructions: Some(directory.join(".goosehints")),
                ..none
            }
        }
    }
}

fn project_files(client: ClientKind, places: &Places) -> ClientFiles {
    let project = |path: &str| Some(places.project.join(path));
    let none = ClientFiles::default();
    match client {
        ClientKind::ClaudeCode => ClientFiles {
            server: project(".mcp.json"),
            hooks: project(".claude/settings.json"),
            allow: project(".claude/settings.json"),
            instructions: project("CLAUDE.md"),
        },
        ClientKind::Codex => ClientFiles {
            server: project(".codex/config.toml"),
            hooks: project(".codex/hooks.json"),
            instructions: project("AGENTS.md"),
            ..none
        },
        ClientKind::Cursor => ClientFiles {
            server: project(".cursor/mcp.json"),
            hooks: project(".cursor/hooks.json"),
            instructions: project("AGENTS.md"),
            ..none
        },
        ClientKind::VsCode => ClientFiles {
            server: project(".vscode/mcp.json"),
            instructions: project("AGENTS.md"),
            ..none
        },
        ClientKind::Gemini => ClientFiles {
            server: project(".gemini/settings.json"),
            hooks: project(".gemini/settings.json"),
            instructions: project("GEMINI.md"),
            ..none
        },
        ClientKind::OpenCode => ClientFiles {
            server: Some(opencode_config(places.project.clone())),
            hooks: project(".opencode/plugins/quipu.ts"),
            instructions: project("AGENTS.md"),
            ..none
        },
        ClientKind::Zed => ClientFiles {
            server: project(".zed/settings.json"),
            instructions: project("AGENTS.md"),
            ..none
        },
        ClientKind::Roo => ClientFiles {
            server: project(".roo/mcp.json"),
            instructions: project("AGENTS.md"),
            ..none
        },
        ClientKind::Continue => {
            ClientFiles { server: project(".continue/mcpServers/quipu.yaml"), ..none }
        }
        ClientKind::ClaudeDesktop
        | ClientKind::Windsurf
        | ClientKind::Cline
        | ClientKind::Goose => none,
    }
}

/// Returns opencode's file in a directory: the one that is there, in either of its spellings.
fn opencode_config(directory: PathBuf) -> PathBuf {
    let with_comments = directory.join("opencode.jsonc");
    if with_comments.is_file() { with_comments } else { directory.join("opencode.json") }
}

/// Returns Cline's file: that of its own directory if it has one, else that of its extension.
fn cline_settings(places: &Places) -> PathBuf {
    let own = places.home.join(".cline/data/settings");
    let extension = places.vscode_dir().join("globalStorage/saoudrizwan.claude-dev/settings");
    let directory = if own.is_dir() || !extension.is_dir() { own } else { extension };
    directory.join("cline_mcp_settings.json")
}

/// Returns true if a client seems to be installed: its program is on the search path, or it has
/// left its directory.
pub(crate) fn is_installed(client: ClientKind, places: &Places) -> bool {
    let program = match client {
        ClientKind::ClaudeCode => "claude",
        ClientKind::Codex => "codex",
        ClientKind::Cursor => "cursor",
        ClientKind::VsCode => "code",
        ClientKind::Gemini => "gemini",
        ClientKind::OpenCode => "opencode",
        ClientKind::Zed => "zed",
        ClientKind::Windsurf => "windsurf",
        ClientKind::Cline => "cline",
        ClientKind::Continue => "cn",
        ClientKind::Goose => "goose",
        ClientKind::ClaudeDesktop | ClientKind::Roo => "",
    };
    (!program.is_empty() && places.has_program(program))
        || traces(client, places).iter().any(|path| path.exists())
}

/// Returns the directories and files that a client leaves once it ran.
fn traces(client: ClientKind, places: &Places) -> Vec<PathBuf> {
    let storage = |name: &str| places.vscode_dir().join("globalStorage").join(name);
    match client {
        ClientKind::ClaudeCode => vec![places.claude_dir(), places.home.join(".claude.json")],
        ClientKind::ClaudeDesktop => vec![places.app_support.join("Claude")],
        ClientKind::Codex => vec![places.codex_dir()],
        ClientKind::Cursor => vec![places.home.join(".cursor")],
        ClientKind::VsCode => vec![places.vscode_dir()],
        ClientKind::Gemini => vec![places.home.join(".gemini")],
        ClientKind::OpenCode => vec![places.config.join("opencode")],
        ClientKind::Zed => vec![places.config.join("zed"), places.app_support.join("Zed")],
        ClientKind::Windsurf => vec![places.home.join(".codeium/windsurf")],
        ClientKind::Cline => {
            vec![places.home.join(".cline"), storage("saoudrizwan.claude-dev")]
        }
        ClientKind::Roo => vec![storage("rooveterinaryinc.roo-cline")],
        ClientKind::Continue => vec![places.home.join(".continue")],
        ClientKind::Goose => {
            vec![places.config.join("goose"), places.app_support.join("Block/goose")]
        }
    }
}
