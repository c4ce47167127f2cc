//! `recall`: searches durable memories by text or tags, or returns the newest. It never returns
//! long documents.

use super::render::{self, IdVisibility};
use super::whole_body::{self, BodyPart};
use crate::answer_budget::{LeftOutFields, fit_answer};
use crate::arguments;
use crate::marks::insert_marks;
use crate::tool_table::ToolDefinition;
use engine::recall::{MemoryHit, RecallRequest, RecallResults};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Default number of memories. The contract types `limit` as a number, hence the float.
const DEFAULT_LIMIT: f64 = 8.0;
/// Maximum value of `limit`.
const LIMIT_MAX: f64 = 100.0;
/// Maximum number of tokens, so that a few long memories cannot fill the model's context.
const BUDGET_TOKENS: usize = 8_000;
/// Tokens reserved for saying how to read shortened memories whole.
const WHOLE_TOKENS: usize = 200;

/// Arguments of `recall`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Search text, in any language. Omit for the newest. [17] reads memory 17 whole.
    query: Option<String>,
    /// Only memories with any of these tags.
    tags: Option<Vec<String>>,
    /// Include ids, for flag_memory.
    #[schemars(extend("default" = false))]
    include_ids: Option<bool>,
    /// Maximum memories, 1-100.
    #[schemars(extend("default" = 8))]
    limit: Option<f64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "recall",
    title: "Recall",
    description: "Search the owner's durable memories when a task begins and before you answer \
                  anything that past facts, preferences or decisions could change. For long \
                  documents use search_references. \
                  Example: {\"query\": \"deployment rules\", \"include_ids\": true}",
    input: arguments::open_schema::<Arguments>,
    output: "memories: objects, left_out?: integer, ignored?: objects, hint?: string",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = render::take_ignored_arguments(&mut given, &[], caller);
    let arguments: Arguments = arguments::read(given)?;
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT);
    limits::range("limit", limit, 1.0, LIMIT_MAX)?;
    if let Some(part) = arguments.query.as_deref().and_then(BodyPart::parse) {
        let mut answer = part.read(engine, caller).await?;
        render::insert_non_empty(&mut answer, "ignored", ignored);
        return Ok(Value::Object(answer));
    }
    let input = RecallRequest {
        tags: arguments.tags.unwrap_or_default(),
        limit: Some(limit as usize),
        budget_tokens: Some(BUDGET_TOKENS),
        ..RecallRequest::query(arguments.query.unwrap_or_default())
    };
    let ids = if arguments.include_ids.unwrap_or(false) {
        IdVisibility::Shown
    } else {
        IdVisibility::Hidden
    };
    let recalled = engine.memories().recall(caller, &input).await?;
    let mut answer = render_result(&recalled, ids);
    render::insert_non_empty(&mut answer, "ignored", ignored);
    // The engine has cut the texts only; the rest of the answer counts too.
    let budget = BUDGET_TOKENS - WHOLE_TOKENS;
    let mut answer = fit_answer(Value::Object(answer), budget, LeftOutFields::Hint);
    let found: Vec<MemoryId> = recalled.hits.iter().map(|hit| hit.memory.id).collect();
    whole_body::offer_whole(&mut answer, &found);
    Ok(answer)
}

fn render_result(recalled: &RecallResults, ids: IdVisibility) -> JsonMap {
    let memories = recalled.hits.iter().map(|hit| render_hit(hit, ids)).collect();
    let mut answer = JsonMap::from_iter([("memories".to_owned(), memories)]);
    render::insert_some(
        &mut answer,
        "left_out",
        (recalled.left_out > 0).then(|| recalled.left_out.into()),
    );
    let hint = match (recalled.hits.is_empty(), recalled.left_out) {
        (true, _) => {
            Some("nothing is remembered about this; try other words or drop the tags".to_owned())
        }
        (false, 0) => None,
        (false, left) => Some(format!("{left} more match; raise limit or narrow the query")),
    };
    render::insert_some(&mut answer, "hint", hint.map(Value::from));
    answer
}

fn render_hit(hit: &MemoryHit, ids: IdVisibility) -> Value {
    let mut memory = render::memory(&hit.memory, ids);
    if let Some(cut) = &hit.excerpt {
        memory.insert("body".into(), cut.as_str().into());
        memory.insert("cut".into(), true.into());
    }
    insert_marks(&mut memory, &hit.marks(), render::MARKS);
    Value::Object(memory)
}
