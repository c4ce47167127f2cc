//! `verify`: checks a claim against memory.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::verify::{Evidence, Verification};
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `verify`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    claim: String,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "verify",
    title: "Verify",
    description: "Fact-check or ground a claim in what is known before you state it: \
                  verified, partial, contradicted or ungrounded, with the evidence. Example: \
                  {\"claim\": \"the staging database is Postgres 16\"}",
    input: arguments::short_schema::<Arguments>,
    output: "verdict: string, confidence: number, evidence: objects, missing?: strings",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    Ok(render_result(&engine.memories().verify(caller, &arguments.claim).await?))
}

fn render_result(verification: &Verification) -> Value {
    let mut answer = JsonMap::new();
    answer.insert("verdict".into(), verification.verdict.name().into());
    answer.insert("confidence".into(), render::rounded(verification.confidence));
    answer.insert("evidence".into(), verification.evidence.iter().map(render_evidence).collect());
    render::insert_non_empty(
        &mut answer,
        "missing",
        verification.missing.iter().map(|term| term.as_str().into()).collect(),
    );
    Value::Object(answer)
}

fn render_evidence(evidence: &Evidence) -> Value {
    let mut shown = render::memory(&evidence.memory);
    shown.insert("covers".into(), render::rounded(evidence.coverage));
    render::insert_some(&mut shown, "against", evidence.against.as_deref().map(Value::from));
    Value::Object(shown)
}
