//! Resources under `amem://`: statistics of the graph, its newest and most important nodes, and one
//! node, session or event type.

use super::type_names::parse_event_types;
use super::{render, stats};
use crate::ResourceSpec;
use crate::marks::mark_listing;
use engine::query::{QueryMemoriesRequest, QueryOrder};
use engine::sessions::SessionRef;
use engine::{Caller, Engine};
use model::{Failure, MemoryId, SessionId, limits};
use serde_json::{Value, json};

/// Number of nodes in the lists of the newest and of the most important.
const LISTED_NODES: usize = 20;

/// All resources.
pub(super) const ALL: &[ResourceSpec] = &[
    ResourceSpec {
        uri: "amem://graph/stats",
        name: "Graph statistics",
        description: "Number of nodes, edges and sessions.",
    },
    ResourceSpec {
        uri: "amem://graph/recent",
        name: "Recent memories",
        description: "The twenty newest nodes.",
    },
    ResourceSpec {
        uri: "amem://graph/important",
        name: "Important memories",
        description: "The twenty most important nodes.",
    },
    ResourceSpec {
        uri: "amem://node/{id}",
        name: "Memory node",
        description: "One node in full, with its edges.",
    },
    ResourceSpec {
        uri: "amem://session/{id}",
        name: "Session",
        description: "A session with its nodes.",
    },
    ResourceSpec {
        uri: "amem://types/{type}",
        name: "Memories by type",
        description: "The nodes of one event type, newest first.",
    },
];

/// Reads a resource.
pub(super) async fn read(engine: &Engine, caller: &Caller, uri: &str) -> Result<Value, Failure> {
    // The address is the caller's text, so the error repeats only a part of it.
    let unknown_uri = || Failure::not_found("resource", uri.chars().take(200).collect::<String>());
    let path = uri.strip_prefix("amem://").ok_or_else(unknown_uri)?;
    match path.split_once('/').ok_or_else(unknown_uri)? {
        ("graph", "stats") => stats::statistics(engine, caller).await,
        ("graph", "recent") => list_nodes(engine, caller, ordered_by(QueryOrder::Newest)).await,
        ("graph", "important") => {
            list_nodes(engine, caller, ordered_by(QueryOrder::MostImportant)).await
        }
        ("node", id) => {
            node(engine, caller, MemoryId(id.parse().map_err(|_| unknown_uri())?)).await
        }
        ("session", id) => {
            session(engine, caller, SessionId(id.parse().map_err(|_| unknown_uri())?)).await
        }
        ("types", name) => {
            let kinds = parse_event_types(engine, caller, Some(vec![name.to_owned()])).await?;
            let input = QueryMemoriesRequest {
                kinds,
                limit: limits::PAGE_ITEMS,
                ..QueryMemoriesRequest::default()
            };
            let mut answer = list_nodes(engine, caller, input).await?;
            answer["event_type"] = name.into();
            Ok(answer)
        }
        _ => Err(unknown_uri()),
    }
}

fn ordered_by(order: QueryOrder) -> QueryMemoriesRequest {
    QueryMemoriesRequest { order, limit: LISTED_NODES, ..QueryMemoriesRequest::default() }
}

async fn list_nodes(
    engine: &Engine,
    caller: &Caller,
    input: QueryMemoriesRequest,
) -> Result<Value, Failure> {
    let chosen = engine.memories().query_memories(caller, &input).await?;
    let mut nodes: Vec<Value> = chosen
        .memories
        .iter()
        .map(|memory| Value::Object(render::node_with_usage(engine, memory)))
        .collect();
    mark_listing(engine, caller, &chosen.memories, &mut nodes, render::MARKS).await?;
    Ok(json!({ "count": nodes.len(), "total": chosen.total, "nodes": nodes }))
}

async fn node(engine: &Engine, caller: &Caller, id: MemoryId) -> Result<Value, Failure> {
    let memory = engine
        .memories()
        .get(caller, &[id])
        .await?
        .pop()
        .ok_or_else(|| Failure::not_found("memory", id))?;
    let mut node = render::node_with_usage(engine, &memory);
    node.insert("last_accessed".into(), render::last_accessed(&memory));
    for links in engine.graph().links_of(caller, &[id]).await? {
        node.insert("outgoing_edges".into(), links.outgoing.iter().map(render::edge).collect());
        node.insert("incoming_edges".into(), links.incoming.iter().map(render::edge).collect());
    }
    Ok(Value::Object(node))
}

async fn session(engine: &Engine, caller: &Caller, id: SessionId) -> Result<Value, Failure> {
    let session = SessionRef::Id(id);
    let view = engine.sessions().get(caller, &session).await?;
    let input = QueryMemoriesRequest {
        sessions: vec![session],
        limit: limits::PAGE_ITEMS,
        ..QueryMemoriesRequest::default()
    };
    let mut answer = list_nodes(engine, caller, input).await?;
    answer["session_id"] = id.0.into();
    answer["node_count"] = answer["total"].clone();
    answer["metadata"] = json!(view.session.metadata);
    answer["episode_node_id"] = view.episode.map(|memory| memory.id.0).into();
    Ok(answer)
}
