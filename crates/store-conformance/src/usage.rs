//! Usage statistics: showings of memories, daily counts per agent, and the words of questions.

use super::builders::{event_by, forget, moment};
use super::fixture::{StoreFixture, full_page};
use model::{AccessStats, AgentName, MemoryId, Moment, limits};
use store::{AuditQuery, Change, LoggedQuestion, ReadEvent, UnansweredQuestion, UsageDelta};

async fn log_question(
    at: &StoreFixture,
    agent: &str,
    when: Moment,
    question: Option<&str>,
    found: usize,
) {
    let asked = Some(LoggedQuestion { text: question.map(str::to_owned), hits: found });
    let read = ReadEvent { question: asked, ..ReadEvent::new(event_by(agent, when), Vec::new()) };
    at.store.log_reads(&at.owner, vec![read]).await.unwrap();
}

async fn questions(at: &StoreFixture) -> Vec<UnansweredQuestion> {
    at.store.unanswered_questions(&at.owner, full_page()).await.unwrap().items
}

pub async fn a_memory_lists_its_latest_showings(at: &StoreFixture) {
    let (seen, other) = (at.remember("seen").await, at.remember("other").await);
    let show =
        |agent: &str, seconds: i64| ReadEvent::new(event_by(agent, moment(seconds)), vec![seen]);
    let many = (0..limits::RECALLS_LISTED as i64 + 5).map(|second| show("ada", second));
    at.store.log_reads(&at.owner, many.chain([show("bob", 100)]).collect()).await.unwrap();
    let showings = at.store.showings(&at.owner, seen).await.unwrap();
    assert_eq!(showings.len(), limits::RECALLS_LISTED, "only the last ones are stored");
    assert_eq!((showings[0].author.agent.as_str(), showings[0].at), ("bob", moment(100)));
    assert!(at.store.showings(&at.owner, other).await.unwrap().is_empty());
    at.write(vec![forget(&[seen])]).await;
    assert!(at.store.showings(&at.owner, seen).await.unwrap().is_empty());
}

pub async fn use_counts_are_read_once_per_event(at: &StoreFixture) {
    let (seen, other) = (at.remember("seen").await, at.remember("other").await);
    let show = |seconds: i64| ReadEvent::new(event_by("ada", moment(seconds)), vec![seen]);
    at.store.log_reads(&at.owner, vec![show(5), show(9)]).await.unwrap();
    let counts = at.store.uses(&at.owner, None).await.unwrap().unwrap();
    let access = AccessStats { count: 2, last: Some(moment(9)) };
    assert_eq!(counts.uses, [(seen, access)], "memory {other} was not used");
    assert_eq!(at.store.uses(&at.owner, Some(counts.as_of)).await.unwrap(), None);
    at.store.log_reads(&at.owner, vec![show(11)]).await.unwrap();
    let newer = at.store.uses(&at.owner, Some(counts.as_of)).await.unwrap().unwrap();
    assert_eq!((newer.uses[0].1.count, newer.uses[0].1.last), (3, Some(moment(11))));
    at.write(vec![forget(&[seen])]).await;
    let forgotten = at.store.uses(&at.owner, Some(newer.as_of)).await.unwrap().unwrap();
    assert!(forgotten.uses.is_empty());
    assert!(at.store.size_bytes(&at.owner).await.unwrap() > 0);
}

pub async fn usage_is_counted_per_agent_and_day(at: &StoreFixture) {
    let (first, next) = (moment(10), moment(10).plus_days(1));
    let one_call =
        |agent: &str, at, tokens| UsageDelta { agent: AgentName::new(agent), at, calls: 1, tokens };
    let calls = vec![
        one_call("ada", first, 100),
        one_call("ada", moment(20), 50),
        one_call("bob", next, 7),
    ];
    at.store.add_usage(&at.owner, calls).await.unwrap();
    log_question(at, "ada", first, None, 3).await;
    log_question(at, "ada", first, None, 0).await;
    let usage = at.store.usage(&at.owner, first).await.unwrap();
    let counts: Vec<_> = usage
        .iter()
        .map(|day| (day.agent.as_str(), day.calls, day.tokens, day.recalls, day.empty))
        .collect();
    assert_eq!(counts, [("ada", 2, 150, 2, 1), ("bob", 1, 7, 0, 0)]);
    assert_eq!(usage[0].last, moment(20));
    assert!(usage[0].day <= first && usage[1].day > first);
    assert_eq!(at.store.usage(&at.owner, next).await.unwrap().len(), 1);
    log_question(at, "ada", next.plus_days(limits::USAGE_DAYS), None, 1).await;
    assert_eq!(at.store.usage(&at.owner, first).await.unwrap().len(), 2, "old counts are removed");
}

