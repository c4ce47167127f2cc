//! Queries by conditions: current memories in the requested order.

use crate::fixture::{House, agent, in_session, of_kind, refused};
use engine::choose::{Choose, Order};
use engine::correct::Correct;
use engine::remember::Remember;
use engine::sessions::SessionRef;
use model::{ErrorCode, MemoryId, NewSession, SessionId};
use store::Change;

async fn chosen(house: &House, input: Choose) -> Vec<MemoryId> {
    let chosen = house.engine.memories().choose(&agent("a"), &input).await.unwrap();
    chosen.memories.iter().map(|memory| memory.id).collect()
}

fn ten() -> Choose {
    Choose { limit: 10, ..Choose::default() }
}

#[tokio::test]
async fn the_newest_come_first_and_the_total_counts_what_is_cut() {
    let house = House::new().await;
    let mut ids = Vec::new();
    for text in ["one", "two", "three"] {
        house.clock.advance(1);
        ids.push(house.add("a", text, |_| ()).await);
    }
    ids.reverse();
    assert_eq!(chosen(&house, ten()).await, ids);
    let two = house
        .engine
        .memories()
        .choose(&agent("a"), &Choose { limit: 2, ..Choose::default() })
        .await
        .unwrap();
    assert_eq!((two.memories.len(), two.total), (2, 3));
}

#[tokio::test]
async fn every_condition_must_be_met() {
    let house = House::new().await;
    house
        .write(
            "a",
            vec![Change::StartSession(NewSession {
                id: Some(SessionId(5)),
                ..NewSession::default()
            })],
        )
        .await;
    let fact = house.add("a", "a fact", of_kind("fact")).await;
    let there = house.add("a", "in a session", in_session(SessionId(5))).await;
    let unsure = house.add("a", "unsure", |add| add.memory.confidence = 0.2).await;
    assert_eq!(chosen(&house, Choose { kinds: vec!["Fact".into()], ..ten() }).await, [fact]);
    let session = vec![SessionRef::Id(SessionId(5))];
    assert_eq!(chosen(&house, Choose { sessions: session, ..ten() }).await, [there]);
    assert_eq!(chosen(&house, Choose { confidence_max: Some(0.5), ..ten() }).await, [unsure]);
    assert_eq!(chosen(&house, Choose { since: Some(house.now()), ..ten() }).await.len(), 3);
    let before = house.now().plus_seconds(-1);
    assert!(chosen(&house, Choose { until: Some(before), ..ten() }).await.is_empty());
}

#[tokio::test]
async fn what_was_replaced_or_has_expired_is_not_chosen() {
    let house = House::new().await;
    let old = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("The port is 22"))
        .await
        .unwrap()
        .id
        .unwrap();
    let new = house
        .engine
        .memories()
        .correct(&agent("a"), &Correct::new(old, "The port is 2222"))
        .await
        .unwrap()
        .id
        .unwrap();
    let ends = house.now().plus_seconds(10);
    house.add("a", "soon over", |add| add.memory.valid_to = Some(ends)).await;
    house.clock.advance(11);
    assert_eq!(chosen(&house, ten()).await, [new]);
}

#[tokio::test]
async fn what_was_shown_a_moment_ago_counts_as_used() {
    let house = House::new().await;
    let first = house.add("a", "one", |_| ()).await;
    house.clock.advance(1);
    house.add("a", "two", |_| ()).await;
    house.engine.memories().get(&agent("a"), &[first]).await.unwrap();
    let most = Choose { order: Order::MostUsed, ..ten() };
    let found = house.engine.memories().choose(&agent("a"), &most).await.unwrap();
    assert_eq!((found.memories[0].id, found.memories[0].access.count), (first, 1));
}

#[tokio::test]
async fn a_session_that_is_not_there_is_an_error_and_not_an_empty_list() {
    let house = House::new().await;
    let input = Choose { sessions: vec![SessionRef::Id(SessionId(77))], ..ten() };
    assert!(
        refused(house.engine.memories().choose(&agent("a"), &input).await, ErrorCode::NotFound)
            .contains("77")
    );
}
