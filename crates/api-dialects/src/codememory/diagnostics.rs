//! `diagnostics`: checks the store thoroughly and shows every switch, default and count. It changes
//! nothing and needs no network.

use super::{CodeMemoryContext, CodeMemorySettings};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::maintenance::CheckupReport;
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// `diagnostics` takes no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "diagnostics",
    title: "Diagnostics",
    description: "Check the store thoroughly and show switches, defaults, model, tables and \
                  counts. Slow on a large memory; health is quick. Example: {}",
    input: arguments::schema::<Arguments>,
    output: "status: string, problems?: strings, cwd?: string, db_path: string, store: string, \
             format: integer, model: string, embedding: object, flags: object, defaults: object, \
             summary: object, tables: strings, counts: object",
    always_load: false,
};

pub(super) async fn call(
    context: &CodeMemoryContext<'_>,
    given: JsonMap,
) -> Result<Value, Failure> {
    let CodeMemoryContext { engine, caller, state: settings } = *context;
    let Arguments {} = arguments::read(given)?;
    let checkup = engine.admin().checkup(caller).await?;
    let vectors = engine.admin().embedding_progress(caller).await?;
    let mut answer = JsonMap::new();
    answer.insert("status".into(), if checkup.health.sound { "ok" } else { "damaged" }.into());
    let problems = checkup.health.problems.iter().map(|problem| problem.as_str().into()).collect();
    crate::optional_fields::insert_non_empty(&mut answer, "problems", problems);
    crate::optional_fields::insert_some(
        &mut answer,
        "cwd",
        caller.environment.cwd.as_deref().map(Value::from),
    );
    answer.insert("db_path".into(), checkup.health.location.as_str().into());
    answer.insert("store".into(), checkup.health.engine.as_str().into());
    answer.insert("format".into(), checkup.health.format.into());
    answer.insert("model".into(), vectors.model.as_str().into());
    let embedding = json!({
        "model": vectors.model,
        "dim": engine.admin().embedding_dimensions(),
        "embedded": vectors.done,
        "total": vectors.total,
    });
    answer.insert("embedding".into(), embedding);
    answer.insert("flags".into(), settings.flags());
    answer.insert("defaults".into(), defaults(settings));
    answer.insert("summary".into(), summary_settings());
    let counts = counts(&checkup);
    answer.insert("tables".into(), counts.keys().map(|name| Value::from(name.as_str())).collect());
    answer.insert("counts".into(), Value::Object(counts));
    Ok(Value::Object(answer))
}

fn defaults(settings: &CodeMemorySettings) -> Value {
    json!({
        "top_k": settings.top_k,
        "top_p": settings.top_p,
        "recency_weight": settings.recency_weight,
        "priority_weight": settings.priority_weight,
        "fts_bonus": settings.fts_bonus,
        "oversample_k": settings.oversample_k,
    })
}

/// Settings of the summaries. They are extracted from the text's own sentences without a model, so
/// the fields that the contract has for a model are null.
pub(super) fn summary_settings() -> Value {
    json!({
        "enabled": true, "method": "extractive", "model": null, "ctx": null, "threads": null,
        "max_tokens": null, "temperature": null, "auto_install": false,
    })
}

fn counts(checkup: &CheckupReport) -> JsonMap {
    let counts = &checkup.status.counts;
    let memories: usize = counts.memories.iter().map(|(_, count)| count).sum();
    let vectors: usize = counts.vectors.iter().map(|(_, count)| count).sum();
    let counted = [
        ("memories", memories),
        ("vectors", vectors),
        ("links", counts.links),
        ("sessions", counts.sessions),
        ("entities", counts.entities),
        ("observations", counts.observations),
        ("relations", counts.relations),
        ("records", counts.records),
        ("handoffs", counts.handoffs),
        ("references", counts.references),
        ("audit", counts.events),
    ];
    counted.into_iter().map(|(name, count)| (name.to_owned(), Value::from(count))).collect()
}
