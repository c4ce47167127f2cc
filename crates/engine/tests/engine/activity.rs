//! Usage statistics: counts of questions and answers, the agents a memory was shown to, unanswered
//! questions, and the words of recent ones.

use crate::fixture::{EngineFixture, agent, owner, refused, secret};
use engine::ExpectedVersion;
use engine::forget::ForgetRequest;
use engine::recall::RecallRequest;
use model::{Dialect, ErrorCode, Page};

async fn ask(fixture: &EngineFixture, who: &str, question: &str) -> usize {
    fixture
        .engine
        .memories()
        .recall(&agent(who), &RecallRequest::query(question))
        .await
        .unwrap()
        .hits
        .len()
}

async fn questions(fixture: &EngineFixture) -> Vec<String> {
    let listed =
        fixture.engine.admin().unanswered_questions(&owner(), Page::first(50)).await.unwrap();
    listed.items.into_iter().map(|one| one.text).collect()
}

#[tokio::test]
async fn recalls_and_empty_recalls_are_counted_by_day() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "The kiln is blue.", |_| {}).await;
    assert_eq!(ask(&fixture, "codex", "is the kiln blue").await, 1);
    assert_eq!(ask(&fixture, "cursor", "zebra crossing opening hours").await, 0);
    fixture.engine.admin().note_served(&agent("codex"), 120);
    fixture.clock.advance(86_400);
    assert_eq!(ask(&fixture, "codex", "kiln").await, 1);
    let activity = fixture.engine.admin().activity(&owner(), 3).await.unwrap();
    let days: Vec<_> = activity.days.iter().map(|day| (day.recalls, day.empty)).collect();
    assert_eq!(days, [(0, 0), (2, 1), (1, 0)]);
    assert_eq!(activity.empty_and_total_recalls(), (1, 3));
    let agents: Vec<_> = activity
        .agents
        .iter()
        .map(|one| (one.agent.as_str(), one.calls, one.tokens, one.recalls))
        .collect();
    assert_eq!(agents, [("codex", 1, 120, 2), ("cursor", 0, 0, 1)]);
    refused(fixture.engine.admin().activity(&agent("codex"), 3).await, ErrorCode::ConsentRequired);
}

#[tokio::test]
async fn an_unanswered_question_is_stored_until_it_has_an_answer() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "Clay comes on Tuesdays.", |_| {}).await;
    ask(&fixture, "codex", "where is the zebra").await;
    assert_eq!(questions(&fixture).await, ["where is the zebra"]);
    fixture.add("codex", "The zebra is where it was.", |_| {}).await;
    assert!(ask(&fixture, "codex", "Where is the ZEBRA").await > 0);
    assert!(questions(&fixture).await.is_empty());
}

#[tokio::test]
async fn a_question_with_only_a_weak_answer_is_stored_and_counted_unless_nobody_asked_it() {
    let fixture = EngineFixture::new().await;
    for text in ["Clay comes on Tuesdays.", "The van is in the yard.", "I live in Berlin."] {
        fixture.add("codex", text, |_| {}).await;
    }
    let weak = RecallRequest::query("who insured the van");
    let unasked = RecallRequest { is_unasked: true, ..weak.clone() };
    for request in [&unasked, &weak] {
        let found = fixture.engine.memories().recall(&agent("codex"), request).await.unwrap();
        assert!(found.weak, "{found:?}");
    }
    assert!(ask(&fixture, "codex", "when does the clay come").await > 0);
    assert_eq!(questions(&fixture).await, ["who insured the van"]);
    let activity = fixture.engine.admin().activity(&owner(), 1).await.unwrap();
    assert_eq!(activity.empty_and_total_recalls(), (1, 2));
}

#[tokio::test]
async fn no_question_is_stored_after_the_owner_turned_it_off() {
    let fixture = EngineFixture::new().await;
    ask(&fixture, "codex", "where is the zebra").await;
    assert_eq!(questions(&fixture).await.len(), 1);
    fixture.engine.admin().set_question_retention(&owner(), false).await.unwrap();
    assert!(questions(&fixture).await.is_empty(), "the stored ones are deleted too");
    ask(&fixture, "codex", "where is the giraffe").await;
    assert!(questions(&fixture).await.is_empty());
    assert_eq!(
        fixture.engine.admin().activity(&owner(), 1).await.unwrap().empty_and_total_recalls(),
        (2, 2),
        "they are still counted"
    );
    fixture.engine.admin().set_question_retention(&owner(), true).await.unwrap();
    assert!(fixture.engine.admin().question_retention(&owner()).await.unwrap());
}

#[tokio::test]
async fn a_question_with_a_secret_is_not_stored() {
    let fixture = EngineFixture::new().await;
    ask(&fixture, "codex", &format!("whose key is {}", secret())).await;
    assert!(questions(&fixture).await.is_empty());
}

/// Returns the words of the newest questions with what the log says of them.
async fn recent(fixture: &EngineFixture) -> Vec<(String, String)> {
    let admin = fixture.engine.admin();
    let (me, all) = (owner(), engine::AuditQuery::default());
    let events = admin.audit(&me, &all, Page::first(50)).await.unwrap().items;
    let note = |id| events.iter().find(|event| event.id == id).unwrap().note.clone();
    let questions = admin.recent_questions(&me).await.unwrap();
    questions.into_iter().map(|one| (note(one.event), one.text)).collect()
}

