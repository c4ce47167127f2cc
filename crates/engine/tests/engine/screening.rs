//! Screening of every field of every use case that writes: a secret is refused or redacted, and
//! invisible characters are removed. The files of the store are searched for them, so that no place
//! is missed.

use crate::fixture::{EngineFixture, HashEmbedder, agent, fields, owner, secret};
use engine::correct::CorrectRequest;
use engine::edit::TagMemoriesRequest;
use engine::entities::{EntityRef, PutEntityRequest, RelateEntitiesRequest};
use engine::handoffs::{ClaimHandoffRequest, StoreHandoffRequest};
use engine::profile::PatchProfileRequest;
use engine::references::FileReferenceRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::review::FlagMemoryRequest;
use engine::sessions::{
    EndSessionRequest, EpisodeSource, LogExchangeRequest, SessionRef, StartSessionRequest,
};
use engine::tables::UpdateRowRequest;
use engine::{Engine, SecretPolicy};
use model::{ErrorCode, Failure, HandoffId, MemoryId, NewHandoff, OwnerId, RecordId};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// A text with an invisible character.
const INVISIBLE: &str = "pay\u{202e}pal";

const DOCUMENT: &str = "## Start & intent\nPort it.\n## Journey\nTried nom.\n\
                        ## Current state\nHalf done.\n## What's left\nThe tests.\n\
                        ## Open questions\nNone.";

/// Creates a fixture with a memory, a row, an entity and a handoff to write to.
async fn filled_fixture(on_secret: SecretPolicy) -> (EngineFixture, Engine) {
    let fixture = EngineFixture::new().await;
    let (engine, codex) =
        (fixture.twin_on_secret(Arc::new(HashEmbedder::new()), on_secret), agent("codex"));
    let row =
        NewRow { table: "meals".into(), description: None, data: fields(json!({"food": "tea"})) };
    for memory in [
        RememberRequest::text("tea at four"),
        RememberRequest { row: Some(row), ..RememberRequest::text("tea for two") },
    ] {
        engine.memories().remember(&codex, &memory).await.unwrap();
    }
    engine.handoffs().store(&codex, &handoff(|_| ())).await.unwrap();
    engine
        .graph()
        .put_entity(&codex, &PutEntityRequest { name: "Ada".into(), ..PutEntityRequest::default() })
        .await
        .unwrap();
    (fixture, engine)
}

fn handoff(edit: impl FnOnce(&mut NewHandoff)) -> StoreHandoffRequest {
    let (title, document) = ("kiln".to_owned(), DOCUMENT.to_owned());
    let mut handoff = NewHandoff { title, document, ..NewHandoff::default() };
    edit(&mut handoff);
    StoreHandoffRequest { handoff, idempotency_key: None }
}

