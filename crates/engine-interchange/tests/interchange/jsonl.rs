//! Round trips of the JSON Lines export through engines, and refusals of invalid files.

use crate::fixture::{InterchangeFixture, me};
use engine::Caller;
use engine::correct::CorrectRequest;
use engine::entities::{EntityRef, PutEntityRequest, RelateEntitiesRequest};
use engine::forget::ForgetRequest;
use engine::handoffs::{ClaimHandoffRequest, StoreHandoffRequest};
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use engine::references::FileReferenceRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::review::{FlagMemoryRequest, ListReviewsRequest, ResolveReviewRequest};
use engine::sessions::{EndSessionRequest, EpisodeSource, SessionRef, StartSessionRequest};
use engine::tables::UpdateRowRequest;
use interchange::Transfer;
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{JsonlError, TransferProgress, export_jsonl, import_jsonl, jsonl};
use model::{
    AgentName, Dialect, ErrorCode, HandoffId, JsonMap, MemoryId, NewHandoff, Origin, OwnerId,
    RecordId, Resolution, Trust,
};
use serde_json::{Value, json};

fn agent() -> Caller {
    Caller::agent(OwnerId::me(), AgentName::new("claude"), Dialect::Quipu)
}

fn map(value: Value) -> JsonMap {
    value.as_object().unwrap().clone()
}

impl InterchangeFixture {
    async fn export(&self) -> String {
        let mut out = Vec::new();
        export_jsonl(&self.engine, &me(), &mut out, |_| ()).await.unwrap();
        String::from_utf8(out).unwrap()
    }

    async fn import_jsonl(&self, file: &str) -> ImportOutcome {
        self.try_import(file).await.unwrap()
    }

    async fn import_error(&self, file: &str) -> JsonlError {
        self.try_import(file).await.expect_err("the file is refused")
    }

    async fn try_import(&self, file: &str) -> Result<ImportOutcome, JsonlError> {
        import_jsonl(&self.engine, &me(), file.as_bytes(), ImportOptions::default(), |_| ()).await
    }

    async fn remember(&self, caller: &Caller, text: &str) -> MemoryId {
        self.clock.advance(60);
        self.engine
            .memories()
            .remember(caller, &RememberRequest::text(text))
            .await
            .unwrap()
            .id
            .unwrap()
    }

    /// Creates an engine with items of every type, and gaps in the ids where some were deleted.
    async fn populated() -> Self {
        let fixture = Self::new().await;
        fixture.add_memories().await;
        fixture.add_graph().await;
        fixture.add_documents().await;
        fixture
    }

    async fn add_memories(&self) {
        let (engine, agent) = (&self.engine, agent());
        let started = StartSessionRequest {
            session: Some(SessionRef::Key("workshop".to_owned())),
            ..StartSessionRequest::default()
        };
        engine.sessions().start(&agent, &started).await.unwrap();
        let session = Some(SessionRef::Key("workshop".to_owned()));
        let decided = RememberRequest {
            title: Some("Shipping".to_owned()),
            tags: vec!["release".to_owned()],
            project: Some("kiln".to_owned()),
            session: session.clone(),
            metadata: map(json!({"ticket": "K-1"})),
            ..RememberRequest::text("We ship on Tuesdays.")
        };
        engine.memories().remember(&agent, &decided).await.unwrap();
        let gone = self.remember(&agent, "The spare key lies under the third stone.").await;
        engine
            .memories()
            .forget(&me(), &ForgetRequest { memories: vec![gone], query: None, dry_run: false })
            .await
            .unwrap();
        let old = self.remember(&agent, "The kiln fires at 1000 degrees.").await;
        self.clock.advance(1);
        engine
            .memories()
            .correct(
                &agent,
                &CorrectRequest::new(old, "The kiln fires at 1240 degrees.".to_owned()),
            )
            .await
            .unwrap();
        let flagged = self.remember(&me(), "Ada Lovelace works at Acme on src/kiln.rs.").await;
        engine
            .reviews()
            .flag(&agent, &FlagMemoryRequest { memory: flagged, reason: "she left".to_owned() })
            .await
            .unwrap();
        self.remember(&agent, "The kiln listens on port 8080.").await;
        self.remember(&agent, "The kiln listens on port 9090.").await;
        let waiting =
            engine.reviews().list(&me(), &ListReviewsRequest::default()).await.unwrap().items;
        let review = waiting
            .iter()
            .find(|view| view.subject.as_ref().is_some_and(|m| m.id != flagged))
            .unwrap();
        let decision =
            ResolveReviewRequest { review: review.item.id, resolution: Resolution::Reject };
        engine.reviews().resolve(&me(), &decision).await.unwrap();
        engine.memories().recall(&agent, &RecallRequest::query("when do we ship?")).await.unwrap();
        self.clock.advance(3_600);
        let summed_up = EpisodeSource::Written("Talked about the kiln.".to_owned());
        engine
            .sessions()
            .end(&agent, &EndSessionRequest { session, episode: summed_up, title: None })
            .await
            .unwrap();
    }

