//! Round trips of the JSON Lines export through engines, and refusals of invalid files.

mod populated;

use crate::fixture::{InterchangeFixture, me};
use engine::Caller;
use engine::forget::ForgetRequest;
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use interchange::Transfer;
use interchange::transfer::{ImportOptions, ImportOutcome};
use interchange::{JsonlError, TransferProgress, export_jsonl, import_jsonl, jsonl};
use model::{AgentName, Dialect, ErrorCode, JsonMap, MemoryId, Origin, OwnerId, Trust};
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
        .forget(&me(), &ForgetRequest { memories: vec![id], dry_run: false })
        .await
        .unwrap();
    let imported = fixture.import_jsonl(&file).await;
    assert_eq!((imported.forgotten, imported.skipped), (1, vec![]));
    assert!(!fixture.export().await.contains("We ship on Tuesdays."));
}

#[tokio::test]
async fn a_file_from_outside_cannot_claim_an_origin() {
    let file = InterchangeFixture::populated().await.export().await;
    let other = InterchangeFixture::new().await;
    let options = ImportOptions { from_outside: true, ..ImportOptions::default() };
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
async fn a_link_that_closes_a_cycle_of_replacements_is_skipped_and_reported() {
    let fixture = InterchangeFixture::new().await;
    for text in ["The shed is green.", "The shed is red."] {
        fixture.remember(&agent(), text).await;
    }
    let link = |source: i64, target: i64| {
        format!(
            "{{\"type\":\"link\",\"source\":{source},\"target\":{target},\
             \"kind\":\"supersedes\",\"weight\":1.0,\"created_at\":0}}"
        )
    };
    let file = [fixture.export().await.trim_end().to_owned(), link(2, 1), link(1, 2)].join("\n");
    let other = InterchangeFixture::new().await;
    let imported = other.import_jsonl(&file).await;
    let (what, why) = &imported.skipped[0];
    assert_eq!(what, "link 1 supersedes 2");
    assert!(why.contains("cannot replace memory 2"), "{why}");
    let links = lines(&other.export().await, "link");
    assert_eq!(links.iter().filter(|line| line["kind"] == "supersedes").count(), 1);
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