/// A field that stores text, with a function that sets it.
type FieldSetter<T> = (&'static str, fn(&mut T, String));

/// Every field of `remember` that stores text.
const REMEMBER_FIELDS: [FieldSetter<RememberRequest>; 15] = [
    ("text", |input, told| input.text = format!("it is {told}")),
    ("title", |input, told| input.title = Some(told)),
    ("summary", |input, told| input.summary = Some(told)),
    ("tags", |input, told| input.tags = vec![told]),
    ("applies_to", |input, told| input.applies_to = vec![told]),
    ("collection", |input, told| input.collection = Some(told)),
    ("project", |input, told| input.project = Some(told)),
    ("session", |input, told| input.session = Some(SessionRef::Key(told))),
    ("metadata", |input, told| input.metadata = fields(json!({"a": [{"b": told}]}))),
    ("a name in metadata", |input, told| input.metadata = fields(json!({ told: 1 }))),
    ("reason", |input, told| (input.reason, input.supersedes) = (Some(told), vec![MemoryId(1)])),
    ("description", |input, told| input.row = Some(row(Some(told), json!({"food": "rice"})))),
    ("data", |input, told| input.row = Some(row(None, json!({"food": told})))),
    ("a name in data", |input, told| input.row = Some(row(None, json!({ told: "rice" })))),
    ("profile", |input, told| input.profile = Some(fields(json!({"diet": told})))),
];

fn row(description: Option<String>, data: serde_json::Value) -> NewRow {
    NewRow { table: "meals".into(), description, data: fields(data) }
}

const HANDOFF_FIELDS: [FieldSetter<NewHandoff>; 7] = [
    ("title", |handoff, told| handoff.title = told),
    ("document", |handoff, told| handoff.document = format!("{DOCUMENT}\n{told}")),
    ("project", |handoff, told| handoff.project = Some(told)),
    ("cwd", |handoff, told| handoff.cwd = Some(told)),
    ("harness", |handoff, told| handoff.harness = Some(told)),
    ("source_ref", |handoff, told| handoff.source_ref = Some(told)),
    ("tags", |handoff, told| handoff.tags = vec![told]),
];

/// Name of a write, with the screening notes of its result.
type WriteResult = (String, Result<Vec<String>, Failure>);

/// Writes the text into one field after another and returns the result of each write.
async fn every_write(engine: &Engine, told: &str) -> Vec<WriteResult> {
    let mut outcomes = Vec::new();
    for (number, (field, set)) in REMEMBER_FIELDS.into_iter().enumerate() {
        let mut input = RememberRequest::text(format!("plain words number {number}"));
        set(&mut input, told.to_owned());
        let outcome =
            engine.memories().remember(&agent("codex"), &input).await.map(|done| done.notes);
        outcomes.push((format!("remember {field}"), outcome));
    }
    for (field, set) in HANDOFF_FIELDS {
        let input = handoff(|handoff| set(handoff, told.to_owned()));
        outcomes.push((
            format!("handoff {field}"),
            engine.handoffs().store(&agent("codex"), &input).await.map(|done| done.notes),
        ));
    }
    outcomes.extend(writes_to_existing_items(engine, told).await);
    outcomes.extend(writes_of_entities(engine, told).await);
    outcomes.extend(writes_of_sessions(engine, told).await);
    outcomes
}

async fn writes_to_existing_items(engine: &Engine, told: &str) -> Vec<WriteResult> {
    let (codex, text) = (agent("codex"), || told.to_owned());
    let correct = CorrectRequest { text: format!("tea at five, {told}"), ..correction() };
    let reason = CorrectRequest { reason: Some(text()), ..correction() };
    let title = CorrectRequest { title: Some(text()), text: "tea at seven".into(), ..correction() };
    let patch = fields(json!({"food": format!("rice {told}")}));
    let update = UpdateRowRequest { table: "meals".into(), row: RecordId(1), patch, text: None };
    let reword = UpdateRowRequest {
        patch: fields(json!({"food": "soup"})),
        text: Some(format!("soup, {told}")),
        ..update.clone()
    };
    let claim = ClaimHandoffRequest {
        notes: vec![("run".into(), text())],
        ..ClaimHandoffRequest::new(HandoffId(1))
    };
    let named = ClaimHandoffRequest {
        notes: vec![(text(), "x".into())],
        ..ClaimHandoffRequest::new(HandoffId(1))
    };
    let profile =
        PatchProfileRequest { patch: fields(json!({"pets": [{"name": told}]})), reason: None };
    let why = PatchProfileRequest { patch: fields(json!({"city": "Ulm"})), reason: Some(text()) };
    let filed =
        FileReferenceRequest { path: "a/b.md".into(), text: format!("# Kiln\n\nFire it, {told}.") };
    let labels =
        TagMemoriesRequest { memories: vec![MemoryId(1)], add: vec![text()], remove: Vec::new() };
    let heading =
        FileReferenceRequest { path: "a/c.md".into(), text: format!("# Kiln {told}\n\nFire it.") };
    vec![
        (
            "correct text".into(),
            engine.memories().correct(&codex, &correct).await.map(|done| done.notes),
        ),
        (
            "correct reason".into(),
            engine.memories().correct(&codex, &reason).await.map(|done| done.notes),
        ),
        (
            "correct title".into(),
            engine.memories().correct(&codex, &title).await.map(|done| done.notes),
        ),
        (
            "update a row".into(),
            engine.tables().update_row(&codex, &update).await.map(|done| done.notes),
        ),
        (
            "the text of a row".into(),
            engine.tables().update_row(&codex, &reword).await.map(|done| done.notes),
        ),
        ("flag".into(), flag_current_version(engine, told).await),
        ("labels".into(), engine.memories().tag(&codex, &labels).await.map(|done| done.notes)),
        ("claim".into(), engine.handoffs().claim(&codex, &claim).await.map(|done| done.notes)),
        (
            "claim, a note's name".into(),
            engine.handoffs().claim(&codex, &named).await.map(|done| done.notes),
        ),
        ("profile".into(), engine.profile().patch(&codex, &profile).await.map(|done| done.notes)),
        (
            "profile reason".into(),
            engine.profile().patch(&codex, &why).await.map(|done| done.notes),
        ),
        (
            "reference".into(),
            engine.references().put(&owner(), &filed).await.map(|done| done.notes),
        ),
        (
            "reference heading".into(),
            engine.references().put(&owner(), &heading).await.map(|done| done.notes),
        ),
    ]
}

// Only a current memory can be flagged, and the corrections above have replaced the first one.
async fn flag_current_version(engine: &Engine, told: &str) -> Result<Vec<String>, Failure> {
    let memory = engine.memories().versions(&agent("codex"), MemoryId(1)).await.unwrap().latest;
    let flag = FlagMemoryRequest { memory, reason: told.to_owned() };
    Ok(engine.reviews().flag(&agent("codex"), &flag).await?.notes)
}

fn correction() -> CorrectRequest {
    CorrectRequest {
        memory: MemoryId(1),
        text: "tea at six".into(),
        reason: None,
        title: None,
        kind: None,
        confidence: None,
        session: None,
        idempotency_key: None,
    }
}

async fn writes_of_entities(engine: &Engine, told: &str) -> Vec<WriteResult> {
    let (codex, text) = (agent("codex"), || told.to_owned());
    let bo = || PutEntityRequest { name: "Bo".into(), ..PutEntityRequest::default() };
    let related = || RelateEntitiesRequest {
        source: "Ada".into(),
        target: "Bo".into(),
        kind: "knows".into(),
        ..RelateEntitiesRequest::default()
    };
    let properties = || fields(json!({"about": told}));
    let name = PutEntityRequest { name: text(), ..PutEntityRequest::default() };
    let kind = PutEntityRequest { kind: Some(text()), ..bo() };
    let with = PutEntityRequest { properties: properties(), ..bo() };
    let observed = PutEntityRequest { observations: vec![text()], ..bo() };
    let relation = RelateEntitiesRequest { properties: properties(), ..related() };
    let called = RelateEntitiesRequest { kind: text(), ..related() };
    let ada = EntityRef::Name("Ada".into());
    vec![
        (
            "entity name".into(),
            engine.graph().put_entity(&codex, &name).await.map(|done| done.notes),
        ),
        (
            "entity kind".into(),
            engine.graph().put_entity(&codex, &kind).await.map(|done| done.notes),
        ),
        (
            "entity properties".into(),
            engine.graph().put_entity(&codex, &with).await.map(|done| done.notes),
        ),
        (
            "observation".into(),
            engine.graph().put_entity(&codex, &observed).await.map(|done| done.notes),
        ),
        (
            "relation properties".into(),
            engine.graph().relate(&codex, &relation).await.map(|done| done.notes),
        ),
        (
            "relation kind".into(),
            engine.graph().relate(&codex, &called).await.map(|done| done.notes),
        ),
        (
            "rename".into(),
            engine
                .graph()
                .rename_entity(&codex, &ada, &format!("Ada {told}"))
                .await
                .map(|done| done.notes),
        ),
    ]
}

async fn writes_of_sessions(engine: &Engine, told: &str) -> Vec<WriteResult> {
    let (codex, text) = (agent("codex"), || told.to_owned());
    let start = || StartSessionRequest {
        session: Some(SessionRef::Key("spring".into())),
        ..StartSessionRequest::default()
    };
    let key = StartSessionRequest {
        session: Some(SessionRef::Key(text())),
        ..StartSessionRequest::default()
    };
    let project = StartSessionRequest { project: Some(text()), ..start() };
    let metadata = StartSessionRequest { metadata: fields(json!({"about": told})), ..start() };
    let exchange = exchange_of(&format!("say {told}"));
    let topic = LogExchangeRequest { topic: Some(text()), ..exchange_of("hello there") };
    let end = EndSessionRequest {
        session: spring(),
        episode: EpisodeSource::Written(format!("We talked of {told}.")),
        title: None,
    };
    engine.sessions().start(&codex, &start()).await.unwrap();
    vec![
        ("session key".into(), engine.sessions().start(&codex, &key).await.map(|done| done.notes)),
        (
            "session project".into(),
            engine.sessions().start(&codex, &project).await.map(|done| done.notes),
        ),
        (
            "session metadata".into(),
            engine.sessions().start(&codex, &metadata).await.map(|done| done.notes),
        ),
        (
            "exchange".into(),
            engine.sessions().log_exchange(&codex, &exchange).await.map(|done| done.notes),
        ),
        (
            "exchange topic".into(),
            engine.sessions().log_exchange(&codex, &topic).await.map(|done| done.notes),
        ),
        ("episode".into(), engine.sessions().end(&codex, &end).await.map(|done| done.notes)),
    ]
}

fn spring() -> Option<SessionRef> {
    Some(SessionRef::Key("spring".into()))
}

fn exchange_of(words: &str) -> LogExchangeRequest {
    LogExchangeRequest {
        session: spring(),
        user: Some(words.to_owned()),
        ..LogExchangeRequest::default()
    }
}

/// Searches all files below a directory for a text, and returns what surrounds it.
fn find_on_disk(directory: &Path, text: &str) -> Option<String> {
    std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).find_map(|path| {
        if path.is_dir() {
            return find_on_disk(&path, text);
        }
        let bytes = std::fs::read(&path).ok()?;
        let at = bytes.windows(text.len()).position(|window| window == text.as_bytes())?;
        let around = &bytes[at.saturating_sub(80)..bytes.len().min(at + 80)];
        Some(format!("{}: {}", path.display(), String::from_utf8_lossy(around)))
    })
}

