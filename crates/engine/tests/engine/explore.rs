//! Exploring links: causes, consequences, neighbours and paths.

use crate::fixture::{House, agent, refused};
use engine::explore::Explore;
use engine::remember::{NewLink, Remember};
use model::{ErrorCode, LinkKind, MemoryId};

async fn linked(house: &House, text: &str, to: &[(MemoryId, LinkKind)]) -> MemoryId {
    let links = to
        .iter()
        .map(|(target, kind)| NewLink { target: *target, kind: *kind, weight: 1.0 })
        .collect();
    let input = Remember { links, ..Remember::text(text) };
    house.engine.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap()
}

fn ids(explored: &engine::explore::Explored) -> Vec<MemoryId> {
    explored.visits.iter().map(|(memory, _)| memory.id).collect()
}

#[tokio::test]
async fn causes_and_consequences_are_the_same_links_walked_both_ways() {
    let house = House::new().await;
    let root = linked(&house, "The disk filled up", &[]).await;
    let middle = linked(&house, "The database stopped", &[(root, LinkKind::CausedBy)]).await;
    let leaf = linked(&house, "Orders failed", &[(middle, LinkKind::CausedBy)]).await;
    let causes = house.engine.graph().explore(&agent("b"), &Explore::causes(leaf)).await.unwrap();
    assert_eq!(ids(&causes), [leaf, middle, root]);
    let consequences =
        house.engine.graph().explore(&agent("b"), &Explore::consequences(root)).await.unwrap();
    assert_eq!(ids(&consequences), [root, middle, leaf]);
}

#[tokio::test]
async fn a_path_joins_two_memories_whichever_way_the_links_point() {
    let house = House::new().await;
    let a = linked(&house, "Alpha fact", &[]).await;
    let b = linked(&house, "Beta fact", &[(a, LinkKind::Supports)]).await;
    let c = linked(&house, "Gamma fact", &[(b, LinkKind::RelatedTo)]).await;
    let island = linked(&house, "An island", &[]).await;
    let (memories, edges) = house.engine.graph().path(&agent("b"), a, c).await.unwrap().unwrap();
    assert_eq!(memories.iter().map(|memory| memory.id).collect::<Vec<_>>(), [a, b, c]);
    assert_eq!(edges.len(), 2);
    assert!(house.engine.graph().path(&agent("b"), a, island).await.unwrap().is_none());
}

#[tokio::test]
async fn depth_and_limit_bound_the_walk() {
    let house = House::new().await;
    let hub = linked(&house, "The hub", &[]).await;
    for number in 0..30 {
        linked(&house, &format!("Spoke number {number}"), &[(hub, LinkKind::PartOf)]).await;
    }
    let mut input = Explore::around(hub);
    input.limit = Some(5);
    assert_eq!(house.engine.graph().explore(&agent("b"), &input).await.unwrap().visits.len(), 5);
    input.depth = Some(99);
    let message = refused(
        house.engine.graph().explore(&agent("b"), &input).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("16"), "{message}");
    refused(
        house.engine.graph().explore(&agent("b"), &Explore::around(MemoryId(999))).await,
        ErrorCode::NotFound,
    );
}
