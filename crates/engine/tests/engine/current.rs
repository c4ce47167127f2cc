//! The current session of a caller, for dialects whose tools name none.

use crate::fixture::{EngineFixture, agent};
use engine::Caller;
use engine::remember::RememberRequest;
use engine::sessions::{EndSessionRequest, SessionRef, StartSessionRequest};
use model::SessionId;

async fn current_id(house: &EngineFixture, caller: &Caller) -> Option<SessionId> {
    house.engine.sessions().current(caller).await.unwrap().map(|session| session.id)
}

async fn write(house: &EngineFixture, caller: &Caller, text: &str) -> SessionId {
    let session = Some(house.engine.sessions().session_to_join(caller).await.unwrap());
    let input = RememberRequest { session, chained: true, ..RememberRequest::text(text) };
    house.engine.memories().remember(caller, &input).await.unwrap().session.unwrap()
}

fn in_client_session(key: &str) -> Caller {
    let mut caller = agent("a");
    caller.environment.session = Some(key.into());
    caller
}

#[tokio::test]
async fn the_first_write_starts_a_session_and_the_next_join_it() {
    let house = EngineFixture::new().await;
    assert_eq!(current_id(&house, &agent("a")).await, None);
    let session = write(&house, &agent("a"), "one").await;
    assert_eq!(write(&house, &agent("a"), "two").await, session);
    assert_eq!(current_id(&house, &agent("a")).await, Some(session));
    assert_ne!(write(&house, &agent("b"), "three").await, session);
}

#[tokio::test]
async fn another_process_knows_the_current_session() {
    let house = EngineFixture::new().await;
    let begun =
        house.engine.sessions().enter(&agent("a"), &StartSessionRequest::default()).await.unwrap();
    let twin = house.reopen(None);
    assert_eq!(twin.sessions().current(&agent("a")).await.unwrap().unwrap().id, begun.session.id);
}

#[tokio::test]
async fn a_client_that_names_its_session_is_in_it_until_it_starts_another() {
    let house = EngineFixture::new().await;
    let caller = in_client_session("window 1");
    let own = write(&house, &caller, "one").await;
    let begun =
        house.engine.sessions().enter(&caller, &StartSessionRequest::default()).await.unwrap();
    assert_ne!(begun.session.id, own, "its own had started already");
    assert_eq!(write(&house, &caller, "two").await, begun.session.id);
    assert_ne!(write(&house, &in_client_session("window 2"), "three").await, begun.session.id);
    house.engine.sessions().leave(&caller).await.unwrap();
    assert_eq!(write(&house, &caller, "four").await, own);
}

#[tokio::test]
async fn a_given_session_can_be_resumed() {
    let house = EngineFixture::new().await;
    let first = write(&house, &agent("a"), "one").await;
    house.engine.sessions().enter(&agent("a"), &StartSessionRequest::default()).await.unwrap();
    let back = StartSessionRequest {
        session: Some(SessionRef::Id(first)),
        ..StartSessionRequest::default()
    };
    assert!(house.engine.sessions().enter(&agent("a"), &back).await.unwrap().resumed);
    assert_eq!(write(&house, &agent("a"), "two").await, first);
}

#[tokio::test]
async fn a_chain_links_each_memory_to_the_previous_one_and_a_duplicate_to_none() {
    let house = EngineFixture::new().await;
    let session = Some(house.engine.sessions().session_to_join(&agent("a")).await.unwrap());
    let chained = |text: &str| RememberRequest {
        session: session.clone(),
        chained: true,
        ..RememberRequest::text(text)
    };
    let first = house.engine.memories().remember(&agent("a"), &chained("one")).await.unwrap();
    let second = house.engine.memories().remember(&agent("a"), &chained("two")).await.unwrap();
    assert_eq!((first.follows, second.follows), (None, first.id));
    let again = house.engine.memories().remember(&agent("a"), &chained("two")).await.unwrap();
    assert_eq!((again.id, again.follows), (second.id, None));
}

#[tokio::test]
async fn a_write_after_the_end_starts_another_session_and_ending_twice_is_allowed() {
    let house = EngineFixture::new().await;
    for caller in [agent("a"), in_client_session("window 1")] {
        let session =
            write(&house, &caller, &format!("one of {:?}", caller.environment.session)).await;
        let end = EndSessionRequest {
            session: Some(SessionRef::Id(session)),
            ..EndSessionRequest::default()
        };
        house.engine.sessions().end(&caller, &end).await.unwrap();
        assert_eq!(current_id(&house, &caller).await, Some(session), "until something is written");
        let after =
            write(&house, &caller, &format!("two of {:?}", caller.environment.session)).await;
        assert_ne!(after, session);
        assert_eq!(current_id(&house, &caller).await, Some(after));
    }
}
