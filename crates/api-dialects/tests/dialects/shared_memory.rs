//! All dialects share one memory: what one writes, every other finds, and a change made in one
//! takes effect in all. A new dialect is added with one entry in the table below.

use crate::fixture::DialectFixture;
use dialects::{Agentic, CodeMemory, DialectApi, Epitome, Librarian, Quipu};
use engine::Caller;
use engine::sessions::{EndSessionRequest, LogExchangeRequest, SessionRef};
use model::{AgentName, MemoryId, OwnerId};
use serde_json::{Value, json};

/// Tool name and arguments.
type DialectCall = (&'static str, Value);

/// The calls of a dialect for each operation; `None` if its contract has no such operation.
struct DialectVocabulary {
    dialect: Box<dyn DialectApi>,
    write: fn(&str) -> DialectCall,
    /// Extracts the id from the result of a write.
    id: fn(&Value) -> i64,
    /// Searches by a question; the session is for the dialect that searches within one.
    read: fn(&str, &str) -> DialectCall,
    /// Extracts the texts from the result of a search, best first.
    texts: fn(&Value) -> Vec<String>,
    correct: Option<fn(i64, &str) -> DialectCall>,
    flag: Option<fn(i64) -> DialectCall>,
    /// Resolves a contradiction against the newer side.
    reject: Option<fn(i64) -> DialectCall>,
    /// Forgets a memory, by its id, its text or its session.
    forget: Option<fn(i64, &str) -> DialectCall>,
}

/// Session in which code-memory writes.
const SESSION: &str = "workshop";

fn vocabularies() -> Vec<DialectVocabulary> {
    vec![quipu(), epitome(), agentic(), librarian(), codememory()]
}

/// Returns every pair of a writing dialect and one that then acts on what was written.
fn each_with_each() -> impl Iterator<Item = (DialectVocabulary, DialectVocabulary)> {
    let with_all = |writer: usize| (0..vocabularies().len()).map(move |doer| (writer, doer));
    let nth = |number: usize| vocabularies().swap_remove(number);
    (0..vocabularies().len()).flat_map(with_all).map(move |(writer, doer)| (nth(writer), nth(doer)))
}

fn quipu() -> DialectVocabulary {
    DialectVocabulary {
        dialect: Box::new(Quipu::default()),
        write: |text| ("remember", json!({ "text": text })),
        id: |answer| answer["id"].as_i64().unwrap(),
        read: |question, _| ("recall", json!({ "query": question })),
        texts: |answer| each(&answer["memories"], "text"),
        correct: Some(|id, text| ("correct", json!({ "id": id, "text": text }))),
        flag: Some(|id| {
            ("review", json!({"action": "flag", "memory": id, "reason": "it misled me"}))
        }),
        reject: Some(|id| {
            ("review", json!({"action": "resolve", "id": id, "resolution": "reject"}))
        }),
        forget: Some(|id, _| ("forget", json!({ "ids": [id] }))),
    }
}

fn epitome() -> DialectVocabulary {
    DialectVocabulary {
        dialect: Box::new(Epitome::default()),
        write: |text| ("memorize", json!({ "text": text, "storage": "memory" })),
        id: |answer| answer["vectorId"].as_i64().unwrap(),
        read: |question, _| {
            let memory =
                json!({ "collection": "memories", "query": question, "minSimilarity": 0.3 });
            ("recall", json!({ "mode": "memory", "memory": memory }))
        },
        texts: |answer| each(&answer["results"], "text"),
        correct: Some(|id, text| {
            ("memorize", json!({ "text": text, "sourceRef": format!("vectors/memories#{id}") }))
        }),
        flag: None,
        reject: Some(|id| {
            ("review", json!({"action": "resolve", "metaId": id, "resolution": "reject"}))
        }),
        forget: Some(|_, text| ("memorize", json!({ "text": text, "action": "delete" }))),
    }
}

fn agentic() -> DialectVocabulary {
    DialectVocabulary {
        dialect: Box::new(Agentic::default()),
        write: |text| ("memory_add", json!({ "event_type": "fact", "content": text })),
        id: |answer| answer["node_id"].as_i64().unwrap(),
        read: |question, _| {
            ("memory_similar", json!({ "query_text": question, "min_similarity": 0.1 }))
        },
        texts: |answer| each(&answer["matches"], "content"),
        correct: Some(|id, text| {
            ("memory_correct", json!({ "old_node_id": id, "new_content": text }))
        }),
        flag: None,
        reject: None,
        forget: None,
    }
}

fn librarian() -> DialectVocabulary {
    DialectVocabulary {
        dialect: Box::new(Librarian::default()),
        write: |text| ("remember", json!({ "title": "A note", "body": text })),
        id: |answer| answer["id"].as_str().unwrap().parse().unwrap(),
        read: |question, _| ("recall", json!({ "query": question })),
        texts: |answer| each(&answer["memories"], "body"),
        correct: None,
        flag: Some(|id| {
            ("flag_memory", json!({ "memory_id": id.to_string(), "reason": "it misled me" }))
        }),
        reject: None,
        forget: None,
    }
}

fn codememory() -> DialectVocabulary {
    DialectVocabulary {
        dialect: Box::new(CodeMemory::default()),
        write: |text| ("remember", json!({ "content": text, "session_id": SESSION })),
        id: |answer| answer["id"].as_i64().unwrap(),
        read: |question, session| {
            ("search_memory", json!({ "query": question, "session_id": session, "top_p": 1 }))
        },
        texts: |answer| each(answer, "content"),
        correct: None,
        flag: None,
        reject: None,
        forget: Some(|_, _| {
            (
                "maintenance",
                json!({"action": "purge_session", "session_id": SESSION, "confirm": true}),
            )
        }),
    }
}

fn each(items: &Value, field: &str) -> Vec<String> {
    items.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap().to_owned()).collect()
}

