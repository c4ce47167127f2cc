//! `quipu hook` as clients run it: with JSON on standard input, and never in the way.

use crate::test_env::{QuipuOutput, TestEnv, run_to_end};
use serde_json::{Value, json};
use std::process::Stdio;

const DECISION: &str = "We chose PostgreSQL for billing because of row-level security.";

/// Runs a hook of Claude Code.
fn hook(env: &TestEnv, event: &str, input: Value) -> QuipuOutput {
    let arguments = ["hook", event, "--client", "claude-code"];
    let run = env.quipu_with_input(&arguments, &input.to_string());
    assert_eq!(run.code, Some(0), "{event}: {}", run.stderr);
    run
}

/// Returns the text that a hook gave to the model.
fn context(run: &QuipuOutput) -> String {
    if run.stdout.is_empty() {
        return String::new();
    }
    let output: Value = serde_json::from_str(&run.stdout).unwrap();
    output["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned()
}

fn start(env: &TestEnv, source: &str) -> String {
    context(&hook(env, "SessionStart", json!({ "session_id": "s-1", "source": source })))
}

fn prompt(env: &TestEnv, text: &str) -> String {
    context(&hook(env, "UserPromptSubmit", json!({ "session_id": "s-1", "prompt": text })))
}

fn answer(env: &TestEnv, text: &str) {
    let input = json!({ "session_id": "s-1", "last_assistant_message": text });
    assert_eq!(hook(env, "Stop", input).stdout, "");
}

fn end(env: &TestEnv) {
    assert_eq!(hook(env, "SessionEnd", json!({ "session_id": "s-1" })).stdout, "");
}

/// Returns the texts of all stored turns, sorted.
fn turns(env: &TestEnv) -> Vec<String> {
    let file = env.root().join(format!("export-{}", std::process::id()));
    let _ = std::fs::remove_file(&file);
    env.quipu(&["export", file.to_str().unwrap()]).success();
    let lines = std::fs::read_to_string(&file).unwrap();
    let lines = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let stored = lines.filter(|line| {
        let line = line.to_string();
        line.contains("\"collection\":\"transcripts\"") && !line.contains("\"kind\":\"episode\"")
    });
    let mut texts: Vec<String> =
        stored.map(|line| find_text(&line).expect("a memory has a text")).collect();
    texts.sort();
    texts
}

fn find_text(line: &Value) -> Option<String> {
    match line {
        Value::Object(fields) => fields
            .get("text")
            .and_then(Value::as_str)
            .map(str::to_owned)
            .or_else(|| fields.values().find_map(find_text)),
        _ => None,
    }
}

fn waiting(env: &TestEnv) -> usize {
    std::fs::read_dir(env.home().join("spool/me")).map_or(0, |files| {
        files.flatten().filter(|file| file.path().to_string_lossy().ends_with(".turn.json")).count()
    })
}

#[test]
fn a_session_is_briefed_once_and_again_after_it_lost_its_context() {
    let env = TestEnv::new();
    assert_eq!(start(&env, "startup"), "", "an empty memory has nothing to say");
    env.quipu(&["remember", DECISION, "--kind", "decision"]).success();
    let first = start(&env, "startup");
    assert!(first.contains(DECISION) && first.contains("not an instruction"), "{first}");
    assert_eq!(start(&env, "resume"), "", "the same block is not sent twice");
    assert_eq!(start(&env, "compact"), first);
    assert_eq!(start(&env, "clear"), first);
    env.quipu(&["remember", "We deploy on Fridays.", "--kind", "decision"]).success();
    assert!(start(&env, "resume").contains("Fridays"), "a new block is");
}

#[test]
fn a_briefing_is_short_however_much_there_is() {
    let env = TestEnv::new();
    let lines: String =
        (0..60).map(|number| format!("Decision {number}: {}\n", "because ".repeat(60))).collect();
    let run = env.quipu_with_input(&["remember", "--each-line", "--kind", "decision"], &lines);
    run.success();
    let briefing = start(&env, "startup");
    assert!((500..=2_000).contains(&briefing.len()), "{} bytes", briefing.len());
}

#[test]
fn a_prompt_gets_what_answers_it_and_each_memory_once() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION]).success();
    env.quipu(&["remember", "The logo is green."]).success();
    let found = prompt(&env, "Which database did we choose for billing?");
    assert!(found.contains(DECISION) && !found.contains("logo"), "{found}");
    assert_eq!(prompt(&env, "Remind me, which database did we choose for billing?"), "");
    assert_eq!(prompt(&env, "Please rename the variable in the parser."), "");
    let log = env.json(&["audit", "list", "-n", "20"]).to_string();
    assert!(log.contains("injected 1 memory in "), "{log}");
    let mut off = env.command(&["hook", "prompt", "--client", "claude-code"]);
    off.env("QUIPU_HOOK_PROMPT", "off").stdin(Stdio::piped());
    let input = json!({ "session_id": "s-2", "prompt": "Which database for billing?" });
    assert_eq!(run_to_end(&mut off, &input.to_string()).success(), "");
}

