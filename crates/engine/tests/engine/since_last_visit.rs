//! Changes since the owner's last visit.

use crate::fixture::{EngineFixture, agent, owner, refused};
use engine::since_last_visit::SinceLastVisit;
use model::ErrorCode;

const MINUTE: i64 = 60;

#[tokio::test]
async fn changes_since_the_previous_visit_stay_new_until_this_one_ends() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "before the first visit", |_| {}).await;
    assert_eq!(
        fixture.engine.memories().note_visit(&owner()).await.unwrap(),
        SinceLastVisit::default(),
        "on the first visit nothing is new"
    );
    fixture.clock.advance(60 * MINUTE);
    fixture.add("codex", "one", |_| {}).await;
    fixture.add("cursor", "two", |_| {}).await;
    fixture.add("cursor", "three", |_| {}).await;
    for _ in 0..3 {
        let news = fixture.engine.memories().note_visit(&owner()).await.unwrap();
        assert_eq!(news.memories, [("cursor".to_owned(), 2), ("codex".to_owned(), 1)]);
        fixture.clock.advance(10 * MINUTE);
    }
    fixture.clock.advance(60 * MINUTE);
    let news = fixture.engine.memories().note_visit(&owner()).await.unwrap();
    assert_eq!((news.memories.len(), news.since.is_some()), (0, true));
    refused(
        fixture.engine.memories().note_visit(&agent("codex")).await,
        ErrorCode::ConsentRequired,
    );
}
