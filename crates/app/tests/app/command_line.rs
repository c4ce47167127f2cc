//! Behaviour of the command line beyond the output of single commands: the overview, listings, ids
//! and times in arguments, proposals, imports of lists, and vaults.

use crate::test_env::TestEnv;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

fn texts(env: &TestEnv, arguments: &[&str]) -> Vec<String> {
    let listed = env.json(arguments);
    let memories = listed["memories"].as_array().unwrap().iter();
    memories.map(|memory| memory["text"].as_str().unwrap().to_owned()).collect()
}

fn with_memories() -> TestEnv {
    let env = TestEnv::new();
    for (text, kind, project) in [
        ("The API runs on port 8080.", "fact", "billing"),
        ("We chose PostgreSQL for billing.", "decision", "billing"),
        ("Deploys are on Tuesdays.", "note", "shop"),
    ] {
        env.quipu(&["remember", text, "--kind", kind, "--project", project]).success();
    }
    env
}

#[test]
fn quipu_alone_lists_commands_by_purpose_with_five_first() {
    let env = TestEnv::new();
    let text = env.quipu(&[]).success();
    let first = text.split("Start here\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let names: Vec<&str> =
        first.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(&names[..2], ["setup", "remember"], "{text}");
    assert!(text.contains("\nMove and keep\n"), "{text}");
}

#[test]
fn the_newest_memories_are_listed_first_and_filters_hold() {
    let env = with_memories();
    assert_eq!(
        texts(&env, &["list", "-n", "2"]),
        ["Deploys are on Tuesdays.", "We chose PostgreSQL for billing."]
    );
    assert_eq!(texts(&env, &["list", "--kind", "fact"]), ["The API runs on port 8080."]);
    assert_eq!(texts(&env, &["list", "--project", "shop", "--since", "yesterday"]).len(), 1);
    assert_eq!(texts(&env, &["list", "--until", "yesterday"]).len(), 0);
    let said = env.quipu(&["list", "-n", "1"]).success();
    assert!(said.contains("There are more"), "{said}");
}

#[test]
fn a_watched_list_prints_what_others_write() {
    let env = with_memories();
    let mut watching = env
        .command(&["list", "--watch", "--json", "--project", "shop"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains("Tuesdays"));
    env.quipu(&["remember", "The harbour is closed.", "--project", "billing"]).success();
    env.quipu(&["remember", "The shop opens at nine.", "--project", "shop"]).success();
    assert!(lines.next().unwrap().unwrap().contains("opens at nine"));
    watching.kill().unwrap();
    watching.wait().unwrap();
}

#[test]
fn ids_are_understood_with_a_hash_or_a_letter() {
    let env = with_memories();
    for id in ["1", "#1", "m1"] {
        assert!(env.quipu(&["show", id]).success().contains("port 8080"), "{id}");
    }
    let refused = env.quipu(&["show", "r1"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("m17"), "{}", refused.stderr);
}

#[test]
fn times_are_understood_as_people_write_them_and_limits_hold() {
    let env = with_memories();
    for when in ["2w", "yesterday", "2026-01-01", "3 days ago"] {
        assert!(
            env.quipu(&["recall", "port", "--since", when]).success().contains("8080"),
            "{when}"
        );
    }
    assert_eq!(env.quipu(&["recall", "port", "--since", "soon"]).code, Some(2));
    assert_eq!(env.quipu(&["recall", "port", "-n", "101"]).code, Some(2));
    assert_eq!(env.quipu(&["list", "-n", "0"]).code, Some(2));
}

#[test]
fn misspelt_kinds_agents_and_resources_get_a_proposal() {
    let env = with_memories();
    let said = env.quipu(&["recall", "billing", "--kind", "desicion"]).success();
    assert!(said.contains("did you mean `decision`?"), "{said}");
    let said = env.quipu(&["list", "--kind", "facts"]).success();
    assert!(said.contains("did you mean `fact`?"), "{said}");
    let said = env.quipu(&["grants", "set", "mee", "tables", "read"]).success();
    assert!(said.contains("No agent named `mee`"), "{said}");
    let refused = env.quipu(&["grants", "set", "codex", "refrences", "read"]);
    assert!(refused.stderr.contains("Did you mean `references`?"), "{}", refused.stderr);
    let said = env.quipu(&["list", "--agent", "mee"]).success();
    assert!(said.contains("did you mean `me`?"), "{said}");
}

#[test]
fn resources_are_granted_in_the_words_of_people() {
    let env = with_memories();
    env.quipu(&["remember", "--table", "meals", "--data", r#"{"food": "soup"}"#]).success();
    for resource in ["memories", "memories/diary", "entities", "review", "everything"] {
        let said = env.quipu(&["grants", "set", "codex", resource, "read"]).success();
        assert!(said.contains(&format!("read permission on {resource}.")), "{said}");
    }
    let refused = env.quipu(&["grants", "set", "codex", "meals", "read"]);
    assert!(refused.stderr.contains("Did you mean `tables/meals`?"), "{}", refused.stderr);
    env.quipu(&["grants", "remove", "codex", "memories/diary"]).success();
    for said in [
        refused.stderr,
        env.quipu(&["grants"]).success(),
        env.quipu(&["grants", "set", "--help"]).success(),
        env.quipu(&["audit"]).success(),
    ] {
        assert!(!said.contains("vectors") && !said.contains("invalid_argument"), "{said}");
    }
    let audited = env.quipu(&["audit", "list", "--resource", "memories"]).success();
    assert!(audited.contains("remember"), "{audited}");
}

#[test]
fn a_budget_into_which_nothing_fits_is_not_told_as_an_empty_result() {
    let env = with_memories();
    let said = env.quipu(&["recall", "port", "--budget", "2"]).success();
    assert!(said.contains("--budget") && !said.contains("Nothing is known"), "{said}");
}

#[test]
fn an_id_of_a_key_that_is_none_is_met_with_an_example() {
    let refused = TestEnv::new().quipu(&["keys", "revoke", "cursor"]);
    assert!(refused.stderr.contains("is not the id of a key"), "{}", refused.stderr);
}

#[test]
fn an_empty_memory_says_what_to_do_next() {
    let env = TestEnv::new();
    for arguments in [&["list"][..], &["recall"], &["recall", "anything"]] {
        let said = env.quipu(arguments).success();
        assert!(said.contains("memory is empty") && said.contains("quipu setup"), "{said}");
    }
}

#[test]
fn manual_pages_are_made_for_every_command_without_a_home() {
    let env = TestEnv::new();
    let pages = env.work().join("man1");
    env.quipu(&["man", pages.to_str().unwrap()]).success();
    for page in ["quipu.1", "quipu-recall.1", "quipu-import.1"] {
        let text = std::fs::read_to_string(pages.join(page)).unwrap();
        assert!(text.contains(".TH"), "{text}");
    }
    // groff reads other characters as Latin-1, and warns.
    for page in std::fs::read_dir(&pages).unwrap() {
        let path = page.unwrap().path();
        assert!(std::fs::read_to_string(&path).unwrap().is_ascii(), "{}", path.display());
    }
    assert!(env.quipu(&["man"]).success().contains(".TH quipu 1"));
    assert!(!env.home().exists());
}

#[test]
fn a_list_is_counted_then_imported_and_recalled_and_a_second_import_adds_nothing() {
    let env = TestEnv::new();
    let file = env.work().join("MEMORY.md");
    std::fs::write(&file, "# Notes\n- The staging host is blue.internal.\n- Ship on Tuesdays.\n")
        .unwrap();
    let file = file.to_str().unwrap();
    let counted = env.json(&["import", file, "--dry-run"]);
    assert_eq!((&counted["added"]["memory"], &counted["dry_run"]), (&json!(2), &json!(true)));
    assert_eq!(texts(&env, &["list"]).len(), 0);
    let said = env.quipu(&["import", file]).success();
    assert!(said.contains("Imported from a Markdown list: 2 memories."), "{said}");
    assert!(env.quipu(&["recall", "staging host"]).success().contains("blue.internal"));
    let again = env.json(&["import", file]);
    assert_eq!((again["added"].get("memory"), &again["known"]), (None, &json!(2)));
    assert_eq!(env.json(&["show", "1"])["memories"][0]["origin"], "imported");
}

#[test]
fn the_first_recall_after_a_large_import_need_not_wait() {
    let env = TestEnv::new();
    let file = env.work().join("shelves.txt");
    let lines: String = (0..520).map(|n| format!("Shelf {n} holds jar {}.\n", n * 7)).collect();
    std::fs::write(&file, lines).unwrap();
    env.quipu(&["import", file.to_str().unwrap()]).success();
    assert!(env.home().join("owners/me/view.snapshot").exists());
}

#[test]
fn an_export_of_quipu_is_counted_without_being_written() {
    let env = with_memories();
    let file = env.work().join("all.jsonl");
    env.quipu(&["export", file.to_str().unwrap()]).success();
    let there = TestEnv::new();
    let counted = there.json(&["import", file.to_str().unwrap(), "--dry-run"]);
    assert_eq!(counted["added"]["memory"], 3, "{counted}");
    assert_eq!(texts(&there, &["list"]).len(), 0);
}

#[test]
fn a_vault_is_kept_in_step_while_it_is_watched() {
    let env = with_memories();
    let vault = env.work().join("vault");
    let path = vault.to_str().unwrap();
    let mut watching = env
        .command(&["export", "--format", "vault", "--watch", path])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().contains(" written"));
    assert!(vault.join("shop/Deploys are on Tuesdays m3.md").exists());
    env.quipu(&["correct", "3", "Deploys are on Wednesdays."]).success();
    assert!(lines.next().unwrap().unwrap().contains("1 removed"));
    assert!(vault.join("shop/Deploys are on Wednesdays m4.md").exists());
    assert!(!vault.join("shop/Deploys are on Tuesdays m3.md").exists());
    watching.kill().unwrap();
    watching.wait().unwrap();
    let refused = env.quipu(&["export", "--watch", "all.jsonl"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}
