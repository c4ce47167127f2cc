//! Import and export through the binary.

use crate::test_env::{TestEnv, run_to_end};
use serde_json::{Value, json};
use std::process::Stdio;

#[test]
fn an_export_is_imported_elsewhere_and_a_second_import_adds_nothing() {
    let (here, there) = (TestEnv::new(), TestEnv::new());
    here.quipu(&["remember", "We ship on Tuesdays.", "--kind", "decision"]).success();
    here.quipu(&["remember", "The office is in Toronto."]).success();
    here.quipu(&["correct", "2", "The office is in Montreal."]).success();
    let file = here.work().join("brain.amem");
    let file = file.to_str().unwrap();
    let exported = here.json(&["export", "--format", "amem", file]);
    assert_eq!((&exported["memories"], &exported["links"]), (&json!(3), &json!(1)));
    let imported = there.json(&["import", file]);
    assert_eq!((&imported["added"], &imported["links"]), (&json!(3), &json!(1)));
    let recalled = there.quipu(&["recall", "where is the office"]).success();
    assert!(recalled.contains("Montreal") && !recalled.contains("Toronto"), "{recalled}");
    let again = there.json(&["import", file]);
    assert_eq!(
        (&again["added"], &again["known"], &again["links"]),
        (&json!(0), &json!(3), &json!(0))
    );
    let said = there.quipu(&["import", file]).success();
    assert!(said.contains("3 already existed."), "{said}");
}

#[test]
fn an_export_gets_a_default_name_and_overwrites_nothing() {
    let env = TestEnv::new();
    env.quipu(&["remember", "Something."]).success();
    let first = env.json(&["export", "--format", "amem"]);
    let file = first["file"].as_str().unwrap();
    assert!(file.starts_with("quipu-me-") && env.work().join(file).is_file(), "{file}");
    let second = env.quipu(&["export", "--format", "amem"]);
    assert_eq!(second.code, Some(4), "{}", second.stderr);
    assert!(second.stderr.contains("exists"), "{}", second.stderr);
}

