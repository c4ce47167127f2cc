//! `search_references`: the owner's long documents, which no recall ever shows.

use super::shown;
use crate::{Annotations, Tool, arguments, schema};
use engine::references::ReferenceHit;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// How many documents are shown unless told otherwise.
const LIMIT: i64 = 12;
/// How many may be asked for.
const LIMIT_MAX: f64 = 100.0;
/// How many tokens of a section are shown; of a longer one, where it speaks of what was asked.
const SECTION_TOKENS: usize = 600;

/// Arguments of `search_references`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// What to look up.
    query: String,
    /// Most documents to return, 1-100; default 12.
    limit: Option<i64>,
}

pub(super) fn tool() -> Tool {
    Tool {
        name: "search_references",
        title: "Search references",
        description: "Search the owner's long documents: specs, manuals, design notes. They never appear in recall, \
                      so look here when a task needs that depth. Gives the path of each document, the heading and \
                      the section that answers; of a long one, the passage. Example: {\"query\": \"how are invoices numbered?\"}",
        input: arguments::schema::<Arguments>(),
        output: schema::result("references: objects, hint?: string"),
        annotations: Annotations {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
        always_load: false,
    }
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let limit = arguments.limit.unwrap_or(LIMIT);
    limits::range("limit", limit as f64, 1.0, LIMIT_MAX)?;
    let hits =
        engine.references().search(caller, &arguments.query, usize::try_from(limit).ok()).await?;
    let mut answer = JsonMap::from_iter([(
        "references".to_owned(),
        hits.iter().map(|hit| one(hit, &arguments.query)).collect(),
    )]);
    let hint = hits.is_empty().then_some(
        "no document speaks of this; the owner files them in the references directory or with quipu reference add"
    );
    shown::optional(&mut answer, "hint", hint.map(Value::from));
    Ok(Value::Object(answer))
}

fn one(found: &ReferenceHit, query: &str) -> Value {
    let heading = found.hit.section.heading.join(" > ");
    json!({"path": found.hit.path, "heading": heading, "section": found.passage(query, SECTION_TOKENS)})
}
