//! Every client is set up once, and undoing leaves nothing behind.

use crate::home::{ClientHome, request};
use quipu_client_setup::{ClientKind, ServerEntry, SetupScope, find_presence, plan_setup};

#[test]
fn undoing_leaves_an_empty_home_empty_for_every_client_in_both_scopes() {
    for scope in [SetupScope::User, SetupScope::Project] {
        for client in ClientKind::ALL {
            let home = ClientHome::new();
            let before = home.tree();
            let plan = plan_setup(&setup_in(scope, client), &home.places());
            let changed = home.apply(&plan);
            assert_eq!(changed.len(), plan.files.len(), "{client:?}: {changed:?}");
            assert_eq!(
                changed.is_empty(),
                !plan.notes.is_empty() && scope == SetupScope::Project && plan.files.is_empty()
            );
            home.undo();
            assert_eq!(home.tree(), before, "{client:?} {scope:?}");
            assert!(home.journal().is_empty());
        }
    }
}

fn setup_in(scope: SetupScope, client: ClientKind) -> quipu_client_setup::SetupRequest {
    quipu_client_setup::SetupRequest { scope, ..request(&[client]) }
}

#[test]
fn a_second_setup_changes_nothing() {
    let home = ClientHome::new();
    home.set_up(&ClientKind::ALL);
    let after = home.tree();
    assert_eq!(home.preview(&ClientKind::ALL), Vec::<String>::new());
    assert_eq!(home.set_up(&ClientKind::ALL), Vec::<std::path::PathBuf>::new());
    assert_eq!(home.tree(), after);
}

#[test]
fn a_client_that_is_set_up_is_reported_as_configured() {
    let home = ClientHome::new();
    assert_eq!(find_presence(&home.places()), []);
    for name in [".codex", ".claude", ".gemini", ".config/Claude", ".config/goose"] {
        std::fs::create_dir_all(home.path(name)).unwrap();
    }
    let found = find_presence(&home.places());
    let clients: Vec<ClientKind> = found.iter().map(|presence| presence.client).collect();
    use ClientKind::{ClaudeCode, ClaudeDesktop, Codex, Gemini, Goose};
    assert_eq!(clients, [ClaudeCode, ClaudeDesktop, Codex, Gemini, Goose]);
    assert!(found.iter().all(|presence| !presence.configured && presence.hooks != Some(true)));
    home.set_up(&clients);
    let found = find_presence(&home.places());
    assert!(found.iter().all(|presence| presence.configured), "{found:?}");
    let hooks: Vec<_> = found.iter().map(|presence| presence.hooks).collect();
    assert_eq!(hooks, [Some(true), None, Some(true), Some(true), None]);
}

#[test]
fn another_path_of_the_binary_replaces_the_old_one() {
    let home = ClientHome::new();
    let before = home.tree();
    home.set_up(&ClientKind::ALL);
    let mut moved = request(&ClientKind::ALL);
    moved.binary = "/usr/bin/quipu".into();
    moved.server = ServerEntry::Stdio { binary: moved.binary.clone(), home: moved.home.clone() };
    home.apply(&plan_setup(&moved, &home.places()));
    for (path, content) in home.tree() {
        let content = String::from_utf8(content.unwrap_or_default()).unwrap();
        assert!(!content.contains("/opt/quipu"), "{}: {content}", path.display());
    }
    let settings = home.read(".claude/settings.json");
    assert_eq!(settings.matches(" hook session-start ").count(), 1, "{settings}");
    home.undo();
    assert_eq!(home.tree(), before);
}

#[test]
fn a_switch_to_http_removes_the_command_and_keeps_the_rest_of_the_entry() {
    let home = ClientHome::new();
    home.write(".codex/config.toml", "[mcp_servers.quipu]\ncommand = \"old\"\nenabled = true\n");
    let url = "http://127.0.0.1:7717/mcp".to_owned();
    let http = ServerEntry::Http { url, key: Some("qk".into()) };
    let clients = [ClientKind::Codex, ClientKind::ClaudeDesktop];
    let request = quipu_client_setup::SetupRequest { server: http, ..request(&clients) };
    let plan = plan_setup(&request, &home.places());
    assert!(plan.notes.iter().any(|note| note.contains("Claude Desktop")), "{:?}", plan.notes);
    home.apply(&plan);
    let config = home.read(".codex/config.toml");
    assert!(!config.contains("command") && config.contains("enabled = true"), "{config}");
    assert!(config.contains("url = \"http://127.0.0.1:7717/mcp\""), "{config}");
    assert!(config.contains("Authorization = \"Bearer qk\""), "{config}");
}

#[test]
fn parts_that_are_switched_off_are_left_out() {
    let home = ClientHome::new();
    let mut quiet = request(&[ClientKind::ClaudeCode]);
    quiet.switches =
        quipu_client_setup::SetupSwitches { hooks: false, instructions: false, allow: false };
    let changed = home.apply(&plan_setup(&quiet, &home.places()));
    let paths: Vec<_> = changed.into_iter().map(Result::unwrap).collect();
    assert_eq!(paths, [home.path(".claude.json")]);
}
