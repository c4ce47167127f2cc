//! A termination signal to `quipu mcp`: what is on its way is answered, and the process ends
//! whatever it waits for.

use crate::concurrent_processes::all_texts;
use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Number of processes that get a signal while they write.
const SIGNALS: usize = 6;
/// Number of calls that wait when the signal comes; fewer than a process lets wait.
const CALLS: usize = 100;
/// Time within which a process ends after a signal, whatever happens.
const END_SECONDS: u64 = 15;

fn start(env: &TestEnv) -> Child {
    let mut command = env.command(&["mcp"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let hello = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"},
    });
    send(&mut child, &json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
    send(&mut child, &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    child
}

/// Sends a message; false when the process has closed its end.
fn send(child: &mut Child, message: &Value) -> bool {
    writeln!(child.stdin.as_mut().unwrap(), "{message}").is_ok()
}

fn terminate(child: &Child) {
    let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(asked.success());
}

fn call(id: usize, tool: &str, arguments: &Value) -> Value {
    let parameters = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": parameters})
}

fn text(run: usize, id: usize) -> String {
    format!("In run {run} the bowl number {id} was put into the kiln.")
}

/// Sends writes without waiting for their answers, and the signal after some of the answers.
/// Returns the texts of the writes that were answered.
fn writes_answered_around_a_signal(env: &TestEnv, run: usize) -> BTreeSet<String> {
    let mut child = start(env);
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for id in 1..=CALLS {
        assert!(send(&mut child, &call(id, "remember", &json!({"text": text(run, id)}))));
    }
    let (mut answered, mut line) = (BTreeSet::new(), String::new());
    let mut answers = 0;
    while stdout.read_line(&mut line).unwrap() > 0 {
        let answer: Value = serde_json::from_str(&line).unwrap();
        let id = usize::try_from(answer["id"].as_u64().unwrap()).unwrap();
        if id > 0 {
            assert_ne!(answer["result"]["isError"], true, "{answer}");
            answered.insert(text(run, id));
        }
        answers += 1;
        if answers == 2 + run {
            terminate(&child);
        }
        line.clear();
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(answers > 2 + run, "nothing was answered after the signal, which proves nothing");
    answered
}

#[test]
fn every_write_that_has_an_effect_is_answered_also_when_the_process_is_told_to_end() {
    let env = TestEnv::new();
    let mut answered = BTreeSet::new();
    for run in 0..SIGNALS {
        answered.extend(writes_answered_around_a_signal(&env, run));
    }
    let stored: BTreeSet<String> = all_texts(&env).into_iter().collect();
    let unanswered: Vec<&String> = stored.difference(&answered).collect();
    assert!(unanswered.is_empty(), "stored, but not answered: {unanswered:?}");
    assert_eq!(stored, answered, "every answered write is stored");
}

#[test]
fn a_process_whose_client_does_not_read_ends_after_a_signal() {
    let env = TestEnv::new();
    let mut child = start(&env);
    // Far more than a pipe holds, and never read.
    for id in 1..=60 {
        let list = json!({"jsonrpc": "2.0", "id": id, "method": "tools/list", "params": {}});
        assert!(send(&mut child, &list));
    }
    std::thread::sleep(Duration::from_millis(500));
    terminate(&child);
    let since = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if since.elapsed() > Duration::from_secs(END_SECONDS) {
            child.kill().unwrap();
            panic!("it still runs {END_SECONDS} seconds after the signal");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
