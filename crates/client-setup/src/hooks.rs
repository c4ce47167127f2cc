//! The hooks of each client: which of its events run `quipu hook`, and the entries for them.
//! Time-outs are written in the unit of the client: seconds, or milliseconds for Gemini CLI.

use crate::client::ClientKind;
use crate::codex_trust::SESSION_END_TIMEOUT_MAX;
use crate::edit::FileEdit;
use serde_json::{Value, json};

/// Time that a client is told to wait for a hook, in seconds.
const TIMEOUT_SECONDS: u64 = 10;

/// Template of the plugin for opencode, which has no command hooks.
const OPENCODE_PLUGIN: &str = include_str!("opencode_plugin.ts");

/// An event of a session, the same for every client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent {
    SessionStart,
    Prompt,
    /// The model has answered.
    TurnEnd,
    /// The client is about to shorten the conversation.
    Compaction,
    SessionEnd,
}

impl HookEvent {
    /// Every event.
    pub const ALL: [Self; 5] =
        [Self::SessionStart, Self::Prompt, Self::TurnEnd, Self::Compaction, Self::SessionEnd];

    /// Returns the name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session-start",
            Self::Prompt => "prompt",
            Self::TurnEnd => "turn-end",
            Self::Compaction => "compaction",
            Self::SessionEnd => "session-end",
        }
    }

    /// Returns the event with a name: the one on the command line, or that of any client.
    pub fn parse(name: &str) -> Option<Self> {
        let plain = name.to_lowercase().replace(['-', '_'], "");
        match plain.as_str() {
            "sessionstart" => Some(Self::SessionStart),
            "prompt" | "userpromptsubmit" | "beforeagent" | "beforesubmitprompt" => {
                Some(Self::Prompt)
            }
            "turnend" | "stop" | "afteragent" | "afteragentresponse" => Some(Self::TurnEnd),
            "compaction" | "precompact" | "precompress" => Some(Self::Compaction),
            "sessionend" => Some(Self::SessionEnd),
            _ => None,
        }
    }

    /// Returns the time that a client waits for the hook, in seconds. The hook itself ends after
    /// half of it.
    pub fn timeout_seconds(self, client: Option<ClientKind>) -> u64 {
        match (client, self) {
            // Codex cuts a longer one and complains about it.
            (Some(ClientKind::Codex), Self::SessionEnd) => SESSION_END_TIMEOUT_MAX,
            _ => TIMEOUT_SECONDS,
        }
    }

    /// Returns the name that a client gives the event; `None` if it has none that is of use.
    pub fn native_name(self, client: ClientKind) -> Option<&'static str> {
        match (client, self) {
            (ClientKind::ClaudeCode | ClientKind::Codex, event) => Some(match event {
                Self::SessionStart => "SessionStart",
                Self::Prompt => "UserPromptSubmit",
                Self::TurnEnd => "Stop",
                Self::Compaction => "PreCompact",
                Self::SessionEnd => "SessionEnd",
            }),
            // It reports a compaction before every request to the model.
            (ClientKind::Gemini, Self::Compaction) => None,
            (ClientKind::Gemini, event) => Some(match event {
                Self::Prompt => "BeforeAgent",
                Self::TurnEnd => "AfterAgent",
                Self::SessionEnd => "SessionEnd",
                _ => "SessionStart",
            }),
            (ClientKind::Cursor, event) => Some(match event {
                Self::SessionStart => "sessionStart",
                Self::Prompt => "beforeSubmitPrompt",
                Self::TurnEnd => "afterAgentResponse",
                Self::Compaction => "preCompact",
                Self::SessionEnd => "sessionEnd",
            }),
            _ => None,
        }
    }
}

/// Returns the edits that add the hooks of a client to its file.
pub(crate) fn hook_edits(client: ClientKind, binary: &str, home: &str) -> Vec<FileEdit> {
    if client == ClientKind::OpenCode {
        return vec![FileEdit::Whole { text: opencode_plugin(binary, Some(home)) }];
    }
    let version = (client == ClientKind::Cursor)
        .then(|| FileEdit::Default { path: vec!["version".into()], value: json!(1) });
    let element = |event: HookEvent| {
        let native = event.native_name(client)?;
        let path = vec!["hooks".to_owned(), native.to_owned()];
        let value = hook_entry(client, event, &hook_command(client, event, binary, Some(home)));
        Some(FileEdit::Element { path, value })
    };
    version.into_iter().chain(HookEvent::ALL.into_iter().filter_map(element)).collect()
}

