//! Kills processes of agents while they remember, correct, log, hand over and forget, several at
//! once: what was acknowledged is stored, and what a receipt called gone is in no file any more.

use crate::mcp::McpTestClient;
use crate::test_env::TestEnv;
use model::{HandoffId, MemoryId, OwnerId, RecordId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;
use store::Store;
use store_sqlite::{Options, SqliteStore};
use testkit::bench::Xorshift;

/// Default number of processes to kill.
const KILLS: usize = 9;
/// Number of processes that write at the same time.
const PROCESSES: usize = 3;
/// Number of rounds per home directory, which bounds the cost of checking it after each one.
const ROUNDS_PER_HOME: usize = 20;
/// Enough memories for a snapshot of the search index.
const MEMORIES_BEFORE: usize = 520;
/// Most calls of a process before it is killed.
const CALLS_MAX: usize = 12;
/// Longest time between the last call and the kill, in microseconds.
const KILL_DELAY_MAX_US: usize = 30_000;

const HANDOFF_SECTIONS: [&str; 5] =
    ["Start & intent", "Journey", "Current state", "What's left", "Open questions"];

/// Promises that were made to clients of one home directory.
#[derive(Debug, Default)]
struct AcknowledgedWrites {
    memories: BTreeMap<i64, String>,
    /// Words of texts that a receipt called gone.
    gone: BTreeSet<String>,
    handoffs: BTreeSet<i64>,
    rows: BTreeSet<i64>,
}

impl AcknowledgedWrites {
    fn merge(&mut self, other: Self) {
        self.memories.extend(other.memories);
        self.gone.extend(other.gone);
        self.handoffs.extend(other.handoffs);
        self.rows.extend(other.rows);
    }

    fn count(&self) -> usize {
        self.memories.len() + self.gone.len() + self.handoffs.len() + self.rows.len()
    }
}

#[test]
fn killed_agents_lose_no_acknowledged_write_and_leave_nothing_that_is_gone() {
    let kills = std::env::var("QUIPU_TOOL_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let rounds = kills.div_ceil(PROCESSES);
    let mut acknowledged = 0;
    for first in (0..rounds).step_by(ROUNDS_PER_HOME) {
        let env = filled_env();
        let mut promised = AcknowledgedWrites::default();
        for round in first..rounds.min(first + ROUNDS_PER_HOME) {
            kill_all(&env, round).into_iter().for_each(|one| promised.merge(one));
            check(&env.home(), &promised, round);
        }
        acknowledged += promised.count();
    }
    println!("{} kills, {acknowledged} acknowledged writes, none lost", rounds * PROCESSES);
    assert!(acknowledged > 0, "a harness that never sees a write proves nothing");
}

/// Returns a home directory with a memory that has a snapshot.
fn filled_env() -> TestEnv {
    let env = TestEnv::new();
    let lines: String =
        (0..MEMORIES_BEFORE).map(|n| format!("Shelf {n} holds jar {}.\n", n * 7)).collect();
    env.quipu_with_input(&["remember", "--each-line"], &lines).success();
    env
}

/// Runs several agents until each is killed, and returns what each was promised.
fn kill_all(env: &TestEnv, round: usize) -> Vec<AcknowledgedWrites> {
    std::thread::scope(|scope| {
        let agents: Vec<_> = (0..PROCESSES)
            .map(|number| scope.spawn(move || KilledAgent::start(env, round, number).run()))
            .collect();
        agents.into_iter().map(|agent| agent.join().unwrap()).collect()
    })
}

/// An agent that is killed after some calls.
struct KilledAgent {
    client: McpTestClient,
    random: Xorshift,
    name: String,
    calls: usize,
    promised: AcknowledgedWrites,
}

impl KilledAgent {
    fn start(env: &TestEnv, round: usize, number: usize) -> Self {
        Self {
            client: McpTestClient::start(&mut env.command(&["mcp"])),
            random: Xorshift::new((round * PROCESSES + number + 1) as u64),
            // A word of its own, by which the text is found in any file.
            name: format!("qz{round}p{number}"),
            calls: 0,
            promised: AcknowledgedWrites::default(),
        }
    }

    /// Makes random calls, the last of which is cut off by the kill.
    fn run(mut self) -> AcknowledgedWrites {
        for _ in 0..=self.random.below(CALLS_MAX) {
            let (tool, arguments) = self.next_call();
            let answer = self.client.call(tool, arguments.clone());
            self.note(tool, &arguments, &answer);
        }
        let (tool, arguments) = self.next_call();
        let delay = Duration::from_micros(self.random.below(KILL_DELAY_MAX_US) as u64);
        if let Some(answer) = self.client.call_and_kill(tool, &arguments, delay) {
            self.note(tool, &arguments, &answer);
        } else if tool == "forget" {
            // Whether it happened is unknown: its memory is neither promised nor gone.
            self.promised.memories.retain(|id, _| arguments["ids"][0] != *id);
        }
        self.promised
    }

    fn next_call(&mut self) -> (&'static str, Value) {
        self.calls += 1;
        let word = format!("{}x{}", self.name, self.calls);
        let own = self.promised.memories.keys().next_back().copied();
        match (self.random.below(8), own) {
            (0 | 1, Some(id)) => ("forget", json!({ "ids": [id] })),
            (2, Some(id)) => ("correct", json!({"id": id, "text": format!("{word} is the mark")})),
            (3, _) => ("remember", json!({"table": "marks", "data": {"word": word}})),
            (4, _) => {
                let document = HANDOFF_SECTIONS.map(|name| format!("## {name}\n{word}\n")).concat();
                ("handoff", json!({"action": "store", "title": word, "document": document}))
            }
            (5, _) => (
                "session",
                json!({"action": "log", "session": self.name, "user": format!("{word}?")}),
            ),
            // The profile keeps its value when the memory is forgotten: it is not the word.
            (6, _) => {
                let profile = json!({ &self.name: self.calls });
                ("remember", json!({"text": format!("{word} is a key"), "profile": profile}))
            }
            _ => ("remember", json!({"text": format!("Crane {word} has a blue hook")})),
        }
    }

    /// Notes what an answer promises.
    fn note(&mut self, tool: &str, arguments: &Value, answer: &Value) {
        if tool == "handoff" {
            self.promised.handoffs.extend(answer["handoff"]["id"].as_i64());
        }
        self.promised.rows.extend(answer["row"]["id"].as_i64());
        for id in answer["forgotten"].as_array().into_iter().flatten().filter_map(Value::as_i64) {
            let text = self.promised.memories.remove(&id).unwrap_or_default();
            // A receipt that owes something does not call it gone yet.
            if answer.get("owed").is_none() {
                self.promised.gone.extend(word_of(&text, &self.name));
            }
        }
        // A corrected memory is history, and is forgotten together with its correction.
        if tool == "correct" {
            self.promised.memories.retain(|id, _| arguments["id"] != *id);
        }
        let text = arguments["text"].as_str();
        if let (Some(id), Some(text), "created") =
            (answer["id"].as_i64(), text, answer["happened"].as_str().unwrap_or_default())
        {
            self.promised.memories.insert(id, text.to_owned());
        }
    }
}

/// Returns the word by which a text is recognised.
fn word_of(text: &str, name: &str) -> Option<String> {
    text.split_whitespace().find(|word| word.starts_with(name)).map(str::to_owned)
}

/// Opens the memory as the next process would, and looks for what was promised.
fn check(home: &Path, promised: &AcknowledgedWrites, round: usize) {
    // Before anything is opened: opening would clear what is still owed.
    for file in files_below(home) {
        for found in marks_in(&std::fs::read(&file).unwrap_or_default()) {
            // The mark ends where its number does.
            let is = |word: &String| {
                found.strip_prefix(word.as_str()).is_some_and(|rest| !starts_with_digit(rest))
            };
            let gone = promised.gone.iter().find(|word| is(word));
            assert_eq!(gone, None, "round {round}: still in {}", file.display());
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(check_store(home, promised, round));
}

/// Iterates over everything in a file that begins like a mark of an agent.
fn marks_in(bytes: &[u8]) -> impl Iterator<Item = &str> {
    let starts = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"qz"));
    starts.map(|at| {
        let rest = &bytes[at..];
        let end = rest.iter().position(|byte| !byte.is_ascii_alphanumeric());
        std::str::from_utf8(&rest[..end.unwrap_or(rest.len())]).unwrap()
    })
}

fn starts_with_digit(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_digit())
}

async fn check_store(home: &Path, promised: &AcknowledgedWrites, round: usize) {
    let (store, me) = (SqliteStore::open(home, Options::default()).unwrap(), OwnerId::me());
    let ids: Vec<MemoryId> = promised.memories.keys().map(|id| MemoryId(*id)).collect();
    let stored = store.memories(&me, &ids).await.unwrap();
    let stored: BTreeMap<i64, String> =
        stored.into_iter().map(|memory| (memory.id.0, memory.text)).collect();
    assert_eq!(stored, promised.memories, "round {round}");
    for id in &promised.handoffs {
        assert!(store.handoff(&me, HandoffId(*id)).await.unwrap().is_some(), "round {round}");
    }
    for id in &promised.rows {
        let row = store.record(&me, "marks", RecordId(*id)).await.unwrap();
        assert!(row.is_some(), "round {round}: row {id}");
    }
    let health = store.health(&me).await.unwrap();
    assert!(health.sound, "round {round}: {:?}", health.problems);
    let audit = store.verify_audit(&me).await.unwrap();
    assert!(audit.is_intact(), "round {round}: {audit:?}");
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_below(&path)) } else { files.push(path) }
    }
    files
}
