//! `memory_similar`: finds the memories that are similar to a text or to a vector.

use super::render;
use super::type_names::parse_event_types;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::similar::{SimilarMemory, SimilarRequest, SimilarityTarget};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default number of matches.
const DEFAULT_TOP_K: usize = 10;
/// Default minimum similarity.
const DEFAULT_MIN_SIMILARITY: f32 = 0.5;

/// Arguments of `memory_similar`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Text to look for. Either this or query_vec.
    query_text: Option<String>,
    /// Vector of this memory's dimension (see memory_stats), compared by cosine.
    query_vec: Option<Vec<f32>>,
    /// Maximum matches.
    #[schemars(extend("default" = 10))]
    top_k: Option<usize>,
    /// Minimum similarity, 0.0 to 1.0.
    #[schemars(extend("default" = 0.5))]
    min_similarity: Option<f32>,
    /// Only these types.
    event_types: Option<Vec<String>>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_similar",
    title: "Find similar memories",
    description: "Search by meaning and words together: recall what is known about something. \
                  Lower min_similarity to see more. Example: {\"query_text\": \"which database do \
                  we use\", \"min_similarity\": 0.3}",
    input: arguments::schema::<Arguments>,
    output: "mode: string, count: integer, matches: objects, notes?: strings",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let min = arguments.min_similarity.unwrap_or(DEFAULT_MIN_SIMILARITY);
    limits::range("min_similarity", f64::from(min), 0.0, 1.0)?;
    let both = arguments.query_vec.is_some() && arguments.query_text.is_some();
    let (mode, to) = match (arguments.query_vec, arguments.query_text) {
        // With both given the vector wins, and a note says so.
        (Some(vector), _) => ("vector", SimilarityTarget::Vector(vector)),
        (None, Some(text)) => ("hybrid", SimilarityTarget::Text(text)),
        (None, None) => return Err(Failure::invalid("give query_text or query_vec")),
    };
    let kinds = parse_event_types(engine, caller, arguments.event_types).await?;
    let limit = arguments.top_k.unwrap_or(DEFAULT_TOP_K);
    let input = SimilarRequest { to, kinds, min, limit, sources_only: false };
    let alike = engine.memories().similar(caller, &input).await?;
    let mut matches: Vec<Value> = alike.iter().map(|one| render_match(one, mode)).collect();
    render::mark_hits(engine, caller, &alike, &mut matches).await?;
    let mut answer = json!({ "mode": mode, "count": matches.len(), "matches": matches });
    if both {
        answer["notes"] = json!(["query_vec was used; query_text was ignored"]);
    }
    Ok(answer)
}

fn render_match(alike: &SimilarMemory, mode: &str) -> Value {
    let mut shown = render::search_hit(&alike.memory);
    shown.insert("similarity".into(), render::rounded(alike.similarity));
    if mode == "hybrid" {
        shown.insert("text_score".into(), render::rounded(alike.words));
        shown.insert("matched_terms".into(), json!(alike.shared));
    }
    Value::Object(shown)
}
