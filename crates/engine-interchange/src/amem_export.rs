//! Export of the memory as an `.amem` graph for AgenticMemory. Active and superseded memories are
//! exported with their links; proposed, rejected and retired ones are not, because the format has
//! no status.

use crate::TransferProgress;
use crate::amem::{AmemEdge, AmemGraph, AmemNode};
use engine::{Caller, Engine};
use engine::{MemoryQuery, MemorySort};
use model::{Failure, LinkKind, Memory, MemoryId, Page, SessionId, Status, limits};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap, HashSet};

/// Field of the metadata with the reason of a correction.
pub(crate) const REASON: &str = "reason";

/// Returns all active and superseded memories as a graph and reports the progress on the way.
/// Nodes are numbered from 0, as the format requires.
///
/// # Errors
/// Fails when the caller may not read, or the store cannot be read.
pub async fn export_amem(
    engine: &Engine,
    caller: &Caller,
    mut progress: impl FnMut(TransferProgress),
) -> Result<AmemGraph, Failure> {
    let caller = &caller.clone().with_tool("export");
    let memories = read_memories(engine, caller, &mut progress).await?;
    let numbers: HashMap<MemoryId, u64> =
        memories.iter().map(|memory| memory.id).zip(0..).collect();
    let (mut graph, mut linked) = (AmemGraph::default(), 0);
    for some in memories.chunks(limits::IDS_PER_CALL) {
        let ids: Vec<MemoryId> = some.iter().map(|memory| memory.id).collect();
        linked += ids.len();
        for links in engine.graph().written_links_of(caller, &ids).await? {
            graph.edges.extend(links.outgoing.iter().filter_map(|edge| {
                let (source, target) = (*numbers.get(&edge.source)?, *numbers.get(&edge.target)?);
                Some(AmemEdge {
                    source,
                    target,
                    kind: edge.kind,
                    weight: edge.weight,
                    created_at: 0,
                })
            }));
        }
        progress(TransferProgress { done: memories.len() + linked, total: memories.len() * 2 });
    }
    let sessions = session_numbers(&memories);
    graph.nodes = memories
        .iter()
        .map(|memory| node(engine, memory, numbers[&memory.id], &sessions))
        .collect();
    finish_edges(&mut graph);
    Ok(graph)
}

/// Reads all memories, in the order of their ids.
// Each memory is read again for its links, so the total of the progress is twice their number.
async fn read_memories(
    engine: &Engine,
    caller: &Caller,
    progress: &mut impl FnMut(TransferProgress),
) -> Result<Vec<Memory>, Failure> {
    let query = MemoryQuery {
        statuses: vec![Status::Active, Status::Superseded],
        sort: MemorySort::Oldest,
        ..MemoryQuery::default()
    };
    let (mut memories, mut page) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let listed = engine.memories().list(caller, &query, page).await?;
        memories.extend(listed.items);
        progress(TransferProgress { done: memories.len(), total: listed.total * 2 });
        page.offset += page.limit;
        if page.offset >= listed.total {
            memories.sort_by_key(|memory: &Memory| memory.id);
            return Ok(memories);
        }
    }
}

/// Returns the number of each session in the file: its own where the field can hold it, otherwise
/// the lowest one that is free.
fn session_numbers(memories: &[Memory]) -> HashMap<SessionId, u32> {
    let sessions: BTreeSet<SessionId> =
        memories.iter().filter_map(|memory| memory.session).collect();
    let own = |session: &SessionId| u32::try_from(session.0).ok();
    let taken: HashSet<u32> = sessions.iter().filter_map(own).collect();
    let mut free = (1..u32::MAX).filter(|number| !taken.contains(number));
    sessions
        .iter()
        .filter_map(|session| Some((*session, own(session).or_else(|| free.next())?)))
        .collect()
}

fn node(engine: &Engine, memory: &Memory, id: u64, sessions: &HashMap<SessionId, u32>) -> AmemNode {
    AmemNode {
        id,
        kind: memory.kind.to_string(),
        title: memory.title.clone().filter(|title| !title.is_empty()),
        content: memory.text.clone(),
        reason: memory.metadata.get(REASON).and_then(Value::as_str).map(str::to_owned),
        is_replaced: memory.status == Status::Superseded,
        created_at: memory.valid_from.0,
        session: memory.session.and_then(|session| sessions.get(&session).copied()),
        confidence: memory.confidence,
        uses: memory.access.count,
        used_at: memory.access.last.unwrap_or(memory.valid_from).0,
        decay: engine.memories().decay(memory),
    }
}

/// Returns the kind under which other readers see a link.
pub(crate) fn written_kind(kind: LinkKind) -> LinkKind {
    if kind == LinkKind::DerivedFrom { LinkKind::CausedBy } else { kind }
}

/// Sorts the edges as the format requires and sets their times.
// The engine reports links without times; the age of the source memory is close enough.
fn finish_edges(graph: &mut AmemGraph) {
    // A cause and a derivation have one code: of both between the same two, the derivation says
    // more. The sort puts it last, and the last of each code stays.
    graph.edges.sort_by_key(|edge| (edge.source, edge.target, edge.kind == LinkKind::DerivedFrom));
    let mut known: HashSet<(u64, u64, LinkKind)> = HashSet::new();
    graph.edges.reverse();
    graph.edges.retain(|edge| known.insert((edge.source, edge.target, written_kind(edge.kind))));
    graph.edges.reverse();
    for edge in &mut graph.edges {
        edge.created_at = usize::try_from(edge.source)
            .ok()
            .and_then(|source| graph.nodes.get(source))
            .map_or(0, |node| node.created_at);
    }
}
