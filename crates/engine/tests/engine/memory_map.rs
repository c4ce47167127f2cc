//! The memory map: entities, and the memories that mention them, within a time range.

use crate::fixture::{EngineFixture, agent, owner};
use engine::entities::{MemoryMapRequest, RelateEntitiesRequest};
use engine::remember::{NewMemoryLink, RememberRequest};
use model::{LinkKind, MemoryId};

async fn remember(fixture: &EngineFixture, text: &str, links: Vec<NewMemoryLink>) -> MemoryId {
    let remember = RememberRequest { links, ..RememberRequest::text(text) };
    fixture.engine.memories().remember(&agent("codex"), &remember).await.unwrap().id.unwrap()
}

#[tokio::test]
async fn the_map_contains_entities_and_the_memories_that_mention_them() {
    let fixture = EngineFixture::new().await;
    let relate = RelateEntitiesRequest {
        source: "Ada Lovelace".into(),
        target: "Kiln House".into(),
        kind: "works_at".into(),
        ..RelateEntitiesRequest::default()
    };
    fixture.engine.graph().relate(&owner(), &relate).await.unwrap();
    let first = remember(&fixture, "Ada Lovelace fires the kiln on Mondays.", Vec::new()).await;
    fixture.clock.advance(86_400);
    let noon = fixture.now();
    let because = NewMemoryLink { target: first, kind: LinkKind::CausedBy, weight: 1.0 };
    let second =
        remember(&fixture, "Ada Lovelace rests on Tuesdays after firing.", vec![because]).await;
    let picture =
        |since, memories| MemoryMapRequest { memories, since, ..MemoryMapRequest::default() };

    let all = fixture.engine.graph().memory_map(&owner(), &picture(None, 100)).await.unwrap();
    let ids: Vec<MemoryId> = all.memories.iter().map(|memory| memory.id).collect();
    assert_eq!(ids, [second, first], "newest first");
    assert!(all.mentions.iter().any(|(memory, _)| *memory == first));
    assert_eq!((all.links[0].source, all.links[0].target), (second, first));
    assert_eq!(all.relations.len(), 1);

    let late =
        fixture.engine.graph().memory_map(&owner(), &picture(Some(noon), 100)).await.unwrap();
    assert_eq!(late.memories.len(), 1);
    assert!(late.entities.iter().all(|node| node.entity.last_seen >= noon), "{:?}", late.entities);
    assert!(late.relations.is_empty(), "one of its entities is outside of the time range");
    let few = fixture.engine.graph().memory_map(&owner(), &picture(None, 1)).await.unwrap();
    assert_eq!((few.memories.len(), few.cut_short), (1, true));
    assert!(
        fixture
            .engine
            .graph()
            .memory_map(&owner(), &picture(None, 0))
            .await
            .unwrap()
            .memories
            .is_empty()
    );
}

#[tokio::test]
async fn the_map_counts_the_memories_that_mention_two_entities_together() {
    let fixture = EngineFixture::new().await;
    let begun = fixture.now();
    remember(&fixture, "We saw Ada Lovelace and Grace Hopper.", Vec::new()).await;
    fixture.clock.advance(86_400);
    remember(&fixture, "Again we saw Ada Lovelace with Grace Hopper in a film.", Vec::new()).await;
    remember(&fixture, "Later we saw Ada Lovelace at Kiln House.", Vec::new()).await;
    let pairs = |co_mentions| MemoryMapRequest { co_mentions, ..MemoryMapRequest::default() };

    let map = fixture.engine.graph().memory_map(&owner(), &pairs(100)).await.unwrap();
    let name = |id| &map.entities.iter().find(|node| node.entity.id == id).unwrap().entity.name;
    let strongest = map.co_mentions[0];
    let mut names = [name(strongest.source).as_str(), name(strongest.target)];
    names.sort_unstable();
    assert_eq!(names, ["Ada Lovelace", "Grace Hopper"]);
    assert_eq!((strongest.memories, strongest.first_seen), (2, begun));
    assert_eq!(map.co_mentions.len(), 2, "{:?}", map.co_mentions);
    let few = fixture.engine.graph().memory_map(&owner(), &pairs(1)).await.unwrap();
    assert_eq!(few.co_mentions, [strongest]);
    let none = fixture.engine.graph().memory_map(&owner(), &pairs(0)).await.unwrap();
    assert_eq!(none.co_mentions, []);
}
