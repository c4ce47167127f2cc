//! Decay: a score for how fresh a memory is. New and used memories have the full score; unused ones
//! fade slowly, and slower the more they were used before. It orders and warns, and never removes
//! anything.

use crate::Memories;
use engine_core::OwnerView;
use engine_core::call::Call;
use index::{DocId, DocSet, Filter, View};
use model::{AccessStats, Failure, Memory, Moment};

// An unused memory loses 1% a day, so about half is left after ten weeks and 3% after a year.
const PER_DAY: f64 = 0.01;
/// Relative speeds of the decay of statements, which fade slowest, and of summaries.
const SLOWEST: f64 = 1.0;
const FASTEST: f64 = 1.5;

impl Memories<'_> {
    /// Returns the decay score of a memory now, 0 to 1; 1 on the day it was written or last used.
    #[must_use]
    pub fn decay(self, memory: &Memory) -> f32 {
        decay_at(memory, self.core.now())
    }
}

/// Returns the decay score of a memory at a moment.
pub(crate) fn decay_at(memory: &Memory, now: Moment) -> f32 {
    decay_score(memory.kind.as_str(), memory.valid_from, memory.access, now)
}

/// Returns those of these documents whose score at a moment is below a threshold. The uses are
/// looked up only if some would be below it without any: a use never lowers the score.
pub(crate) async fn faded_below(
    call: &Call<'_>,
    view: &OwnerView,
    among: DocSet,
    threshold: f32,
) -> Result<DocSet, Failure> {
    let mut faded = among;
    view.read(|view| retain_faded(view, &mut faded, threshold, call.at));
    if !faded.is_empty() {
        let uses = call.core.use_table(&call.caller.owner).await?;
        view.read(|view| {
            let used = uses.iter().filter_map(|(id, access)| Some((view.doc(id)?, access)));
            let is_fresh = |doc, access| score_of(view, doc, access, call.at) >= threshold;
            for (doc, _) in used.filter(|&(doc, access)| is_fresh(doc, access)) {
                faded.remove(doc);
            }
        });
    }
    Ok(faded)
}

/// Keeps the documents whose score is below a threshold if they were never used.
fn retain_faded(view: &View, docs: &mut DocSet, threshold: f32, now: Moment) {
    let idle_days = |rate: f64| -f64::from(threshold).ln() / (PER_DAY * rate);
    // Only what lies between the two bounds, a day wider than computed, needs its own score.
    let possibly = now.minus_days(idle_days(FASTEST) - 1.0);
    let surely = now.minus_days(idle_days(SLOWEST) + 1.0);
    view.retain_matching(&Filter { until: Some(possibly), ..Filter::default() }, docs);
    docs.retain(|doc| {
        view.valid_from(doc) < surely
            || score_of(view, doc, AccessStats::default(), now) < threshold
    });
}

fn score_of(view: &View, doc: DocId, access: AccessStats, now: Moment) -> f32 {
    decay_score(view.kind(doc), view.valid_from(doc), access, now)
}

fn decay_score(kind: &str, valid_from: Moment, access: AccessStats, now: Moment) -> f32 {
    let used = access.last.unwrap_or(valid_from).max(valid_from);
    let idle_days = now.days_since(used).max(0.0);
    // Logarithmic, so that the first few uses matter most and none makes a memory permanent.
    let practice = 1.0 + f64::from(access.count).ln_1p();
    (-PER_DAY * decay_rate(kind) * idle_days / practice).exp() as f32
}

/// Returns the relative speed of decay: conclusions fade faster than statements, summaries fastest.
fn decay_rate(kind: &str) -> f64 {
    match kind {
        "inference" | "skill" => 1.25,
        "episode" => FASTEST,
        _ => SLOWEST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use index::{DocFacts, IndexEntry};
    use model::{
        AccessStats, AgentName, Author, Dialect, JsonMap, Kind, MemoryId, Origin, Provenance, Seq,
        Status, Trust,
    };

    const DAY: i64 = 86_400_000_000;

    fn memory(kind: &str, uses: u32, last_day: Option<i64>) -> Memory {
        let author = Author {
            agent: AgentName::new("a"),
            client: None,
            dialect: Dialect::Agentic,
            tool: String::new(),
        };
        let at = Moment(0);
        Memory {
            id: MemoryId(1),
            kind: Kind::new(kind).unwrap(),
            title: None,
            text: "a".into(),
            summary: None,
            collection: "memories".into(),
            session: None,
            project: None,
            tags: Vec::new(),
            applies_to: Vec::new(),
            priority: 3,
            confidence: 0.9,
            metadata: JsonMap::new(),
            provenance: Provenance { author, origin: Origin::Agent, trust: Trust(70), at },
            valid_from: at,
            valid_to: None,
            status: Status::Active,
            ended_at: None,
            access: AccessStats { count: uses, last: last_day.map(|day| Moment(day * DAY)) },
            flags: 0,
            updated_at: at,
        }
    }

    #[test]
    fn a_new_memory_has_the_full_score_without_any_use() {
        for kind in ["fact", "inference", "episode", "whatever"] {
            assert_eq!(decay_at(&memory(kind, 0, None), Moment(0)), 1.0, "{kind}");
        }
    }

    #[test]
    fn a_set_retains_the_documents_whose_own_score_is_below_the_threshold() {
        let now = Moment(2_000 * DAY);
        let mut view = View::new(None);
        let kinds = ["fact", "skill", "episode"];
        let docs = (0..2_100).map(|day| (kinds[day as usize % 3], day));
        view.apply(
            docs.map(|(kind, day)| {
                let facts = DocFacts::note(MemoryId(day + 1), Moment(day * DAY));
                IndexEntry::new(DocFacts { kind, ..facts })
            }),
            [],
            Seq(1),
        );
        let all = view.filter(&Filter::default(), now);
        for threshold in [0.0, 0.05, 0.2, 0.3, 0.9, 1.0] {
            let (mut faded, mut expected) = (all.clone(), all.clone());
            retain_faded(&view, &mut faded, threshold, now);
            expected.retain(|doc| score_of(&view, doc, AccessStats::default(), now) < threshold);
            assert_eq!(faded, expected, "{threshold}");
            assert_eq!(faded.is_empty(), threshold == 0.0, "{threshold}");
        }
    }

    #[test]
    fn use_refreshes_a_memory_and_slows_its_decay() {
        let year = Moment(365 * DAY);
        let (idle, used) = (memory("fact", 0, None), memory("fact", 5, Some(300)));
        assert!(decay_at(&idle, year) < 0.03);
        assert!(decay_at(&used, year) > 0.7);
        assert_eq!(decay_at(&memory("fact", 1, Some(365)), year), 1.0);
    }

    #[test]
    fn the_score_falls_with_time_and_stays_between_zero_and_one() {
        let mut before = 1.0;
        for days in [1, 30, 300, 3_000, i64::MAX / DAY] {
            let now = decay_at(&memory("episode", 0, None), Moment(days.saturating_mul(DAY)));
            assert!((0.0..=1.0).contains(&now) && now <= before, "{days}: {now}");
            before = now;
        }
    }
}