#[test]
fn a_file_of_another_format_is_refused_with_the_reason() {
    let env = TestEnv::new();
    let file = env.work().join("notes.amem");
    for (content, expected) in [(&b"hello"[..], "not an .amem file"), (b"AMEM", "truncated")] {
        std::fs::write(&file, content).unwrap();
        let run = env.quipu(&["import", file.to_str().unwrap()]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
    let missing = env.quipu(&["import", "nothing.amem"]);
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
    let directory = env.quipu(&["import", "."]);
    assert!(directory.stderr.contains("no notes and no export"), "{}", directory.stderr);
}

/// Returns the messages of a client that initializes, sends the notification `ready`, and calls
/// tools, resources and prompts.
fn client_messages(ready: &str) -> String {
    let client = json!({"name": "tester", "version": "1"});
    let begin = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client});
    let arguments = json!({"event_type": "decision", "content": "Ship on Tuesdays."});
    let add = json!({"name": "memory_add", "arguments": arguments});
    let prompt = json!({"name": "remember", "arguments": {"information": "Tuesdays"}});
    let (stats, missing) = (json!({"uri": "amem://graph/stats"}), json!({"uri": "amem://node/77"}));
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin}),
        json!({"jsonrpc": "2.0", "method": ready}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": add}),
        json!({"jsonrpc": "2.0", "id": 3, "method": "resources/read", "params": stats}),
        json!({"jsonrpc": "2.0", "id": 4, "method": "prompts/get", "params": prompt}),
        json!({"jsonrpc": "2.0", "id": 5, "method": "prompts/get", "params": {"name": "sing"}}),
        json!({"jsonrpc": "2.0", "id": 6, "method": "resources/read", "params": missing}),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn both_initialized_notifications_start_a_session_and_disconnecting_summarizes_it() {
    for ready in ["initialized", "notifications/initialized"] {
        let env = TestEnv::new();
        let mut command = env.command(&["mcp", "--dialect", "agentic"]);
        let said = run_to_end(command.stdin(Stdio::piped()), &client_messages(ready)).success();
        let answers: Vec<Value> =
            said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert!(answers[0]["result"]["capabilities"]["resources"].is_object(), "{said}");
        let answer = |id: i64| answers.iter().find(|answer| answer["id"] == id).unwrap();
        assert_eq!(answer(2)["result"]["structuredContent"]["session_id"], 1, "{said}");
        assert!(answer(3)["result"]["contents"][0]["text"].is_string(), "{said}");
        assert!(answer(4)["result"]["messages"][0]["content"]["text"].is_string(), "{said}");
        assert_eq!(answer(5)["error"]["code"], -32602, "no such prompt: {said}");
        assert_eq!(answer(6)["error"]["code"], -32002, "no such resource: {said}");
        let sessions = env.json(&["session", "list"]);
        assert!(sessions.to_string().contains("ended"), "{ready}: {sessions}");
        let resumed = env.json(&["recall", "Tuesdays"]);
        let kinds: Vec<&str> = resumed["memories"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|one| one["kind"].as_str())
            .collect();
        assert!(kinds.contains(&"episode"), "{ready}: {resumed}");
    }
}

#[test]
fn a_jsonl_export_is_restored_unchanged_elsewhere() {
    let (here, there) = (TestEnv::new(), TestEnv::new());
    here.quipu(&["remember", "We ship on Tuesdays.", "--kind", "decision", "--tag", "release"])
        .success();
    here.quipu(&["remember", "The office is in Toronto."]).success();
    here.quipu(&["correct", "2", "The office is in Montreal."]).success();
    let file = here.work().join("all.jsonl");
    let file = file.to_str().unwrap();
    let exported = here.json(&["export", file]);
    assert_eq!((&exported["format"], &exported["written"]["memory"]), (&json!("jsonl"), &json!(3)));
    assert_eq!(exported["bytes"], std::fs::metadata(file).unwrap().len());
    let imported = there.json(&["import", file]);
    assert_eq!((&imported["added"]["memory"], &imported["passed_over"]), (&json!(3), &json!([])));
    let again = there.work().join("again.jsonl");
    let again = again.to_str().unwrap();
    there.json(&["export", again]);
    assert_eq!(std::fs::read_to_string(file).unwrap(), std::fs::read_to_string(again).unwrap());
    let said = there.quipu(&["import", file]).success();
    assert!(said.contains("already existed."), "{said}");
    let taken = there.quipu(&["export", again]);
    assert_eq!(taken.code, Some(4), "{}", taken.stderr);
}

#[test]
fn a_damaged_export_is_refused_with_the_line() {
    let env = TestEnv::new();
    let file = env.work().join("broken.jsonl");
    for (content, expected) in [
        ("{\"type\": \"song\"}\n", "no list of memories"),
        ("{\"type\":\"quipu\",\"version\":1}\n{\"type\":\"mem", "line 2"),
    ] {
        std::fs::write(&file, content).unwrap();
        let run = env.quipu(&["import", file.to_str().unwrap()]);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

#[test]
fn an_export_of_epitome_is_imported() {
    let env = TestEnv::new();
    let file = env.work().join("epitome.json");
    let entry = json!({
        "id": 1,
        "text": "Had a wonderful sunset walk",
        "created_at": "2026-02-20T19:00:00Z",
    });
    let export = json!({
        "exportedAt": "2026-02-24T10:00:00Z",
        "profile": {"name": "Ada"},
        "tables": {"meals": [{"id": 1, "food": "ramen"}]},
        "vectors": {"entries": {"journal": [entry]}},
        "graph": {},
    });
    std::fs::write(&file, format!("{export:#}")).unwrap();
    let imported = env.json(&["import", file.to_str().unwrap()]);
    assert_eq!(
        (&imported["added"]["memory"], &imported["added"]["record"]),
        (&json!(2), &json!(1))
    );
    assert!(env.quipu(&["recall", "sunset walk"]).success().contains("wonderful"));
    std::fs::write(&file, "{\"songs\": []}").unwrap();
    let other = env.quipu(&["import", file.to_str().unwrap()]);
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    assert!(other.stderr.contains("no list of memories"), "{}", other.stderr);
}

#[test]
fn a_vault_of_the_librarian_is_imported_with_its_layout() {
    let env = TestEnv::new();
    let vault = env.work().join("vault");
    for (file, text) in [
        (
            "memories/host-1a.md",
            "---\nid: mem_1a\ntitle: Staging host\nagent_id: codex\nstatus: active\n\
             created_at: '2026-01-02T08:00:00.000Z'\n---\nThe host is blue.internal.\n",
        ),
        ("references/guide.md", "# Deploy\nShip on Tuesdays.\n"),
        ("inbox/0001.md", "---\nid: in_1\n---\nNot filed yet.\n"),
    ] {
        let path = vault.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let imported = env.json(&["import", vault.to_str().unwrap()]);
    assert_eq!(
        (&imported["added"]["memory"], &imported["added"]["reference"]),
        (&json!(1), &json!(1))
    );
    let recalled = env.quipu(&["recall", "staging host"]).success();
    assert!(recalled.contains("Staging host"), "{recalled}");
    let shown = env.json(&["show", "1"]).to_string();
    assert!(shown.contains("codex"), "{shown}");
    let listed = env.quipu(&["reference"]).success();
    assert!(listed.contains("references/guide.md"), "{listed}");
}

#[test]
fn a_sqlite_file_of_code_memory_is_imported_and_another_is_refused() {
    let env = TestEnv::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/code_memory.db");
    let imported = env.json(&["import", file]);
    assert_eq!(
        (&imported["added"]["memory"], &imported["added"]["session"]),
        (&json!(1), &json!(1))
    );
    assert!(env.quipu(&["recall", "which queue"]).success().contains("Kafka"));
    let other = env.home().join("owners/me/memory.db");
    let refused = env.quipu(&["import", other.to_str().unwrap()]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

/// Returns true if a note below a directory holds a text.
fn has_note(directory: &std::path::Path, text: &str) -> bool {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match path.is_dir() {
        true => has_note(&path, text),
        false => std::fs::read_to_string(&path).is_ok_and(|note| note.contains(text)),
    })
}

#[cfg(unix)]
#[test]
fn a_watched_vault_follows_the_memory_until_it_is_told_to_end() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The glaze is called celadon."]).success();
    let mut command = env.command(&["export", "vault", "--format", "vault", "--watch"]);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let vault = env.work().join("vault");
    let until = |expected: bool, text: &str| {
        let looked = (0..1_200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(50));
            has_note(&vault, text) == expected
        });
        assert!(looked, "{text}: {expected}");
    };
    until(true, "celadon");
    env.quipu(&["remember", "The kiln is fired on Fridays."]).success();
    until(true, "Fridays");
    env.quipu(&["forget", "1", "--yes"]).success();
    until(false, "celadon");
    let id = child.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
