//! `memory_temporal`: compares what is known from two periods.

use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::counted_ids::CountedIds;
use engine::periods::Period;
use engine::sessions::SessionRef;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Moment, SessionId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `memory_temporal`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// First period.
    range_a: RangeArgument,
    /// Second period.
    range_b: RangeArgument,
}

/// Period. Its type decides which of the other fields it takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RangeArgument {
    /// time_window takes start and end, session takes session_id, sessions takes session_ids.
    #[serde(rename = "type")]
    kind: RangeType,
    /// Unix microseconds, inclusive.
    start: Option<i64>,
    /// Unix microseconds, inclusive.
    end: Option<i64>,
    session_id: Option<i64>,
    session_ids: Option<Vec<i64>>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum RangeType {
    TimeWindow,
    Session,
    Sessions,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_temporal",
    title: "Compare two periods",
    description: "Compare two periods or sessions: what was added, corrected or left unchanged, as \
                  node ids. Example: {\"range_a\": {\"type\": \"session\", \"session_id\": 1}, \
                  \"range_b\": {\"type\": \"sessions\", \"session_ids\": [2, 3]}}",
    input: arguments::schema::<Arguments>,
    output: "added: integers, corrected: objects, unchanged: integers, \
             potentially_stale: integers, summary: object, truncated?: boolean",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let (a, b) = (arguments.range_a.period("range_a")?, arguments.range_b.period("range_b")?);
    let compared = engine.memories().compare_periods(caller, &a, &b).await?;
    // The counts of the summary are exact; only the lists are cut to one page.
    let lists = [&compared.added, &compared.unchanged, &compared.faded];
    let longest = lists.iter().map(|list| list.count).chain([compared.corrected.len()]).max();
    let corrected =
        compared.corrected.iter().take(limits::PAGE_ITEMS).map(|(old, new)| json!([old.0, new.0]));
    let mut answer = json!({
        "added": id_numbers(&compared.added),
        "corrected": corrected.collect::<Vec<_>>(),
        "unchanged": id_numbers(&compared.unchanged),
        "potentially_stale": id_numbers(&compared.faded),
        "summary": {
            "added_count": compared.added.count,
            "corrected_count": compared.corrected.len(),
            "unchanged_count": compared.unchanged.count,
            "stale_count": compared.faded.count,
        },
    });
    if longest > Some(limits::PAGE_ITEMS) {
        answer["truncated"] = true.into();
    }
    Ok(answer)
}

impl RangeArgument {
    fn period(&self, field: &str) -> Result<Period, Failure> {
        let named = |id: &i64| SessionRef::Id(SessionId(*id));
        match (self.kind, self.start, self.end, self.session_id, &self.session_ids) {
            (RangeType::TimeWindow, Some(start), Some(end), None, None) => {
                Ok(Period::TimeRange { from: Moment(start), until: Moment(end) })
            }
            (RangeType::Session, None, None, Some(id), None) => {
                Ok(Period::Sessions(vec![named(&id)]))
            }
            (RangeType::Sessions, None, None, None, Some(ids)) => {
                Ok(Period::Sessions(ids.iter().map(named).collect()))
            }
            _ => Err(Failure::invalid(format!("{field}: {}", self.kind.expected_fields()))),
        }
    }
}

impl RangeType {
    fn expected_fields(self) -> &'static str {
        match self {
            Self::TimeWindow => "a time_window takes start and end, and nothing else",
            Self::Session => "a session takes session_id, and nothing else",
            Self::Sessions => "sessions takes session_ids, a list, and nothing else",
        }
    }
}

fn id_numbers(ids: &CountedIds) -> Vec<i64> {
    ids.first.iter().map(|id| id.0).collect()
}
