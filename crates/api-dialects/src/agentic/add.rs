//! `memory_add`: adds a node with its edges, all or nothing.

use super::render;
use super::type_names::{EVENT_TYPES, parse_edge_type, parse_event_type};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::remember::{NewMemoryLink, RememberOutcome, RememberRequest, RememberStatus};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, LinkKind, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Default confidence, as the contract documents it.
const DEFAULT_CONFIDENCE: f32 = 0.9;

/// Arguments of `memory_add`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Type of the node.
    #[schemars(extend("enum" = EVENT_TYPES))]
    event_type: String,
    /// Text to remember, up to 64 KiB.
    content: String,
    /// 0.0 to 1.0.
    #[schemars(extend("default" = 0.9))]
    confidence: Option<f32>,
    /// Edges from the new node to existing nodes.
    edges: Option<Vec<NewEdge>>,
}

/// Edge to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NewEdge {
    /// Id of the node it points to.
    target_id: i64,
    /// Type of the edge.
    #[schemars(extend("enum" = LinkKind::ALL.map(LinkKind::name)))]
    edge_type: String,
    /// 0.0 to 1.0.
    #[schemars(extend("default" = 1.0))]
    weight: Option<f32>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memory_add",
    title: "Add a memory",
    description: "Remember something durable: store a fact, decision, inference, correction, skill \
                  or episode, with edges to the nodes it is based on. A supersedes edge replaces \
                  its target. Nothing is stored if an edge is invalid. \
                  Example: {\"event_type\": \"decision\", \"content\": \"We ship on Tuesdays.\", \
                  \"edges\": [{\"target_id\": 4, \"edge_type\": \"caused_by\"}]}",
    input: arguments::schema::<Arguments>,
    output: "node_id: integer, event_type: string, edges_created: integer, session_id?: integer, \
             duplicate?: boolean, proposed?: boolean, conflicts?: objects, notes?: strings",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    arguments::check_text("content", &arguments.content)?;
    let kind = parse_event_type(&arguments.event_type)?;
    let (links, supersedes) = split_edges(arguments.edges.as_deref().unwrap_or_default())?;
    let input = RememberRequest {
        kind: Some(kind),
        confidence: Some(arguments.confidence.unwrap_or(DEFAULT_CONFIDENCE)),
        session: Some(engine.sessions().session_to_join(caller).await?),
        // The contract links each node of a session to the previous one (temporal_next).
        chained: true,
        links,
        supersedes,
        ..RememberRequest::text(arguments.content)
    };
    let remembered = engine.memories().remember(caller, &input).await?;
    render_result(engine, caller, &input, &remembered).await
}

/// Splits the edges into links and superseded nodes: superseding changes the target too, not only
/// the graph. Of repeated edges the last one counts.
fn split_edges(given: &[NewEdge]) -> Result<(Vec<NewMemoryLink>, Vec<MemoryId>), Failure> {
    let (mut links, mut supersedes): (Vec<NewMemoryLink>, Vec<MemoryId>) = (Vec::new(), Vec::new());
    for edge in given {
        let (target, kind) = (MemoryId(edge.target_id), parse_edge_type(&edge.edge_type)?);
        let weight = edge.weight.unwrap_or(1.0);
        limits::range("weight", f64::from(weight), 0.0, 1.0)?;
        if kind == LinkKind::Supersedes {
            supersedes.retain(|known| *known != target);
            supersedes.push(target);
        } else {
            links.retain(|known| (known.target, known.kind) != (target, kind));
            links.push(NewMemoryLink { target, kind, weight });
        }
    }
    Ok((links, supersedes))
}

async fn render_result(
    engine: &Engine,
    caller: &Caller,
    input: &RememberRequest,
    remembered: &RememberOutcome,
) -> Result<Value, Failure> {
    let id = remembered
        .id
        .ok_or_else(|| Failure::invalid("content is empty; give a sentence to remember"))?;
    let (mut kind, mut session) = (input.kind.clone().unwrap_or_default(), remembered.session);
    let duplicate = remembered.status == RememberStatus::Duplicate;
    // A duplicate keeps its own type and session, whatever this call asked for.
    if duplicate && let Some(known) = engine.memories().get(caller, &[id]).await?.pop() {
        (kind, session) = (known.kind.to_string(), known.session);
    }
    // A proposal supersedes nothing until the owner accepts it.
    let replaced = if remembered.proposals.is_empty() { input.supersedes.len() } else { 0 };
    let edges = input.links.len()
        + replaced
        + remembered.conflicts.len()
        + remembered.replaced.len()
        + usize::from(remembered.follows.is_some());
    let mut answer = json!({ "node_id": id.0, "event_type": kind, "edges_created": edges });
    if let Some(session) = session {
        answer["session_id"] = session.0.into();
    }
    add_optional_fields(&mut answer, remembered, duplicate);
    Ok(answer)
}

/// Adds the fields that are present only if they apply.
fn add_optional_fields(answer: &mut Value, remembered: &RememberOutcome, duplicate: bool) {
    if duplicate {
        answer["duplicate"] = true.into();
    }
    if !remembered.proposals.is_empty() {
        answer["proposed"] = true.into();
    }
    if !remembered.conflicts.is_empty() {
        answer["conflicts"] = render::conflicts(&remembered.conflicts);
    }
    let notes = remembered.sentences();
    if !notes.is_empty() {
        answer["notes"] = json!(notes);
    }
}
