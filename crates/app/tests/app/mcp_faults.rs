//! `quipu mcp` in trouble: messages that make no sense, a log that nobody reads, a disk without
//! space. Most clients do not start a server again in the same session, so it goes on in each case.

use crate::mcp::McpTestClient;
use crate::test_env::TestEnv;
use serde_json::{Value, json};
use std::process::{Command, Stdio};

/// Bytes of a message beyond every limit.
const HUGE_BYTES: usize = 17 * 1024 * 1024;
/// Sentences after which a disk of a few megabytes is full.
const WRITES_MAX: usize = 2_000;

/// Calls a tool and returns the result as the client gets it, also that of a failure.
fn try_call(client: &mut McpTestClient, tool: &str, arguments: Value) -> Value {
    client.request("tools/call", json!({"name": tool, "arguments": arguments}))
}

fn remember_and_recall(client: &mut McpTestClient, text: &str) {
    client.call("remember", json!({ "text": text }));
    let found = client.call("recall", json!({ "query": text }));
    assert_eq!(found["memories"][0]["text"], text);
}

#[test]
fn a_message_that_makes_no_sense_is_answered_and_the_next_one_too() {
    let env = TestEnv::new();
    let mut client = McpTestClient::start(&mut env.command(&["mcp"]));
    let huge = format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{{\"x\":\"{}\"}}}}",
        "x".repeat(HUGE_BYTES)
    );
    let cases: [(&[u8], i64, Value); 7] = [
        (b"{\"id\":7,", -32700, json!(7)),
        (b"\xff\xfe\x00", -32700, json!(null)),
        (huge.as_bytes(), -32700, json!(7)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"memories/steal\"}", -32601, json!(7)),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}]", -32600, json!(null)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":7}", -32600, json!(7)),
        (b"17", -32600, json!(null)),
    ];
    for (line, code, id) in cases {
        client.send_bytes(line);
        let answer = client.next_message();
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{shown}");
    }
    remember_and_recall(&mut client, "The kiln is fired on Fridays.");
    assert_eq!(client.disconnect(), Some(0));
}

#[cfg(unix)]
#[test]
fn a_log_that_nobody_reads_any_more_stops_nothing() {
    let env = TestEnv::new();
    let mut command = env.command(&["mcp"]);
    command.env("QUIPU_LOG", "trace,rmcp=trace").stderr(Stdio::piped());
    let mut client = McpTestClient::start(&mut command);
    client.close_stderr();
    for text in ["The kiln is fired on Fridays.", "The glaze is called celadon."] {
        remember_and_recall(&mut client, text);
        client.send_bytes(b"{broken");
        assert_eq!(client.next_message()["error"]["code"], -32700);
    }
    assert_eq!(client.disconnect(), Some(0));
}

/// Returns a command that runs `quipu mcp` after a preparation by the shell.
#[cfg(unix)]
fn prepared(env: &TestEnv, wrapper: &[&str], preparation: &str) -> Command {
    let script = format!("{preparation} && exec \"$0\" mcp");
    let words = [wrapper, &["sh", "-c", &script, env!("CARGO_BIN_EXE_quipu")]].concat();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).env_clear().current_dir(env.work());
    command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.env("HOME", env.root()).env("QUIPU_HOME", env.home()).env("TMPDIR", env.root());
    command
}

/// Writes until a write fails, and checks that the process goes on. Returns the failure.
#[cfg(unix)]
fn write_until_full(command: &mut Command) -> String {
    let mut client = McpTestClient::start(command);
    remember_and_recall(&mut client, "The glaze is called celadon.");
    let write = |client: &mut McpTestClient, number: usize| {
        let text = format!("Firing {number} reached cone {number}. {}", "ash ".repeat(1_500));
        try_call(client, "remember", json!({ "text": text }))
    };
    let failures = (0..WRITES_MAX).map(|number| write(&mut client, number));
    let failure = failures.into_iter().find(|result| result["isError"] == true);
    let failure = failure.expect("the disk is never full");
    for number in 0..5 {
        let again = write(&mut client, WRITES_MAX + number);
        assert!(again["content"][0]["text"].is_string(), "{again}");
        let found = client.call("recall", json!({"query": "how is the glaze called"}));
        assert!(found.to_string().contains("celadon"), "{found}");
    }
    assert_eq!(client.disconnect(), Some(0));
    failure["content"][0]["text"].as_str().unwrap().to_owned()
}

#[cfg(unix)]
#[test]
fn a_file_that_may_not_grow_fails_the_write_and_not_the_process() {
    let env = TestEnv::new();
    // The signal would end the process; a full disk sends none.
    let failure = write_until_full(&mut prepared(&env, &[], "trap '' XFSZ && ulimit -f 4096"));
    assert!(failure.starts_with("storage_"), "{failure}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_the_write_and_not_the_process() {
    let env = TestEnv::new();
    std::fs::create_dir(env.home()).unwrap();
    let own_mounts = ["unshare", "--user", "--map-root-user", "--mount"];
    let mount = "mount -t tmpfs -o size=3m,mode=700 tmpfs \"$QUIPU_HOME\"";
    let mut probe = Command::new(own_mounts[0]);
    probe.args(&own_mounts[1..]).args(["sh", "-c", mount]).env("QUIPU_HOME", env.home());
    if !probe.output().is_ok_and(|output| output.status.success()) {
        eprintln!("a small disk cannot be mounted here, so only the limit of a file is tested");
        return;
    }
    let failure = write_until_full(&mut prepared(&env, &own_mounts, mount));
    assert!(failure.contains("disk"), "{failure}");
}
