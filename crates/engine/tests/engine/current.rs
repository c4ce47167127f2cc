//! The current session of a caller, for dialects whose tools name none.

use crate::fixture::{EngineFixture, agent};
use engine::Caller;
use engine::remember::RememberRequest;
use engine::sessions::{EndSessionRequest, SessionRef, StartSessionRequest};
use model::SessionId;

async fn current_id(fixture: &EngineFixture, caller: &Caller) -> Option<SessionId> {
    fixture.engine.sessions().current(caller).await.unwrap().map(|session| session.id)
}

async fn write(fixture: &EngineFixture, caller: &Caller, text: &str) -> SessionId {
    let session = Some(fixture.engine.sessions().session_to_join(caller).await.unwrap());
    let input = RememberRequest { session, chained: true, ..RememberRequest::text(text) };
    fixture.engine.memories().remember(caller, &input).await.unwrap().session.unwrap()
}

fn in_client_session(key: &str) -> Caller {
    let mut caller = agent("a");
    caller.environment.session = Some(key.into());
    caller
}

#[tokio::test]
async fn the_first_write_starts_a_session_and_the_next_join_it() {
    let fixture = EngineFixture::new().await;
    assert_eq!(current_id(&fixture, &agent("a")).await, None);
    let session = write(&fixture, &agent("a"), "one").await;
    assert_eq!(write(&fixture, &agent("a"), "two").await, session);
    assert_eq!(current_id(&fixture, &agent("a")).await, Some(session));
    assert_ne!(write(&fixture, &agent("b"), "three").await, session);
}

#[tokio::test]
async fn another_process_knows_the_current_session() {
    let fixture = EngineFixture::new().await;
    let begun = fixture
        .engine
        .sessions()
        .enter(&agent("a"), &StartSessionRequest::default())
        .await
        .unwrap();
    let twin = fixture.reopen(None);
    assert_eq!(twin.sessions().current(&agent("a")).await.unwrap().unwrap().id, begun.session.id);
}

#[tokio::test]
async fn a_client_that_names_its_session_is_in_it_until_it_starts_another() {
    let fixture = EngineFixture::new().await;
    let caller = in_client_session("window 1");
    let own = write(&fixture, &caller, "one").await;
    let begun =
        fixture.engine.sessions().enter(&caller, &StartSessionRequest::default()).await.unwrap();
    assert_ne!(begun.session.id, own, "its own had started already");
    assert_eq!(write(&fixture, &caller, "two").await, begun.session.id);
    assert_ne!(write(&fixture, &in_client_session("window 2"), "three").await, begun.session.id);
    fixture.engine.sessions().leave(&caller).await.unwrap();
    assert_eq!(write(&fixture, &caller, "four").await, own);
}

#[tokio::test]
async fn a_given_session_can_be_resumed() {
    let fixture = EngineFixture::new().await;
    let first = write(&fixture, &agent("a"), "one").await;
    fixture.engine.sessions().enter(&agent("a"), &StartSessionRequest::default()).await.unwrap();
    let back = StartSessionRequest {
        session: Some(SessionRef::Id(first)),
        ..StartSessionRequest::default()
    };
    assert!(fixture.engine.sessions().enter(&agent("a"), &back).await.unwrap().resumed);
    assert_eq!(write(&fixture, &agent("a"), "two").await, first);
}

#[tokio::test]
async fn a_chain_links_each_memory_to_the_previous_one_and_a_duplicate_to_none() {
    let fixture = EngineFixture::new().await;
    let session = Some(fixture.engine.sessions().session_to_join(&agent("a")).await.unwrap());
    let chained = |text: &str| RememberRequest {
        session: session.clone(),
        chained: true,
        ..RememberRequest::text(text)
    };
    let first = fixture.engine.memories().remember(&agent("a"), &chained("one")).await.unwrap();
    let second = fixture.engine.memories().remember(&agent("a"), &chained("two")).await.unwrap();
    assert_eq!((first.follows, second.follows), (None, first.id));
    let again = fixture.engine.memories().remember(&agent("a"), &chained("two")).await.unwrap();
    assert_eq!((again.id, again.follows), (second.id, None));
}

#[tokio::test]
async fn a_write_after_the_end_starts_another_session_and_ending_twice_is_allowed() {
    let fixture = EngineFixture::new().await;
    for caller in [agent("a"), in_client_session("window 1")] {
        let session =
            write(&fixture, &caller, &format!("one of {:?}", caller.environment.session)).await;
        let end = EndSessionRequest {
            session: Some(SessionRef::Id(session)),
            ..EndSessionRequest::default()
        };
        fixture.engine.sessions().end(&caller, &end).await.unwrap();
        assert_eq!(
            current_id(&fixture, &caller).await,
            Some(session),
            "until something is written"
        );
        let after =
            write(&fixture, &caller, &format!("two of {:?}", caller.environment.session)).await;
        assert_ne!(after, session);
        assert_eq!(current_id(&fixture, &caller).await, Some(after));
    }
}
