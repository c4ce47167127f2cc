//! Links follow the successor: a replaced memory counts as its newest version.

use crate::fixture::{EngineFixture, agent, owner};
use engine::correct::CorrectRequest;
use engine::explore::{ExploreRequest, ExploreResults};
use engine::quality::AssessmentRequest;
use engine::recall::RecallRequest;
use engine::remember::{NewMemoryLink, RememberRequest};
use model::{LinkKind, MemoryId};

/// A chain of three causes, of which the middle one was corrected twice.
struct CorrectedChain {
    fixture: EngineFixture,
    cause: MemoryId,
    /// All versions of the middle one, oldest first.
    middle: [MemoryId; 3],
    effect: MemoryId,
}

impl CorrectedChain {
    async fn new() -> Self {
        let fixture = EngineFixture::new().await;
        let cause = linked(&fixture, "The disk filled up", None).await;
        let first = linked(&fixture, "The database stopped", Some(cause)).await;
        let effect = linked(&fixture, "Orders failed", Some(first)).await;
        fixture.clock.advance(60);
        let second = correct(&fixture, first, "The database was read-only").await;
        fixture.clock.advance(60);
        let third = correct(&fixture, second, "The database refused writes").await;
        Self { fixture, cause, middle: [first, second, third], effect }
    }

    async fn explore(&self, input: &ExploreRequest) -> ExploreResults {
        self.fixture.engine.graph().explore(&agent("b"), input).await.unwrap()
    }
}

async fn linked(fixture: &EngineFixture, text: &str, cause: Option<MemoryId>) -> MemoryId {
    let link = |target| NewMemoryLink { target, kind: LinkKind::CausedBy, weight: 1.0 };
    let input = RememberRequest {
        links: cause.into_iter().map(link).collect(),
        ..RememberRequest::text(text)
    };
    fixture.engine.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap()
}

async fn correct(fixture: &EngineFixture, memory: MemoryId, text: &str) -> MemoryId {
    let input = CorrectRequest::new(memory, text);
    fixture.engine.memories().correct(&agent("a"), &input).await.unwrap().id.unwrap()
}

fn ids(explored: &ExploreResults) -> Vec<MemoryId> {
    explored.visits.iter().map(|(memory, _)| memory.id).collect()
}

#[tokio::test]
async fn causes_and_consequences_lead_over_a_correction() {
    let at = CorrectedChain::new().await;
    let newest = at.middle[2];
    let causes = at.explore(&ExploreRequest::causes(at.effect)).await;
    assert_eq!(ids(&causes), [at.effect, newest, at.cause]);
    let consequences = at.explore(&ExploreRequest::consequences(at.cause)).await;
    assert_eq!(ids(&consequences), [at.cause, newest, at.effect]);
    let ends: Vec<_> = causes.between.iter().map(|edge| (edge.source, edge.target)).collect();
    assert_eq!(ends, [(at.effect, newest), (newest, at.cause)]);
}

#[tokio::test]
async fn a_walk_from_a_replaced_memory_starts_at_its_newest_version() {
    let at = CorrectedChain::new().await;
    for version in at.middle {
        let around = at.explore(&ExploreRequest::around(version)).await;
        assert_eq!(around.start, at.middle[2]);
        assert_eq!(ids(&around), [at.middle[2], at.cause, at.effect]);
    }
}

#[tokio::test]
async fn a_walk_with_history_visits_each_version_by_itself() {
    let at = CorrectedChain::new().await;
    let input = ExploreRequest { with_history: true, ..ExploreRequest::around(at.middle[0]) };
    let around = at.explore(&input).await;
    assert_eq!(around.start, at.middle[0]);
    assert!(ids(&around).contains(&at.middle[1]), "{around:?}");
}

