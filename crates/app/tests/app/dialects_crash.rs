//! Kills processes of all dialects while they write to one memory: whatever a tool acknowledged is
//! in an export afterwards, and the audit log is whole.

use crate::mcp::McpTestClient;
use crate::test_env::TestEnv;
use serde_json::Value;
use std::time::Duration;
use testkit::bench::Xorshift;

/// Default number of rounds; in each, a process of every dialect is killed.
const KILLS: usize = 10;
/// Number of rounds per home directory, which bounds the cost of an export after each one.
const ROUNDS_PER_HOME: usize = 20;
/// Most calls of a process before it is killed.
const CALLS_MAX: usize = 6;
/// Longest time between the last call and the kill, in microseconds.
const KILL_DELAY_MAX_US: usize = 30_000;

/// A tool with its arguments, in which `WORD` stands for the word of the call.
type WriteTool = (&'static str, &'static str);

/// A word that a tool acknowledged.
struct AcknowledgedWord {
    word: String,
    tool: &'static str,
}

/// The tools of each dialect that store something new.
const WRITE_TOOLS: [(&str, &[WriteTool]); 5] = [
    (
        "quipu",
        &[
            ("remember", r#"{"text": "Crane WORD has a red hook"}"#),
            ("remember", r#"{"table": "cranes", "data": {"name": "WORD"}}"#),
            ("remember", r#"{"profile": {"cranes": {"WORD": "red"}}}"#),
            ("correct", r#"{"id": 1, "text": "The yard is called WORD"}"#),
            ("review", r#"{"action": "flag", "memory": 2, "reason": "WORD says otherwise"}"#),
            ("session", r#"{"action": "log", "session": "WORD", "user": "and WORD?"}"#),
        ],
    ),
    (
        "agentic",
        &[
            ("memory_add", r#"{"event_type": "fact", "content": "Crane WORD has a blue hook"}"#),
            ("conversation_log", r#"{"user_message": "where is WORD?"}"#),
            ("memory_correct", r#"{"old_node_id": 3, "new_content": "The gate is called WORD"}"#),
        ],
    ),
    (
        "librarian",
        &[
            ("remember", r#"{"title": "Crane WORD", "body": "It stands in the northern yard."}"#),
            ("flag_memory", r#"{"memory_id": "4", "reason": "WORD disagrees"}"#),
            (
                "store_handoff",
                concat!(
                    r###"{"title": "WORD", "document_md": "## Start & intent\nx\n"###,
                    r###"## Journey\nx\n## Current state\nx\n"###,
                    r###"## What's left\nx\n## Open questions\nx\n"}"###
                ),
            ),
        ],
    ),
    (
        "epitome",
        &[
            ("memorize", r#"{"text": "Crane WORD has a green hook"}"#),
            ("add_record", r#"{"tableName": "hooks", "data": {"name": "WORD"}}"#),
            ("save_memory", r#"{"collection": "notes", "text": "Crane WORD has no hook"}"#),
            ("update_profile", r#"{"data": {"hooks": {"WORD": "green"}}}"#),
        ],
    ),
    (
        "codememory",
        &[
            ("remember", r#"{"content": "fn WORD moves the crane", "session_id": "m"}"#),
            ("upsert_entity", r#"{"name": "WORD", "entity_type": "function"}"#),
            ("add_relation", r#"{"source": "WORD", "target": "crane", "relation_type": "moves"}"#),
        ],
    ),
];

#[test]
fn killed_processes_of_all_dialects_lose_no_acknowledged_write() {
    let kills = std::env::var("QUIPU_DIALECT_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let rounds = kills.div_ceil(WRITE_TOOLS.len());
    let mut acknowledged = 0;
    for first in (0..rounds).step_by(ROUNDS_PER_HOME) {
        let env = env_with_memories();
        let mut words = Vec::new();
        for round in first..rounds.min(first + ROUNDS_PER_HOME) {
            words.extend(kill_one_of_each(&env, round));
            check(&env, &words, round);
        }
        acknowledged += words.len();
    }
    println!("{} kills, {acknowledged} acknowledged writes", rounds * WRITE_TOOLS.len());
    assert!(acknowledged > 0, "a harness that never sees a write proves nothing");
}

/// Returns a home directory with the memories that are corrected and flagged.
fn env_with_memories() -> TestEnv {
    let env = TestEnv::new();
    let lines = "The yard is called North\nThe foreman is Ana\nThe gate is called East\n\
                 The shift begins at six\n";
    env.quipu_with_input(&["remember", "--each-line"], lines).success();
    env
}

/// Runs a process of each dialect until it is killed, and returns the acknowledged words.
fn kill_one_of_each(env: &TestEnv, round: usize) -> Vec<AcknowledgedWord> {
    std::thread::scope(|scope| {
        let agents = WRITE_TOOLS.iter().enumerate().map(|(number, (dialect, tools))| {
            scope.spawn(move || run_until_killed(env, dialect, tools, (round, number)))
        });
        let agents: Vec<_> = agents.collect();
        agents.into_iter().flat_map(|agent| agent.join().unwrap()).collect()
    })
}

/// Makes random calls, the last of which is cut off by the kill.
fn run_until_killed(
    env: &TestEnv,
    dialect: &str,
    tools: &'static [WriteTool],
    (round, number): (usize, usize),
) -> Vec<AcknowledgedWord> {
    let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", dialect]));
    let mut random = Xorshift::new((round * WRITE_TOOLS.len() + number + 1) as u64);
    let calls = 1 + random.below(CALLS_MAX);
    let mut words = Vec::new();
    for call in 0..=calls {
        let word = format!("qz{round}p{number}x{call}");
        let (tool, template) = tools[random.below(tools.len())];
        let arguments: Value = serde_json::from_str(&template.replace("WORD", &word)).unwrap();
        let delay = Duration::from_micros(random.below(KILL_DELAY_MAX_US) as u64);
        let acknowledged = if call < calls {
            client.call(tool, arguments);
            true
        } else {
            client.call_and_kill(tool, &arguments, delay).is_some()
        };
        words.extend(acknowledged.then_some(AcknowledgedWord { word, tool }));
    }
    words
}

/// Exports everything as the next process would, and looks for each acknowledged word.
fn check(env: &TestEnv, words: &[AcknowledgedWord], round: usize) {
    let file = env.work().join(format!("after-{round}.jsonl"));
    env.quipu(&["export", &file.display().to_string()]).success();
    let exported = std::fs::read_to_string(&file).unwrap();
    for AcknowledgedWord { word, tool } in words {
        // The number at the end of a word is also the beginning of longer ones.
        let mut after = exported.match_indices(word.as_str());
        let whole = after.any(|(at, _)| {
            !exported[at + word.len()..].starts_with(|next: char| next.is_ascii_digit())
        });
        assert!(whole, "round {round}: {word} was acknowledged by {tool} and is nowhere");
    }
    env.quipu(&["audit", "verify"]).success();
}
