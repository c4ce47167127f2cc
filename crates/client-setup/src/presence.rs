//! Detection of the clients that are installed, and of those that are set up.

use crate::client::ClientKind;
use crate::client_files::{ClientFiles, client_files, is_installed};
use crate::codex_trust::{HookTrust, hook_trust};
use crate::edit::has_entry;
use crate::files::FileState;
use crate::places::Places;
use crate::plan::SetupScope;
use crate::server_entry::entry_path;
use std::path::Path;

/// State of one installed client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientPresence {
    pub client: ClientKind,
    /// The server is among its servers, for the user or for the project.
    pub configured: bool,
    /// Its hooks run `quipu hook`; `None` if it has no hooks.
    pub hooks: Option<bool>,
    /// Trust of the user in its hooks; `None` if it runs hooks without, or has none.
    pub trust: Option<HookTrust>,
}

/// Returns the state of every installed client.
pub fn find_presence(places: &Places) -> Vec<ClientPresence> {
    let installed = ClientKind::ALL.into_iter().filter(|client| is_installed(*client, places));
    installed.map(|client| presence_of(client, places)).collect()
}

fn presence_of(client: ClientKind, places: &Places) -> ClientPresence {
    let scopes = [SetupScope::User, SetupScope::Project];
    let files = scopes.map(|scope| client_files(client, scope, places));
    let is_configured = |path: &Path| {
        let text = read_text(path);
        match client {
            ClientKind::Continue => text.is_some(),
            _ => text.is_some_and(|text| has_entry(path, &text, &entry_path(client))),
        }
    };
    let has_hooks = |path: &Path| {
        let runs = |text: String| {
            text.contains("quipu") && text.contains(&format!("--client {}", client.name()))
                || (client == ClientKind::OpenCode && text.contains("`quipu setup`"))
        };
        read_text(path).is_some_and(runs)
    };
    let server_paths = files.iter().filter_map(|files| files.server.as_deref());
    let mut hook_paths = files.iter().filter_map(|files| files.hooks.as_deref()).peekable();
    ClientPresence {
        client,
        configured: server_paths.into_iter().any(is_configured),
        hooks: hook_paths.peek().is_some().then(|| hook_paths.any(has_hooks)),
        trust: (client == ClientKind::Codex).then(|| codex_trust(&files, places)).flatten(),
    }
}

/// Returns the trust in the hooks of the user and of the project.
fn codex_trust(files: &[ClientFiles], places: &Places) -> Option<HookTrust> {
    // Codex keeps its trust for the user, also in the hooks of a project.
    let config = client_files(ClientKind::Codex, SetupScope::User, places).server;
    let config = config.as_deref().and_then(read_text);
    let paths = files.iter().filter_map(|files| files.hooks.as_deref());
    let trust = |path: &Path| hook_trust(path, &read_text(path)?, config.as_deref());
    paths.filter_map(trust).min()
}

fn read_text(path: &Path) -> Option<String> {
    FileState::read(path).ok()?.text().ok().flatten().map(str::to_owned)
}
