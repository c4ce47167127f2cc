//! `forget`: erases memories by id. A query only previews, because a search may match more than the
//! owner meant. Restores retired memories for the owner.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::forget::{ForgetOutcome, ForgetRequest};
use engine::forget_candidates::ForgetCandidate;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `forget`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Forget these, with their history.
    ids: Option<Vec<i64>>,
    /// Shows what matches; deletes nothing.
    query: Option<String>,
    /// Only show.
    dry_run: Option<bool>,
    /// Retired ids to restore.
    restore: Option<Vec<i64>>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "forget",
    title: "Forget",
    description: "Delete, erase or remove for good and everywhere, with a receipt. Step 1: a \
                  query previews. Step 2: the ids delete. Only when the owner asks. Example: \
                  {\"query\": \"my old address\"}, then {\"ids\": [17]}",
    input: arguments::short_schema::<Arguments>,
    output: "forgotten?: integers, would_forget?: objects, receipt?: object, owed?: string, \
             remade_episodes?: integers, also_say_this?: objects, newer_value_stays?: objects, \
             proposal?: integer, hint: string",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let query = arguments::non_empty(arguments.query);
    let ids = |given: Vec<i64>| given.into_iter().map(MemoryId).collect::<Vec<_>>();
    if let Some(retired) = arguments.restore {
        if arguments.ids.is_some() || query.is_some() {
            return Err(Failure::invalid("give restore alone, without ids or a query"));
        }
        return restore(engine, caller, &ids(retired)).await;
    }
    let memories = ids(arguments.ids.unwrap_or_default());
    match (query, memories.is_empty()) {
        (Some(_), false) => Err(Failure::invalid("give ids or a query, not both")),
        (None, true) => Err(Failure::invalid("give ids, or a query to see what would be deleted")),
        (Some(query), true) => {
            let near = engine.memories().forget_candidates(caller, &query).await?;
            Ok(render_candidates(&near))
        }
        (None, false) => {
            let input = ForgetRequest { memories, dry_run: arguments.dry_run.unwrap_or(false) };
            Ok(render_result(&engine.memories().forget(caller, &input).await?))
        }
    }
}

fn render_candidates(near: &[ForgetCandidate]) -> Value {
    if near.is_empty() {
        return json!({ "hint": "nothing matches; nothing was deleted" });
    }
    let candidate = |one: &ForgetCandidate| {
        let mut shown = render::memory(&one.memory);
        if !one.same {
            shown.insert("differs".into(), one.difference.as_str().into());
        }
        Value::Object(shown)
    };
    let shown: Vec<Value> = near.iter().map(candidate).collect();
    let same = near.iter().filter(|one| one.same).count();
    let hint = match same {
        0 => "none says exactly this; nothing was deleted. Call again with the ids to forget",
        _ => {
            "nothing was deleted yet; call again with the ids to forget. Those with `differs` \
              say something else"
        }
    };
    json!({ "would_forget": shown, "hint": hint })
}

async fn restore(engine: &Engine, caller: &Caller, ids: &[MemoryId]) -> Result<Value, Failure> {
    let restored = engine.memories().unretire(caller, ids).await?;
    let ids: Vec<String> = restored.iter().map(|memory| memory.id.to_string()).collect();
    Ok(json!({ "hint": format!("restored {}; recalled again", ids.join(", ")) }))
}

fn render_result(done: &ForgetOutcome) -> Value {
    let mut answer = JsonMap::new();
    let kept =
        |id: &&MemoryId| done.receipt.as_ref().is_none_or(|receipt| !receipt.memories.contains(id));
    let remade = done.derived.iter().filter(kept).map(|id| Value::from(id.0)).collect();
    render::insert_non_empty(&mut answer, "remade_episodes", remade);
    render::insert_non_empty(&mut answer, "also_say_this", render::memories(&done.also_say));
    render::insert_non_empty(&mut answer, "newer_value_stays", render::memories(&done.kept));
    let mut hints = Vec::new();
    if let Some(receipt) = &done.receipt {
        answer.insert(
            "forgotten".into(),
            receipt.memories.iter().map(|id| Value::from(id.0)).collect(),
        );
        let places =
            receipt.removed.iter().map(|(place, count)| (place.clone(), Value::from(*count)));
        answer.insert("receipt".into(), Value::Object(places.collect()));
        hints.push("deleted for good; earlier backups still contain it".to_owned());
        render::insert_some(&mut answer, "owed", receipt.owed_note().map(Value::from));
    }
    if let Some(proposal) = &done.proposal {
        answer.insert("proposal".into(), proposal.review.0.into());
        hints.push(proposal.message());
    }
    if hints.is_empty() {
        hints.push(preview_hint(done));
        let shown = render::memories(&done.memories);
        render::insert_non_empty(&mut answer, "would_forget", shown);
    }
    if !done.also_say.is_empty() {
        hints.push("the memories in also_say_this contain the same text and stay".to_owned());
    }
    if !done.kept.is_empty() {
        hints.push("what was said later with another value is in newer_value_stays".to_owned());
    }
    answer.insert("hint".into(), hints.join("; ").into());
    Value::Object(answer)
}

fn preview_hint(done: &ForgetOutcome) -> String {
    if done.memories.is_empty() {
        return "nothing matches; nothing was deleted".to_owned();
    }
    let next = "nothing was deleted yet; call again with the ids to forget";
    match done.withheld.len() {
        0 => next.to_owned(),
        count => format!("{next}; {count} of them only the owner deletes, so they will wait"),
    }
}
