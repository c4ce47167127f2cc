//! Files that cannot be edited are named, and left exactly as they are.

use crate::home::ClientHome;
use quipu_client_setup::{ClientKind, SetupError, preview_plan};

/// Checks that setting up a client fails on a file, without touching it.
fn refuse(client: ClientKind, name: &str, content: &[u8]) -> String {
    let home = ClientHome::new();
    let path = home.write(name, content);
    let plan = home.plan(&[client]);
    let previewed = preview_plan(&plan).into_iter().find_map(Result::err).unwrap();
    let results = home.apply(&plan);
    let error = results.iter().find_map(|result| result.as_ref().err()).unwrap();
    assert_eq!(previewed.to_string(), error.to_string(), "the preview says the same");
    assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), content);
    assert!(!path.with_extension("json.quipu-backup").exists());
    error.to_string()
}

#[test]
fn a_broken_file_is_refused_with_the_place_of_the_mistake() {
    let broken = b"{\n  \"mcpServers\": {\n    \"a\": 1\n    \"b\": 2\n  }\n}\n";
    let reason = refuse(ClientKind::Cursor, ".cursor/mcp.json", broken);
    assert!(reason.contains("not valid JSON") && reason.contains("line 3"), "{reason}");
    let reason = refuse(ClientKind::Codex, ".codex/config.toml", b"model = \n[x\n");
    assert!(reason.contains("not valid TOML") && reason.contains("line 2"), "{reason}");
    refuse(ClientKind::Cursor, ".cursor/mcp.json", b"{\"a\": [1, 2}");
    refuse(ClientKind::Cursor, ".cursor/mcp.json", b"<<<<<<< HEAD\n{}\n");
    refuse(ClientKind::Goose, ".config/goose/config.yaml", b"extensions:\n\tx: 1\n");
    refuse(ClientKind::ClaudeCode, ".claude/CLAUDE.md", b"text <!-- quipu:end --> text");
}

#[test]
fn a_file_of_another_shape_is_refused_with_the_name_of_the_place() {
    let reason = refuse(ClientKind::Cursor, ".cursor/mcp.json", b"{\"mcpServers\": []}");
    assert!(reason.contains("`mcpServers` in it is not an object"), "{reason}");
    refuse(ClientKind::Cursor, ".cursor/mcp.json", b"[]");
    refuse(ClientKind::Codex, ".codex/config.toml", b"mcp_servers = 1\n");
    refuse(ClientKind::ClaudeCode, ".claude/settings.json", b"{\"permissions\": {\"allow\": 1}}");
    refuse(ClientKind::Goose, ".config/goose/config.yaml", b"extensions: { a: { b: 1 } }\n");
}

#[test]
fn a_file_that_is_not_text_is_refused() {
    assert!(refuse(ClientKind::Cursor, ".cursor/mcp.json", b"{\xff}").contains("not UTF-8"));
}

#[test]
fn a_broken_file_does_not_keep_other_clients_from_being_set_up() {
    let home = ClientHome::new();
    home.write(".cursor/mcp.json", "{");
    let results = home.apply(&home.plan(&[ClientKind::Cursor, ClientKind::Zed]));
    assert!(results.iter().any(Result::is_err));
    assert!(home.read(".config/zed/settings.json").contains("/opt/quipu/bin/quipu"));
}

#[cfg(unix)]
#[test]
fn a_read_only_file_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let home = ClientHome::new();
    let path = home.write(".cursor/mcp.json", "{}\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o444)).unwrap();
    let results = home.apply(&home.plan(&[ClientKind::Cursor]));
    assert!(matches!(&results[0], Err(SetupError::ReadOnly { .. })), "{results:?}");
    assert_eq!(home.read(".cursor/mcp.json"), "{}\n");
}

#[test]
fn undoing_a_file_that_is_broken_by_now_leaves_it_and_can_be_repeated() {
    let home = ClientHome::new();
    let before = home.tree();
    home.set_up(&[ClientKind::Cursor]);
    let good = home.read(".cursor/mcp.json");
    home.write(".cursor/mcp.json", format!("{good},"));
    let results = quipu_client_setup::undo_setup(&mut home.journal(), &[]);
    assert!(results.iter().any(Result::is_err), "{results:?}");
    assert_eq!(home.read(".cursor/mcp.json"), format!("{good},"));
    home.write(".cursor/mcp.json", good);
    home.undo();
    assert_eq!(home.tree(), before);
}
