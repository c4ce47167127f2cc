//! Files that several people, clients or links share.

use crate::home::{ClientHome, request};
use quipu_client_setup::{ClientKind, SetupRequest, SetupScope, plan_setup};

#[cfg(unix)]
#[test]
fn a_link_stays_a_link_and_its_target_is_changed() {
    let home = ClientHome::new();
    let target = home.write("dotfiles/mcp.json", "{}\n");
    std::fs::create_dir(home.path(".cursor")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/mcp.json", home.path(".cursor/mcp.json")).unwrap();
    home.set_up(&[ClientKind::Cursor]);
    assert!(home.path(".cursor/mcp.json").is_symlink());
    assert!(std::fs::read_to_string(&target).unwrap().contains("/opt/quipu/bin/quipu"));
    home.undo();
    assert!(home.path(".cursor/mcp.json").is_symlink());
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "{}\n");
}

#[cfg(unix)]
#[test]
fn permissions_of_a_file_and_of_its_backup_are_kept() {
    use std::os::unix::fs::PermissionsExt;
    let home = ClientHome::new();
    let path = home.write(".claude.json", "{ \"secret\": 1 }\n");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    home.set_up(&[ClientKind::ClaudeCode]);
    let mode = |name: &str| home.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(".claude.json"), mode(".claude.json.quipu-backup")), (0o640, 0o640));
    home.undo();
    assert_eq!(mode(".claude.json"), 0o640);
}

#[test]
fn instructions_that_clients_share_stay_until_the_last_one_is_undone() {
    let home = ClientHome::new();
    let before = home.tree();
    let clients = [ClientKind::Codex, ClientKind::Cursor];
    for client in clients {
        let request = SetupRequest { scope: SetupScope::Project, ..request(&[client]) };
        home.apply(&plan_setup(&request, &home.places()));
    }
    home.undo_for(&[ClientKind::Codex]);
    assert!(home.read("project/AGENTS.md").contains("Quipu"));
    assert!(!home.path("project/.codex").exists());
    home.undo_for(&[ClientKind::Cursor]);
    assert_eq!(home.tree(), before);
}

#[test]
fn hooks_of_others_stay_also_in_a_group_with_ours() {
    let home = ClientHome::new();
    let theirs = r#"{
  "hooks": {
    "Stop": [
      { "matcher": "", "hooks": [{ "type": "command", "command": "say done" }] }
    ]
  }
}
"#;
    home.write(".claude/settings.json", theirs);
    home.set_up(&[ClientKind::ClaudeCode]);
    let after = home.read(".claude/settings.json");
    assert!(after.contains("say done") && after.contains(" hook turn-end "), "{after}");
    // Somebody puts both into one group, which a further setup accepts.
    let mut value: serde_json::Value = serde_json::from_str(&after).unwrap();
    let stop = value["hooks"]["Stop"].as_array_mut().unwrap();
    let ours = stop.remove(1)["hooks"][0].take();
    stop[0]["hooks"].as_array_mut().unwrap().push(ours);
    home.write(".claude/settings.json", serde_json::to_string_pretty(&value).unwrap());
    assert_eq!(home.preview(&[ClientKind::ClaudeCode]), Vec::<String>::new());
    home.undo();
    let left: serde_json::Value =
        serde_json::from_str(&home.read(".claude/settings.json")).unwrap();
    assert_eq!(left, serde_json::from_str::<serde_json::Value>(&theirs.replace('\n', "")).unwrap());
}

#[test]
fn a_client_that_writes_its_file_anew_keeps_all_but_our_part() {
    let home = ClientHome::new();
    home.write(".claude.json", "{\"projects\":{},\"numStartups\":1}");
    home.set_up(&[ClientKind::ClaudeCode]);
    let mut value: serde_json::Value = serde_json::from_str(&home.read(".claude.json")).unwrap();
    value["numStartups"] = 2.into();
    home.write(".claude.json", serde_json::to_string_pretty(&value).unwrap());
    // A further setup, such as after an update, does not forget how it was.
    let mut moved = request(&[ClientKind::ClaudeCode]);
    moved.server =
        quipu_client_setup::ServerEntry::Stdio { binary: "/q".into(), home: "/h".into() };
    home.apply(&plan_setup(&moved, &home.places()));
    home.undo();
    let left: serde_json::Value = serde_json::from_str(&home.read(".claude.json")).unwrap();
    assert_eq!(left, serde_json::json!({ "projects": {}, "numStartups": 2 }));
}

#[test]
fn a_setup_that_was_interrupted_before_the_file_was_written_is_undone() {
    let home = ClientHome::new();
    let path = home.write(".cursor/mcp.json", "{}\n");
    let before = home.tree();
    home.set_up(&[ClientKind::Cursor]);
    // The journal and the backup are there, and the file still has its old content.
    std::fs::write(&path, "{}\n").unwrap();
    home.undo();
    assert_eq!(home.tree(), before);
}
