//! `memory_quality`: assesses how reliable the memory is as a whole.

use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::counted_ids::CountedIds;
use engine::quality::{Assessment, AssessmentRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default confidence below which a node counts as doubtful.
const DEFAULT_LOW_CONFIDENCE: f32 = 0.45;
/// Default decay score below which a node counts as stale.
const DEFAULT_STALE_DECAY: f32 = 0.20;
/// Default number of examples.
const DEFAULT_EXAMPLES: usize = 20;

/// Arguments of `memory_quality`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Flags confidence below this, 0.0 to 1.0.
    #[schemars(extend("default" = 0.45))]
    low_confidence_threshold: Option<f32>,
    /// Flags a decay score below this, 0.0 to 1.0.
    #[schemars(extend("default" = 0.2))]
    stale_decay_threshold: Option<f32>,
    /// Maximum example ids of each kind.
    #[schemars(extend("default" = 20))]
    max_examples: Option<usize>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_quality",
    title: "Quality of the memory",
    description: "Check the reliability of the memory: doubtful, stale and orphaned nodes, \
                  unsupported decisions, contradictions. Returns pass, warn or fail, with \
                  examples. Example: {\"max_examples\": 5}",
    input: arguments::schema::<Arguments>,
    output: "status: string, summary: object, examples: object",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let low_confidence = arguments.low_confidence_threshold.unwrap_or(DEFAULT_LOW_CONFIDENCE);
    let stale = arguments.stale_decay_threshold.unwrap_or(DEFAULT_STALE_DECAY);
    limits::range("low_confidence_threshold", f64::from(low_confidence), 0.0, 1.0)?;
    limits::range("stale_decay_threshold", f64::from(stale), 0.0, 1.0)?;
    let input = AssessmentRequest {
        low_confidence,
        stale,
        examples: arguments.max_examples.unwrap_or(DEFAULT_EXAMPLES).clamp(1, limits::PAGE_ITEMS),
    };
    let found = engine.memories().assess_quality(caller, &input).await?;
    Ok(json!({
        "status": status(&found),
        "summary": {
            "nodes": found.memories,
            "edges": found.links,
            "low_confidence_count": found.doubted.count,
            "stale_count": found.stale.count,
            "orphan_count": found.orphans.count,
            "decisions_without_support_count": found.unfounded.count,
            "contradiction_edges": found.contradictions,
            "supersedes_edges": found.corrections,
        },
        "examples": {
            "low_confidence": ids(&found.doubted),
            "stale": ids(&found.stale),
            "orphan": ids(&found.orphans),
            "unsupported_decisions": ids(&found.unfounded),
        },
    }))
}

/// Grades the assessment with the thresholds of the original program.
fn status(found: &Assessment) -> &'static str {
    let share = |finding: &CountedIds| finding.count as f64 / found.memories.max(1) as f64;
    let (doubted, stale) = (share(&found.doubted), share(&found.stale));
    if doubted > 0.35 || stale > 0.50 || found.unfounded.count > 0 || found.contradictions > 25 {
        "fail"
    } else if doubted > 0.15 || stale > 0.25 || found.orphans.count > 0 || found.contradictions > 0
    {
        "warn"
    } else {
        "pass"
    }
}

fn ids(finding: &CountedIds) -> Vec<i64> {
    finding.first.iter().map(|id| id.0).collect()
}
