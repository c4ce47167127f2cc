//! Forgotten text is in no byte of any file: whatever was made from it, whichever way it changed.

use crate::fixture::{EngineFixture, agent, fields, owner};
use engine::Engine;
use engine::correct::CorrectRequest;
use engine::entities::PutEntityRequest;
use engine::forget::ForgetRequest;
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use engine::remember::{NewRow, RememberOutcome, RememberRequest};
use engine::review::{FlagMemoryRequest, ListReviewsRequest, ResolveReviewRequest};
use engine::sessions::{EndSessionRequest, SessionRef, StartSessionRequest};
use engine::tables::UpdateRowRequest;
use model::{Memory, MemoryId, Resolution};
use serde_json::json;
use std::path::Path;

// A stem, so that the words of an index are found too.
const WORD: &str = "xylophon";

/// Counts the occurrences of the word in all files below a directory, in any case.
fn occurrences(directory: &Path) -> usize {
    let in_file = |path: &Path| {
        let bytes = std::fs::read(path).unwrap().to_ascii_lowercase();
        bytes.windows(WORD.len()).filter(|window| *window == WORD.as_bytes()).count()
    };
    let entries = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { occurrences(&path) } else { in_file(&path) }).sum()
}

/// Creates enough memories for a snapshot.
async fn filled_fixture() -> EngineFixture {
    let fixture = EngineFixture::new().await;
    let add = |number| fixture.add_change("a", &format!("Service {number} runs"), |_| {});
    fixture.write("a", (0..600).map(add).collect()).await;
    fixture
}

async fn remember(engine: &Engine, input: &RememberRequest) -> RememberOutcome {
    engine.memories().remember(&agent("a"), input).await.unwrap()
}

async fn recall(engine: &Engine, query: &str) -> Vec<Memory> {
    let input = RecallRequest::query(query);
    let found = engine.memories().recall(&owner(), &input).await.unwrap();
    found.hits.into_iter().map(|hit| hit.memory).collect()
}

async fn forget(engine: &Engine, ids: Vec<MemoryId>) {
    let input = ForgetRequest { memories: ids, ..ForgetRequest::default() };
    let done = engine.memories().forget(&owner(), &input).await.unwrap();
    assert!(done.receipt.is_some());
}

/// Remembers something in a session, corrects it twice, flags it and tells an entity about it, and
/// ends the session without a summary.
async fn tell_in_a_session(engine: &Engine) -> MemoryId {
    let caller = agent("a");
    let started = engine.sessions().start(&caller, &StartSessionRequest::default()).await.unwrap();
    let session = Some(SessionRef::Id(started.session.id));
    let within =
        |text: &str| RememberRequest { session: session.clone(), ..RememberRequest::text(text) };
    let first = remember(engine, &within("The xylophonist upstairs plays at nine.")).await;
    remember(engine, &within("The house has four floors.")).await;
    let end = EndSessionRequest { session, ..EndSessionRequest::default() };
    let episode = engine.sessions().end(&caller, &end).await.unwrap().episode.unwrap();
    assert!(episode.text.contains(WORD));
    let mut newest = first.id.unwrap();
    for text in ["The xylophonist plays at ten.", "The Xylophonists play at eleven."] {
        let corrected = CorrectRequest::new(newest, text);
        newest = engine.memories().correct(&caller, &corrected).await.unwrap().id.unwrap();
    }
    let entity = PutEntityRequest {
        name: "The xylophonist".into(),
        observations: vec!["plays the xylophone".into()],
        memory: Some(newest),
        ..PutEntityRequest::default()
    };
    engine.graph().put_entity(&caller, &entity).await.unwrap();
    let flag = FlagMemoryRequest { memory: newest, reason: "no xylophone is heard".into() };
    engine.reviews().flag(&caller, &flag).await.unwrap();
    newest
}

/// Remembers a row and changes it.
async fn tell_in_a_row(engine: &Engine) -> MemoryId {
    let data = fields(json!({"what": "xylophone concert", "seats": 40}));
    let row = NewRow { table: "events".into(), description: None, data };
    let input = RememberRequest { row: Some(row), ..RememberRequest::default() };
    let (table, row) = remember(engine, &input).await.row.unwrap();
    let patch = fields(json!({"what": "two xylophones"}));
    let update = UpdateRowRequest { table, row, patch, text: None };
    engine.tables().update_row(&agent("a"), &update).await.unwrap().memory.unwrap()
}