impl DialectVocabulary {
    fn name(&self) -> &'static str {
        self.dialect.name()
    }

    async fn call(&self, fixture: &DialectFixture, (tool, arguments): DialectCall) -> Value {
        let dialect = model::Dialect::parse(self.name()).unwrap();
        let caller =
            Caller::agent(OwnerId::me(), AgentName::new("claude"), dialect).with_tool(tool);
        let arguments = arguments.as_object().unwrap().clone();
        let answer = self.dialect.call(&fixture.engine, &caller, tool, arguments).await;
        answer.unwrap_or_else(|failure| panic!("{}.{tool}: {failure}", self.name()))
    }

    async fn write(&self, fixture: &DialectFixture, text: &str) -> i64 {
        (self.id)(&self.call(fixture, (self.write)(text)).await)
    }

    /// Searches in the session of the given memory.
    async fn read(&self, fixture: &DialectFixture, question: &str, about: i64) -> Vec<String> {
        let caller = fixture.caller("reader");
        let memory =
            fixture.engine.memories().get(&caller, &[MemoryId(about)]).await.unwrap().pop();
        let session = memory.and_then(|memory| memory.session).map(|session| session.to_string());
        let session = session.unwrap_or_else(|| SESSION.to_owned());
        (self.texts)(&self.call(fixture, (self.read)(question, &session)).await)
    }
}

#[tokio::test]
async fn what_one_dialect_writes_every_other_finds() {
    let mut pairs = 0;
    for writer in vocabularies() {
        let fixture = DialectFixture::new().await;
        let text =
            format!("The {} kiln needs cobalt and wood ash for its blue glaze.", writer.name());
        let id = writer.write(&fixture, &text).await;
        for reader in vocabularies().iter().filter(|reader| reader.name() != writer.name()) {
            let found = reader.read(&fixture, "what does the blue glaze need?", id).await;
            assert!(found.contains(&text), "{} -> {}: {found:?}", writer.name(), reader.name());
            pairs += 1;
        }
    }
    assert_eq!(pairs, 20, "each of the five is read by each of the four others");
}

#[tokio::test]
async fn a_correction_made_in_one_dialect_takes_effect_in_all() {
    let (old, new) = ("The kiln fires at 1000 degrees.", "The kiln fires at 1240 degrees.");
    for (writer, corrector) in each_with_each() {
        let Some(correct) = corrector.correct else { continue };
        let fixture = DialectFixture::new().await;
        let id = writer.write(&fixture, old).await;
        corrector.call(&fixture, correct(id, new)).await;
        for reader in vocabularies() {
            let found = reader.read(&fixture, "how hot does the kiln fire?", id).await;
            let path = [writer.name(), corrector.name(), reader.name()].join(" -> ");
            assert_eq!(found, [new], "{path}");
        }
    }
}

#[tokio::test]
async fn a_flag_raised_in_one_dialect_ranks_the_memory_last_in_all() {
    let (wrong, right) =
        ("Glaze the kiln shelves twice with the blue glaze.", "The blue glaze is kept dry.");
    for (writer, flagger) in each_with_each() {
        let Some(flag) = flagger.flag else { continue };
        let fixture = DialectFixture::new().await;
        let id = writer.write(&fixture, wrong).await;
        writer.write(&fixture, right).await;
        flagger.call(&fixture, flag(id)).await;
        for reader in vocabularies() {
            let found = reader.read(&fixture, "blue glaze for the kiln shelves", id).await;
            let path = [writer.name(), flagger.name(), reader.name()].join(" -> ");
            assert_eq!(found, [right, wrong], "{path}");
        }
    }
}

