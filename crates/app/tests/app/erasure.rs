//! Erasing is the owner's: `quipu mcp` proposes, and the owner decides at the command line.

use crate::mcp::McpTestClient;
use crate::test_env::TestEnv;
use serde_json::json;

#[test]
fn an_agent_over_a_pipe_proposes_and_the_owner_decides_with_review() {
    let env = TestEnv::new();
    env.quipu(&["remember", "I take 5 mg at night."]).success();
    let mut agent = McpTestClient::start(&mut env.command(&["mcp"]));
    let own = agent.call("remember", json!({ "text": "The kiln is fired on Fridays." }));
    let answer = agent.call("forget", json!({ "ids": [1, own["id"]] }));
    assert_eq!((&answer["forgotten"], &answer["proposal"]), (&json!([own["id"]]), &json!(1)));
    let hint = answer["hint"].as_str().unwrap();
    assert!(hint.contains("quipu review") && hint.contains("not deleted yet"), "{hint}");
    let listed = env.quipu(&["review"]).success();
    for part in ["wants to forget 1 memory", "I take 5 mg at night.", "resolve 1 confirm"] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let decided = env.quipu(&["review", "resolve", "1", "confirm"]).success();
    assert!(decided.contains("deleted:") && decided.contains("memories"), "{decided}");
    assert_eq!(env.quipu(&["show", "1"]).code, Some(3));
    assert_eq!(agent.disconnect(), Some(0));
}

#[test]
fn a_refused_deletion_leaves_everything_and_the_grant_erase_asks_no_more() {
    let env = TestEnv::new();
    env.quipu(&["remember", "I take 5 mg at night."]).success();
    let mut agent = McpTestClient::start(&mut env.command(&["mcp"]));
    agent.call("forget", json!({ "ids": [1] }));
    env.quipu(&["review", "resolve", "1", "reject"]).success();
    assert!(env.quipu(&["show", "1"]).success().contains("5 mg"));
    env.quipu(&["grants", "set", "tester", "erase", "write"]).success();
    let answer = agent.call("forget", json!({ "ids": [1] }));
    assert_eq!((&answer["forgotten"], answer.get("proposal")), (&json!([1]), None));
    let refused = env.quipu(&["grants", "set", "tester", "erase", "read"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn retired_memories_are_restored_by_id() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The harbour opens at six."]).success();
    let retired = env.quipu(&["retire", "1"]).success();
    assert!(retired.contains("Undo with `quipu retire --undo 1`."), "{retired}");
    let nothing = env.quipu(&["recall", "harbour"]).success();
    assert!(!nothing.contains("opens at six"), "{nothing}");
    env.quipu(&["retire", "--undo", "1"]).success();
    assert!(env.quipu(&["recall", "harbour"]).success().contains("opens at six"));
    let both = env.quipu(&["retire", "1", "--agent", "codex", "--since", "2026-05-03"]);
    assert_eq!(both.code, Some(2), "{}", both.stderr);
    assert_eq!(env.quipu(&["retire"]).code, Some(2));
}

#[test]
fn without_a_terminal_an_import_leaves_forgotten_texts_out_and_names_the_flag() {
    let env = TestEnv::new();
    env.quipu(&["remember", "The harbour opens at six."]).success();
    env.quipu(&["remember", "The lamp is green."]).success();
    for format in ["jsonl", "amem"] {
        let file = env.work().join(format!("memory.{format}"));
        let file = file.to_str().unwrap();
        env.quipu(&["export", "--format", format, file]).success();
        let active = env.json(&["recall", "harbour"])["memories"][0]["id"].to_string();
        env.quipu(&["forget", &active, "--yes"]).success();
        let said = env.quipu(&["import", file]).success();
        assert!(said.contains("1 text was not imported"), "{said}");
        assert!(said.contains("--include-forgotten"), "{said}");
        let counted = env.json(&["import", "--skip-forgotten", file]);
        assert_eq!(counted["forgotten"], 1);
        let said = env.quipu(&["import", "--include-forgotten", file]).success();
        assert!(!said.contains("forgotten"), "{said}");
        assert!(env.quipu(&["recall", "harbour"]).success().contains("opens at six"));
    }
    let both = env.quipu(&["import", "--include-forgotten", "--skip-forgotten", "x"]);
    assert_eq!(both.code, Some(2));
}
