//! Usage statistics: counts of questions and answers, the agents a memory was shown to, and
//! unanswered questions.

use crate::fixture::{House, agent, owner, refused, secret};
use engine::Standing;
use engine::recall::Recall;
use model::{Dialect, ErrorCode, Page};

async fn ask(house: &House, who: &str, question: &str) -> usize {
    house.engine.memories().recall(&agent(who), &Recall::query(question)).await.unwrap().hits.len()
}

async fn questions(house: &House) -> Vec<String> {
    let listed = house.engine.admin().unanswered(&owner(), Page::first(50)).await.unwrap();
    listed.items.into_iter().map(|one| one.text).collect()
}

#[tokio::test]
async fn questions_are_counted_by_day_with_those_that_found_nothing() {
    let house = House::new().await;
    house.add("codex", "The kiln is blue.", |_| {}).await;
    assert_eq!(ask(&house, "codex", "is the kiln blue").await, 1);
    assert_eq!(ask(&house, "cursor", "zebra crossing opening hours").await, 0);
    house.engine.admin().note_served(&agent("codex"), 120);
    house.clock.advance(86_400);
    assert_eq!(ask(&house, "codex", "kiln").await, 1);
    let activity = house.engine.admin().activity(&owner(), 3).await.unwrap();
    let days: Vec<_> = activity.days.iter().map(|day| (day.recalls, day.empty)).collect();
    assert_eq!(days, [(0, 0), (2, 1), (1, 0)]);
    assert_eq!(activity.empty_of_all(), (1, 3));
    let agents: Vec<_> = activity
        .agents
        .iter()
        .map(|one| (one.agent.as_str(), one.calls, one.tokens, one.recalls))
        .collect();
    assert_eq!(agents, [("codex", 1, 120, 2), ("cursor", 0, 0, 1)]);
    refused(house.engine.admin().activity(&agent("codex"), 3).await, ErrorCode::ConsentRequired);
}

#[tokio::test]
async fn a_question_that_finds_nothing_is_kept_until_it_does() {
    let house = House::new().await;
    house.add("codex", "Clay comes on Tuesdays.", |_| {}).await;
    ask(&house, "codex", "where is the zebra").await;
    assert_eq!(questions(&house).await, ["where is the zebra"]);
    house.add("codex", "The zebra is where it was.", |_| {}).await;
    assert!(ask(&house, "codex", "Where is the ZEBRA").await > 0);
    assert!(questions(&house).await.is_empty());
}

#[tokio::test]
async fn an_owner_who_says_no_keeps_no_question() {
    let house = House::new().await;
    ask(&house, "codex", "where is the zebra").await;
    assert_eq!(questions(&house).await.len(), 1);
    house.engine.admin().keep_questions(&owner(), false).await.unwrap();
    assert!(questions(&house).await.is_empty(), "the stored ones are deleted too");
    ask(&house, "codex", "where is the giraffe").await;
    assert!(questions(&house).await.is_empty());
    assert_eq!(
        house.engine.admin().activity(&owner(), 1).await.unwrap().empty_of_all(),
        (2, 2),
        "they are still counted"
    );
    house.engine.admin().keep_questions(&owner(), true).await.unwrap();
    assert!(house.engine.admin().are_questions_kept(&owner()).await.unwrap());
}

#[tokio::test]
async fn a_question_that_holds_a_secret_is_not_kept() {
    let house = House::new().await;
    ask(&house, "codex", &format!("whose key is {}", secret())).await;
    assert!(questions(&house).await.is_empty());
}

#[tokio::test]
async fn a_question_is_given_up_by_its_number() {
    let house = House::new().await;
    ask(&house, "codex", "where is the zebra").await;
    let id = house.engine.admin().unanswered(&owner(), Page::first(1)).await.unwrap().items[0].id;
    refused(
        house.engine.admin().dismiss_question(&agent("codex"), id).await,
        ErrorCode::ConsentRequired,
    );
    house.engine.admin().dismiss_question(&owner(), id).await.unwrap();
    assert!(questions(&house).await.is_empty());
    refused(house.engine.admin().dismiss_question(&owner(), id).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_memory_tells_which_agents_were_shown_it_and_not_that_its_owner_looked() {
    let house = House::new().await;
    let memory = house.add("codex", "The kiln is blue.", |_| {}).await;
    ask(&house, "cursor", "kiln").await;
    let mut window = owner();
    window.author.dialect = Dialect::Rest;
    house.engine.memories().get_whole(&window, memory).await.unwrap();
    let shown = house.engine.admin().shown_to(&owner(), memory).await.unwrap();
    let agents: Vec<&str> = shown.iter().map(|one| one.author.agent.as_str()).collect();
    assert_eq!(agents, ["cursor"]);
    refused(
        house.engine.admin().shown_to(&agent("cursor"), memory).await,
        ErrorCode::ConsentRequired,
    );
}

#[tokio::test]
async fn an_edit_made_from_an_old_version_loses_inside_the_write() {
    let house = House::new().await;
    let memory = house.add("codex", "The kiln is blue.", |_| {}).await;
    let seen = house.memory(memory).await.updated_at;
    let correct = |text: &str| engine::correct::Correct::new(memory, text);
    let from_seen = owner().expecting(Standing::Memory(memory, seen));
    house.clock.advance(1);
    house.engine.memories().correct(&from_seen, &correct("The kiln is green.")).await.unwrap();
    let late = house.engine.memories().correct(&from_seen, &correct("The kiln is red.")).await;
    refused(late, ErrorCode::Conflict);
}
