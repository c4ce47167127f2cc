//! Titles are part of what a memory states: equal texts under different titles are different
//! memories, and none of them replaces, hides or takes along another.

use crate::fixture::{EngineFixture, agent, owner};
use engine::forget::ForgetRequest;
use engine::recall::RecallRequest;
use engine::remember::{RememberOutcome, RememberRequest, RememberStatus};
use model::{MemoryId, Status};

async fn note(fixture: &EngineFixture, title: &str, text: &str) -> RememberOutcome {
    let input = RememberRequest { title: Some(title.into()), ..RememberRequest::text(text) };
    fixture.engine.memories().remember(&agent("scribe"), &input).await.unwrap()
}

async fn status_of(fixture: &EngineFixture, memory: Option<MemoryId>) -> Status {
    let details = fixture.engine.memories().get_details(&owner(), memory.unwrap()).await.unwrap();
    details.memory.status
}

#[tokio::test]
async fn another_value_under_another_title_replaces_nothing() {
    let fixture = EngineFixture::new().await;
    for (one, other) in [
        (("Alpha service", "Retention is 30 days."), ("Beta service", "Retention is 90 days.")),
        (
            ("Staging database", "Host is blue.example"),
            ("Production database", "Host is red.example"),
        ),
        (("Alice", "Her birthday is 3 May. She lives in Porto."), ("Eve", "She lives in Faro.")),
        (("Kiln", "It is not in use."), ("Press", "It is in use.")),
    ] {
        let first = note(&fixture, one.0, one.1).await;
        let second = note(&fixture, other.0, other.1).await;
        assert_eq!(second.status, RememberStatus::Created, "{other:?}");
        assert!(second.replaced.is_empty() && second.conflicts.is_empty(), "{second:?}");
        assert_eq!(status_of(&fixture, first.id).await, Status::Active, "{one:?}");
    }
}

#[tokio::test]
async fn another_value_under_the_same_title_replaces_the_earlier_one() {
    let fixture = EngineFixture::new().await;
    let first = note(&fixture, "Alpha service", "Retention is 30 days.").await;
    let second = note(&fixture, "Alpha service", "Retention is 60 days.").await;
    assert_eq!(second.replaced.len(), 1, "{second:?}");
    assert_eq!(status_of(&fixture, first.id).await, Status::Superseded);
}

#[tokio::test]
async fn an_untitled_statement_replaces_what_a_title_and_its_text_say_together() {
    let fixture = EngineFixture::new().await;
    let first = note(&fixture, "Alpha service", "Retention is 30 days.").await;
    let later = RememberRequest::text("Alpha service retention is 90 days.");
    fixture.engine.memories().remember(&agent("scribe"), &later).await.unwrap();
    assert_eq!(status_of(&fixture, first.id).await, Status::Superseded);
}

#[tokio::test]
async fn equal_texts_under_different_titles_are_stored_and_recalled_apart() {
    let fixture = EngineFixture::new().await;
    for title in ["Crane A", "Crane B", "Crane C"] {
        let noted = note(&fixture, title, "It stands in the northern yard.").await;
        assert_eq!(noted.status, RememberStatus::Created, "{title}");
    }
    let again = note(&fixture, "crane b", "It stands in the northern yard.").await;
    assert_eq!(again.status, RememberStatus::Duplicate);
    let query = RecallRequest::query("northern yard");
    let recalled = fixture.engine.memories().recall(&owner(), &query).await.unwrap();
    assert_eq!(recalled.hits.len(), 3, "{recalled:?}");
}

#[tokio::test]
async fn a_text_that_stands_under_several_titles_deletes_none_of_them() {
    let fixture = EngineFixture::new().await;
    note(&fixture, "Crane A", "It stands in the northern yard.").await;
    note(&fixture, "Crane B", "It stands in the northern yard.").await;
    let found = async |text: &str| {
        let found = fixture.engine.memories().forget_candidates(&owner(), text).await.unwrap();
        let same = found.into_iter().filter(|one| one.same);
        same.map(|one| one.memory.title.unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(found("It stands in the northern yard.").await, Vec::<String>::new());
    assert_eq!(found("Crane B: It stands in the northern yard.").await, ["Crane B"]);
    let input = ForgetRequest { memories: vec![MemoryId(1)], ..ForgetRequest::default() };
    fixture.engine.memories().forget(&owner(), &input).await.unwrap();
    assert_eq!(found("It stands in the northern yard.").await, ["Crane B"], "only one has it now");
}