/// Sets a field of the profile, and has an agent's proposal to change it confirmed.
async fn tell_in_the_profile(engine: &Engine) -> MemoryId {
    let patch = |value: &str| PatchProfileRequest {
        patch: fields(json!({"hobby": {"instrument": value}})),
        reason: Some(format!("bought: {value}")),
    };
    engine.profile().patch(&owner(), &patch("a small xylophone")).await.unwrap();
    let proposed = engine.profile().patch(&agent("a"), &patch("a large xylophone")).await.unwrap();
    let review = proposed.review.expect("the owner decides");
    let decision = ResolveReviewRequest::new(review, Resolution::Confirm);
    engine.reviews().resolve(&owner(), &decision).await.unwrap();
    let listed = ListReviewsRequest { decided: true, ..ListReviewsRequest::default() };
    assert!(engine.reviews().list(&owner(), &listed).await.unwrap().total > 0);
    let found = recall(engine, "hobby instrument").await;
    found.iter().find(|memory| memory.collection == "profile").unwrap().id
}

#[tokio::test]
async fn forgotten_text_is_in_no_file_whatever_was_made_from_it() {
    let fixture = filled_fixture().await;
    let engine = fixture.reopen(Some(fixture.path("view.snapshot")));
    let ids = vec![
        tell_in_a_session(&engine).await,
        tell_in_a_row(&engine).await,
        tell_in_the_profile(&engine).await,
    ];
    engine.flush().await;
    assert!(fixture.path("view.snapshot").exists());
    let home = fixture.path("");
    assert!(occurrences(&home) > 10, "the word is in the files at first");
    forget(&engine, ids).await;
    engine.flush().await;
    assert_eq!(occurrences(&home), 0);
    let left = recall(&engine, "how many floors?").await;
    assert_eq!(left[0].text, "The house has four floors.");
}

#[tokio::test]
async fn a_process_with_an_older_view_does_not_write_forgotten_words_back() {
    let fixture = filled_fixture().await;
    let path = fixture.path("view.snapshot");
    let (other, engine) = (fixture.reopen(Some(path.clone())), fixture.reopen(Some(path.clone())));
    let id = remember(&engine, &RememberRequest::text("The xylophonist plays.")).await.id.unwrap();
    assert_eq!(recall(&other, "xylophonist").await[0].id, id);
    forget(&engine, vec![id]).await;
    other.flush().await;
    engine.flush().await;
    assert!(path.exists());
    assert_eq!(occurrences(&fixture.path("")), 0);
}

#[tokio::test]
async fn a_snapshot_that_a_killed_process_left_is_removed_when_the_memory_is_opened() {
    let fixture = filled_fixture().await;
    let path = fixture.path("view.snapshot");
    let engine = fixture.reopen(Some(path.clone()));
    let id = remember(&engine, &RememberRequest::text("The xylophonist plays.")).await.id.unwrap();
    engine.flush().await;
    let (before, leftover) = (std::fs::read(&path).unwrap(), path.with_extension("4711.new"));
    forget(&engine, vec![id]).await;
    // As if the process had ended before it removed them.
    std::fs::write(&path, &before).unwrap();
    std::fs::write(&leftover, &before).unwrap();
    assert!(occurrences(&fixture.path("")) > 0);
    let next = fixture.reopen(Some(path.clone()));
    recall(&next, "which service runs?").await;
    assert!(!leftover.exists());
    assert_eq!(occurrences(&fixture.path("")), 0);
    next.flush().await;
    assert_eq!(occurrences(&fixture.path("")), 0);
}

#[tokio::test]
async fn forgetting_again_answers_with_the_receipt() {
    let fixture = EngineFixture::new().await;
    let engine = &fixture.engine;
    let id = remember(engine, &RememberRequest::text("The xylophonist plays.")).await.id.unwrap();
    forget(engine, vec![id]).await;
    let again = ForgetRequest { memories: vec![id], ..ForgetRequest::default() };
    let receipt = engine.memories().forget(&owner(), &again).await.unwrap().receipt.unwrap();
    assert_eq!((receipt.memories, receipt.owed), (vec![id], Vec::new()));
    let unknown = ForgetRequest { memories: vec![MemoryId(99)], ..ForgetRequest::default() };
    assert!(engine.memories().forget(&owner(), &unknown).await.is_err());
}
