//! What those need who run servers: metrics, health and readiness, and the owners of a store.

use crate::owner_browser::http_request;
use crate::server_process::ServerProcess;
use crate::teams::address;
use crate::test_env::{QuipuOutput, TestEnv, run_to_end};
use serde_json::{Value, json};

fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

#[test]
fn a_server_tells_its_state_and_what_it_counted_on_an_address_of_its_own() {
    let (env, metrics) = (TestEnv::new(), free_address());
    let served = ServerProcess::start_with(&env, &["--metrics", &metrics]);
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": "remember", "arguments": { "text": "The ferry leaves at nine." } },
    });
    let token = served.startup_field("token").to_owned();
    assert_eq!(served.send("POST /mcp", Some(&token), &call.to_string()).0, 200);
    let get = |path: &str| http_request(&metrics, "GET", path, &[], "");
    assert_eq!((get("/healthz").status, get("/readyz").status), (200, 200));
    let counted = get("/metrics");
    assert!(counted.headers["content-type"].starts_with("text/plain; version=0.0.4"));
    let line = r#"quipu_calls_total{dialect="quipu",tool="remember",outcome="ok"} 1"#;
    assert!(counted.body.contains(line), "{}", counted.body);
    assert!(counted.body.contains("quipu_call_seconds_bucket"), "{}", counted.body);
    assert!(!counted.body.contains("ferry"), "nothing of a memory");
    assert_eq!(served.send("GET /metrics", None, "").0, 401, "not where everybody is");
    assert_eq!(served.send("GET /readyz", None, "").0, 200);
    env.quipu(&["ready", "--metrics", &metrics]).success();
    drop(served);
    assert_eq!(env.quipu(&["ready", "--metrics", &metrics]).code, Some(1));
}

fn owners_are_created_listed_and_erased(run: impl Fn(&[&str]) -> QuipuOutput) {
    run(&["owners", "create", "ada"]).success();
    run(&["--owner", "ada", "remember", "The kettle is blue."]).success();
    let listed: Value =
        serde_json::from_str(&run(&["owners", "list", "--json"]).success()).unwrap();
    let ada = json!({ "name": "ada", "memories": 1, "group": false });
    assert!(listed["owners"].as_array().unwrap().contains(&ada), "{listed}");
    assert_eq!(run(&["owners", "erase", "ada"]).code, Some(2), "without confirmation");
    assert_eq!(run(&["--owner", "ada", "owners", "erase", "ada", "--yes"]).code, Some(2));
    run(&["owners", "erase", "ada", "--yes"]).success();
    assert!(!run(&["owners", "list"]).success().contains("ada"));
    assert_ne!(run(&["owners", "erase", "ada", "--yes"]).code, Some(0), "nobody of that name");
}

#[test]
fn owners_of_files_are_created_listed_and_erased() {
    let env = TestEnv::new();
    owners_are_created_listed_and_erased(|words| env.quipu(words));
}

#[test]
fn owners_of_a_database_are_created_listed_and_erased() {
    let Some(address) = address("owners") else { return };
    let env = TestEnv::new();
    owners_are_created_listed_and_erased(|words| {
        run_to_end(env.command(words).env("QUIPU_STORE", &address), "")
    });
}

#[test]
fn a_memory_moves_to_a_database_and_back() {
    let Some(address) = address("moves") else { return };
    let env = TestEnv::new();
    env.quipu(&["remember", "The kettle is blue."]).success();
    env.quipu(&["--owner", "ada", "remember", "The ferry leaves at nine."]).success();
    for _ in 0..2 {
        let moved = env.json(&["move", "--to", &address]);
        let names: Vec<_> = moved["owners"].as_array().unwrap().iter().collect();
        assert_eq!(names.len(), 2, "{moved}");
    }
    let in_database =
        |words: &[&str]| run_to_end(env.command(words).env("QUIPU_STORE", &address), "").success();
    assert!(in_database(&["recall", "kettle"]).contains("The kettle is blue."));
    in_database(&["remember", "The lamp is green."]);
    in_database(&["audit", "verify"]);
    let back = env.work().join("back");
    in_database(&["move", "--to", back.to_str().unwrap()]);
    let home = back.to_str().unwrap();
    let found = env.quipu(&["--home", home, "recall", "lamp"]).success();
    assert!(found.contains("The lamp is green."), "{found}");
    env.quipu(&["--home", home, "audit", "verify"]).success();
}

#[test]
fn the_audit_key_can_be_a_file_elsewhere() {
    let Some(address) = address("key_file") else { return };
    let first = TestEnv::new();
    let run = |env: &TestEnv, key: &std::path::Path| {
        let mut command = env.command(&["remember", "The kettle is blue."]);
        command.env("QUIPU_STORE", &address).env("QUIPU_AUDIT_KEY_FILE", key);
        run_to_end(&mut command, "")
    };
    let key = first.work().join("team.key");
    assert_ne!(run(&first, &key).code, Some(0), "it is not made where it was named");
    std::fs::write(&key, format!("{}\n", "0a".repeat(32))).unwrap();
    run(&first, &key).success();
    let second = TestEnv::new();
    run(&second, &key).success();
    assert!(!second.home().join("audit.key").exists());
}
