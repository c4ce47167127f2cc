//! Import of an `.amem` graph through the engine's intake. Every memory is marked as imported;
//! sessions, links, times and confidences are preserved.

use crate::amem::{AmemEdge, AmemGraph, AmemNode};
use crate::amem_export::REASON;
use crate::intake::{IncomingLink, IncomingMemory, IncomingSession, Intake, IntakeOutcome};
use crate::{ForgottenTexts, Transfer};
use engine::{Caller, Engine};
use model::{ContentHash, Dialect, Failure, JsonMap, LinkKind, Moment};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Number of memories imported in one batch.
const BATCH_MEMORIES: usize = 200;
/// Number of links imported in one batch.
const BATCH_LINKS: usize = 5_000;

/// Progress of an import or export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferProgress {
    pub done: usize,
    pub total: usize,
}

/// Result of an import.
pub type AmemImportOutcome = IntakeOutcome;

/// Imports a graph on behalf of the caller and reports the progress after each batch.
///
/// # Errors
/// Fails when the caller may not write, or the store cannot. Batches imported before stay, and
/// importing the file again continues after them.
pub async fn import_amem(
    engine: &Engine,
    caller: &Caller,
    graph: &AmemGraph,
    forgotten: ForgottenTexts,
    mut progress: impl FnMut(TransferProgress),
) -> Result<AmemImportOutcome, Failure> {
    let caller = &with_import_dialect(caller);
    let sessions = sessions(graph);
    let intake = Transfer::of(engine).open_intake(caller).await?;
    let mut intake = intake.with_forgotten(forgotten);
    Transfer::of(engine).intake_sessions(caller, &mut intake, &sessions).await?;
    let (total, mut done) = (graph.nodes.len() + graph.edges.len(), 0);
    let mut step = |some: usize| {
        done += some;
        progress(TransferProgress { done, total });
    };
    for some in graph.nodes.chunks(BATCH_MEMORIES) {
        let memories: Vec<IncomingMemory> = some.iter().map(incoming).collect();
        Transfer::of(engine).intake_memories(caller, &mut intake, &memories).await?;
        step(some.len());
    }
    for some in in_order(&graph.edges).chunks(BATCH_LINKS) {
        import_links(engine, caller, &mut intake, some).await?;
        step(some.len());
    }
    Transfer::of(engine).end_incoming_sessions(caller, &intake, &sessions).await?;
    Ok(intake.outcome)
}

/// Returns the caller with the import dialect, so that nothing counts as typed by the owner.
fn with_import_dialect(caller: &Caller) -> Caller {
    let mut caller = caller.clone().with_tool("import");
    caller.author.dialect = Dialect::Import;
    caller
}

/// Orders edges so that replacements come first, the newest of them before older ones: one that
/// would close a cycle is then the oldest of it. Of the same age, the replacement by an older node
/// comes last.
fn in_order(edges: &[AmemEdge]) -> Vec<AmemEdge> {
    let mut ordered = edges.to_vec();
    ordered.sort_by_key(|edge| {
        let age = Reverse(edge.created_at);
        (edge.kind != LinkKind::Supersedes, age, edge.source < edge.target)
    });
    ordered
}

async fn import_links(
    engine: &Engine,
    caller: &Caller,
    intake: &mut Intake,
    edges: &[AmemEdge],
) -> Result<(), Failure> {
    let links: Vec<IncomingLink> = edges
        .iter()
        .map(|edge| IncomingLink {
            source: edge.source,
            target: edge.target,
            kind: edge.kind,
            weight: edge.weight,
            at: Moment(edge.created_at),
        })
        .collect();
    Transfer::of(engine).intake_links(caller, intake, &links).await
}

fn incoming(node: &AmemNode) -> IncomingMemory {
    let mut metadata = JsonMap::new();
    if node.uses > 0 {
        metadata.insert("uses_before_import".to_owned(), node.uses.into());
    }
    if let Some(reason) = &node.reason {
        metadata.insert(REASON.to_owned(), reason.as_str().into());
    }
    IncomingMemory {
        number: node.id,
        kind: node.kind.clone(),
        title: node.title.clone(),
        text: node.content.clone(),
        confidence: node.confidence,
        at: Moment(node.created_at),
        session: node.session,
        metadata,
    }
}

/// Returns the sessions of a graph by number, each with its last episode.
fn sessions(graph: &AmemGraph) -> Vec<IncomingSession> {
    let graph_id = fingerprint(graph);
    let mut episodes: BTreeMap<u32, Option<u64>> = BTreeMap::new();
    for (node, session) in graph.nodes.iter().filter_map(|node| Some((node, node.session?))) {
        let episode = episodes.entry(session).or_default();
        if node.kind == "episode" {
            *episode = Some(node.id);
        }
    }
    let session = |(number, episode)| IncomingSession {
        number,
        key: format!("amem {graph_id} {number}"),
        episode,
    };
    episodes.into_iter().map(session).collect()
}

/// Returns an id by which a graph is recognised when it is imported again.
// The first node never changes, however much is appended to the graph.
fn fingerprint(graph: &AmemGraph) -> String {
    let first = graph.nodes.iter().min_by_key(|node| node.id);
    let identity = first.map(|node| format!("{}\n{}\n{}", node.id, node.created_at, node.content));
    let hash = ContentHash::of_bytes(identity.unwrap_or_default().as_bytes()).to_string();
    hash.chars().take(12).collect()
}
