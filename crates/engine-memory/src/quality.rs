//! Quality: how reliable the memory is as a whole. Counts what its writers doubted, what has faded,
//! what hangs on nothing, and decisions without a ground; what was corrected is settled and does
//! not count against anybody.

use crate::Memories;
use crate::decay::decay_at;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, DocSet, Edge, Filter, LinkKinds, Standing, View};
use model::{Failure, LinkKind, Memory, MemoryId, Page, Permission, Status, limits};
use store::{MemoryQuery, Sort};

/// From when on a memory is worth a second look.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Assess {
    /// Below this confidence.
    pub low_confidence: f32,
    /// Below this decay.
    pub stale: f32,
    /// How many examples of each.
    pub examples: usize,
}

/// Memories of one sort: how many, and the first of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sighting {
    /// How many.
    pub count: usize,
    /// Some of them, lowest ids first.
    pub examples: Vec<MemoryId>,
}

/// How reliable the memory is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assessment {
    /// How many memories hold now.
    pub memories: usize,
    /// How many links start at them.
    pub links: usize,
    /// Those whose writers doubted them.
    pub doubted: Sighting,
    /// Those that have faded.
    pub stale: Sighting,
    /// Those that hang on nothing.
    pub orphans: Sighting,
    /// Decisions that nothing led to and nothing supports.
    pub groundless: Sighting,
    /// How many pairs that both hold contradict each other.
    pub contradictions: usize,
    /// How many corrections there are.
    pub corrections: usize,
}

impl Sighting {
    fn add(&mut self, memory: MemoryId, examples: usize) {
        self.count += 1;
        if self.examples.len() < examples {
            self.examples.push(memory);
        }
    }
}

impl Memories<'_> {
    /// Assesses everything that holds now. Reads the whole memory, a page at a time.
    ///
    /// # Errors
    /// When a threshold lies outside 0 to 1, or the store cannot answer.
    pub async fn assess(self, caller: &Caller, input: &Assess) -> Result<Assessment, Failure> {
        limits::range("low confidence", f64::from(input.low_confidence), 0.0, 1.0)?;
        limits::range("stale decay", f64::from(input.stale), 0.0, 1.0)?;
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                .await?;
        self.core.flush_usage().await;
        let view = self.core.view(&caller.owner).await?;
        let query =
            MemoryQuery { statuses: vec![Status::Active], sort: Sort::Oldest, ..call.query() };
        let mut found = Assessment::default();
        let mut page = Page::first(limits::PAGE);
        loop {
            let listed = call.store().list_memories(&query, page).await?;
            if listed.items.is_empty() {
                call.note_shown(format!("assessed {}", found.memories), &[]).await;
                return Ok(found);
            }
            page.offset += listed.items.len();
            let memories = call.visible(listed.items);
            view.read(|view| {
                let holding = view.filter(&call.filter(), call.at);
                let open =
                    view.filter(&Filter { standing: Standing::Any, ..call.filter() }, call.at);
                let seen = Seen { view, holding: &holding, open: &open };
                memories.iter().for_each(|memory| found.take(memory, &seen, &call, input));
            });
        }
    }
}

/// The view as the caller sees it.
struct Seen<'v> {
    view: &'v View,
    /// What holds now.
    holding: &'v DocSet,
    /// What exists for the caller, whatever its state.
    open: &'v DocSet,
}

impl Seen<'_> {
    fn holds(&self, id: MemoryId) -> bool {
        self.view.doc(id).is_some_and(|doc| self.holding.contains(doc))
    }

    /// The links of a memory to what exists for the caller.
    fn links(&self, id: MemoryId, direction: Direction) -> Vec<Edge> {
        let open =
            |edge: &Edge| self.view.doc(edge.other(id)).is_some_and(|doc| self.open.contains(doc));
        self.view.links(id, direction, LinkKinds::ALL).into_iter().filter(open).collect()
    }
}

impl Assessment {
    fn take(&mut self, memory: &Memory, seen: &Seen<'_>, call: &Call<'_>, input: &Assess) {
        let holds = |id: MemoryId| seen.holds(id);
        if !holds(memory.id) {
            return;
        }
        self.memories += 1;
        let out = seen.links(memory.id, Direction::Out);
        let into = seen.links(memory.id, Direction::In);
        self.links += out.len();
        self.contradictions += out
            .iter()
            .filter(|edge| edge.kind == LinkKind::Contradicts && holds(edge.target))
            .count();
        self.corrections += out.iter().filter(|edge| edge.kind == LinkKind::Supersedes).count();
        let judged = [
            (&mut self.doubted, memory.confidence < input.low_confidence),
            (&mut self.stale, decay_at(memory, call.at) < input.stale),
            (&mut self.orphans, out.is_empty() && into.is_empty()),
            (&mut self.groundless, memory.kind.as_str() == "decision" && !has_ground(&out, &into)),
        ];
        for (sighting, seen) in judged {
            if seen {
                sighting.add(memory.id, input.examples);
            }
        }
    }
}

/// Whether a decision has a ground: it says what led to it, or something supports it, whichever way
/// that is said.
fn has_ground(out: &[Edge], into: &[Edge]) -> bool {
    let grounds = [LinkKind::CausedBy, LinkKind::DerivedFrom, LinkKind::Supports];
    out.iter().any(|edge| grounds.contains(&edge.kind))
        || into.iter().any(|edge| edge.kind == LinkKind::Supports)
}
