//! Queries by conditions: current memories in the requested order.

use crate::fixture::{EngineFixture, agent, in_session, of_kind};
use engine::correct::CorrectRequest;
use engine::query::{QueryMemoriesRequest, QueryOrder};
use engine::remember::RememberRequest;
use engine::sessions::SessionRef;
use model::{MemoryId, NewSession, SessionId};
use store::Change;

async fn queried_ids(fixture: &EngineFixture, input: QueryMemoriesRequest) -> Vec<MemoryId> {
    let chosen = fixture.engine.memories().query_memories(&agent("a"), &input).await.unwrap();
    chosen.memories.iter().map(|memory| memory.id).collect()
}

fn limit_ten() -> QueryMemoriesRequest {
    QueryMemoriesRequest { limit: 10, ..QueryMemoriesRequest::default() }
}

#[tokio::test]
async fn the_newest_come_first_and_the_total_includes_what_the_limit_cuts() {
    let fixture = EngineFixture::new().await;
    let mut ids = Vec::new();
    for text in ["one", "two", "three"] {
        fixture.clock.advance(1);
        ids.push(fixture.add("a", text, |_| ()).await);
    }
    ids.reverse();
    assert_eq!(queried_ids(&fixture, limit_ten()).await, ids);
    let two = fixture
        .engine
        .memories()
        .query_memories(
            &agent("a"),
            &QueryMemoriesRequest { limit: 2, ..QueryMemoriesRequest::default() },
        )
        .await
        .unwrap();
    assert_eq!((two.memories.len(), two.total), (2, 3));
}

#[tokio::test]
async fn every_condition_must_be_met() {
    let fixture = EngineFixture::new().await;
    fixture
        .write(
            "a",
            vec![Change::StartSession(NewSession {
                id: Some(SessionId(5)),
                ..NewSession::default()
            })],
        )
        .await;
    let fact = fixture.add("a", "a fact", of_kind("fact")).await;
    let there = fixture.add("a", "in a session", in_session(SessionId(5))).await;
    let unsure = fixture.add("a", "unsure", |add| add.memory.confidence = 0.2).await;
    assert_eq!(
        queried_ids(&fixture, QueryMemoriesRequest { kinds: vec!["Fact".into()], ..limit_ten() })
            .await,
        [fact]
    );
    let session = vec![SessionRef::Id(SessionId(5))];
    assert_eq!(
        queried_ids(&fixture, QueryMemoriesRequest { sessions: session, ..limit_ten() }).await,
        [there]
    );
    assert_eq!(
        queried_ids(&fixture, QueryMemoriesRequest { confidence_max: Some(0.5), ..limit_ten() })
            .await,
        [unsure]
    );
    assert_eq!(
        queried_ids(&fixture, QueryMemoriesRequest { since: Some(fixture.now()), ..limit_ten() })
            .await
            .len(),
        3
    );
    let before = fixture.now().plus_seconds(-1);
    assert!(
        queried_ids(&fixture, QueryMemoriesRequest { until: Some(before), ..limit_ten() })
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn replaced_and_expired_memories_do_not_match() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The port is 22"))
        .await
        .unwrap()
        .id
        .unwrap();
    let new = fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(old, "The port is 2222"))
        .await
        .unwrap()
        .id
        .unwrap();
    let ends = fixture.now().plus_seconds(10);
    fixture.add("a", "soon over", |add| add.memory.valid_to = Some(ends)).await;
    fixture.clock.advance(11);
    assert_eq!(queried_ids(&fixture, limit_ten()).await, [new]);
}

#[tokio::test]
async fn a_memory_that_was_just_shown_counts_as_used() {
    let fixture = EngineFixture::new().await;
    let first = fixture.add("a", "one", |_| ()).await;
    fixture.clock.advance(1);
    fixture.add("a", "two", |_| ()).await;
    fixture.engine.memories().get(&agent("a"), &[first]).await.unwrap();
    let most = QueryMemoriesRequest { order: QueryOrder::MostUsed, ..limit_ten() };
    let found = fixture.engine.memories().query_memories(&agent("a"), &most).await.unwrap();
    assert_eq!((found.memories[0].id, found.memories[0].access.count), (first, 1));
}

#[tokio::test]
async fn an_unknown_session_has_no_memories() {
    let fixture = EngineFixture::new().await;
    fixture.add("a", "one", |_| ()).await;
    for session in [SessionRef::Id(SessionId(77)), SessionRef::Key("nowhere".to_owned())] {
        let input = QueryMemoriesRequest { sessions: vec![session], ..limit_ten() };
        let found = fixture.engine.memories().query_memories(&agent("a"), &input).await.unwrap();
        assert_eq!((found.memories.len(), found.total), (0, 0));
    }
}