#[tokio::test]
async fn a_secret_in_any_field_of_any_write_is_refused_and_leaves_no_trace() {
    let (fixture, engine) = filled_fixture(SecretPolicy::Refuse).await;
    for (what, outcome) in every_write(&engine, &secret()).await {
        // A document of the owner loses only the line.
        if what.starts_with("reference") {
            let notes = outcome.unwrap();
            assert!(notes[0].contains("the line of a secret was redacted"), "{what}: {notes:?}");
            continue;
        }
        let failure = outcome.expect_err(&what);
        assert_eq!(failure.code, ErrorCode::SecretRefused, "{what}: {failure}");
        assert!(
            failure.message.contains("github-token") && !failure.message.contains("ghp_"),
            "{what}: {failure}"
        );
    }
    engine.flush().await;
    assert_eq!(find_on_disk(&fixture.path(""), &secret()), None);
}

#[tokio::test]
async fn a_secret_in_any_field_of_any_write_is_redacted_if_the_owner_chose_so() {
    let (fixture, engine) = filled_fixture(SecretPolicy::Redact).await;
    for (what, outcome) in every_write(&engine, &secret()).await {
        outcome.unwrap_or_else(|failure| panic!("{what}: {failure}"));
    }
    engine.flush().await;
    assert_eq!(find_on_disk(&fixture.path(""), &secret()), None);
    assert_ne!(find_on_disk(&fixture.path(""), "[secret:github-token]"), None);
}

