//! `insert_memory`: the name under which a later version of the original stores a memory. It does
//! what `remember` does, and returns the hash of the content too.

use super::{CodeMemoryContext, remember};
use crate::tool_table::ToolDefinition;
use model::{ContentHash, Failure, JsonMap};
use serde_json::Value;

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "insert_memory",
    title: "Insert memory",
    description: "The same as remember, with the hash of the content in the result. Example: \
                  {\"content\": \"Decision: keep embeddings on the CPU.\", \"session_id\": \
                  \"shop:2026-01-04\"}",
    output: "id?: integer, session_id?: string, kind?: string, summary?: string, tags?: string, \
             priority?: integer, content_hash?: string, status: string, reason?: string, \
             message?: string, conflicts?: objects, notes?: strings",
    always_load: false,
    ..remember::TOOL
};

pub(super) async fn call(
    context: &CodeMemoryContext<'_>,
    given: JsonMap,
) -> Result<Value, Failure> {
    let content = given.get("content").and_then(Value::as_str).unwrap_or_default();
    let hash = ContentHash::of_bytes(content.as_bytes()).to_string();
    let mut answer = remember::call(context, given).await?;
    if answer.get("id").is_some() {
        answer["content_hash"] = hash.into();
    }
    Ok(answer)
}
