//! `memory_temporal`: what is known from one period, held against another.

use super::Effect;
use crate::{Tool, arguments};
use engine::{Caller, Engine, Period, SessionRef};
use model::{Failure, JsonMap, MemoryId, Moment, SessionId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_temporal`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The first period.
    range_a: Range,
    /// The second period.
    range_b: Range,
}

/// A period.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Range {
    /// From start to end in Unix microseconds, both included.
    TimeWindow { start: i64, end: i64 },
    /// One session.
    Session { session_id: i64 },
    /// Several sessions.
    Sessions { session_ids: Vec<i64> },
}

pub(super) fn tool() -> Tool {
    super::tool::<Arguments>(
        "memory_temporal",
        "Compare two periods",
        "What was added, corrected or left as it was between two times or sessions, as node ids. \
         Example: {\"range_a\": {\"type\": \"session\", \"session_id\": 1}, \"range_b\": {\"type\": \"sessions\", \
         \"session_ids\": [2, 3]}}",
        "added: integers, corrected: objects, unchanged: integers, potentially_stale: integers, summary: object, \
         truncated?: boolean",
        Effect::Reads,
    )
}

pub(super) async fn call(engine: &Engine, caller: &Caller, given: JsonMap) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let compared = engine.compare(caller, &arguments.range_a.period(), &arguments.range_b.period()).await?;
    let lists = [&compared.added, &compared.unchanged, &compared.faded];
    let longest = lists.iter().map(|list| list.len()).chain([compared.corrected.len()]).max();
    let corrected = compared.corrected.iter().take(limits::PAGE).map(|(old, new)| json!([old.0, new.0]));
    let mut answer = json!({
        "added": numbers(&compared.added),
        "corrected": corrected.collect::<Vec<_>>(),
        "unchanged": numbers(&compared.unchanged),
        "potentially_stale": numbers(&compared.faded),
        "summary": {
            "added_count": compared.added.len(),
            "corrected_count": compared.corrected.len(),
            "unchanged_count": compared.unchanged.len(),
            "stale_count": compared.faded.len(),
        },
    });
    if longest > Some(limits::PAGE) {
        answer["truncated"] = true.into();
    }
    Ok(answer)
}

impl Range {
    fn period(&self) -> Period {
        let named = |id: &i64| SessionRef::Id(SessionId(*id));
        match self {
            Self::TimeWindow { start, end } => Period::Window { from: Moment(*start), until: Moment(*end) },
            Self::Session { session_id } => Period::Sessions(vec![named(session_id)]),
            Self::Sessions { session_ids } => Period::Sessions(session_ids.iter().map(named).collect()),
        }
    }
}

fn numbers(ids: &[MemoryId]) -> Vec<i64> {
    ids.iter().take(limits::PAGE).map(|id| id.0).collect()
}
