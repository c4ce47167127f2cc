//! Changes since the owner's last visit.

use crate::fixture::{EngineFixture, agent, owner, refused};
use engine::since_last_visit::SinceLastVisit;
use model::ErrorCode;

const MINUTE: i64 = 60;

#[tokio::test]
async fn changes_since_the_previous_visit_stay_new_until_this_one_ends() {
    let house = EngineFixture::new().await;
    house.add("codex", "before the first visit", |_| {}).await;
    assert_eq!(
        house.engine.memories().note_visit(&owner()).await.unwrap(),
        SinceLastVisit::default(),
        "on the first visit nothing is new"
    );
    house.clock.advance(60 * MINUTE);
    house.add("codex", "one", |_| {}).await;
    house.add("cursor", "two", |_| {}).await;
    house.add("cursor", "three", |_| {}).await;
    for _ in 0..3 {
        let news = house.engine.memories().note_visit(&owner()).await.unwrap();
        assert_eq!(news.memories, [("cursor".to_owned(), 2), ("codex".to_owned(), 1)]);
        house.clock.advance(10 * MINUTE);
    }
    house.clock.advance(60 * MINUTE);
    let news = house.engine.memories().note_visit(&owner()).await.unwrap();
    assert_eq!((news.memories.len(), news.since.is_some()), (0, true));
    refused(house.engine.memories().note_visit(&agent("codex")).await, ErrorCode::ConsentRequired);
}
