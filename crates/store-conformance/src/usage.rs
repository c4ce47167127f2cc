//! Usage statistics: showings of memories, daily counts per agent, and unanswered questions.

use super::builders::{event_by, moment};
use super::fixture::{StoreFixture, full_page};
use model::{AccessStats, AgentName, Moment, limits};
use store::{Change, LoggedQuestion, ReadEvent, UnansweredQuestion, UsageDelta};

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
    at.write(vec![super::builders::forget(&[seen])]).await;
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
    at.write(vec![super::builders::forget(&[seen])]).await;
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
    log_question(at, "bob", moment(4), Some(&"long ".repeat(limits::UNANSWERED_QUESTION_CHARS)), 0)
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
