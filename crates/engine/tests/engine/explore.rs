//! Exploring links: causes, consequences, neighbours and paths.

use crate::fixture::{EngineFixture, agent, refused};
use engine::explore::ExploreRequest;
use engine::remember::{NewMemoryLink, RememberRequest};
use model::{ErrorCode, LinkKind, MemoryId};

async fn linked(fixture: &EngineFixture, text: &str, to: &[(MemoryId, LinkKind)]) -> MemoryId {
    let links = to
        .iter()
        .map(|(target, kind)| NewMemoryLink { target: *target, kind: *kind, weight: 1.0 })
        .collect();
    let input = RememberRequest { links, ..RememberRequest::text(text) };
    fixture.engine.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap()
}

fn ids(explored: &engine::explore::ExploreResults) -> Vec<MemoryId> {
    explored.visits.iter().map(|(memory, _)| memory.id).collect()
}

#[tokio::test]
async fn causes_and_consequences_follow_the_same_links_in_opposite_directions() {
    let fixture = EngineFixture::new().await;
    let root = linked(&fixture, "The disk filled up", &[]).await;
    let middle = linked(&fixture, "The database stopped", &[(root, LinkKind::CausedBy)]).await;
    let leaf = linked(&fixture, "Orders failed", &[(middle, LinkKind::CausedBy)]).await;
    let causes =
        fixture.engine.graph().explore(&agent("b"), &ExploreRequest::causes(leaf)).await.unwrap();
    assert_eq!(ids(&causes), [leaf, middle, root]);
    let consequences = fixture
        .engine
        .graph()
        .explore(&agent("b"), &ExploreRequest::consequences(root))
        .await
        .unwrap();
    assert_eq!(ids(&consequences), [root, middle, leaf]);
}

#[tokio::test]
async fn a_path_follows_links_in_either_direction() {
    let fixture = EngineFixture::new().await;
    let a = linked(&fixture, "Alpha fact", &[]).await;
    let b = linked(&fixture, "Beta fact", &[(a, LinkKind::Supports)]).await;
    let c = linked(&fixture, "Gamma fact", &[(b, LinkKind::RelatedTo)]).await;
    let island = linked(&fixture, "An island", &[]).await;
    let (memories, edges) = fixture.engine.graph().path(&agent("b"), a, c).await.unwrap().unwrap();
    assert_eq!(memories.iter().map(|memory| memory.id).collect::<Vec<_>>(), [a, b, c]);
    assert_eq!(edges.len(), 2);
    assert!(fixture.engine.graph().path(&agent("b"), a, island).await.unwrap().is_none());
}

#[tokio::test]
async fn depth_and_limit_bound_the_search() {
    let fixture = EngineFixture::new().await;
    let hub = linked(&fixture, "The hub", &[]).await;
    for number in 0..30 {
        linked(&fixture, &format!("Spoke number {number}"), &[(hub, LinkKind::PartOf)]).await;
    }
    let mut input = ExploreRequest::around(hub);
    input.limit = Some(5);
    assert_eq!(fixture.engine.graph().explore(&agent("b"), &input).await.unwrap().visits.len(), 5);
    input.depth = Some(99);
    let message = refused(
        fixture.engine.graph().explore(&agent("b"), &input).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("16"), "{message}");
    refused(
        fixture.engine.graph().explore(&agent("b"), &ExploreRequest::around(MemoryId(999))).await,
        ErrorCode::NotFound,
    );
}
