//! `quipu serve`: the startup message is enough to connect, and nothing works without a credential.

use crate::normalize::normalize_output;
use crate::owner_browser::{OwnerBrowser, http_request};
use crate::server_process::ServerProcess;
use crate::test_env::TestEnv;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

fn initialize_message() -> String {
    let client = json!({"name": "tester", "version": "1"});
    let parameters =
        json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": parameters}).to_string()
}

#[cfg(unix)]
#[test]
fn the_token_is_required() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    assert_eq!(served.send("GET /healthz", None, "").0, 200);
    assert_eq!(served.send("POST /mcp", None, &initialize_message()).0, 401);
    assert_eq!(served.send("POST /mcp", Some("qp_wrong"), &initialize_message()).0, 401);
    let (status, body) =
        served.send("POST /mcp", Some(served.startup_field("token")), &initialize_message());
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"quipu\""), "{body}");
    assert_eq!(served.terminate(), Some(0));
}

#[cfg(unix)]
#[test]
fn the_token_is_generated_once_and_stored_privately() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    let first = ServerProcess::start(&env);
    let (token, file) = (first.startup_field("token").to_owned(), env.home().join("token"));
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), token);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(first.terminate(), Some(0));
    let second = ServerProcess::start(&env);
    assert_eq!(second.startup_field("token"), token);
    assert_eq!(second.terminate(), Some(0));
}

#[test]
fn it_says_where_it_listens_and_how_to_connect_each_client() {
    let env = TestEnv::new();
    let mut child =
        env.command(&["serve", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut text = String::new();
    let mut said = BufReader::new(child.stdout.take().unwrap());
    while !text.contains("need no server") {
        assert_ne!(said.read_line(&mut text).unwrap(), 0, "{text}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let port =
        text.split("http://127.0.0.1:").nth(1).unwrap().split('/').next().unwrap().to_owned();
    insta::assert_snapshot!(normalize_output(&env, &text.replace(&port, "PORT")));
}

#[test]
fn a_password_is_required_before_other_machines_can_connect() {
    let env = TestEnv::new();
    for words in [
        &["serve", "--listen", "0.0.0.0:0"][..],
        &["serve", "--listen", "127.0.0.1:0", "--public-url", "https://memory.example"],
    ] {
        let run = env.quipu(words);
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(
            run.stderr.contains("other machines") && run.stderr.contains("quipu password set"),
            "{}",
            run.stderr
        );
    }
    let run = env.quipu(&["serve", "--public-url", "http://memory.example"]);
    assert!(run.code == Some(2) && run.stderr.contains("https://"), "{}", run.stderr);
    std::fs::write(env.home().join("token"), " \n").unwrap();
    let run = env.quipu(&["serve", "--listen", "127.0.0.1:0"]);
    assert!(
        run.code != Some(0) && run.stderr.contains("is damaged"),
        "a blank token: {}",
        run.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_password_set_from_standard_input_allows_a_remote_login() {
    use std::os::unix::fs::PermissionsExt;
    let env = TestEnv::new();
    assert_eq!(env.quipu_with_input(&["password", "set"], "short\n").code, Some(2));
    let set = env.quipu_with_input(&["password", "set"], "correct-horse\n");
    assert_eq!(set.code, Some(0), "{}", set.stderr);
    let file = env.home().join("owners/me/password");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("$argon2id$"));
    let served = ServerProcess::start_with(&env, &["--public-url", "https://memory.example"]);
    assert_eq!(served.startup_field("mcp"), "https://memory.example/mcp");
    let headers = [
        ("Host", "memory.example"),
        ("Origin", "https://memory.example"),
        ("Content-Type", "application/x-www-form-urlencoded"),
    ];
    let typed = |password: &str| {
        http_request(
            served.address(),
            "POST",
            "/login",
            &headers,
            &format!("token={password}&next=/settings"),
        )
    };
    assert_eq!(typed("wrong-horse").status, 401);
    let opened = typed("correct-horse");
    assert!(opened.status == 200 && opened.body.contains(r#"name="go" content="/settings""#));
    assert_eq!(opened.headers["strict-transport-security"], "max-age=31536000");
    let cookie = &opened.headers["set-cookie"];
    assert!(cookie.starts_with("__Host-quipu_session=") && cookie.contains("; Secure"), "{cookie}");
    let response =
        http_request(served.address(), "POST", "/mcp", &[("Host", "memory.example")], "{}");
    let challenge = &response.headers["www-authenticate"];
    assert!(
        challenge.contains("https://memory.example/.well-known/oauth-protected-resource/mcp"),
        "{challenge}"
    );
    let evil = http_request(served.address(), "GET", "/healthz", &[("Host", "evil.example")], "");
    assert_eq!(evil.status, 403);
    let log = env.json(&["audit", "list", "-n", "20"]).to_string();
    assert!(log.contains("set the password") && !log.contains("horse"), "{log}");
}

#[cfg(unix)]
#[test]
fn login_prints_a_new_link_that_works_once() {
    let env = TestEnv::new();
    let served = ServerProcess::start(&env);
    let link = env.json(&["login"]);
    let link = link["dashboard"].as_str().unwrap();
    let path = link.strip_prefix(&format!("http://{}", served.address())).unwrap();
    let browser = OwnerBrowser::log_in_with(&served, link);
    assert_eq!(browser.open("/settings").status, 200);
    assert_eq!(served.send(&format!("GET {path}"), None, "").0, 401, "it works only once");
    let key =
        env.json(&["keys", "create", "--agent", "codex", "--scope", "write", "--grant", "*=write"]);
    let refused = served.send("POST /v1/login-links", key["key"].as_str(), "{}");
    assert_eq!(refused.0, 403, "{}", refused.1);
    let file = env.home().join("address");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), served.address());
    assert_eq!(served.terminate(), Some(0));
    assert!(!file.exists(), "a server that stopped is not found");
    std::fs::write(&file, "127.0.0.1:9\n").unwrap();
    let nobody = env.quipu(&["login", "--listen", "127.0.0.1:9"]);
    assert!(nobody.stderr.contains("quipu serve"), "{}", nobody.stderr);
}

/// An agent asks a process of its own, beside the server that the owner looks at.
#[test]
fn the_activity_of_a_server_says_what_was_asked_in_another_process() {
    let env = TestEnv::new();
    env.quipu(&["remember", "We deploy on Tuesdays."]).success();
    let served = ServerProcess::start(&env);
    let recall = json!({"name": "recall", "arguments": {"query": "when do we deploy"}});
    let lines = [
        serde_json::from_str(&initialize_message()).unwrap(),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": recall}),
    ];
    let messages: String = lines.iter().map(|line| format!("{line}\n")).collect();
    assert!(env.quipu_with_input(&["mcp"], &messages).success().contains("Tuesdays"));
    let browser = OwnerBrowser::log_in(&served);
    for page in ["/", "/activity"] {
        let shown = browser.open(page).body;
        assert!(shown.contains("recalled 1 memory for “when do we deploy”"), "{page}: {shown}");
    }
    let id = &env.json(&["recall", "deploy"])["memories"][0]["id"].to_string();
    env.quipu(&["forget", id, "--yes"]).success();
    assert!(!browser.open("/activity").body.contains("when do we deploy"));
}
