//! `forget`: erases memories by id. A query only previews, because a search may match more than the
//! owner meant.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::forget::{ForgetOutcome, ForgetRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `forget`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Memories to forget for good, with their history.
    ids: Option<Vec<i64>>,
    /// Shows memories about this; deletes nothing.
    query: Option<String>,
    /// With ids: only show what would be deleted.
    dry_run: Option<bool>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "forget",
    title: "Forget",
    description: "Delete, erase or remove memories for good and everywhere, with a receipt. \
                  Step 1: a query previews. Step 2: the ids delete. Only when the owner asks. \
                  Example: {\"query\": \"my old address\"}, then {\"ids\": [17]}",
    input: arguments::schema::<Arguments>,
    output: "forgotten?: integers, would_forget?: objects, receipt?: object, \
             remade_episodes?: integers, also_say_this?: objects, hint: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = ForgetRequest {
        memories: arguments.ids.unwrap_or_default().into_iter().map(MemoryId).collect(),
        query: arguments.query,
        dry_run: arguments.dry_run.unwrap_or(false),
    };
    Ok(render_result(&engine.memories().forget(caller, &input).await?))
}

fn render_result(done: &ForgetOutcome) -> Value {
    let mut answer = JsonMap::new();
    let kept =
        |id: &&MemoryId| done.receipt.as_ref().is_none_or(|receipt| !receipt.memories.contains(id));
    let remade = done.derived.iter().filter(kept).map(|id| Value::from(id.0)).collect();
    render::insert_non_empty(&mut answer, "remade_episodes", remade);
    render::insert_non_empty(&mut answer, "also_say_this", render::memories(&done.also_say));
    let mut hint = match &done.receipt {
        Some(receipt) => {
            answer.insert(
                "forgotten".into(),
                receipt.memories.iter().map(|id| Value::from(id.0)).collect(),
            );
            let places =
                receipt.removed.iter().map(|(place, count)| (place.clone(), Value::from(*count)));
            answer.insert("receipt".into(), Value::Object(places.collect()));
            "deleted for good; earlier backups still contain it".to_owned()
        }
        None if done.memories.is_empty() => "nothing matches; nothing was deleted".to_owned(),
        None => {
            answer.insert("would_forget".into(), Value::Array(render::memories(&done.memories)));
            "nothing was deleted yet; call again with the ids to forget".to_owned()
        }
    };
    if !done.also_say.is_empty() {
        hint.push_str("; the memories in also_say_this contain the same text and stay");
    }
    answer.insert("hint".into(), hint.into());
    Value::Object(answer)
}
