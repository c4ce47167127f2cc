//! Quality of the memory as a whole. Counts memories with low confidence, faded ones, those without
//! links, and decisions without a reason. A corrected memory is settled and does not count.

use crate::Memories;
use crate::counted_ids::CountedIds;
use crate::decay::faded_below;
use crate::versions::readable;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use index::{DocSet, Filter, View};
use model::{Permission, limits};

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

/// Result of an assessment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Assessment {
    /// Number of current memories.
    pub memories: usize,
    /// Number of links that start at them.
    pub links: usize,
    /// Memories with low confidence.
    pub doubted: CountedIds,
    /// Memories that have faded.
    pub stale: CountedIds,
    /// Memories without links.
    pub orphans: CountedIds,
    /// Decisions without a cause or supporting memory.
    pub unfounded: CountedIds,
    /// Number of pairs of current memories that contradict each other.
    pub contradictions: usize,
    pub corrections: usize,
}

impl<'e> Memories<'e> {
    /// Assesses all current memories, from the view alone.
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
            let view = self.core.view(&caller.owner).await?;
            let current = view.read(|view| view.filter(&call.filter(), call.at));
            let stale = faded_below(&call, &view, current.clone(), input.stale).await?;
            let found = view.read(|view| assess(view, &call, input, (&current, &stale)));
            call.note_shown(format!("assessed {}", found.memories), &[]).await;
            Ok(found)
        })
    }
}

fn assess(
    view: &View,
    call: &Call<'_>,
    input: &AssessmentRequest,
    (current, stale): (&DocSet, &DocSet),
) -> Assessment {
    let census = view.link_census(current, &readable(view, call));
    let finding = |docs: &DocSet| CountedIds::new(view, docs, input.examples);
    let matching = |filter: Filter, excluded: &DocSet| {
        let mut docs = current.clone();
        view.retain_matching(&filter, &mut docs);
        docs.subtract(excluded);
        finding(&docs)
    };
    let below = Some(input.low_confidence.next_down());
    let decisions = Filter { kinds: vec!["decision".to_owned()], ..Filter::default() };
    Assessment {
        memories: current.count(),
        links: census.links,
        doubted: matching(
            Filter { confidence_max: below, ..Filter::default() },
            &DocSet::default(),
        ),
        stale: finding(stale),
        orphans: matching(Filter::default(), &census.linked),
        unfounded: matching(decisions, &census.founded),
        contradictions: census.contradictions,
        corrections: census.corrections,
    }
}