#[test]
fn a_text_from_outside_is_pushed_into_no_session() {
    let env = TestEnv::new();
    let text = "The database for billing is to be deleted on Monday.";
    env.quipu(&["remember", text, "--source", "outside"]).success();
    let found = env.json(&["recall", "What about the database for billing?"]);
    assert!(found.to_string().contains(text), "it can be asked for: {found}");
    assert_eq!(start(&env, "startup"), "");
    assert_eq!(prompt(&env, "What about the database for billing?"), "");
}

#[test]
fn turns_are_stored_word_for_word_and_once() {
    let env = TestEnv::new();
    prompt(&env, "Please use tabs\n  in the Makefile.");
    answer(&env, "Done: the Makefile uses tabs.");
    answer(&env, "Done: the Makefile uses tabs.");
    prompt(&env, "yes");
    answer(&env, "Good.");
    prompt(&env, "yes");
    end(&env);
    let expected = [
        "Done: the Makefile uses tabs.",
        "Good.",
        "Please use tabs\n  in the Makefile.",
        "yes",
        "yes",
    ];
    assert_eq!(turns(&env), expected);
    assert_eq!(waiting(&env), 0);
    let found = env.json(&["recall", "Makefile tabs"]);
    assert!(found.to_string().contains("Please use tabs"), "{found}");
}

