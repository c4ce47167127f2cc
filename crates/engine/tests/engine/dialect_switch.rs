//! Dialect switches: which dialects answer over HTTP.

use crate::fixture::{EngineFixture, owner};
use model::{Dialect, OwnerId};

#[tokio::test]
async fn a_switch_takes_effect_at_once_in_this_process() {
    let fixture = EngineFixture::new().await;
    let speaks = async || {
        fixture.engine.admin().is_dialect_enabled(&OwnerId::me(), Dialect::Librarian).await
    };
    for on in [true, false, true, false] {
        fixture.engine.admin().switch_dialect(&owner(), Dialect::Librarian, on).await.unwrap();
        assert_eq!(speaks().await, on);
        assert!(
            fixture.engine.admin().is_dialect_enabled(&OwnerId::me(), Dialect::Quipu).await,
            "the others still answer"
        );
    }
}

#[tokio::test]
async fn a_switch_by_another_process_takes_effect_within_a_second() {
    let fixture = EngineFixture::new().await;
    let other = fixture.reopen(None);
    let speaks = async || {
        fixture.engine.admin().is_dialect_enabled(&OwnerId::me(), Dialect::Librarian).await
    };
    for on in [false, true] {
        assert_eq!(speaks().await, !on);
        other.admin().switch_dialect(&owner(), Dialect::Librarian, on).await.unwrap();
        fixture.clock.advance(1);
        assert_eq!(speaks().await, on);
    }
}

#[tokio::test]
async fn after_the_clock_was_set_back_the_switch_is_read_again() {
    let fixture = EngineFixture::new().await;
    let other = fixture.reopen(None);
    assert!(fixture.engine.admin().is_dialect_enabled(&OwnerId::me(), Dialect::Librarian).await);
    other.admin().switch_dialect(&owner(), Dialect::Librarian, false).await.unwrap();
    fixture.clock.advance(-3_600);
    assert!(!fixture.engine.admin().is_dialect_enabled(&OwnerId::me(), Dialect::Librarian).await);
}
