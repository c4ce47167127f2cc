//! Several servers over one PostgreSQL database. The tests need one: `cargo xtask postgres` names
//! it in `QUIPU_TEST_POSTGRES`; without it they say so and do nothing.

use crate::owner_browser::{BrowserResponse, http_request};
use crate::server_process::ServerProcess;
use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of servers that are killed under load, unless the variable says otherwise.
const KILLS: usize = 4;
/// Variable with the number of servers to kill.
const KILLS_VARIABLE: &str = "QUIPU_TEAM_KILLS";
/// Number of clients that write at the same time.
const CLIENTS: usize = 4;

/// Public address of the servers, for the tests that use a browser.
pub(crate) const SITE: &str = "https://memory.example";

/// Sends a request, such as `GET /`, to one server, as a browser at the public address does.
pub(crate) fn send_to_site(
    server: &ServerProcess,
    request: &str,
    more: &[(&str, &str)],
    body: &str,
) -> BrowserResponse {
    let (method, path) = request.split_once(' ').unwrap();
    let headers = [&[("Host", "memory.example"), ("Origin", SITE)][..], more].concat();
    http_request(server.address(), method, path, &headers, body)
}

/// Returns the address of a schema of its own, if there is a database.
pub(crate) fn address(test: &str) -> Option<String> {
    let Ok(address) = std::env::var("QUIPU_TEST_POSTGRES") else {
        eprintln!("skipped: QUIPU_TEST_POSTGRES is not set; use `cargo xtask postgres`");
        return None;
    };
    Some(format!("{address}?schema={test}_{}", std::process::id()))
}

/// Returns the environment of another server of the same team: it has the audit key of the first.
pub(crate) fn second_server(first: &TestEnv) -> TestEnv {
    let env = TestEnv::new();
    std::fs::create_dir(env.home()).unwrap();
    std::fs::copy(first.home().join("audit.key"), env.home().join("audit.key")).unwrap();
    env
}

fn serve(env: &TestEnv, address: &str) -> ServerProcess {
    ServerProcess::start_with(env, &["--store", address])
}

/// Calls a tool; `None` when the server did not answer.
pub(crate) fn try_call(server: &ServerProcess, tool: &str, arguments: Value) -> Option<Value> {
    let call = json!({ "name": tool, "arguments": arguments });
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
    let token = server.startup_field("token").to_owned();
    let (status, body) = server.try_send("POST /mcp", Some(&token), &message.to_string())?;
    let answer: Value = serde_json::from_str(&body).ok()?;
    let result = &answer["result"];
    (status == 200 && result["isError"] != true).then(|| result["structuredContent"].clone())
}

pub(crate) fn call(server: &ServerProcess, tool: &str, arguments: Value) -> Value {
    try_call(server, tool, arguments).expect("the server answers")
}

#[test]
fn a_write_through_one_server_is_seen_by_the_next_read_through_another() {
    let Some(address) = address("two_servers") else { return };
    let first = TestEnv::new();
    let one = serve(&first, &address);
    let second = second_server(&first);
    let two = serve(&second, &address);
    for number in 0..5 {
        let (writer, reader) = if number % 2 == 0 { (&one, &two) } else { (&two, &one) };
        let text = format!("Lamp number {number} stands in the hall.");
        let written = call(writer, "remember", json!({ "text": text }));
        let found = call(reader, "recall", json!({ "query": format!("lamp number {number}") }));
        assert!(found.to_string().contains(&text), "{written}: {found}");
    }
}

#[test]
fn a_server_without_the_audit_key_of_the_others_says_so() {
    let Some(address) = address("audit_key") else { return };
    let first = TestEnv::new();
    drop(serve(&first, &address));
    let stranger = TestEnv::new();
    let refused = stranger.quipu(&["serve", "--listen", "127.0.0.1:0", "--store", &address]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("audit.key"), "{}", refused.stderr);
}

#[test]
fn commands_that_work_on_files_say_so() {
    let Some(address) = address("files_only") else { return };
    let env = TestEnv::new();
    let run = |words: &[&str]| {
        let mut command = env.command(words);
        command.env("QUIPU_STORE", &address);
        crate::test_env::run_to_end(&mut command, "")
    };
    let before = run(&["migrate", "--check"]);
    assert_eq!(before.code, Some(1), "{}", before.stdout);
    assert!(before.stdout.contains("no schema yet"), "{}", before.stdout);
    run(&["migrate"]).success();
    run(&["migrate", "--check"]).success();
    run(&["remember", "The kettle is blue."]).success();
    let found = run(&["recall", "kettle"]).success();
    assert!(found.contains("The kettle is blue."), "{found}");
    let backup = env.work().join("copy.db");
    run(&["backup", backup.to_str().unwrap()]).success();
    let restart = run(&["audit", "restart"]);
    assert!(restart.stderr.contains("works on files"), "{}", restart.stderr);
    run(&["doctor"]).success();
    // The backup of a database is a memory in files elsewhere.
    let elsewhere = TestEnv::new();
    elsewhere.quipu(&["restore", backup.to_str().unwrap()]).success();
    let found = elsewhere.quipu(&["recall", "kettle"]).success();
    assert!(found.contains("The kettle is blue."), "{found}");
}

#[test]
fn killed_servers_lose_and_double_nothing() {
    let Some(address) = address("kills") else { return };
    let first = TestEnv::new();
    let steady = serve(&first, &address);
    let victims = second_server(&first);
    let (next, acknowledged) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    let text = |number: usize| format!("Parcel number {number} was sent to Lima.");
    let arguments = |number: usize| {
        let key = format!("parcel {number}");
        json!({ "text": text(number), "idempotency_key": key })
    };
    let kills = std::env::var(KILLS_VARIABLE).map_or(KILLS, |kills| kills.parse().unwrap());
    for kill in 0..kills {
        let victim = serve(&victims, &address);
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..CLIENTS)
                .map(|_| {
                    scope.spawn(|| {
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            match try_call(&victim, "remember", arguments(number)) {
                                Some(answer) => acknowledged.lock().unwrap().insert(number, answer),
                                None => return number,
                            };
                        }
                    })
                })
                .collect();
            std::thread::sleep(std::time::Duration::from_millis(700 + 331 * (kill as u64 % 4)));
            victim.kill_now();
            // What was in flight is repeated through another server, with the same key.
            for writer in writers {
                let number = writer.join().unwrap();
                let answer = call(&steady, "remember", arguments(number));
                acknowledged.lock().unwrap().insert(number, answer);
            }
        });
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    let run = |words: &[&str]| {
        let mut command = first.command(words);
        command.env("QUIPU_STORE", &address);
        crate::test_env::run_to_end(&mut command, "").success()
    };
    let file = first.work().join("everything.jsonl");
    run(&["export", file.to_str().unwrap()]);
    let exported = std::fs::read_to_string(file).unwrap();
    for number in acknowledged.keys() {
        let times = exported.matches(&text(*number)).count();
        assert_eq!(times, 1, "parcel {number} is there once");
    }
    let status: Value = serde_json::from_str(&run(&["status", "--json"])).unwrap();
    let active = status["memories"]["active"].as_u64().unwrap();
    assert_eq!(active as usize, acknowledged.len(), "each is there once: {status}");
    println!("{kills} kills, {} acknowledged writes, none lost or doubled", acknowledged.len());
    run(&["audit", "verify"]);
}
