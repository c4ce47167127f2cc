//! A dialect with one tool that returns its arguments, to measure the transport alone.

use async_trait::async_trait;
use dialects::{DialectApi, ToolAnnotations, ToolSpec};
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use serde_json::{Value, json};

pub struct EchoDialect {
    tools: Vec<ToolSpec>,
}

impl EchoDialect {
    pub fn new() -> Self {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let schema = schema.as_object().expect("an object").clone();
        let annotations = ToolAnnotations {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        };
        let tool = ToolSpec {
            name: "echo",
            title: "Echo",
            description: "Returns its arguments.",
            input: schema.clone(),
            output: schema,
            annotations,
            always_load: false,
        };
        Self { tools: vec![tool] }
    }
}

#[async_trait]
impl DialectApi for EchoDialect {
    fn name(&self) -> &'static str {
        "quipu"
    }

    fn instructions(&self) -> &'static str {
        ""
    }

    fn tools(&self) -> &[ToolSpec] {
        &self.tools
    }

    async fn call(
        &self,
        _: &Engine,
        _: &Caller,
        _: &str,
        arguments: JsonMap,
    ) -> Result<Value, Failure> {
        Ok(Value::Object(arguments))
    }
}
