//! The plan of a setup: for each file of the chosen clients, the edits to make in it.

use crate::client::ClientKind;
use crate::client_files::client_files;
use crate::edit::FileEdit;
use crate::hooks::hook_edits;
use crate::instructions::INSTRUCTIONS;
use crate::places::Places;
use crate::server_entry::{ServerEntry, entry_path};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Rule that lets Claude Code call every tool of the server without asking.
pub(crate) const CLAUDE_ALLOW_RULE: &str = "mcp__quipu";

/// Reach of the settings: the user everywhere, or one project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetupScope {
    User,
    Project,
}

/// Parts of a setup that can be left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SetupSwitches {
    pub hooks: bool,
    pub instructions: bool,
    pub allow: bool,
}

/// A setup that somebody asks for.
#[derive(Debug, Clone)]
pub struct SetupRequest {
    pub clients: Vec<ClientKind>,
    pub scope: SetupScope,
    pub server: ServerEntry,
    pub switches: SetupSwitches,
    /// Absolute path of the binary, for hooks.
    pub binary: String,
    /// Absolute path of Quipu's home directory, for hooks.
    pub home: String,
}

/// Edits of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct ClientFilePlan {
    pub path: PathBuf,
    /// Clients that read the file.
    pub clients: Vec<ClientKind>,
    pub edits: Vec<FileEdit>,
}

/// Edits of every file, and remarks about what was left out.
#[derive(Debug, Default)]
pub struct SetupPlan {
    pub files: Vec<ClientFilePlan>,
    pub notes: Vec<String>,
}

/// Plans a setup. Reads nothing but the existence of files that have two names.
pub fn plan_setup(request: &SetupRequest, places: &Places) -> SetupPlan {
    let mut plan = SetupPlan::default();
    for client in &request.clients {
        plan.add_client(*client, request, places);
    }
    plan
}

impl SetupPlan {
    fn add_client(&mut self, client: ClientKind, request: &SetupRequest, places: &Places) {
        let title = client.title();
        let files = client_files(client, request.scope, places);
        let Some(server) = files.server else {
            self.notes.push(format!("{title} has no settings of a project; use --scope user."));
            return;
        };
        let switches = request.switches;
        let Some(entry) = request.server.for_client(client, request.scope, switches.allow) else {
            self.notes.push(format!(
                "{title} takes remote servers only in its own settings, under Connectors."
            ));
            return;
        };
        self.add(client, server, server_edits(client, entry));
        if let Some(path) = files.allow.filter(|_| switches.allow) {
            let rule = FileEdit::Element {
                path: vec!["permissions".into(), "allow".into()],
                value: CLAUDE_ALLOW_RULE.into(),
            };
            self.add(client, path, vec![rule]);
        }
        if let Some(path) = files.hooks.filter(|_| switches.hooks) {
            self.add(client, path, hook_edits(client, &request.binary, &request.home));
        }
        if let Some(path) = files.instructions.filter(|_| switches.instructions) {
            self.add(client, path, vec![FileEdit::Section { text: INSTRUCTIONS.to_owned() }]);
        }
        if client == ClientKind::Codex && switches.hooks {
            self.notes.push(
                "Codex runs new hooks only after you trust them: start it and enter /hooks.".into(),
            );
        }
    }

    /// Adds edits to the plan of a file, each once.
    fn add(&mut self, client: ClientKind, path: PathBuf, edits: Vec<FileEdit>) {
        let index = self.files.iter().position(|file| file.path == path).unwrap_or_else(|| {
            self.files.push(ClientFilePlan { path, clients: Vec::new(), edits: Vec::new() });
            self.files.len() - 1
        });
        let file = &mut self.files[index];
        if !file.clients.contains(&client) {
            file.clients.push(client);
        }
        for edit in edits {
            if !file.edits.contains(&edit) {
                file.edits.push(edit);
            }
        }
    }
}

fn server_edits(client: ClientKind, entry: Value) -> Vec<FileEdit> {
    let path = entry_path(client);
    match client {
        ClientKind::Continue => vec![FileEdit::Whole { text: continue_block(&entry) }],
        ClientKind::OpenCode => {
            let schema = json!("https://opencode.ai/config.json");
            vec![
                FileEdit::DefaultInNewFile { path: vec!["$schema".into()], value: schema },
                FileEdit::Entry { path, value: entry },
            ]
        }
        _ => vec![FileEdit::Entry { path, value: entry }],
    }
}

/// Returns the file for Continue, which reads one block from each file.
fn continue_block(entry: &Value) -> String {
    let mut server = json!({ "name": "quipu" });
    if let (Some(server), Some(entry)) = (server.as_object_mut(), entry.as_object()) {
        server.extend(entry.clone());
    }
    // JSON is YAML, so every value is quoted by a rule that holds in both.
    format!("name: Quipu\nversion: 0.0.1\nschema: v1\nmcpServers:\n  - {server}\n")
}
