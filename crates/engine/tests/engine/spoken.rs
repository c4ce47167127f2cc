//! Dialect switches: which dialects answer over HTTP.

use crate::fixture::{House, owner};
use model::{Dialect, OwnerId};

#[tokio::test]
async fn a_switch_counts_at_once_where_it_was_turned() {
    let house = House::new().await;
    let speaks = async || house.engine.admin().speaks(&OwnerId::me(), Dialect::Librarian).await;
    for on in [true, false, true, false] {
        house.engine.admin().switch_dialect(&owner(), Dialect::Librarian, on).await.unwrap();
        assert_eq!(speaks().await, on);
        assert!(
            house.engine.admin().speaks(&OwnerId::me(), Dialect::Quipu).await,
            "the others still answer"
        );
    }
}

#[tokio::test]
async fn a_switch_turned_by_another_process_counts_within_a_second() {
    let house = House::new().await;
    let other = house.twin(None);
    let speaks = async || house.engine.admin().speaks(&OwnerId::me(), Dialect::Librarian).await;
    for on in [false, true] {
        assert_eq!(speaks().await, !on);
        other.admin().switch_dialect(&owner(), Dialect::Librarian, on).await.unwrap();
        house.clock.advance(1);
        assert_eq!(speaks().await, on);
    }
}

#[tokio::test]
async fn a_clock_that_was_set_back_keeps_no_old_switch() {
    let house = House::new().await;
    let other = house.twin(None);
    assert!(house.engine.admin().speaks(&OwnerId::me(), Dialect::Librarian).await);
    other.admin().switch_dialect(&owner(), Dialect::Librarian, false).await.unwrap();
    house.clock.advance(-3_600);
    assert!(!house.engine.admin().speaks(&OwnerId::me(), Dialect::Librarian).await);
}
