//! The hooks of Codex as Codex itself lists them: its app server is asked with `hooks/list`, which
//! tells the hash and the trust of each.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// One hook in Codex's list.
#[derive(Debug)]
pub struct ListedHook {
    /// Key of its state in `config.toml`.
    pub key: String,
    pub hash: String,
    pub is_trusted: bool,
}

/// Asks Codex for the hooks of a directory. `command` runs `codex` in the home of the trial.
pub fn list_hooks(mut command: Command, directory: &str) -> Result<Vec<ListedHook>> {
    command.arg("app-server").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = command.spawn().context("codex app-server")?;
    let answer = ask(&mut server, directory);
    // It may have ended by itself.
    let _ = server.kill();
    let _ = server.wait();
    let answer = answer?;
    let hooks = answer.pointer("/result/data/0/hooks").and_then(Value::as_array);
    hooks.context("codex lists no hooks")?.iter().map(listed_hook).collect()
}

fn ask(server: &mut Child, directory: &str) -> Result<Value> {
    let client = json!({ "name": "trial", "title": "trial", "version": "1" });
    let capabilities = json!({ "experimentalApi": true });
    let messages = [
        json!({ "id": 1, "method": "initialize",
                "params": { "clientInfo": client, "capabilities": capabilities } }),
        json!({ "method": "initialized" }),
        json!({ "id": 2, "method": "hooks/list", "params": { "cwds": [directory] } }),
    ];
    let mut input = server.stdin.take().context("stdin is piped")?;
    for message in messages {
        writeln!(input, "{message}")?;
    }
    let output = BufReader::new(server.stdout.take().context("stdout is piped")?);
    for line in output.lines() {
        let answer: Value = serde_json::from_str(&line?)?;
        if answer.get("id").is_some_and(|id| id == 2) {
            return Ok(answer);
        }
    }
    anyhow::bail!("codex ended without an answer")
}

fn listed_hook(hook: &Value) -> Result<ListedHook> {
    let text = |name: &str| {
        let value = hook.get(name).and_then(Value::as_str);
        value.map(str::to_owned).with_context(|| format!("a hook without {name}"))
    };
    let is_trusted = text("trustStatus")? == "trusted";
    Ok(ListedHook { key: text("key")?, hash: text("currentHash")?, is_trusted })
}
