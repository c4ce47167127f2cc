//! Search on a topic over memories, tables, the graph and the profile, ranked by one score.

use super::intent::Intent;
use super::render;
use super::source_ref::SourceRef;
use crate::answer_budget::{LeftOutFields, fit_answer};
use crate::marks::insert_marks;
use engine::facts::{Fact, FactResults, FactSource, FactsRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Instant;

/// With fewer facts than this, synonyms are searched for too.
const FEW_FACTS: usize = 3;
/// Sources that a search covers.
const SOURCES: [&str; 4] = ["profile", "tables", "vectors", "graph"];
/// Share of the sources below which the result counts as uncertain.
const COVERAGE_MIN: f64 = 0.6;

/// Depth of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum RetrievalBudget {
    Small,
    #[default]
    Medium,
    Deep,
}

impl RetrievalBudget {
    fn name(self) -> &'static str {
        match self {
            Self::Small => "small",
            Self::Medium => "medium",
            Self::Deep => "deep",
        }
    }

    /// Maximum number of tokens of the whole answer.
    fn answer_tokens(self) -> usize {
        match self {
            Self::Small => 1_500,
            Self::Medium => 4_000,
            Self::Deep => 10_000,
        }
    }

    /// Maximum number of facts, and of the tokens of their texts.
    fn bounds(self) -> (usize, usize) {
        match self {
            Self::Small => (15, 800),
            Self::Medium => (40, 2_000),
            Self::Deep => (80, 5_000),
        }
    }
}

/// Searches everything that the caller may read.
pub(super) async fn search(
    engine: &Engine,
    caller: &Caller,
    topic: &str,
    budget: RetrievalBudget,
) -> Result<Value, Failure> {
    let started = Instant::now();
    let intent = Intent::classify(topic);
    let (limit, budget_tokens) = budget.bounds();
    let request = FactsRequest { topic: topic.to_owned(), limit, budget_tokens };
    let mut found = engine.memories().facts(caller, &request).await?;
    let mut warnings = denied_warnings(&found);
    if found.facts.len() < FEW_FACTS && !intent.terms.is_empty() {
        // The synonyms alone: the topic itself has been searched already.
        let wider = FactsRequest { topic: intent.terms.join(" "), ..request };
        if append_wider(&mut found, engine.memories().facts(caller, &wider).await?, limit) {
            warnings.push(
                "few results match the topic itself, so synonyms were searched for too".into(),
            );
        }
    }
    let took = started.elapsed().as_secs_f64() * 1_000.0;
    let answer =
        render_result(topic, &intent, budget, &found, &warnings, (took * 10.0).round() / 10.0);
    Ok(fit_answer(answer, budget.answer_tokens(), LeftOutFields::Warnings))
}

/// Appends new facts of the wider search, and returns true if there were any. Their strength is
/// capped, so that they rank behind those that match the topic itself.
fn append_wider(found: &mut FactResults, wider: FactResults, limit: usize) -> bool {
    let known: Vec<String> = found.facts.iter().map(|fact| fact.text.clone()).collect();
    let new: Vec<Fact> =
        wider.facts.into_iter().filter(|fact| !known.contains(&fact.text)).collect();
    let more = !new.is_empty();
    let weakest = found.facts.last().map_or(1.0, |fact| fact.strength);
    let behind = |fact: Fact| Fact { strength: fact.strength.min(weakest), ..fact };
    found.facts.extend(new.into_iter().map(behind));
    found.facts.truncate(limit);
    more
}

fn denied_warnings(found: &FactResults) -> Vec<String> {
    found
        .denied
        .iter()
        .map(|source| format!("{source} is not granted and was not searched"))
        .collect()
}

fn render_result(
    topic: &str,
    intent: &Intent,
    budget: RetrievalBudget,
    found: &FactResults,
    warnings: &[String],
    took: f64,
) -> Value {
    let queried: Vec<&str> = SOURCES
        .iter()
        .copied()
        .filter(|source| found.denied.iter().all(|denied| denied != source))
        .collect();
    let missing: Vec<&str> =
        SOURCES.iter().copied().filter(|source| !queried.contains(source)).collect();
    let coverage = queried.len() as f64 / SOURCES.len() as f64;
    let mut answer = JsonMap::from_iter([
        ("topic".to_owned(), Value::from(topic)),
        ("intent".to_owned(), intent.to_json()),
        ("budget".to_owned(), budget.name().into()),
        ("facts".to_owned(), found.facts.iter().map(render_fact).collect()),
        ("sourcesQueried".to_owned(), json!(queried)),
        ("coverage".to_owned(), json!(coverage)),
    ]);
    let details = json!({
        "score": coverage, "plannedSources": SOURCES, "queriedSources": queried,
        "missingSources": missing,
    });
    answer.insert("coverageDetails".into(), details);
    render::insert_some(
        &mut answer,
        "uncertaintyReason",
        uncertainty_reason(found, coverage, warnings).map(Value::from),
    );
    answer.insert("warnings".into(), json!(warnings));
    answer.insert("timingMs".into(), json!(took));
    render::insert_some(
        &mut answer,
        "leftOut",
        (found.left_out > 0).then(|| found.left_out.into()),
    );
    let paths: Vec<&str> = found.facts.iter().filter_map(profile_path).collect();
    let meta = json!({
        "intent": intent.primary,
        "seedTerms": intent.terms,
        "profilePathsMatched": paths,
    });
    answer.insert("_meta".into(), meta);
    render::set_meta_warnings(answer, warnings)
}

fn uncertainty_reason(found: &FactResults, coverage: f64, warnings: &[String]) -> Option<String> {
    if found.facts.is_empty() {
        Some("nothing is known about this topic".to_owned())
    } else if coverage < COVERAGE_MIN {
        Some("most sources are not granted".to_owned())
    } else {
        warnings.first().cloned()
    }
}

/// Returns the profile field that a fact comes from.
fn profile_path(fact: &Fact) -> Option<&str> {
    if let FactSource::Profile { field, .. } = &fact.source { Some(field) } else { None }
}

fn render_fact(fact: &Fact) -> Value {
    let mut shown = JsonMap::from_iter([("fact".to_owned(), Value::from(fact.text.as_str()))]);
    let mut put = |kind: &str, source: SourceRef, id: Option<i64>| {
        shown.insert("sourceType".into(), kind.into());
        shown.insert("sourceRef".into(), source.to_string().into());
        render::insert_some(&mut shown, "id", id.map(Value::from));
    };
    match &fact.source {
        FactSource::Memory(memory) => {
            put("vector", SourceRef::for_memory(memory), Some(memory.id.0));
            render::insert_some(&mut shown, "title", memory.title.as_deref().map(Value::from));
        }
        FactSource::Row { table, row, data, memory } => {
            put("table", SourceRef::Row { table: table.clone(), id: *row }, Some(memory.id.0));
            shown.insert("data".into(), Value::Object(data.clone()));
        }
        FactSource::Profile { field, memory } => {
            put("profile", SourceRef::Field(field.clone()), Some(memory.id.0));
        }
        FactSource::Relation(view) => {
            let memory = view.relation.memory.map(|memory| memory.0);
            put("graph", SourceRef::Relation(view.relation.id), memory);
        }
    }
    insert_marks(&mut shown, &fact.marks, render::MARKS);
    shown.insert("confidence".into(), render::rounded(fact.strength));
    shown.insert("timestamp".into(), render::time(fact.at));
    Value::Object(shown)
}
