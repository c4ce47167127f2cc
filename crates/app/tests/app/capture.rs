//! `quipu capture` with the session stores of opencode and Cursor, read as their programs left
//! them.

use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const OPENCODE: &str = include_str!("../data/opencode.sql");
const CURSOR: &str = include_str!("../data/cursor.sql");
const SAID: &str = "We decided to keep billing in PostgreSQL.";

/// Makes the file of a client from its fixture.
fn stored(env: &TestEnv, path: &str, sql: &str) -> PathBuf {
    let file = env.root().join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    rusqlite::Connection::open(&file).unwrap().execute_batch(sql).unwrap();
    file
}

fn capture(env: &TestEnv, arguments: &[&str]) -> Value {
    env.json(&[&["capture"], arguments].concat())["counts"].clone()
}

fn turns_and_known(counts: &Value) -> (u64, u64) {
    (counts["turns"].as_u64().unwrap(), counts["known"].as_u64().unwrap())
}

/// Captures the directory of a client: counted, stored, and known from then on.
fn is_captured_once(env: &TestEnv, directory: &Path, client: &str) {
    let directory = directory.to_str().unwrap();
    let dry = capture(env, &["--dry-run", directory]);
    assert_eq!(turns_and_known(&dry), (2, 0), "{dry}");
    assert_eq!(dry["statements"], 1, "{dry}");
    assert_eq!(turns_and_known(&capture(env, &["--dry-run", directory])), (2, 0));
    assert_eq!(turns_and_known(&capture(env, &[directory])), (2, 0));
    assert_eq!(turns_and_known(&capture(env, &[directory])), (0, 2));
    let file = env.root().join("captured.jsonl");
    env.quipu(&["export", file.to_str().unwrap()]).success();
    let exported = std::fs::read_to_string(file).unwrap();
    let is_turn = |line: &&str| line.contains(SAID) && line.contains("\"transcripts\"");
    let turn = exported.lines().find(is_turn).expect("the turn is stored");
    assert!(turn.contains(client), "{turn}");
}

#[test]
fn sessions_of_opencode_are_captured_once() {
    let env = TestEnv::new();
    let file = stored(&env, "opencode/opencode.db", OPENCODE);
    let before = std::fs::read(&file).unwrap();
    is_captured_once(&env, file.parent().unwrap(), "opencode");
    assert_eq!(std::fs::read(&file).unwrap(), before, "the file is only read");
}

#[test]
fn sessions_of_an_older_opencode_are_captured_once_also_beside_the_newer_file() {
    let env = TestEnv::new();
    let write = |path: &str, content: Value| {
        let file = env.root().join("opencode/storage").join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, content.to_string()).unwrap();
    };
    let at = json!({ "created": 4_070_908_801_000_i64 });
    write("session/global/ses_1.json", json!({ "id": "ses_1", "directory": "/home/ada/shop" }));
    for (id, role, text) in
        [("msg_1", "user", SAID), ("msg_2", "assistant", "Billing stays in PostgreSQL.")]
    {
        let message = json!({ "id": id, "sessionID": "ses_1", "role": role, "time": at });
        write(&format!("message/ses_1/{id}.json"), message);
        let part = json!({ "id": "prt_1", "messageID": id, "type": "text", "text": text });
        write(&format!("part/{id}/prt_1.json"), part);
    }
    let directory = env.root().join("opencode");
    is_captured_once(&env, &directory, "opencode");
    stored(&env, "opencode/opencode.db", OPENCODE);
    let counts = capture(&env, &[directory.to_str().unwrap()]);
    assert_eq!(turns_and_known(&counts), (0, 4), "{counts}");
}

#[test]
fn conversations_of_cursor_are_captured_once() {
    let env = TestEnv::new();
    let file = stored(&env, "Cursor/User/globalStorage/state.vscdb", CURSOR);
    let empty = "CREATE TABLE ItemTable (key TEXT, value BLOB)";
    stored(&env, "Cursor/User/workspaceStorage/1/state.vscdb", empty);
    let before = std::fs::read(&file).unwrap();
    is_captured_once(&env, &env.root().join("Cursor"), "cursor");
    assert_eq!(std::fs::read(&file).unwrap(), before, "the file is only read");
}

#[test]
fn a_layout_that_is_not_known_is_named_and_nothing_is_stored() {
    let env = TestEnv::new();
    let changed = CURSOR.replace("key TEXT", "name TEXT");
    let file = stored(&env, "Cursor/User/globalStorage/state.vscdb", &changed);
    let told = env.quipu(&["capture", file.to_str().unwrap()]).success();
    assert!(told.contains("state.vscdb") && told.contains("no such column"), "{told}");
    assert!(told.starts_with("0 turns stored"), "{told}");
}

#[test]
fn conversations_of_no_known_directory_count_as_private_where_directories_are_private() {
    let env = TestEnv::new();
    let unknown = CURSOR.replace("workspaceIdentifier", "somewhereElse");
    let file = stored(&env, "Cursor/User/globalStorage/state.vscdb", &unknown);
    let path = file.to_str().unwrap();
    assert_eq!(capture(&env, &["--dry-run", path])["turns"], 2);
    std::fs::write(env.home().join("config.toml"), "private_dirs = [\"/home/ada/diary\"]\n")
        .unwrap();
    let counts = capture(&env, &["--dry-run", path]);
    assert_eq!((&counts["turns"], &counts["private"]), (&json!(0), &json!(2)), "{counts}");
}
