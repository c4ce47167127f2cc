//! Corrections: the newest one wins, whichever version it names.

use crate::fixture::{EngineFixture, agent, owner, refused};
use engine::correct::CorrectRequest;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::sessions::SessionRef;
use model::{ErrorCode, MemoryId, Status};

async fn texts(fixture: &EngineFixture, query: &str) -> Vec<String> {
    let found =
        fixture.engine.memories().recall(&agent("a"), &RecallRequest::query(query)).await.unwrap();
    found.hits.into_iter().map(|hit| hit.memory.text).collect()
}

#[tokio::test]
async fn a_correction_replaces_what_it_corrects() {
    let fixture = EngineFixture::new().await;
    let mut input = RememberRequest::text("The office is in Toronto");
    input.tags = vec!["office".into()];
    input.kind = Some("fact".into());
    let old = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap();
    let mut correction = CorrectRequest::new(old, "The office is in Montreal");
    correction.reason = Some("we moved".into());
    let new = fixture.engine.memories().correct(&agent("a"), &correction).await.unwrap();
    assert_eq!(texts(&fixture, "where is the office").await, ["The office is in Montreal"]);
    let memory = fixture.memory(new.id.unwrap()).await;
    assert_eq!(memory.tags, ["office"]);
    assert_eq!(memory.kind.as_str(), "fact");
    assert_eq!(memory.metadata["reason"], "we moved");
    assert!(new.conflicts.is_empty(), "a correction does not contradict what it corrects");
}

#[tokio::test]
async fn a_correction_stays_in_the_session_of_what_it_corrects() {
    let fixture = EngineFixture::new().await;
    let session = Some(SessionRef::Key("firing".into()));
    let input = RememberRequest { session, ..RememberRequest::text("The kiln takes nine hours") };
    let old = fixture.engine.memories().remember(&agent("a"), &input).await.unwrap().id.unwrap();
    let correction = CorrectRequest::new(old, "The kiln takes ten hours");
    let new = fixture.engine.memories().correct(&owner(), &correction).await.unwrap();
    let (old, new) = (fixture.memory(old).await, fixture.memory(new.id.unwrap()).await);
    assert!(old.session.is_some());
    assert_eq!(new.session, old.session);
}

#[tokio::test]
async fn correcting_the_first_version_again_replaces_the_second_too() {
    let fixture = EngineFixture::new().await;
    let first = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The office is in Toronto"))
        .await
        .unwrap()
        .id
        .unwrap();
    let second = fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(first, "The office is in Vancouver"))
        .await
        .unwrap();
    let third = fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(first, "The office is in Montreal"))
        .await
        .unwrap();
    assert_eq!(texts(&fixture, "office").await, ["The office is in Montreal"]);
    let versions = fixture.engine.memories().versions(&agent("a"), first).await.unwrap();
    assert_eq!(versions.latest, third.id.unwrap());
    let states: Vec<Status> = versions.all.iter().map(|memory| memory.status).collect();
    assert_eq!(states, [Status::Superseded, Status::Superseded, Status::Active]);
    assert_eq!(versions.all[1].id, second.id.unwrap());
}

#[tokio::test]
async fn every_version_leads_to_the_latest() {
    let fixture = EngineFixture::new().await;
    let first = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("Version one"))
        .await
        .unwrap()
        .id
        .unwrap();
    let second = fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(first, "Version two"))
        .await
        .unwrap()
        .id
        .unwrap();
    let third = fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(second, "Version three"))
        .await
        .unwrap()
        .id
        .unwrap();
    for id in [first, second, third] {
        assert_eq!(
            fixture.engine.memories().versions(&agent("a"), id).await.unwrap().latest,
            third
        );
    }
}

#[tokio::test]
async fn as_of_returns_the_earlier_version() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The port is 22"))
        .await
        .unwrap()
        .id
        .unwrap();
    let then = fixture.now();
    fixture.clock.advance(3_600);
    fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(old, "The port is 2222"))
        .await
        .unwrap();
    let recall = RecallRequest { as_of: Some(then), ..RecallRequest::query("port") };
    let found = fixture.engine.memories().recall(&agent("a"), &recall).await.unwrap();
    let texts: Vec<&str> = found.hits.iter().map(|hit| hit.memory.text.as_str()).collect();
    assert_eq!(texts, ["The port is 22"]);
}

#[tokio::test]
async fn correcting_nothing_or_with_nothing_is_refused() {
    let fixture = EngineFixture::new().await;
    refused(
        fixture
            .engine
            .memories()
            .correct(&agent("a"), &CorrectRequest::new(MemoryId(9), "x"))
            .await,
        ErrorCode::NotFound,
    );
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("Same"))
        .await
        .unwrap()
        .id
        .unwrap();
    let message = refused(
        fixture.engine.memories().correct(&agent("a"), &CorrectRequest::new(old, "Same")).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("already"), "{message}");
}

#[tokio::test]
async fn a_correction_of_case_title_or_kind_alone_is_stored() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("we use postgresql"))
        .await
        .unwrap();
    let mut held = old.id.unwrap();
    for correct in [
        CorrectRequest::new(held, "We use PostgreSQL"),
        CorrectRequest {
            title: Some("Database".into()),
            ..CorrectRequest::new(held, "We use PostgreSQL")
        },
        CorrectRequest {
            kind: Some("decision".into()),
            ..CorrectRequest::new(held, "We use PostgreSQL")
        },
    ] {
        let corrected = fixture
            .engine
            .memories()
            .correct(&agent("a"), &CorrectRequest { memory: held, ..correct })
            .await
            .unwrap();
        assert!(corrected.superseded.contains(&held), "{corrected:?}");
        assert_ne!(corrected.id, Some(held));
        held = corrected.id.unwrap();
    }
    let held = fixture.engine.memories().get(&agent("a"), &[held]).await.unwrap().remove(0);
    assert_eq!(
        (held.text.as_str(), held.title.as_deref()),
        ("We use PostgreSQL", Some("Database"))
    );
    assert_eq!(held.kind.as_str(), "decision");
    assert_eq!(texts(&fixture, "which database do we use").await, ["We use PostgreSQL"]);
}

#[tokio::test]
async fn a_retried_correction_is_stored_once() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("the port is 22"))
        .await
        .unwrap()
        .id
        .unwrap();
    let correct = CorrectRequest::new(old, "The port is 22");
    let first = fixture.engine.memories().correct(&agent("a"), &correct).await.unwrap();
    let second = fixture.engine.memories().correct(&agent("a"), &correct).await.unwrap();
    assert_eq!(first.id, second.id);
}