    async fn add_graph(&self) {
        let (engine, agent) = (&self.engine, agent());
        let kiln = PutEntityRequest {
            name: "the kiln".to_owned(),
            kind: Some("tool".to_owned()),
            properties: map(json!({"colour": "red"})),
            observations: vec!["it is old".to_owned(), "it is hot".to_owned()],
            ..PutEntityRequest::default()
        };
        engine.graph().put_entity(&agent, &kiln).await.unwrap();
        self.clock.advance(60);
        engine
            .graph()
            .rename_entity(&me(), &EntityRef::Name("the kiln".to_owned()), "Big kiln")
            .await
            .unwrap();
        let location = RelateEntitiesRequest {
            source: "Big kiln".to_owned(),
            target: "Workshop".to_owned(),
            kind: "located_at".to_owned(),
            memory: Some(MemoryId(1)),
            ..RelateEntitiesRequest::default()
        };
        engine.graph().relate(&agent, &location).await.unwrap();
        self.clock.advance(60);
        engine
            .graph()
            .relate(&agent, &RelateEntitiesRequest { memory: None, ..location })
            .await
            .unwrap();
        for (food, calories) in
            [("pizza", json!(800)), ("soup", json!(250.5)), ("bread", json!(300))]
        {
            self.clock.advance(60);
            let data = map(json!({"food": food, "calories": calories}));
            let row = Some(NewRow {
                table: "meals".to_owned(),
                description: Some("What I ate".to_owned()),
                data,
            });
            engine
                .memories()
                .remember(&agent, &RememberRequest { row, ..RememberRequest::text("") })
                .await
                .unwrap();
        }
        engine.tables().delete_row(&me(), "meals", RecordId(1)).await.unwrap();
        let change = UpdateRowRequest {
            table: "meals".to_owned(),
            row: RecordId(2),
            patch: map(json!({"note": "hot"})),
        };
        engine.tables().update_row(&agent, &change).await.unwrap();
    }

    async fn add_documents(&self) {
        let (engine, agent) = (&self.engine, agent());
        for (caller, patch) in
            [(me(), json!({"name": "Ada"})), (agent.clone(), json!({"work": {"role": "potter"}}))]
        {
            self.clock.advance(60);
            engine
                .profile()
                .patch(
                    &caller,
                    &PatchProfileRequest {
                        patch: map(patch),
                        reason: Some("stated in chat".to_owned()),
                    },
                )
                .await
                .unwrap();
        }
        let document =
            ["Start & intent", "Journey", "Current state", "What's left", "Open questions"]
                .map(|heading| format!("## {heading}\nThe glaze is not dry yet."))
                .join("\n\n");
        for title in ["Glaze the bowls", "Mend the door", "Sweep"] {
            let handoff = NewHandoff {
                title: title.to_owned(),
                document: document.clone(),
                tags: vec!["pots".to_owned()],
                ..NewHandoff::default()
            };
            engine
                .handoffs()
                .store(&agent, &StoreHandoffRequest { handoff, idempotency_key: None })
                .await
                .unwrap();
        }
        let notes = vec![("harness".to_owned(), "codex".to_owned())];
        let claim = ClaimHandoffRequest { notes, ..ClaimHandoffRequest::new(HandoffId(1)) };
        engine.handoffs().claim(&agent, &claim).await.unwrap();
        engine.handoffs().cancel(&me(), HandoffId(2)).await.unwrap();
        let text = "# Kiln\n\nHow to fire it.\n\n## Glaze\n\nCobalt and ash.\n".to_owned();
        engine
            .references()
            .put(&me(), &FileReferenceRequest { path: "manuals/kiln.md".to_owned(), text })
            .await
            .unwrap();
    }
}

