//! A dialect for tests with a tool for each behaviour of the server: the caller's identity, a long
//! call, a failure, a panic. It does not use the engine.

use async_trait::async_trait;
use dialects::{DialectApi, ToolAnnotations, ToolSpec};
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The dialect with its counters.
pub struct TestDialect {
    tools: Vec<ToolSpec>,
    older: Vec<ToolSpec>,
    begun: AtomicU64,
    ended: AtomicU64,
    dropped: AtomicU64,
}

impl TestDialect {
    /// Creates the dialect with counters at zero.
    pub fn new() -> Self {
        let tools = vec![echo(), wait(), tally(), fail(), fall()];
        let older = vec![ToolSpec { name: "say", ..echo() }];
        let [begun, ended, dropped] = [const { AtomicU64::new(0) }; 3];
        Self { tools, older, begun, ended, dropped }
    }

    fn counts(&self) -> Value {
        let of = |count: &AtomicU64| count.load(Ordering::SeqCst);
        json!({ "begun": of(&self.begun), "ended": of(&self.ended), "dropped": of(&self.dropped) })
    }

    async fn wait(&self, seconds: f64) -> Value {
        self.begun.fetch_add(1, Ordering::SeqCst);
        let mut watch = DropCounter { dropped: Some(&self.dropped) };
        tokio::time::sleep(Duration::from_secs_f64(seconds)).await;
        watch.dropped = None;
        self.ended.fetch_add(1, Ordering::SeqCst);
        json!({ "waited": seconds })
    }
}

/// Counts a call that was dropped before its end.
struct DropCounter<'c> {
    dropped: Option<&'c AtomicU64>,
}

impl Drop for DropCounter<'_> {
    fn drop(&mut self) {
        if let Some(dropped) = self.dropped {
            dropped.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[async_trait]
impl DialectApi for TestDialect {
    fn name(&self) -> &'static str {
        "quipu"
    }

    fn instructions(&self) -> &'static str {
        "A test server. Call echo."
    }

    fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    fn unlisted_tools(&self) -> &[ToolSpec] {
        &self.older
    }

    fn error_code(&self, code: ErrorCode) -> &'static str {
        if code == ErrorCode::RateLimited { "SLOW_DOWN" } else { code.name() }
    }

    async fn call(
        &self,
        _engine: &Engine,
        caller: &Caller,
        tool: &str,
        arguments: JsonMap,
    ) -> Result<Value, Failure> {
        match tool {
            "echo" | "say" => Ok(echo_answer(caller, &arguments)),
            "wait" => Ok(self.wait(arguments["seconds"].as_f64().unwrap_or_default()).await),
            "tally" => Ok(self.counts()),
            "fail" => Err(failure(&arguments)),
            _ => panic_now(),
        }
    }
}

fn echo_answer(caller: &Caller, arguments: &JsonMap) -> Value {
    let environment = &caller.environment;
    json!({
        "text": arguments["text"],
        "times": arguments.get("times"),
        "owner": caller.owner.as_str(),
        "agent": caller.author.agent.as_str(),
        "client": caller.author.client,
        "tool": caller.author.tool,
        "project": environment.project,
        "session": environment.session,
        "cwd": environment.cwd,
    })
}

#[allow(clippy::panic, reason = "a panic is what this tool is there for")]
fn panic_now() -> ! {
    panic!("this tool always falls")
}

fn failure(arguments: &JsonMap) -> Failure {
    let wanted = arguments["code"].as_str().unwrap_or_default();
    let code = ErrorCode::ALL.iter().find(|code| code.name() == wanted).copied();
    Failure::new(code.unwrap_or(ErrorCode::Internal), "it failed because you asked it to")
}

fn echo() -> ToolSpec {
    let input = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string", "description": "What to say.", "examples": ["hello"] },
            "times": { "type": "integer", "description": "How often.", "default": 1 },
        },
        "required": ["text"],
    });
    let output = json!({
        "type": "object",
        "properties": {
            "text": { "type": "string" },
            "times": { "type": ["integer", "null"] },
            "owner": { "type": "string" },
            "agent": { "type": "string" },
            "client": { "type": ["string", "null"] },
            "tool": { "type": "string" },
        },
        "required": ["text", "agent"],
    });
    ToolSpec {
        always_load: true,
        ..tool("echo", "Echo", "Says it back, and who asked.", input, output)
    }
}

fn wait() -> ToolSpec {
    let input = object_of("seconds", json!({ "type": "number" }));
    tool("wait", "Wait", "Takes its time.", input, object_of("waited", json!({ "type": "number" })))
}

fn tally() -> ToolSpec {
    let input = json!({ "type": "object", "properties": {} });
    tool(
        "tally",
        "Tally",
        "How many waits began, ended and were dropped.",
        input,
        json!({ "type": "object" }),
    )
}

fn fail() -> ToolSpec {
    let input = object_of("code", json!({ "type": "string" }));
    tool(
        "fail",
        "Fail",
        "Fails with a code.",
        input,
        object_of("never", json!({ "type": "string" })),
    )
}

fn fall() -> ToolSpec {
    let input = json!({ "type": "object", "properties": {} });
    tool("fall", "Fall", "Panics.", input, json!({ "type": "object" }))
}

fn object_of(name: &str, property: Value) -> Value {
    json!({ "type": "object", "properties": { name: property }, "required": [name] })
}

fn tool(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    input: Value,
    output: Value,
) -> ToolSpec {
    let schema = |value: Value| value.as_object().cloned().unwrap_or_default();
    let annotations = ToolAnnotations {
        read_only: true,
        destructive: false,
        idempotent: true,
        open_world: false,
    };
    let (input, output) = (schema(input), schema(output));
    ToolSpec { name, title, description, input, output, annotations, always_load: false }
}
