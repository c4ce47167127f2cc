//! Rate limits of an agent over several servers of one database.

use crate::server_process::ServerProcess;
use crate::teams::{address, second_server};
use crate::test_env::TestEnv;
use model::limits;
use serde_json::json;
use std::time::Instant;

/// Calls a tool with a statement that is refused after it was counted. Returns true if it was
/// within the rate limit.
fn is_within_limit(server: &ServerProcess) -> bool {
    let call = json!({ "name": "tables", "arguments": { "sql": 7 } });
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": call });
    let token = server.startup_field("token").to_owned();
    let (_, body) = server.send("POST /mcp", Some(&token), &message.to_string());
    assert!(body.contains("rate limit") || body.contains("sql"), "{body}");
    !body.contains("rate limit")
}

#[test]
fn an_agent_has_one_rate_limit_on_all_servers_together() {
    let Some(address) = address("rates") else { return };
    let first = TestEnv::new();
    let one = ServerProcess::start_with(&first, &["--store", &address]);
    let second = second_server(&first);
    let two = ServerProcess::start_with(&second, &["--store", &address]);
    let (start, mut admitted) = (Instant::now(), 0);
    loop {
        let round = [&one, &two].map(is_within_limit);
        admitted += round.iter().filter(|within| **within).count();
        if round == [false, false] {
            break;
        }
    }
    let refilled = start.elapsed().as_secs_f64() * limits::SQL_RATE.per_second;
    // A 32nd of the burst is what one server may admit without telling the other.
    let most = limits::SQL_RATE.burst * (1.0 + 2.0 / 32.0) + refilled;
    assert!(admitted as f64 >= limits::SQL_RATE.burst, "{admitted}");
    assert!(admitted as f64 <= most, "{admitted} calls, at most {most}");
    println!("{admitted} calls were admitted, {refilled} of them refilled meanwhile");
}