/// Returns the lines of a type.
fn lines(file: &str, sort: &str) -> Vec<Value> {
    let read = file.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    read.filter(|line| line["type"] == sort).collect()
}

#[tokio::test]
async fn an_export_imported_elsewhere_exports_identically() {
    let file = InterchangeFixture::populated().await.export().await;
    for (sort, least) in [
        ("session", 1),
        ("entity", 3),
        ("memory", 9),
        ("link", 2),
        ("observation", 2),
        ("relation", 1),
        ("table", 1),
        ("record", 2),
        ("profile", 2),
        ("handoff", 3),
        ("reference", 1),
        ("review", 2),
    ] {
        assert!(lines(&file, sort).len() >= least, "{sort}: {file}");
    }
    let other = InterchangeFixture::new().await;
    other.clock.advance(1_000_000);
    let imported = other.import_jsonl(&file).await;
    assert_eq!(imported.skipped, []);
    assert_eq!(imported.added.values().sum::<usize>(), file.lines().count() - 1);
    let again = other.export().await;
    for (line, (before, after)) in file.lines().zip(again.lines()).enumerate() {
        assert_eq!(before, after, "line {}", line + 1);
    }
    assert_eq!(file.lines().count(), again.lines().count());
}

#[tokio::test]
async fn an_imported_memory_recalls_like_the_original() {
    let file = InterchangeFixture::populated().await.export().await;
    let other = InterchangeFixture::new().await;
    other.import_jsonl(&file).await;
    let found = other
        .engine
        .memories()
        .recall(&me(), &RecallRequest::query("how hot does the kiln fire?"))
        .await
        .unwrap();
    assert_eq!(found.hits[0].memory.text, "The kiln fires at 1240 degrees.");
    assert!(found.hits.iter().all(|hit| hit.memory.text != "The kiln fires at 1000 degrees."));
    let fresh = other.remember(&me(), "A new thing.").await;
    let highest =
        lines(&file, "memory").iter().map(|line| line["id"].as_i64().unwrap()).max().unwrap();
    assert_eq!(fresh, MemoryId(highest + 1), "ids continue after the highest one");
}

#[tokio::test]
async fn importing_a_file_twice_adds_nothing_the_second_time() {
    let fixture = InterchangeFixture::populated().await;
    let file = fixture.export().await;
    let again = fixture.import_jsonl(&file).await;
    assert_eq!(again.skipped, []);
    let fresh = |sort: &str| again.added.get(sort).copied().unwrap_or(0);
    assert_eq!(
        (fresh("memory"), fresh("record"), fresh("handoff"), fresh("review"), fresh("profile")),
        (0, 0, 0, 0, 0)
    );
    assert_eq!(fixture.export().await, file);
}

#[tokio::test]
async fn ids_in_use_are_reassigned_and_references_follow() {
    let file = InterchangeFixture::populated().await.export().await;
    let other = InterchangeFixture::new().await;
    for text in ["The shed is green.", "The gate squeaks.", "Bees live in the wall."] {
        other.remember(&me(), text).await;
    }
    other.import_jsonl(&file).await;
    let here = other.export().await;
    let text_of = |id: &Value| {
        lines(&here, "memory")
            .into_iter()
            .find(|line| line["id"] == *id)
            .map(|line| line["text"].clone())
            .unwrap()
    };
    let supersedes =
        lines(&here, "link").into_iter().find(|line| line["kind"] == "supersedes").unwrap();
    assert_eq!(text_of(&supersedes["source"]), "The kiln fires at 1240 degrees.");
    assert_eq!(text_of(&supersedes["target"]), "The kiln fires at 1000 degrees.");
    let soup =
        lines(&here, "record").into_iter().find(|line| line["data"]["food"] == "soup").unwrap();
    assert!(text_of(&soup["memory"]).as_str().unwrap().contains("soup"));
    assert_eq!(text_of(&json!(1)), "The shed is green.");
}

