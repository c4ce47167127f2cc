//! Tenant isolation: owners with random names and secrets on one server call every tool of every
//! dialect with the ids and names of each other. No secret may leak, and the response for somebody
//! else's data must be the same as for data that does not exist.

use crate::authorization_matrix::{MatrixServer, dialects, refusal, rows_of};
use crate::mcp::McpTestClient;
use crate::server_process::ServerProcess;
use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// An id that no owner has, with as many digits as the largest id, so that responses have the same
/// length.
const UNUSED_ID: i64 = 977;
/// Number of memories of the first owner; the others have a tenth, so that most of its ids exist
/// for it alone.
const FIRST_OWNER_MEMORIES: usize = 130;

/// Dialect, tool and arguments that refer to somebody's data; `ID` and `NAME` are replaced.
const PROBES: &[(&str, &str, &str)] = &[
    ("quipu", "recall", r#"{"query": "secret", "session": "NAME"}"#),
    ("quipu", "recall", r#"{"query": "secret", "project": "NAME"}"#),
    ("quipu", "recall", r#"{"query": "secret", "tags": ["NAME"]}"#),
    ("quipu", "recall", r#"{"ids": [ID]}"#),
    ("quipu", "explore", r#"{"id": ID}"#),
    ("quipu", "explore", r#"{"id": ID, "way": "history"}"#),
    ("quipu", "explore", r#"{"entity": "NAME"}"#),
    ("quipu", "verify", r#"{"claim": "NAME keeps a secret"}"#),
    ("quipu", "tables", r#"{"table": "NAME"}"#),
    ("quipu", "tables", r#"{"sql": "SELECT * FROM NAME"}"#),
    ("quipu", "session", r#"{"action": "resume", "session": "NAME"}"#),
    ("quipu", "references", r#"{"query": "NAME"}"#),
    ("quipu", "correct", r#"{"id": ID, "text": "mine now"}"#),
    ("quipu", "forget", r#"{"ids": [ID]}"#),
    ("quipu", "review", r#"{"action": "flag", "memory": ID, "reason": "x"}"#),
    ("quipu", "handoff", r#"{"action": "claim", "id": ID}"#),
    ("agentic", "memory_traverse", r#"{"start_id": ID}"#),
    ("agentic", "memory_context", r#"{"node_id": ID}"#),
    ("agentic", "memory_resolve", r#"{"node_id": ID}"#),
    ("agentic", "memory_causal", r#"{"node_id": ID}"#),
    ("agentic", "memory_correct", r#"{"old_node_id": ID, "new_content": "mine now"}"#),
    ("agentic", "memory_similar", r#"{"query_text": "NAME keeps a secret"}"#),
    ("agentic", "memory_evidence", r#"{"query": "NAME"}"#),
    ("agentic", "session_end", r#"{"session_id": ID, "create_episode": false}"#),
    ("librarian", "recall", r#"{"query": "secret", "tags": ["NAME"]}"#),
    ("librarian", "flag_memory", r#"{"memory_id": "ID", "reason": "x"}"#),
    ("librarian", "claim_handoff", r#"{"handoff_id": "ID"}"#),
    ("librarian", "search_references", r#"{"query": "NAME"}"#),
    ("epitome", "recall", r#"{"topic": "NAME"}"#),
    ("epitome", "query_table", r#"{"tableName": "NAME"}"#),
    ("epitome", "search_memory", r#"{"collection": "NAME", "query": "secret"}"#),
    ("epitome", "memorize", r#"{"text": "mine now", "sourceRef": "vectors/memories#ID"}"#),
    ("codememory", "search_memory", r#"{"query": "secret", "session_id": "NAME"}"#),
    ("codememory", "list_entities", r#"{"memory_id": ID}"#),
    ("codememory", "get_entity", r#"{"name": "NAME"}"#),
    ("codememory", "get_context_graph", r#"{"query": "NAME"}"#),
];

/// An owner with a name that all of its data is filed under, and a secret that all of it contains.
struct CanaryOwner {
    id: String,
    name: String,
    secret: String,
}

impl CanaryOwner {
    fn random() -> Self {
        let random = format!("{:016x}", RandomState::new().hash_one("an owner"));
        let (id, name) = (format!("o{}", &random[..6]), format!("n{}", &random[..10]));
        Self { id, name, secret: random }
    }

    /// Returns a name of the same length that nobody has.
    fn unused_name() -> String {
        Self::random().name
    }

    /// Stores data in every part of the owner's memory.
    fn fill(&self, env: &TestEnv, memories: usize) {
        let Self { id, name, secret } = self;
        let mut client = McpTestClient::start(&mut env.command(&["mcp", "--owner", id]));
        for nth in 0..memories {
            let text = format!("{name} keeps secret {secret} in box {nth}");
            let arguments = json!({
                "text": text,
                "title": format!("{name} {nth}"),
                "tags": [name],
                "project": name,
                "session": name,
            });
            client.call("remember", arguments);
        }
        client.call("remember", json!({"table": name, "data": {"code": secret}}));
        client.call("remember", json!({"profile": {name: secret}}));
        client.call("correct", json!({"id": 1, "text": format!("{name} moved secret {secret}")}));
        client.call("review", json!({"action": "flag", "memory": 2, "reason": secret}));
        let document = format!(
            "## Start & intent\n{secret}\n## Journey\nx\n## Current state\nx\n## What's left\nx\n\
             ## Open questions\nx\n"
        );
        client.call("handoff", json!({"action": "store", "title": name, "document": document}));
        assert_eq!(client.disconnect(), Some(0));
        let folder = env.root().join(name);
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("note.md"), format!("# {name}\nThe code is {secret}.\n"))
            .unwrap();
        env.quipu(&["reference", "add", folder.to_str().unwrap(), "--owner", id]).success();
    }
}

/// Starts a server with three owners and returns a key of each.
fn start_server() -> (MatrixServer, Vec<(CanaryOwner, String)>) {
    let env = TestEnv::new();
    let owners: Vec<CanaryOwner> = (0..3).map(|_| CanaryOwner::random()).collect();
    for (nth, owner) in owners.iter().enumerate() {
        owner.fill(&env, if nth == 0 { FIRST_OWNER_MEMORIES } else { FIRST_OWNER_MEMORIES / 10 });
    }
    let served = ServerProcess::start(&env);
    let town = MatrixServer { served, env };
    let keyed = |owner: CanaryOwner| {
        let key = town.key(&owner.id, "write", &["*=write"]);
        (owner, key)
    };
    let owners = owners.into_iter().map(keyed).collect();
    (town, owners)
}

fn fill_arguments(arguments: &str, id: i64, name: &str) -> Value {
    let text = arguments.replace("ID", &id.to_string()).replace("NAME", name);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn path_of(dialect: &str) -> String {
    if dialect == "quipu" { "/mcp".to_owned() } else { format!("/mcp/{dialect}") }
}

#[test]
fn no_call_returns_a_secret_of_another_owner() {
    let (town, owners) = start_server();
    for (asker, key) in &owners {
        let others = || owners.iter().map(|(owner, _)| owner).filter(|owner| owner.id != asker.id);
        let ask = |dialect: &str, tool: &str, arguments: &Value| {
            let (_, body) = town.call(&path_of(dialect), Some(key), tool, arguments);
            for other in others() {
                assert!(!body.contains(&other.secret), "{dialect} {tool} {arguments}: {body}");
            }
        };
        for (dialect, _) in dialects(&town.env) {
            rows_of(&dialect).for_each(|(tool, arguments, _)| ask(&dialect, tool, &arguments));
        }
        for other in others() {
            for (dialect, tool, arguments) in PROBES {
                ask(
                    dialect,
                    tool,
                    &fill_arguments(arguments, FIRST_OWNER_MEMORIES as i64 - 5, &other.name),
                );
            }
        }
    }
}

#[test]
fn the_data_of_others_looks_like_data_that_does_not_exist() {
    let (town, owners) = start_server();
    let [(victim, _), (_, key), ..] = &owners[..] else { panic!("three owners") };
    let (theirs, nobody) = (FIRST_OWNER_MEMORIES as i64 - 5, CanaryOwner::unused_name());
    for (dialect, tool, arguments) in PROBES.iter().filter(|probe| !is_free_text(probe.2)) {
        let ask = |id: i64, name: &str| {
            let (status, body) =
                town.call(&path_of(dialect), Some(key), tool, &fill_arguments(arguments, id, name));
            assert!(refusal(&body).is_none(), "{dialect} {tool}: {body}");
            (status, mask_response(&body, id, name))
        };
        assert_eq!(
            ask(theirs, &victim.name),
            ask(UNUSED_ID, &nobody),
            "{dialect} {tool} {arguments}"
        );
    }
}

/// Returns true if the name is part of free text: two different texts find different memories of
/// the asking owner, so their responses cannot be compared.
fn is_free_text(arguments: &str) -> bool {
    let arguments: Value = fill_arguments(arguments, 0, "NAME");
    let names = |field: &str| arguments[field].as_str().is_some_and(|text| text.contains("NAME"));
    ["query", "query_text", "topic", "claim"].into_iter().any(names)
}

/// Masks the requested id and name, and all times, in a response.
fn mask_response(body: &str, id: i64, name: &str) -> String {
    let asked = mask_number(body, &id.to_string()).replace(name, "NAME");
    let masked = |word: &str| {
        let digits = word.chars().filter(char::is_ascii_digit).count();
        if digits > 5 { "TIME".to_owned() } else { word.to_owned() }
    };
    asked.split('"').map(masked).collect::<Vec<_>>().join("\"")
}

/// Masks a number, except as a part of a longer one: a score may end in the same digits.
fn mask_number(text: &str, number: &str) -> String {
    let (mut left, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(number) {
        let (before, after) = (&rest[..at], &rest[at + number.len()..]);
        let goes_on = |c: char| c.is_ascii_digit() || c == '.';
        let begun = before.chars().next_back().or(left.chars().next_back()).is_some_and(goes_on);
        let is_part = begun || after.starts_with(|c: char| c.is_ascii_digit());
        left.push_str(before);
        left.push_str(if is_part { number } else { "ID" });
        rest = after;
    }
    left + rest
}

#[test]
fn the_owner_finds_its_own_data_by_the_same_names() {
    let (town, owners) = start_server();
    let (owner, key) = &owners[0];
    let found = |dialect: &str, tool: &str, arguments: &str| {
        let arguments = fill_arguments(arguments, FIRST_OWNER_MEMORIES as i64 - 5, &owner.name);
        town.call(&path_of(dialect), Some(key), tool, &arguments).1.contains(&owner.secret)
    };
    // Without this check, the other two tests would also pass on empty memories.
    for (dialect, tool) in [
        ("quipu", "recall"),
        ("quipu", "explore"),
        ("quipu", "tables"),
        ("quipu", "references"),
        ("agentic", "memory_similar"),
        ("librarian", "recall"),
        ("epitome", "query_table"),
        ("codememory", "search_memory"),
    ] {
        let mut probes = PROBES.iter().filter(|probe| (probe.0, probe.1) == (dialect, tool));
        assert!(
            probes.any(|probe| found(dialect, tool, probe.2)),
            "{dialect} {tool} does not find its own"
        );
    }
}