#[tokio::test]
async fn a_path_leads_over_a_correction() {
    let at = CorrectedChain::new().await;
    let graph = at.fixture.engine.graph();
    let (memories, edges) = graph.path(&agent("b"), at.cause, at.effect).await.unwrap().unwrap();
    let through: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
    assert_eq!((through, edges.len()), (vec![at.cause, at.middle[2], at.effect], 2));
    let (memories, edges) =
        graph.path(&agent("b"), at.middle[0], at.middle[2]).await.unwrap().unwrap();
    assert_eq!((memories[0].id, edges.len()), (at.middle[2], 0));
}

#[tokio::test]
async fn links_of_replaced_versions_count_for_the_newest() {
    let at = CorrectedChain::new().await;
    let found = at.fixture.engine.graph().links_of(&agent("b"), &[at.middle[2]]).await.unwrap();
    let kinds = |edges: &[engine::LinkEdge]| edges.iter().map(|edge| edge.kind).collect::<Vec<_>>();
    assert_eq!(kinds(&found[0].outgoing), [LinkKind::Supersedes, LinkKind::CausedBy]);
    assert_eq!(found[0].outgoing[1].target, at.cause);
    let incoming: Vec<_> =
        found[0].incoming.iter().map(|edge| (edge.source, edge.target)).collect();
    assert_eq!(incoming, [(at.effect, at.middle[2])]);
    let details =
        at.fixture.engine.memories().get_details(&agent("b"), at.middle[2]).await.unwrap();
    assert!(details.links.outgoing.iter().any(|link| link.target == at.cause));
    assert!(details.links.incoming.iter().any(|link| link.source == at.effect));
    let old = at.fixture.engine.memories().get_details(&agent("b"), at.middle[0]).await.unwrap();
    assert!(old.links.outgoing.iter().all(|link| link.source == at.middle[0]), "as written");
    assert_eq!(old.latest, at.middle[2]);
}

#[tokio::test]
async fn a_corrected_memory_is_no_orphan() {
    let at = CorrectedChain::new().await;
    let input = AssessmentRequest { low_confidence: 0.1, stale: 0.0, examples: 5 };
    let found = at.fixture.engine.memories().assess_quality(&owner(), &input).await.unwrap();
    assert_eq!((found.memories, found.orphans.count), (3, 0));
    assert_eq!((found.links, found.corrections), (3, 1), "two causes and one replacement");
}

#[tokio::test]
async fn the_history_shows_the_chain() {
    let at = CorrectedChain::new().await;
    let versions = at.fixture.engine.memories().versions(&agent("b"), at.middle[1]).await.unwrap();
    let all: Vec<MemoryId> = versions.all.iter().map(|memory| memory.id).collect();
    assert_eq!((all, versions.latest), (at.middle.to_vec(), at.middle[2]));
}

#[tokio::test]
async fn a_past_question_still_sees_the_past() {
    let at = CorrectedChain::new().await;
    let input = RecallRequest {
        as_of: Some(at.fixture.memory(at.middle[0]).await.provenance.at),
        ..RecallRequest::query("What happened to the database?")
    };
    let found = at.fixture.engine.memories().recall(&agent("b"), &input).await.unwrap();
    let ids: Vec<MemoryId> = found.hits.iter().map(|hit| hit.memory.id).collect();
    assert!(ids.contains(&at.middle[0]) && !ids.contains(&at.middle[2]), "{ids:?}");
}

#[tokio::test]
async fn a_memory_that_was_replaced_by_two_leads_to_the_newest_and_each_is_its_own() {
    let fixture = EngineFixture::new().await;
    let old = linked(&fixture, "Two things at once", None).await;
    let one = correct(&fixture, old, "The first thing").await;
    let two = fixture.add("a", "The second thing", |_| {}).await;
    let split = store::Change::Supersede { old, new: store::Ref::Id(two) };
    fixture.write("a", vec![split]).await;
    let latest =
        async |id| fixture.engine.memories().versions(&agent("b"), id).await.unwrap().latest;
    assert_eq!((latest(old).await, latest(one).await, latest(two).await), (two, one, two));
}