#[tokio::test]
async fn a_file_does_not_replace_profile_fields_typed_by_the_owner() {
    let file = InterchangeFixture::populated().await.export().await;
    let other = InterchangeFixture::new().await;
    let typed = PatchProfileRequest { patch: map(json!({"name": "Grace"})), reason: None };
    other.engine.profile().patch(&me(), &typed).await.unwrap();
    other.import_jsonl(&file).await;
    let profile = other.engine.profile().get(&me()).await.unwrap().unwrap();
    assert_eq!(Value::Object(profile.data), json!({"name": "Grace", "work": {"role": "potter"}}));
}

#[tokio::test]
async fn a_forgotten_memory_does_not_come_back_from_a_file() {
    let fixture = InterchangeFixture::populated().await;
    let file = fixture.export().await;
    let kiln = lines(&file, "memory")
        .into_iter()
        .find(|line| line["text"] == "We ship on Tuesdays.")
        .unwrap();
    let id = MemoryId(kiln["id"].as_i64().unwrap());
    fixture
        .engine
        .memories()
        .forget(&me(), &ForgetRequest { memories: vec![id], query: None, dry_run: false })
        .await
        .unwrap();
    let imported = fixture.import_jsonl(&file).await;
    let (what, why) = &imported.skipped[0];
    assert_eq!(
        (what.as_str(), why.as_str()),
        (format!("memory {id}").as_str(), "this text was forgotten at the owner's request")
    );
    assert!(!fixture.export().await.contains("We ship on Tuesdays."));
}

#[tokio::test]
async fn a_file_from_outside_cannot_claim_an_origin() {
    let file = InterchangeFixture::populated().await.export().await;
    let other = InterchangeFixture::new().await;
    let options = ImportOptions { from_outside: true };
    import_jsonl(&other.engine, &me(), file.as_bytes(), options, |_| ()).await.unwrap();
    let found = other
        .engine
        .memories()
        .recall(&me(), &RecallRequest::query("where does Ada Lovelace work?"))
        .await
        .unwrap();
    let from = &found.hits[0].memory.provenance;
    assert_eq!((from.origin, from.trust), (Origin::Imported, Origin::Imported.trust()));
}

#[tokio::test]
async fn no_item_is_trusted_more_than_its_origin() {
    let fixture = InterchangeFixture::new().await;
    fixture.remember(&agent(), "The shed is green.").await;
    let file = fixture.export().await.replace("\"trust\":70", "\"trust\":200");
    let other = InterchangeFixture::new().await;
    other.import_jsonl(&file).await;
    let found =
        other.engine.memories().recall(&me(), &RecallRequest::query("the shed")).await.unwrap();
    assert_eq!(found.hits[0].memory.provenance.trust, Trust(70));
}

#[tokio::test]
async fn a_secret_in_a_file_is_skipped_and_reported() {
    let fixture = InterchangeFixture::new().await;
    for text in ["The shed is green.", "The gate squeaks."] {
        fixture.remember(&me(), text).await;
    }
    let token = format!("The token is ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5");
    let file = fixture.export().await.replace("The shed is green.", &token);
    let other = InterchangeFixture::new().await;
    let imported = other.import_jsonl(&file).await;
    assert_eq!(imported.added.get("memory"), Some(&1));
    assert_eq!(imported.skipped.len(), 1);
    assert_eq!(imported.skipped[0].0, "memory 1");
    assert!(!other.export().await.contains("ghp_"));
}

#[tokio::test]
async fn only_the_owner_exports_and_imports() {
    let fixture = InterchangeFixture::new().await;
    let key = agent().with_reach(engine::CallerAccess::Credential(model::Permission::Write));
    let refusal = Transfer::of(&fixture.engine).open_export(&key).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ConsentRequired);
    let refusal = Transfer::of(&fixture.engine)
        .open_import(&key, ImportOptions::default())
        .await
        .unwrap_err();
    assert_eq!(refusal.code, ErrorCode::ConsentRequired);
}