#[tokio::test]
async fn the_words_of_recent_questions_are_stored_with_their_calls() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "Clay comes on Tuesdays.", |_| {}).await;
    fixture.clock.advance(1);
    ask(&fixture, "cursor", "  when does the clay come").await;
    ask(&fixture, "cursor", "where is the zebra").await;
    ask(&fixture, "cursor", &format!("whose key is {}", secret())).await;
    let mut window = owner();
    window.author.dialect = Dialect::Rest;
    let looked = RecallRequest::query("when does the clay come, I wonder");
    fixture.engine.memories().recall(&window, &looked).await.unwrap();
    let pair = |note: &str, text: &str| (note.to_owned(), text.to_owned());
    let expected =
        [pair("recalled 0", "where is the zebra"), pair("recalled 1", "when does the clay come")];
    assert_eq!(recent(&fixture).await, expected);
    refused(
        fixture.engine.admin().recent_questions(&agent("codex")).await,
        ErrorCode::ConsentRequired,
    );
}

#[tokio::test]
async fn turning_the_words_of_questions_off_or_forgetting_removes_the_recent_ones() {
    let fixture = EngineFixture::new().await;
    let clay = fixture.add("codex", "Clay comes on Tuesdays.", |_| {}).await;
    ask(&fixture, "cursor", "when does the clay come").await;
    fixture.engine.admin().set_question_retention(&owner(), false).await.unwrap();
    ask(&fixture, "cursor", "which day does clay come").await;
    assert!(recent(&fixture).await.is_empty());
    fixture.engine.admin().set_question_retention(&owner(), true).await.unwrap();
    ask(&fixture, "cursor", "when does the clay come").await;
    assert_eq!(recent(&fixture).await.len(), 1);
    // Not written yet when the memory is forgotten.
    ask(&fixture, "cursor", "does clay come on Tuesdays").await;
    fixture.clock.advance(1);
    let request = ForgetRequest { memories: vec![clay], ..ForgetRequest::default() };
    fixture.engine.memories().forget(&owner(), &request).await.unwrap();
    assert!(recent(&fixture).await.is_empty());
}

/// One process serves an agent while another one has turned the storing off.
#[tokio::test]
async fn words_that_wait_to_be_written_are_dropped_when_another_process_turned_them_off() {
    let fixture = EngineFixture::new().await;
    fixture.add("codex", "Clay comes on Tuesdays.", |_| {}).await;
    ask(&fixture, "cursor", "when does the clay come").await;
    fixture.reopen(None).admin().set_question_retention(&owner(), false).await.unwrap();
    assert!(recent(&fixture).await.is_empty());
    assert_eq!(
        fixture.engine.admin().activity(&owner(), 1).await.unwrap().empty_and_total_recalls(),
        (0, 1)
    );
}

#[tokio::test]
async fn a_question_is_dismissed_by_its_id() {
    let fixture = EngineFixture::new().await;
    ask(&fixture, "codex", "where is the zebra").await;
    let id =
        fixture.engine.admin().unanswered_questions(&owner(), Page::first(1)).await.unwrap().items
            [0]
        .id;
    refused(
        fixture.engine.admin().dismiss_question(&agent("codex"), id).await,
        ErrorCode::ConsentRequired,
    );
    fixture.engine.admin().dismiss_question(&owner(), id).await.unwrap();
    assert!(questions(&fixture).await.is_empty());
    refused(fixture.engine.admin().dismiss_question(&owner(), id).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn showings_list_agents_and_not_the_owner_in_the_dashboard() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("codex", "The kiln is blue.", |_| {}).await;
    ask(&fixture, "cursor", "kiln").await;
    let mut window = owner();
    window.author.dialect = Dialect::Rest;
    fixture.engine.memories().get_details(&window, memory).await.unwrap();
    let shown = fixture.engine.admin().memory_showings(&owner(), memory).await.unwrap();
    let agents: Vec<&str> = shown.iter().map(|one| one.author.agent.as_str()).collect();
    assert_eq!(agents, ["cursor"]);
    refused(
        fixture.engine.admin().memory_showings(&agent("cursor"), memory).await,
        ErrorCode::ConsentRequired,
    );
}

#[tokio::test]
async fn an_edit_based_on_an_old_version_is_refused_by_the_write() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("codex", "The kiln is blue.", |_| {}).await;
    let seen = fixture.memory(memory).await.updated_at;
    let correct = |text: &str| engine::correct::CorrectRequest::new(memory, text);
    let from_seen = owner().expecting_version(ExpectedVersion::Memory(memory, seen));
    fixture.clock.advance(1);
    fixture.engine.memories().correct(&from_seen, &correct("The kiln is green.")).await.unwrap();
    let late = fixture.engine.memories().correct(&from_seen, &correct("The kiln is red.")).await;
    refused(late, ErrorCode::Conflict);
}