#[tokio::test]
async fn invisible_characters_are_removed_from_any_field_and_reported_in_result_and_log() {
    let (fixture, engine) = filled_fixture(SecretPolicy::Refuse).await;
    let outcomes = every_write(&engine, INVISIBLE).await;
    let written = outcomes.len();
    for (what, outcome) in outcomes {
        let notes = outcome.unwrap_or_else(|failure| panic!("{what}: {failure}"));
        assert!(
            notes.iter().any(|note| note.contains("removed invisible characters")),
            "{what}: {notes:?}"
        );
    }
    engine.flush().await;
    assert_eq!(find_on_disk(&fixture.path(""), INVISIBLE), None);
    assert_ne!(find_on_disk(&fixture.path(""), "paypal"), None);
    let page = model::Page::first(1_000);
    let events =
        fixture.store.audit(&OwnerId::me(), &store::AuditQuery::default(), page).await.unwrap();
    let telling = events
        .items
        .iter()
        .filter(|event| event.note.contains("removed invisible characters"))
        .count();
    assert!(telling >= written, "{telling} events mention {written} writes");
}

#[tokio::test]
async fn a_secret_as_an_idempotency_key_is_refused() {
    let (_house, engine) = filled_fixture(SecretPolicy::Redact).await;
    let input =
        RememberRequest { idempotency_key: Some(secret()), ..RememberRequest::text("plain words") };
    let refusal = engine.memories().remember(&agent("codex"), &input).await.unwrap_err();
    assert_eq!(refusal.code, ErrorCode::SecretRefused, "{refusal}");
}