#[tokio::test]
async fn progress_ends_at_the_total() {
    let fixture = InterchangeFixture::populated().await;
    let (mut steps, mut out): (Vec<TransferProgress>, Vec<u8>) = (Vec::new(), Vec::new());
    export_jsonl(&fixture.engine, &me(), &mut out, |step| steps.push(step)).await.unwrap();
    let last = steps.last().unwrap();
    assert_eq!(last.done, last.total);
    let mut reached = 0;
    let other = InterchangeFixture::new().await;
    import_jsonl(&other.engine, &me(), &out[..], ImportOptions::default(), |bytes| reached = bytes)
        .await
        .unwrap();
    assert_eq!(reached, out.len() as u64);
}

#[tokio::test]
async fn an_invalid_file_is_refused_with_the_invalid_line() {
    let fixture = InterchangeFixture::new().await;
    for file in ["", "AMEM", "{}", "[1]", "{\"type\":\"memory\"}", "\u{0}\u{1}"] {
        assert!(matches!(fixture.import_error(file).await, JsonlError::NotAnExport), "{file:?}");
    }
    let newer = fixture.import_error("{\"type\":\"quipu\",\"version\":9}\n").await;
    assert_eq!(newer.to_string(), "the export has format version 9; this program reads version 1");
    for (line, why) in [
        ("{\"type\":\"song\"}", "unknown variant `song`"),
        (
            "{\"type\":\"link\",\"source\":1,\"target\":2,\"weight\":1,\
             \"created_at\":\"2026-01-01\"}",
            "`kind`",
        ),
        (
            "{\"type\":\"observation\",\"entity\":1,\"text\":\"a\",\"at\":\"soon\"}",
            "`soon` is not a date",
        ),
        (
            "{\"type\":\"observation\",\"entity\":1,\"text\":\"a\",\"at\":0,\"by\":\"me\"}",
            "unknown field `by`",
        ),
        ("{\"type\":\"mem", "EOF"),
    ] {
        let message = fixture.import_error(&format!("{}\n{line}", jsonl::HEADER)).await.to_string();
        assert!(message.starts_with("line 2: ") && message.contains(why), "{message}");
    }
}

#[tokio::test]
async fn invalid_items_are_skipped_and_reported() {
    let fixture = InterchangeFixture::new().await;
    fixture.remember(&me(), "The shed is green.").await;
    let sound = fixture.export().await;
    let memory = lines(&sound, "memory").pop().unwrap();
    let changed = |change: Value| {
        let mut line = memory.clone();
        line.as_object_mut().unwrap().extend(map(change));
        line.to_string()
    };
    let file = [
        jsonl::HEADER.to_owned(),
        changed(json!({"id": i64::MAX, "text": "Far away."})),
        changed(json!({"id": -4, "text": "Below zero."})),
        changed(json!({"id": 9, "text": ""})),
        changed(json!({"id": 10, "text": "Too sure.", "confidence": 7.0})),
        changed(json!({"id": 11, "text": "In no session.", "session": 77})),
        r#"{"type":"link","source":1,"target":99,"kind":"supports","weight":1.0,"created_at":0}"#
            .to_owned(),
        r#"{"type":"record","table":"nowhere","id":1,"data":{"a":1},"created_at":0,"updated_at":0}"#
            .to_owned(),
    ]
    .join("\n");
    let other = InterchangeFixture::new().await;
    let imported = other.import_jsonl(&file).await;
    assert_eq!(imported.added.get("memory"), Some(&3));
    let named: Vec<&str> = imported.skipped.iter().map(|(what, _)| what.as_str()).collect();
    assert_eq!(named, ["memory 9", "memory 10", "link 1 supports 99", "record nowhere/1"]);
    let highest = lines(&other.export().await, "memory")
        .iter()
        .map(|line| line["id"].as_i64().unwrap())
        .max();
    assert_eq!(highest, Some(11), "an id beyond the limit is replaced");
    other.remember(&me(), "Life goes on.").await;
}
