//! `flag_memory`: reports that a recalled memory is wrong. The memory stays, ranks last, and waits
//! for a review.

use super::{ids, render};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::review::FlagMemoryRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `flag_memory`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Id of the memory, from recall with include_ids.
    memory_id: String,
    /// Reason why it is wrong, misleading or outdated, at most 2,000 characters.
    reason: String,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "flag_memory",
    title: "Flag a memory",
    description: "Report that a recalled memory is wrong, misleading or outdated, and why. It \
                  goes to review and ranks below unflagged ones; nothing is edited or deleted. \
                  Only for memories that misled you. \
                  Example: {\"memory_id\": \"17\", \"reason\": \"the port moved in May\"}",
    input: arguments::open_schema::<Arguments>,
    output: "memory_id: string, flag: integer, review: integer, ignored?: objects, \
             notes?: strings, hint: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = render::take_ignored_arguments(&mut given, &[], caller);
    let arguments: Arguments = arguments::read(given)?;
    let memory = ids::parse_memory_id(&arguments.memory_id)?;
    let flagged = engine
        .reviews()
        .flag(caller, &FlagMemoryRequest { memory, reason: arguments.reason })
        .await?;
    let mut answer = JsonMap::new();
    answer.insert("memory_id".into(), memory.to_string().into());
    answer.insert("flag".into(), flagged.flag.0.into());
    answer.insert("review".into(), flagged.review.0.into());
    render::insert_non_empty(&mut answer, "ignored", ignored);
    render::insert_notes(&mut answer, &flagged.notes);
    let hint = "it ranks below unflagged memories until the review is resolved";
    answer.insert("hint".into(), hint.into());
    Ok(Value::Object(answer))
}