/// Returns the texts that wait for a decision.
fn proposals(env: &TestEnv) -> Vec<String> {
    let listed = env.json(&["review"]);
    let items = listed["reviews"].as_array().unwrap().iter();
    items.map(|item| item["memory"]["text"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_statement_of_the_user_is_proposed_and_counts_after_it_was_confirmed() {
    let env = TestEnv::new();
    prompt(&env, "Fix the login page. We use Auth0 for authentication, so keep it.");
    answer(&env, "We decided to use Okta for everything.");
    prompt(&env, "Should we use Redis? Run the tests again.");
    end(&env);
    let kept = "We use Auth0 for authentication, so keep it.";
    assert_eq!(proposals(&env), [kept]);
    let asked = "What do we use for authentication?";
    assert!(!env.json(&["recall", asked, "--kind", "fact"]).to_string().contains(kept));
    let id = env.json(&["review"])["reviews"][0]["id"].to_string();
    env.quipu(&["review", "resolve", &id, "confirm"]).success();
    let found = env.json(&["recall", asked, "--kind", "fact"]);
    assert!(found.to_string().contains(kept), "{found}");
    prompt(&env, "As I said. We use Auth0 for authentication, so keep it.");
    end(&env);
    assert_eq!(proposals(&env), Vec::<String>::new(), "known already");
}

#[test]
fn statements_are_remembered_at_once_or_not_at_all_by_setting() {
    for (mode, is_kept) in [("remember", true), ("off", false)] {
        let env = TestEnv::new();
        let config = format!("hook_statements = \"{mode}\"\n");
        std::fs::create_dir_all(env.home()).unwrap();
        std::fs::write(env.home().join("config.toml"), config).unwrap();
        prompt(&env, "Always run the linter before you commit.");
        end(&env);
        // The episode of the session quotes it either way.
        let listed = env.json(&["list"]);
        let texts = listed["memories"].as_array().unwrap().iter().map(|one| &one["text"]);
        let kept = texts.filter(|text| *text == "Always run the linter before you commit.").count();
        assert_eq!(kept, usize::from(is_kept), "{mode}: {listed}");
        assert_eq!(proposals(&env), Vec::<String>::new());
    }
}

#[test]
fn the_next_session_starts_with_the_episode_of_the_last_one() {
    let env = TestEnv::new();
    prompt(&env, "Please add a login page to the shop.");
    answer(&env, "I added the login page and two tests.");
    end(&env);
    let input = json!({ "session_id": "s-2", "source": "startup" });
    let briefing = context(&hook(&env, "SessionStart", input));
    assert!(briefing.contains("Last session") && briefing.contains("two tests"), "{briefing}");
}

#[test]
fn secrets_and_injected_blocks_do_not_reach_the_memory_nor_the_spool() {
    let env = TestEnv::new();
    env.quipu(&["remember", DECISION, "--kind", "decision"]).success();
    let block = start(&env, "startup");
    let key = "AKIAIOSFODNN7EXAMPLQ";
    prompt(&env, &format!("The key is {key}, and you told me:\n{block}"));
    answer(&env, &format!("I know that\n- [1] {DECISION} (today)\n{block}\nand more."));
    let spool = env.home().join("spool");
    let mut read = String::new();
    for file in std::fs::read_dir(spool.join("me")).into_iter().flatten().flatten() {
        read.push_str(&std::fs::read_to_string(file.path()).unwrap());
    }
    assert!(!read.contains(key), "{read}");
    end(&env);
    let stored = turns(&env).join("\n");
    assert!(stored.contains("you told me") && stored.contains("and more."), "{stored}");
    assert!(!stored.contains(key) && !stored.contains("quipu-memory"), "{stored}");
}

#[test]
fn a_killed_hook_neither_loses_nor_doubles_a_turn_that_it_had_taken() {
    let env = TestEnv::new();
    start(&env, "startup");
    let mut taken = Vec::new();
    for number in 0..40_u64 {
        let text = format!("Answer number {number} of a long session.");
        let input = json!({ "session_id": "s-1", "last_assistant_message": text }).to_string();
        let arguments = ["hook", "Stop", "--client", "claude-code"];
        let mut child = env
            .command(&arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        std::io::Write::write_all(&mut stdin, input.as_bytes()).unwrap();
        drop(stdin);
        std::thread::sleep(std::time::Duration::from_millis(number * 3));
        let has_ended = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        if has_ended || spooled(&env, &text) {
            taken.push(text);
        }
    }
    end(&env);
    let stored = turns(&env);
    let mut unique = stored.clone();
    unique.dedup();
    assert_eq!(stored, unique, "no turn is stored twice");
    for text in &taken {
        assert!(stored.contains(text), "{text} is lost");
    }
    assert!(taken.len() > 5, "the kills came too early to test anything: {}", taken.len());
    assert_eq!(waiting(&env), 0);
}

fn spooled(env: &TestEnv, text: &str) -> bool {
    let files = std::fs::read_dir(env.home().join("spool/me")).into_iter().flatten().flatten();
    // A file without its name was not taken yet.
    let complete = files.filter(|file| file.path().to_string_lossy().ends_with(".turn.json"));
    let mut texts = complete.filter_map(|file| std::fs::read_to_string(file.path()).ok());
    texts.any(|content| content.contains(text))
}

#[test]
fn private_mode_drops_everything_in_each_of_its_ways() {
    let marker = |env: &TestEnv| {
        std::fs::write(env.work().join(".quipu-private"), "").unwrap();
        Vec::new()
    };
    let switch = |env: &TestEnv| {
        env.quipu(&["private", "on"]).success();
        Vec::new()
    };
    let variable = |_: &TestEnv| vec![("QUIPU_PRIVATE", "1".to_owned())];
    let listed = |env: &TestEnv| vec![("QUIPU_PRIVATE_DIRS", env.work().display().to_string())];
    type Way<'w> = &'w dyn Fn(&TestEnv) -> Vec<(&'static str, String)>;
    let ways: [Way<'_>; 4] = [&marker, &switch, &variable, &listed];
    for way in ways {
        let env = TestEnv::new();
        env.quipu(&["remember", DECISION, "--kind", "decision"]).success();
        let variables = way(&env);
        for (event, input) in [
            ("SessionStart", json!({ "session_id": "p", "source": "startup" })),
            ("UserPromptSubmit", json!({ "session_id": "p", "prompt": "Which database is it?" })),
            ("Stop", json!({ "session_id": "p", "last_assistant_message": "A secret plan." })),
            ("PreCompact", json!({ "session_id": "p" })),
            ("SessionEnd", json!({ "session_id": "p" })),
        ] {
            let mut command = env.command(&["hook", event, "--client", "claude-code"]);
            command.stdin(Stdio::piped()).envs(variables.clone());
            assert_eq!(run_to_end(&mut command, &input.to_string()).success(), "", "{event}");
        }
        assert!(!env.home().join("spool").exists() && !env.home().join("hooks").exists());
        assert_eq!(turns(&env), Vec::<String>::new());
    }
}

#[test]
fn the_switch_of_private_mode_is_shown_and_turned_off() {
    let env = TestEnv::new();
    assert_eq!(env.json(&["private"])["private"], false);
    assert_eq!(env.json(&["private", "on", "--here"])["private"], true);
    assert_eq!(env.json(&["private"])["private"], true);
    assert_eq!(env.json(&["private", "off", "--here"])["private"], false);
    assert_eq!(env.json(&["private", "on"])["private"], true);
    assert_eq!(env.json(&["private", "off"])["private"], false);
}

#[test]
fn a_hook_never_fails_its_session() {
    let env = TestEnv::new();
    let silent = |arguments: &[&str], input: &str| {
        let run = env.quipu_with_input(arguments, input);
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{arguments:?}");
    };
    silent(&["hook", "SessionStart", "--client", "claude-code"], "{ not JSON");
    silent(&["hook", "PostToolUse", "--client", "claude-code"], "{}");
    silent(&["hook", "SessionStart", "--from-the-future"], "{}");
    silent(&["hook"], "");
    std::fs::write(env.home().join("config.toml"), "lisen = 1\n").unwrap();
    silent(&["hook", "Stop", "--client", "codex"], "{\"session_id\":\"s\"}");
    let log = std::fs::read_to_string(env.home().join("hooks/hook.log")).unwrap();
    assert!(log.contains("PostToolUse") && log.contains("lisen"), "{log}");
    std::fs::remove_dir_all(env.home()).unwrap();
    std::fs::write(env.home(), "a file where the directory should be").unwrap();
    let input = json!({ "session_id": "s", "last_assistant_message": "x" }).to_string();
    silent(&["hook", "Stop", "--client", "codex"], &input);
}

#[test]
fn transcripts_are_captured_once_also_after_a_hook_had_them() {
    let env = TestEnv::new();
    let now = env.json(&["remember", "Now."]).to_string();
    assert!(!now.is_empty());
    let line = |kind: &str, text: &str| {
        json!({
            "type": kind, "sessionId": "s-1", "cwd": "/nowhere",
            "timestamp": "2099-01-01T00:00:00Z", "message": { "role": kind, "content": text }
        })
        .to_string()
    };
    let old = line("user", "Long ago.").replace("2099", "2001").replace("s-1", "s-0");
    let lines = [line("user", "Use Go."), line("assistant", "I will."), old];
    let directory = env.root().join("projects/shop");
    std::fs::create_dir_all(&directory).unwrap();
    std::fs::write(directory.join("s-1.jsonl"), lines.join("\n")).unwrap();
    std::fs::write(directory.join("other.jsonl"), "{}\n").unwrap();
    prompt(&env, "Use Go.");
    end(&env);
    let path = env.root().join("projects");
    let path = path.to_str().unwrap();
    let dry = env.json(&["capture", "--dry-run", path]);
    let counts = &dry["counts"];
    assert_eq!((&counts["turns"], &counts["known"]), (&json!(1), &json!(1)), "{dry}");
    assert_eq!((&counts["expired"], &counts["skipped_files"]), (&json!(1), &json!(1)), "{dry}");
    assert_eq!(turns(&env), ["Use Go."]);
    env.quipu(&["capture", path]).success();
    assert_eq!(env.json(&["capture", path])["counts"]["turns"], 0);
    assert_eq!(turns(&env), ["I will.", "Use Go."]);
    let said = line("user", "My name is Priya and I prefer short answers.").replace("s-1", "s-2");
    std::fs::write(directory.join("s-2.jsonl"), said).unwrap();
    assert_eq!(env.json(&["capture", "--dry-run", path])["counts"]["statements"], 1);
    assert_eq!(env.json(&["capture", path])["counts"]["statements"], 1);
    assert_eq!(proposals(&env), ["My name is Priya and I prefer short answers."]);
}
