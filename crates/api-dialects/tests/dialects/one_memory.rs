//! One memory: what one dialect writes, every other finds, and what is done to a memory in one is
//! done in all. A dialect joins with one entry in the table below.

use crate::house::House;
use dialects::{Agentic, CodeMemory, Dialect, Epitome, Librarian, Quipu};
use engine::Caller;
use model::{AgentName, MemoryId, OwnerId};
use serde_json::{Value, json};

/// A tool and its arguments.
type Call = (&'static str, Value);

/// How each thing is said in a dialect; `None` where its contract has no words for it.
struct Tongue {
    dialect: Box<dyn Dialect>,
    write: fn(&str) -> Call,
    /// The id in the answer to a write.
    id: fn(&Value) -> i64,
    /// Reads by a question; the session is for the dialect that searches one.
    read: fn(&str, &str) -> Call,
    /// The texts in the answer to a read, best first.
    texts: fn(&Value) -> Vec<String>,
    correct: Option<fn(i64, &str) -> Call>,
    flag: Option<fn(i64) -> Call>,
    /// Decides a contradiction against the newer side.
    reject: Option<fn(i64) -> Call>,
    /// Forgets a memory, by its id, its text or its session.
    forget: Option<fn(i64, &str) -> Call>,
}

/// The session in which code-memory writes.
const SESSION: &str = "workshop";

fn tongues() -> Vec<Tongue> {
    vec![quipu(), epitome(), agentic(), librarian(), codememory()]
}

/// Who writes, and who then does something to what was written.
fn each_with_each() -> impl Iterator<Item = (Tongue, Tongue)> {
    let with_all = |writer: usize| (0..tongues().len()).map(move |doer| (writer, doer));
    let nth = |number: usize| tongues().swap_remove(number);
    (0..tongues().len()).flat_map(with_all).map(move |(writer, doer)| (nth(writer), nth(doer)))
}

fn quipu() -> Tongue {
    Tongue {
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

fn epitome() -> Tongue {
    Tongue {
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

fn agentic() -> Tongue {
    Tongue {
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

fn librarian() -> Tongue {
    Tongue {
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

fn codememory() -> Tongue {
    Tongue {
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

impl Tongue {
    fn name(&self) -> &'static str {
        self.dialect.name()
    }

    async fn say(&self, house: &House, (tool, arguments): Call) -> Value {
        let spoken = model::Dialect::parse(self.name()).unwrap();
        let caller = Caller::agent(OwnerId::me(), AgentName::new("claude"), spoken);
        let arguments = arguments.as_object().unwrap().clone();
        let answer = self.dialect.call(&house.engine, &caller, tool, arguments).await;
        answer.unwrap_or_else(|failure| panic!("{}.{tool}: {failure}", self.name()))
    }

    async fn write(&self, house: &House, text: &str) -> i64 {
        (self.id)(&self.say(house, (self.write)(text)).await)
    }

    /// What a question finds, asked in the session that a memory was made in.
    async fn read(&self, house: &House, question: &str, about: i64) -> Vec<String> {
        let caller = house.caller("reader");
        let memory = house.engine.memories().get(&caller, &[MemoryId(about)]).await.unwrap().pop();
        let session = memory.and_then(|memory| memory.session).map(|session| session.to_string());
        let session = session.unwrap_or_else(|| SESSION.to_owned());
        (self.texts)(&self.say(house, (self.read)(question, &session)).await)
    }
}

#[tokio::test]
async fn what_one_dialect_writes_every_other_finds() {
    let mut pairs = 0;
    for writer in tongues() {
        let house = House::new().await;
        let text =
            format!("The {} kiln needs cobalt and wood ash for its blue glaze.", writer.name());
        let id = writer.write(&house, &text).await;
        for reader in tongues().iter().filter(|reader| reader.name() != writer.name()) {
            let found = reader.read(&house, "what does the blue glaze need?", id).await;
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
        let house = House::new().await;
        let id = writer.write(&house, old).await;
        corrector.say(&house, correct(id, new)).await;
        for reader in tongues() {
            let found = reader.read(&house, "how hot does the kiln fire?", id).await;
            let road = [writer.name(), corrector.name(), reader.name()].join(" -> ");
            assert_eq!(found, [new], "{road}");
        }
    }
}

#[tokio::test]
async fn a_flag_raised_in_one_dialect_ranks_the_memory_last_in_all() {
    let (wrong, right) =
        ("Glaze the kiln shelves twice with the blue glaze.", "The blue glaze is kept dry.");
    for (writer, flagger) in each_with_each() {
        let Some(flag) = flagger.flag else { continue };
        let house = House::new().await;
        let id = writer.write(&house, wrong).await;
        writer.write(&house, right).await;
        flagger.say(&house, flag(id)).await;
        for reader in tongues() {
            let found = reader.read(&house, "blue glaze for the kiln shelves", id).await;
            let road = [writer.name(), flagger.name(), reader.name()].join(" -> ");
            assert_eq!(found, [right, wrong], "{road}");
        }
    }
}

#[tokio::test]
async fn a_rejection_made_in_one_dialect_takes_effect_in_all() {
    let (older, newer) = ("The kiln listens on port 8080.", "The kiln listens on port 9090.");
    for (writer, judge) in each_with_each() {
        let Some(reject) = judge.reject else { continue };
        let house = House::new().await;
        let id = writer.write(&house, older).await;
        writer.write(&house, newer).await;
        let caller = house.caller("reader");
        let waiting = house
            .engine
            .reviews()
            .list(&caller, &engine::review::ListReviews::default())
            .await
            .unwrap();
        judge.say(&house, reject(waiting.items[0].item.id.0)).await;
        for reader in tongues() {
            let found = reader.read(&house, "which port does the kiln listen on?", id).await;
            let road = [writer.name(), judge.name(), reader.name()].join(" -> ");
            assert_eq!(found, [older], "{road}");
        }
    }
}

#[tokio::test]
async fn what_was_forgotten_in_one_dialect_is_gone_in_all() {
    for forgetter in tongues() {
        let Some(forget) = forgetter.forget else { continue };
        let house = House::new().await;
        let (gone, kept) =
            ("The glaze recipe is cobalt and ash.", "The glaze bucket stands by the door.");
        let id = forgetter.write(&house, gone).await;
        let other = quipu().write(&house, kept).await;
        forgetter.say(&house, forget(id, gone)).await;
        for reader in tongues() {
            let found = reader.read(&house, "glaze recipe of cobalt and ash", other).await;
            assert!(!found.contains(&gone.to_owned()), "{} -> {}", forgetter.name(), reader.name());
        }
    }
}