#[tokio::test]
async fn a_rejection_made_in_one_dialect_takes_effect_in_all() {
    let (older, newer) = ("The kiln uses gas.", "The kiln does not use gas.");
    for (writer, judge) in each_with_each() {
        let Some(reject) = judge.reject else { continue };
        let fixture = DialectFixture::new().await;
        let id = writer.write(&fixture, older).await;
        writer.write(&fixture, newer).await;
        let caller = fixture.caller("reader");
        let waiting = fixture
            .engine
            .reviews()
            .list(&caller, &engine::review::ListReviewsRequest::default())
            .await
            .unwrap();
        judge.call(&fixture, reject(waiting.items[0].item.id.0)).await;
        for reader in vocabularies() {
            let found = reader.read(&fixture, "does the kiln use gas?", id).await;
            let path = [writer.name(), judge.name(), reader.name()].join(" -> ");
            assert_eq!(found, [older], "{path}");
        }
    }
}

#[tokio::test]
async fn a_new_value_written_in_one_dialect_holds_in_all() {
    let (older, newer) = ("The kiln listens on port 8080.", "The kiln listens on port 9090.");
    for (first, second) in each_with_each() {
        let fixture = DialectFixture::new().await;
        first.write(&fixture, older).await;
        let id = second.write(&fixture, newer).await;
        for reader in vocabularies() {
            let found = reader.read(&fixture, "which port does the kiln listen on?", id).await;
            let path = [first.name(), second.name(), reader.name()].join(" -> ");
            assert_eq!(found, [newer], "{path}");
        }
    }
}

#[tokio::test]
async fn what_was_forgotten_in_one_dialect_is_gone_in_all() {
    for forgetter in vocabularies() {
        let Some(forget) = forgetter.forget else { continue };
        let fixture = DialectFixture::new().await;
        let (gone, remaining) =
            ("The glaze recipe is cobalt and ash.", "The glaze bucket stands by the door.");
        let id = forgetter.write(&fixture, gone).await;
        let other = quipu().write(&fixture, remaining).await;
        forgetter.call(&fixture, forget(id, gone)).await;
        for reader in vocabularies() {
            let found = reader.read(&fixture, "glaze recipe of cobalt and ash", other).await;
            assert!(!found.contains(&gone.to_owned()), "{} -> {}", forgetter.name(), reader.name());
        }
    }
}

/// Ends a session without a summary and makes a text, which is remembered already, a part of its
/// episode.
async fn quote_in_an_episode(fixture: &DialectFixture, text: &str) -> MemoryId {
    let caller = fixture.caller("reader");
    let session = Some(SessionRef::Key("monday".into()));
    let log = LogExchangeRequest {
        session: session.clone(),
        user: Some("Let us look at the kiln.".into()),
        ..LogExchangeRequest::default()
    };
    fixture.engine.sessions().log_exchange(&caller, &log).await.unwrap();
    let end = EndSessionRequest { session, ..EndSessionRequest::default() };
    let ended = fixture.engine.sessions().end(&caller, &end).await.unwrap();
    let episode = ended.episode.unwrap().id;
    let links = json!([{"to": episode.0, "kind": "part_of"}]);
    quipu().call(fixture, ("remember", json!({ "text": text, "links": links }))).await;
    assert!(text_of(fixture, episode).await.contains(text));
    episode
}

async fn text_of(fixture: &DialectFixture, id: MemoryId) -> String {
    let caller = fixture.caller("reader");
    fixture.engine.memories().get(&caller, &[id]).await.unwrap().pop().unwrap().text
}

#[tokio::test]
async fn an_episode_quotes_nothing_that_any_dialect_forgot() {
    let gone = "The glaze recipe is cobalt and ash.";
    for forgetter in vocabularies() {
        let Some(forget) = forgetter.forget else { continue };
        let fixture = DialectFixture::new().await;
        let id = forgetter.write(&fixture, gone).await;
        let episode = quote_in_an_episode(&fixture, gone).await;
        forgetter.call(&fixture, forget(id, gone)).await;
        let text = text_of(&fixture, episode).await;
        assert!(!text.contains("cobalt") && text.contains("kiln"), "{}: {text}", forgetter.name());
    }
}

#[tokio::test]
async fn an_episode_quotes_what_any_dialect_corrected() {
    let (old, new) = ("The kiln fires at 1000 degrees.", "The kiln fires at 1240 degrees.");
    for corrector in vocabularies() {
        let Some(correct) = corrector.correct else { continue };
        let fixture = DialectFixture::new().await;
        let id = corrector.write(&fixture, old).await;
        let episode = quote_in_an_episode(&fixture, old).await;
        corrector.call(&fixture, correct(id, new)).await;
        let text = text_of(&fixture, episode).await;
        assert!(!text.contains("1000") && text.contains(new), "{}: {text}", corrector.name());
    }
}
