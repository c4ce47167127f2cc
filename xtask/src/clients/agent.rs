//! The coding agents that can be run: their programs, the settings that point them to the model of
//! the trial, their command lines, and the names that they give to tools.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// Start of an argument that stands for the folder of the checkout.
pub const CHECKOUT: &str = "CHECKOUT";

/// The plugin, extension or package of this repository in an agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentPlugin {
    /// Start of the names of its tools.
    pub tool_prefix: &'static str,
    /// Arguments of the commands that install it.
    pub commands: &'static [&'static [&'static str]],
    /// Arguments of the command that removes it; `None` if it is a line in the settings.
    pub removal: Option<&'static [&'static str]>,
}

/// Argument with which Codex runs hooks that nobody trusted.
const BYPASS_TRUST: &str = "--dangerously-bypass-hook-trust";

/// The way in which the server comes to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerSource {
    Setup,
    Plugin,
}

/// A coding agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    ClaudeCode,
    Codex,
    Gemini,
    OpenCode,
}

impl Agent {
    /// Every agent.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::OpenCode];

    /// Returns the name that `quipu setup` gives it.
    pub fn setup_name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the name of its program.
    pub fn program(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the name of a tool of the server `quipu`, as the model sees it.
    pub fn tool(self, name: &str) -> String {
        match self {
            Self::ClaudeCode => format!("mcp__quipu__{name}"),
            // The namespace is a field of its own.
            Self::Codex => name.to_owned(),
            Self::Gemini => format!("mcp_quipu_{name}"),
            Self::OpenCode => format!("quipu_{name}"),
        }
    }

    /// Returns the commands that install the plugin of this repository from the checkout.
    pub fn plugin(self) -> AgentPlugin {
        const QUIPU: &str = "quipu@quipu";
        match self {
            Self::ClaudeCode => AgentPlugin {
                tool_prefix: "mcp__plugin_quipu_quipu__",
                commands: &[
                    &["plugin", "marketplace", "add", CHECKOUT],
                    &["plugin", "install", QUIPU],
                ],
                removal: Some(&["plugin", "uninstall", QUIPU]),
            },
            Self::Codex => AgentPlugin {
                tool_prefix: "",
                commands: &[&["plugin", "marketplace", "add", CHECKOUT], &["plugin", "add", QUIPU]],
                removal: Some(&["plugin", "remove", QUIPU]),
            },
            Self::Gemini => AgentPlugin {
                tool_prefix: "mcp_quipu_",
                commands: &[&["extensions", "install", "CHECKOUT/packaging/gemini", "--consent"]],
                removal: Some(&["extensions", "uninstall", "quipu"]),
            },
            Self::OpenCode => AgentPlugin {
                tool_prefix: "quipu_",
                commands: &[&["plugin", "CHECKOUT/packaging/opencode", "--global"]],
                removal: None,
            },
        }
    }

    /// Returns true if its model finds every tool by a search.
    pub fn searches_for_tools(self) -> bool {
        self == Self::Codex
    }

    /// Returns true if it runs hooks only after its user trusted them.
    pub fn asks_for_trust(self) -> bool {
        self == Self::Codex
    }

    /// Writes the settings of a user who has this agent and uses the model at a port. The port is
    /// in the environment where the agent reads it there, so that these files stay the same.
    pub fn write_settings(self, home: &Path, port: u16, server: ServerSource) -> Result<()> {
        match self {
            Self::ClaudeCode => {
                let state = json!({ "hasCompletedOnboarding": true, "theme": "dark" });
                write_json(&home.join(".claude.json"), &state)?;
                let allowed = ["ToolSearch", "mcp__plugin_quipu_quipu"];
                let settings = json!({ "permissions": { "allow": allowed } });
                write_json(&home.join(".claude/settings.json"), &settings)
            }
            Self::Codex => write(&home.join(".codex/config.toml"), &codex_settings(port, server)),
            Self::Gemini => write_json(&home.join(".gemini/settings.json"), &gemini_settings()),
            Self::OpenCode => {
                write_json(&home.join(".config/opencode/opencode.json"), &opencode_settings(port))
            }
        }
    }

    /// Adds the arguments that let it answer one prompt without a person. `is_trusted` says that
    /// its hooks are trusted.
    pub fn add_arguments(self, command: &mut Command, prompt: &str, is_trusted: bool) {
        match self {
            Self::ClaudeCode => {
                command.args(["-p", prompt, "--output-format", "stream-json", "--verbose"])
            }
            Self::Codex => {
                command.args(["exec", "--skip-git-repo-check", "--json"]);
                command.args((!is_trusted).then_some(BYPASS_TRUST)).arg(prompt)
            }
            Self::Gemini => {
                command.args(["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p", prompt])
            }
            Self::OpenCode => command.args(["run", prompt]),
        };
    }

    /// Returns the variables that point it to the model and keep it from calling anything else.
    pub fn environment(self, home: &Path, port: u16) -> Vec<(&'static str, String)> {
        let address = format!("http://127.0.0.1:{port}");
        let on = || "1".to_owned();
        match self {
            Self::ClaudeCode => vec![
                ("ANTHROPIC_BASE_URL", address),
                ("ANTHROPIC_API_KEY", "none".to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", on()),
                ("DISABLE_AUTOUPDATER", on()),
                ("IS_SANDBOX", on()),
            ],
            Self::Codex => vec![
                ("CODEX_HOME", home.join(".codex").display().to_string()),
                ("MODEL_KEY", "none".to_owned()),
            ],
            Self::Gemini => vec![
                ("GOOGLE_GEMINI_BASE_URL", address),
                ("GEMINI_API_KEY", "none".to_owned()),
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
                ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
            ],
            Self::OpenCode => {
                vec![("OPENCODE_DISABLE_AUTOUPDATE", on()), ("OPENCODE_DISABLE_MODELS_FETCH", on())]
            }
        }
    }
}

fn codex_settings(port: u16, server: ServerSource) -> String {
    // A table of a server that has no command yet is refused, until the setup adds it.
    let table = match server {
        ServerSource::Setup => "mcp_servers.quipu",
        ServerSource::Plugin => "plugins.\"quipu@quipu\".mcp_servers.quipu",
    };
    format!(
        "# Settings of the user.\nmodel = \"gpt-5.5\"\nmodel_provider = \"trial\"\n\n\
         [model_providers.trial]\nname = \"trial\"\nbase_url = \"http://127.0.0.1:{port}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"MODEL_KEY\"\n\n\
         [{table}]\ndefault_tools_approval_mode = \"approve\"\n"
    )
}

fn gemini_settings() -> Value {
    json!({
        "security": {
            "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false }
        },
        "general": { "enableAutoUpdate": false },
        "privacy": { "usageStatisticsEnabled": false },
    })
}

fn opencode_settings(port: u16) -> Value {
    let options = json!({ "baseURL": format!("http://127.0.0.1:{port}/v1"), "apiKey": "none" });
    json!({
        "autoupdate": false,
        "provider": { "trial": {
            "npm": "@ai-sdk/openai-compatible", "name": "trial", "options": options,
            "models": { "m": { "name": "m" } },
        }},
        "model": "trial/m",
        "small_model": "trial/m",
    })
}

fn write_json(path: &Path, value: &Value) -> Result<()> {
    write(path, &format!("{value:#}\n"))
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
    Ok(fs::write(path, text)?)
}
