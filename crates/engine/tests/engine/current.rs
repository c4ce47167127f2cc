//! The current session of a caller, for dialects whose tools name none.

use crate::fixture::{House, agent};
use engine::Caller;
use engine::remember::Remember;
use engine::sessions::{EndSession, SessionRef, StartSession};
use model::SessionId;

async fn number(house: &House, caller: &Caller) -> Option<SessionId> {
    house.engine.sessions().current(caller).await.unwrap().map(|session| session.id)
}

async fn write(house: &House, caller: &Caller, text: &str) -> SessionId {
    let session = Some(house.engine.sessions().session_to_join(caller).await.unwrap());
    let input = Remember { session, chained: true, ..Remember::text(text) };
    house.engine.memories().remember(caller, &input).await.unwrap().session.unwrap()
}

fn in_client_session(key: &str) -> Caller {
    let mut caller = agent("a");
    caller.surroundings.session = Some(key.into());
    caller
}

#[tokio::test]
async fn the_first_write_begins_a_session_and_the_next_stay_in_it() {
    let house = House::new().await;
    assert_eq!(number(&house, &agent("a")).await, None);
    let session = write(&house, &agent("a"), "one").await;
    assert_eq!(write(&house, &agent("a"), "two").await, session);
    assert_eq!(number(&house, &agent("a")).await, Some(session));
    assert_ne!(write(&house, &agent("b"), "three").await, session);
}

#[tokio::test]
async fn another_process_knows_where_the_caller_is() {
    let house = House::new().await;
    let begun = house.engine.sessions().enter(&agent("a"), &StartSession::default()).await.unwrap();
    let twin = house.twin(None);
    assert_eq!(twin.sessions().current(&agent("a")).await.unwrap().unwrap().id, begun.session.id);
}

#[tokio::test]
async fn a_client_that_names_its_session_is_in_it_until_it_starts_another() {
    let house = House::new().await;
    let caller = in_client_session("window 1");
    let own = write(&house, &caller, "one").await;
    let begun = house.engine.sessions().enter(&caller, &StartSession::default()).await.unwrap();
    assert_ne!(begun.session.id, own, "its own had started already");
    assert_eq!(write(&house, &caller, "two").await, begun.session.id);
    assert_ne!(write(&house, &in_client_session("window 2"), "three").await, begun.session.id);
    house.engine.sessions().leave(&caller).await.unwrap();
    assert_eq!(write(&house, &caller, "four").await, own);
}

#[tokio::test]
async fn a_session_of_ones_choice_may_be_taken_up_again() {
    let house = House::new().await;
    let first = write(&house, &agent("a"), "one").await;
    house.engine.sessions().enter(&agent("a"), &StartSession::default()).await.unwrap();
    let back = StartSession { session: Some(SessionRef::Id(first)), ..StartSession::default() };
    assert!(house.engine.sessions().enter(&agent("a"), &back).await.unwrap().taken_up);
    assert_eq!(write(&house, &agent("a"), "two").await, first);
}

#[tokio::test]
async fn a_chain_ties_each_memory_to_the_one_before_and_a_repetition_to_nothing() {
    let house = House::new().await;
    let session = Some(house.engine.sessions().session_to_join(&agent("a")).await.unwrap());
    let chained =
        |text: &str| Remember { session: session.clone(), chained: true, ..Remember::text(text) };
    let first = house.engine.memories().remember(&agent("a"), &chained("one")).await.unwrap();
    let second = house.engine.memories().remember(&agent("a"), &chained("two")).await.unwrap();
    assert_eq!((first.follows, second.follows), (None, first.id));
    let again = house.engine.memories().remember(&agent("a"), &chained("two")).await.unwrap();
    assert_eq!((again.id, again.follows), (second.id, None));
}

#[tokio::test]
async fn what_is_written_after_an_end_begins_another_session_and_a_retried_end_is_answered() {
    let house = House::new().await;
    for caller in [agent("a"), in_client_session("window 1")] {
        let session =
            write(&house, &caller, &format!("one of {:?}", caller.surroundings.session)).await;
        let end = EndSession { session: Some(SessionRef::Id(session)), ..EndSession::default() };
        house.engine.sessions().end(&caller, &end).await.unwrap();
        assert_eq!(number(&house, &caller).await, Some(session), "until something is written");
        let after =
            write(&house, &caller, &format!("two of {:?}", caller.surroundings.session)).await;
        assert_ne!(after, session);
        assert_eq!(number(&house, &caller).await, Some(after));
    }
}