/// Returns the hooks of a client as the object that a file of its own holds. Without a home
/// directory, the hook finds the one of its environment.
pub(crate) fn hooks_object(client: ClientKind, binary: &str) -> Value {
    let entry = |event: HookEvent| {
        let native = event.native_name(client)?;
        let value = hook_entry(client, event, &hook_command(client, event, binary, None));
        Some((native.to_owned(), json!([value])))
    };
    Value::Object(HookEvent::ALL.into_iter().filter_map(entry).collect())
}

/// Returns the command line of a hook. Clients pass it to a shell, so its paths are quoted.
fn hook_command(client: ClientKind, event: HookEvent, binary: &str, home: Option<&str>) -> String {
    let home = home.map(|home| format!(" --home {}", quote(home))).unwrap_or_default();
    format!("{} hook {} --client {}{home}", quote(binary), event.name(), client.name())
}

fn quote(path: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "/._-:+@%~".contains(letter);
    if !path.is_empty() && path.chars().all(is_plain) {
        return path.to_owned();
    }
    // Within double quotes both a POSIX shell and cmd.exe keep spaces.
    let escape = |letter: char| match letter {
        '"' | '$' | '`' => format!("\\{letter}"),
        other => other.to_string(),
    };
    format!("\"{}\"", path.chars().map(escape).collect::<String>())
}

fn hook_entry(client: ClientKind, event: HookEvent, command: &str) -> Value {
    let seconds = event.timeout_seconds(Some(client));
    let milliseconds = seconds * 1000;
    match client {
        ClientKind::Cursor => json!({ "command": command, "timeout": seconds }),
        ClientKind::Gemini => json!({ "hooks": [{
            "type": "command", "name": "quipu", "command": command, "timeout": milliseconds
        }]}),
        _ => json!({ "hooks": [{
            "type": "command", "command": command, "timeout": seconds
        }]}),
    }
}

pub(crate) fn opencode_plugin(binary: &str, home: Option<&str>) -> String {
    let literal = |text: Option<&str>| Value::from(text).to_string();
    OPENCODE_PLUGIN
        .replace("\"@BINARY@\"", &literal(Some(binary)))
        .replace("\"@HOME@\"", &literal(home))
        .replace("\"@TIMEOUT@\"", &(TIMEOUT_SECONDS * 1000).to_string())
}

/// Returns true if a hook runs `quipu hook`.
pub(crate) fn is_our_hook(hook: &Value) -> bool {
    let command = hook.get("command").and_then(Value::as_str).unwrap_or_default();
    command.contains("quipu") && command.contains(" hook ") && command.contains("--client ")
}

/// Returns the hooks inside of an entry: those of its group, or the entry itself.
pub(crate) fn hooks_of(entry: &Value) -> Vec<&Value> {
    match entry.get("hooks").and_then(Value::as_array) {
        Some(group) => group.iter().collect(),
        None => vec![entry],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_of_every_client_is_the_same_event() {
        for client in ClientKind::ALL {
            for event in HookEvent::ALL {
                assert_eq!(HookEvent::parse(event.name()), Some(event));
                if let Some(native) = event.native_name(client) {
                    assert_eq!(HookEvent::parse(native), Some(event), "{native}");
                }
            }
        }
        assert_eq!(HookEvent::parse("PostToolUse"), None);
    }

    #[test]
    fn time_outs_are_in_the_unit_of_the_client() {
        let timeout_at =
            |client, event| hook_entry(client, event, "x")["hooks"][0]["timeout"].clone();
        let timeout = |client| timeout_at(client, HookEvent::TurnEnd);
        assert_eq!(timeout(ClientKind::ClaudeCode), 10);
        assert_eq!(timeout(ClientKind::Codex), 10);
        assert_eq!(timeout(ClientKind::Gemini), 10_000);
        assert_eq!(timeout_at(ClientKind::Codex, HookEvent::SessionEnd), 3, "it waits no longer");
        assert_eq!(timeout_at(ClientKind::ClaudeCode, HookEvent::SessionEnd), 10);
    }

    #[test]
    fn paths_with_spaces_and_shell_characters_are_quoted() {
        let command = hook_command(
            ClientKind::Codex,
            HookEvent::Prompt,
            "/opt/my tools/quipu",
            Some("/home/ada/$data"),
        );
        assert_eq!(
            command,
            r#""/opt/my tools/quipu" hook prompt --client codex --home "/home/ada/\$data""#
        );
        assert!(is_our_hook(&json!({ "type": "command", "command": command })));
        assert!(!is_our_hook(&json!({ "command": "/bin/other hook --client x" })));
    }

    #[test]
    fn the_plugin_for_opencode_holds_the_paths_as_literals() {
        let plugin = opencode_plugin("/opt/a \"b\"/quipu", Some("/home/ada"));
        assert!(plugin.contains(r#"const BINARY = "/opt/a \"b\"/quipu""#), "{plugin}");
        assert!(!plugin.contains('@'), "{plugin}");
    }
}
