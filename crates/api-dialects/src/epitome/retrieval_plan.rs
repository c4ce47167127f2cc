//! Retrieval plan for a topic: the sources scored by how well their names fit, and the calls to
//! make next.

use super::intent::Intent;
use model::{JsonMap, Table};
use serde_json::{Value, json};

/// Minimum score for which the plan recommends a call.
const RECOMMENDED_SCORE: f64 = 0.5;
/// Maximum number of sources in a plan.
const SOURCES_MAX: usize = 4;

/// Available sources.
pub(super) struct PlanSources<'s> {
    pub tables: &'s [Table],
    pub collections: &'s [(String, usize)],
    pub profile: &'s JsonMap,
}

/// Makes the plan for a topic.
pub(super) fn plan(topic: &str, sources: &PlanSources<'_>) -> Value {
    let intent = Intent::classify(topic);
    let lower = topic.to_lowercase();
    let mut scored: Vec<(String, f64, Value)> = vec![(
        "graph".to_owned(),
        graph_score(&intent),
        json!({ "mode": "graph", "graph": { "queryType": "pattern", "pattern": topic } }),
    )];
    for table in sources.tables {
        let described = table.description.as_deref().is_some_and(|text| shares_word(text, &lower));
        let score =
            name_score(&table.name, &lower, 0.2, 0.9, 0.7).max(if described { 0.5 } else { 0.0 });
        let lift = if intent.primary == "quantitative" { 0.1 } else { 0.0 };
        let call = json!({ "mode": "table", "table": table.name });
        scored.push((format!("tables/{}", table.name), score + lift, call));
    }
    for (name, _) in sources.collections {
        let call = json!({ "mode": "memory", "memory": { "collection": name, "query": topic } });
        scored.push((format!("vectors/{name}"), name_score(name, &lower, 0.3, 0.85, 0.65), call));
    }
    // At least the score of a collection whose name does not fit.
    let keys = sources
        .profile
        .keys()
        .map(|key| name_score(key, &lower, 0.3, 0.8, 0.6))
        .fold(0.3, f64::max);
    scored.push(("profile".to_owned(), keys, json!({ "mode": "context", "topic": topic })));
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored.truncate(SOURCES_MAX);
    render_plan(topic, &intent, &scored)
}

fn render_plan(topic: &str, intent: &Intent, scored: &[(String, f64, Value)]) -> Value {
    let all = json!({
        "tool": "recall",
        "args": { "topic": topic, "budget": "medium" },
        "reason": "searches every source",
    });
    let worth = scored.iter().filter(|(_, score, _)| *score >= RECOMMENDED_SCORE);
    let calls = worth.map(|(source, _, args)| {
        let reason = format!("the name of {source} fits the topic");
        json!({ "tool": "recall", "args": args, "reason": reason })
    });
    let sources = scored
        .iter()
        .map(|(source, score, _)| json!({ "source": source, "score": score }))
        .collect::<Vec<_>>();
    json!({
        "intent": intent.primary,
        "scoredSources": sources,
        "recommendedCalls": std::iter::once(all).chain(calls).collect::<Vec<_>>(),
    })
}

fn graph_score(intent: &Intent) -> f64 {
    match (intent.primary, intent.relations.is_empty(), intent.types.is_empty()) {
        ("relationship", ..) => 0.9,
        (_, false, _) => 0.7,
        (_, true, false) => 0.6,
        _ => 0.4,
    }
}

/// Scores how well the name of a source fits the topic.
fn name_score(name: &str, topic: &str, none: f64, exact: f64, partial: f64) -> f64 {
    let name = name.to_lowercase();
    let words: Vec<&str> =
        topic.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2).collect();
    let stem = name.trim_end_matches('s');
    if words.iter().any(|word| *word == name || word.trim_end_matches('s') == stem) {
        exact
    } else if words.iter().any(|word| name.contains(word.trim_end_matches('s'))) {
        partial
    } else {
        none
    }
}

fn shares_word(text: &str, topic: &str) -> bool {
    let text = text.to_lowercase();
    topic
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| word.len() > 3)
        .any(|word| text.contains(word))
}
