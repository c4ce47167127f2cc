//! Quality of the memory as a whole. Counts memories with low confidence, faded ones, those without
//! links, and decisions without a reason. A corrected memory is settled and does not count.

use crate::Memories;
use crate::decay::decay_at;
use crate::versions::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{Direction, DocSet, LinkEdge, LinkKinds, View};
use model::{LinkKind, Memory, MemoryId, Page, Permission, Status, limits};
use store::{MemoryQuery, MemorySort};

/// Thresholds of an assessment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AssessmentRequest {
    /// Confidence below which a memory counts as doubtful.
    pub low_confidence: f32,
    /// Decay below which a memory counts as stale.
    pub stale: f32,
    /// Number of examples per finding.
    pub examples: usize,
}

/// Number of memories with one problem, and examples.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AssessmentFinding {
    pub count: usize,
    /// Lowest ids first.
    pub examples: Vec<MemoryId>,
}

/// Result of an assessment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assessment {
    /// Number of current memories.
    pub memories: usize,
    /// Number of links that start at them.
    pub links: usize,
    /// Memories with low confidence.
    pub doubted: AssessmentFinding,
    /// Memories that have faded.
    pub stale: AssessmentFinding,
    /// Memories without links.
    pub orphans: AssessmentFinding,
    /// Decisions without a cause or supporting memory.
    pub unfounded: AssessmentFinding,
    /// Number of pairs of current memories that contradict each other.
    pub contradictions: usize,
    pub corrections: usize,
}

impl AssessmentFinding {
    fn add(&mut self, memory: MemoryId, examples: usize) {
        self.count += 1;
        if self.examples.len() < examples {
            self.examples.push(memory);
        }
    }
}

impl<'e> Memories<'e> {
    /// Assesses all current memories. Reads the whole store, a page at a time.
    ///
    /// # Errors
    /// Fails when a threshold is outside of 0 to 1, or the store cannot be read.
    pub fn assess_quality(
        self,
        caller: &'e Caller,
        input: &'e AssessmentRequest,
    ) -> UseCaseFuture<'e, Assessment> {
        Box::pin(async move {
            limits::range("low confidence", f64::from(input.low_confidence), 0.0, 1.0)?;
            limits::range("stale decay", f64::from(input.stale), 0.0, 1.0)?;
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, input)
                    .await?;
            self.core.flush_usage().await;
            let view = self.core.view(&caller.owner).await?;
            let query = MemoryQuery {
                statuses: vec![Status::Active],
                sort: MemorySort::Oldest,
                ..call.query()
            };
            let mut found = Assessment::default();
            let mut page = Page::first(limits::PAGE_ITEMS);
            loop {
                let listed = call.store().list_memories(&query, page).await?;
                if listed.items.is_empty() {
                    call.note_shown(format!("assessed {}", found.memories), &[]).await;
                    return Ok(found);
                }
                page.offset += listed.items.len();
                let memories = call.visible(listed.items);
                // The view is locked for one page at a time, so that writes are not held up by a
                // large store.
                view.read(|view| {
                    let holding = view.filter(&call.filter(), call.at);
                    let open = readable(view, &call);
                    let seen = VisibleDocuments { view, holding: &holding, open: &open };
                    memories.iter().for_each(|memory| found.assess(memory, &seen, &call, input));
                });
            }
        })
    }
}

/// The part of the view that the caller may see.
struct VisibleDocuments<'v> {
    view: &'v View,
    /// Documents that are current.
    holding: &'v DocSet,
    /// Documents that the caller may read, in any status.
    open: &'v DocSet,
}

impl VisibleDocuments<'_> {
    fn holds(&self, id: MemoryId) -> bool {
        self.view.doc(id).is_some_and(|doc| self.holding.contains(doc))
    }

    /// Returns the links of a memory, with those of the versions it replaced, to memories that the
    /// caller may read.
    fn links(&self, id: MemoryId, direction: Direction) -> Vec<LinkEdge> {
        let open = |edge: &LinkEdge| {
            self.view.doc(edge.other(id)).is_some_and(|doc| self.open.contains(doc))
        };
        let links = self.view.current_links(id, direction, LinkKinds::ALL, Some(self.open));
        links.into_iter().filter(open).collect()
    }
}

impl Assessment {
    fn assess(
        &mut self,
        memory: &Memory,
        seen: &VisibleDocuments<'_>,
        call: &Call<'_>,
        input: &AssessmentRequest,
    ) {
        let holds = |id: MemoryId| seen.holds(id);
        if !holds(memory.id) {
            return;
        }
        self.memories += 1;
        let out = seen.links(memory.id, Direction::Out);
        let into = seen.links(memory.id, Direction::In);
        self.links += out.len();
        // Counted from the source only, so that a pair counts once.
        self.contradictions += out
            .iter()
            .filter(|edge| edge.kind == LinkKind::Contradicts && holds(edge.target))
            .count();
        self.corrections += out.iter().filter(|edge| edge.kind == LinkKind::Supersedes).count();
        let judged = [
            (&mut self.doubted, memory.confidence < input.low_confidence),
            (&mut self.stale, decay_at(memory, call.at) < input.stale),
            (&mut self.orphans, out.is_empty() && into.is_empty()),
            (&mut self.unfounded, memory.kind.as_str() == "decision" && !has_reason(&out, &into)),
        ];
        for (finding, applies) in judged {
            if applies {
                finding.add(memory.id, input.examples);
            }
        }
    }
}

/// Returns whether a decision has a reason: a link to its cause, or a supporting memory in either
/// link direction.
fn has_reason(out: &[LinkEdge], into: &[LinkEdge]) -> bool {
    let grounds = [LinkKind::CausedBy, LinkKind::DerivedFrom, LinkKind::Supports];
    out.iter().any(|edge| grounds.contains(&edge.kind))
        || into.iter().any(|edge| edge.kind == LinkKind::Supports)
}