pub async fn a_question_is_stored_while_it_finds_nothing(at: &StoreFixture) {
    log_question(at, "ada", moment(1), Some("Where is the kiln?"), 0).await;
    log_question(at, "bob", moment(2), Some("where IS  the kiln?"), 0).await;
    log_question(at, "bob", moment(3), Some("what about the van"), 0).await;
    log_question(at, "bob", moment(4), Some(&"long ".repeat(limits::STORED_QUESTION_CHARS)), 0)
        .await;
    let stored = questions(at).await;
    let fields: Vec<_> =
        stored.iter().map(|one| (one.text.as_str(), one.agent.as_str(), one.times)).collect();
    assert_eq!(fields, [("what about the van", "bob", 1), ("Where is the kiln?", "bob", 2)]);
    log_question(at, "ada", moment(5), Some("WHERE is the kiln?"), 2).await;
    assert_eq!(questions(at).await.len(), 1, "it found something, so nobody needs to answer it");
    at.write(vec![Change::DropQuestions { questions: vec![stored[0].id] }]).await;
    assert!(questions(at).await.is_empty());
    let gone = at.refusal_code(vec![Change::DropQuestions { questions: vec![stored[0].id] }]).await;
    assert_eq!(gone, model::ErrorCode::NotFound);
}

pub async fn the_number_of_stored_questions_is_limited(at: &StoreFixture) {
    for number in 0..limits::UNANSWERED_QUESTIONS as i64 + 3 {
        log_question(at, "ada", moment(number), Some(&format!("question {number}")), 0).await;
    }
    let stored = at.store.unanswered_questions(&at.owner, full_page()).await.unwrap();
    assert_eq!(stored.total, limits::UNANSWERED_QUESTIONS);
    assert!(stored.items.iter().all(|one| one.text != "question 2"));
    at.write(vec![Change::DropQuestions { questions: Vec::new() }]).await;
    assert!(questions(at).await.is_empty());
}

/// Returns the words of the newest questions, newest first.
async fn recent_words(at: &StoreFixture) -> Vec<String> {
    let recent = at.store.recent_questions(&at.owner).await.unwrap();
    recent.into_iter().map(|one| one.text).collect()
}

pub async fn the_words_of_a_question_are_stored_beside_its_event(at: &StoreFixture) {
    log_question(at, "ada", moment(1), Some("when do we deploy"), 3).await;
    log_question(at, "bob", moment(2), Some("where is the kiln"), 0).await;
    log_question(at, "bob", moment(3), None, 2).await;
    log_question(at, "bob", moment(4), Some(&"long ".repeat(limits::STORED_QUESTION_CHARS)), 2)
        .await;
    log_question(at, "bob", moment(5), Some("when do we deploy"), 3).await;
    let recent = at.store.recent_questions(&at.owner).await.unwrap();
    let events = at.store.audit(&at.owner, &AuditQuery::default(), full_page()).await.unwrap();
    let asked_at = |event| events.items.iter().find(|it| it.id == event).unwrap().at;
    let listed: Vec<_> =
        recent.iter().map(|one| (asked_at(one.event), one.text.as_str())).collect();
    let expected = [
        (moment(5), "when do we deploy"),
        (moment(2), "where is the kiln"),
        (moment(1), "when do we deploy"),
    ];
    assert_eq!(listed, expected);
    at.write(vec![Change::DropQuestions { questions: Vec::new() }]).await;
    assert!(recent_words(at).await.is_empty());
}

pub async fn only_the_newest_questions_are_stored_and_none_longer_than_its_event(
    at: &StoreFixture,
) {
    let asked = |number: i64| {
        let question = LoggedQuestion { text: Some(format!("question {number}")), hits: 1 };
        let read = ReadEvent::new(event_by("ada", moment(number)), Vec::new());
        ReadEvent { question: Some(question), ..read }
    };
    let number = limits::RECENT_QUESTIONS as i64 + 3;
    at.store.log_reads(&at.owner, (0..number).map(asked).collect()).await.unwrap();
    let words = recent_words(at).await;
    assert_eq!(
        (words.len(), words.last().unwrap().as_str()),
        (limits::RECENT_QUESTIONS, "question 3")
    );
    at.store.prune_audit(&at.owner, moment(number - 1)).await.unwrap();
    assert_eq!(recent_words(at).await, [format!("question {}", number - 1)]);
}

pub async fn forgetting_removes_the_words_of_recent_questions(at: &StoreFixture) {
    let (secret, other) = (at.remember("the secret").await, at.remember("the other").await);
    log_question(at, "ada", moment(1), Some("what is the secret"), 1).await;
    at.write_at(2, vec![forget(&[MemoryId(987_654)])]).await;
    assert_eq!(recent_words(at).await.len(), 1, "nothing was forgotten");
    at.write_at(10, vec![forget(&[secret])]).await;
    assert!(recent_words(at).await.is_empty());
    // Another process writes its log later.
    log_question(at, "bob", moment(9), Some("is that the secret"), 1).await;
    assert!(recent_words(at).await.is_empty());
    log_question(at, "bob", moment(11), Some("what is the other"), 1).await;
    assert_eq!(recent_words(at).await, ["what is the other"]);
    at.write_at(12, vec![forget(&[other])]).await;
    assert!(recent_words(at).await.is_empty());
}
