//! The files of plugins and extensions that follow from the formats of the clients: entries of the
//! server, hooks, slash commands and instructions. A developer command writes them below
//! `packaging/`, and a test compares them, so that they cannot differ from what a setup writes.

use crate::client::ClientKind;
use crate::hooks::{hooks_object, opencode_plugin};
use crate::instructions::INSTRUCTIONS;
use crate::server_entry::{entry_path, plugin_entry};
use crate::slash_command::{SLASH_COMMANDS, SlashCommand};
use serde_json::{Value, json};

/// Name of the binary, which clients find on their search path.
const BINARY: &str = "quipu";
/// Start of the names of tools in Claude Code when a plugin brings the server.
const CLAUDE_TOOL_PREFIX: &str = "mcp__plugin_quipu_quipu__";
/// Description that every store shows.
const DESCRIPTION: &str =
    "A memory that all your AI agents share, on your machine: read, correct and erase it.";

/// A file of a plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginFile {
    /// Path below `packaging/`.
    pub path: String,
    pub text: String,
}

impl PluginFile {
    fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), text: text.into() }
    }

    fn json(path: &str, value: &Value) -> Self {
        Self::new(path, format!("{value:#}\n"))
    }
}

/// Returns the generated files of every plugin and extension.
pub fn plugin_files() -> Vec<PluginFile> {
    [shared_plugin(), gemini_extension(), opencode_package()].concat()
}

/// Returns the files of the plugin for Claude Code and Codex.
fn shared_plugin() -> Vec<PluginFile> {
    let markdown = |command: &SlashCommand| {
        let path = format!("plugin/commands/{}.md", command.name);
        PluginFile::new(path, command.markdown(CLAUDE_TOOL_PREFIX))
    };
    let hooks = |client| json!({ "hooks": hooks_object(client, BINARY) });
    let mut files = vec![
        PluginFile::json("plugin/.mcp.json", &server_list(ClientKind::ClaudeCode)),
        PluginFile::json("plugin/codex.mcp.json", &codex_server_list()),
        PluginFile::json("plugin/hooks/claude-code.json", &hooks(ClientKind::ClaudeCode)),
        PluginFile::json("plugin/hooks/codex.json", &hooks(ClientKind::Codex)),
    ];
    let skill = |command: &SlashCommand| {
        PluginFile::new(format!("plugin/codex-skills/{}/SKILL.md", command.name), command.skill())
    };
    files.extend(SLASH_COMMANDS.iter().map(markdown));
    files.extend(SLASH_COMMANDS.iter().map(skill));
    files
}

/// Returns the files of the extension for Gemini CLI.
fn gemini_extension() -> Vec<PluginFile> {
    let mut manifest = json!({
        "name": BINARY,
        "version": env!("CARGO_PKG_VERSION"),
        "description": DESCRIPTION,
        "contextFileName": "GEMINI.md",
    });
    manifest["mcpServers"] = server_list(ClientKind::Gemini)["mcpServers"].take();
    let hooks = json!({ "hooks": hooks_object(ClientKind::Gemini, BINARY) });
    let toml = |command: &SlashCommand| {
        PluginFile::new(format!("gemini/commands/{}.toml", command.name), command.toml())
    };
    let mut files = vec![
        PluginFile::json("gemini/gemini-extension.json", &manifest),
        PluginFile::json("gemini/hooks/hooks.json", &hooks),
        PluginFile::new("gemini/GEMINI.md", format!("{INSTRUCTIONS}\n")),
    ];
    files.extend(SLASH_COMMANDS.iter().map(toml));
    files
}

/// Returns the files of the npm package for opencode.
fn opencode_package() -> Vec<PluginFile> {
    let command = |command: &SlashCommand| {
        let fields = json!({
            "description": command.description, "template": command.prompt("$ARGUMENTS")
        });
        (command.name.to_owned(), fields)
    };
    let additions = json!({
        "mcp": { BINARY: plugin_entry(ClientKind::OpenCode, BINARY) },
        "command": Value::Object(SLASH_COMMANDS.iter().map(command).collect()),
    });
    let hooks = opencode_plugin(BINARY, None);
    // The first line of the template is about `quipu setup`.
    let hooks = hooks.split_once('\n').map_or(hooks.as_str(), |(_, rest)| rest);
    vec![
        PluginFile::new("opencode/hooks.js", hooks),
        PluginFile::json("opencode/additions.json", &additions),
    ]
}

/// Returns the list of servers with the one of a client.
fn server_list(client: ClientKind) -> Value {
    let path = entry_path(client);
    let entry = plugin_entry(client, BINARY);
    path.iter().rev().fold(entry, |inner, key| json!({ key: inner }))
}

/// Returns the list of servers for Codex, which reads the name of the list in this form only.
fn codex_server_list() -> Value {
    json!({ "mcpServers": { BINARY: plugin_entry(ClientKind::Codex, BINARY) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(path: &str) -> String {
        let files = plugin_files();
        files.into_iter().find(|file| file.path == path).map(|file| file.text).unwrap()
    }

    #[test]
    fn no_file_of_a_plugin_names_a_directory_of_a_machine() {
        for file in plugin_files() {
            assert!(!file.text.contains("--home /"), "{}", file.path);
            assert!(!file.text.contains('@'), "{} has a placeholder", file.path);
        }
    }

    #[test]
    fn each_client_gets_its_own_hooks() {
        assert!(text_of("plugin/hooks/codex.json").contains("--client codex"));
        assert!(text_of("plugin/hooks/claude-code.json").contains("--client claude-code"));
        let gemini: Value = serde_json::from_str(&text_of("gemini/hooks/hooks.json")).unwrap();
        assert_eq!(gemini["hooks"]["BeforeAgent"][0]["hooks"][0]["timeout"], 10_000);
    }

    #[test]
    fn codex_passes_the_home_directory_to_the_server() {
        let list: Value = serde_json::from_str(&text_of("plugin/codex.mcp.json")).unwrap();
        assert_eq!(list["mcpServers"]["quipu"]["env_vars"][0], "QUIPU_HOME");
        assert_eq!(list["mcpServers"]["quipu"]["command"], "quipu");
    }

    #[test]
    fn every_path_is_new() {
        let mut paths: Vec<String> = plugin_files().into_iter().map(|file| file.path).collect();
        let count = paths.len();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), count);
    }
}
