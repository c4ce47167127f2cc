//! Limits: a write past a limit is refused with an error that names it, and nothing is written.

use super::builders::{
    add, document, entity, fields, handoff, moment, note_with, provenance, record,
};
use super::fixture::StoreFixture;
use model::{
    ErrorCode, JsonMap, MemoryId, NewEntity, NewHandoff, NewReview, NewSession, ReviewKind, limits,
};
use serde_json::{Value, json};
use store::{AddMemory, Change, EntityEdit, MemoryEdit, MemoryQuery, NewRelation, Ref};

fn long(chars: usize) -> String {
    "é".repeat(chars + 1)
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!({ "a": inner }))
}

fn wide(bytes: usize) -> JsonMap {
    fields(json!({"a": "b".repeat(bytes)}))
}

/// Writes each change on its own and expects the same error code for all.
async fn each_refused(at: &StoreFixture, code: ErrorCode, changes: Vec<Change>) {
    for (position, change) in changes.into_iter().enumerate() {
        assert_eq!(at.refusal_code(vec![change]).await, code, "change {position}");
    }
}

fn memory(change: impl FnOnce(&mut AddMemory)) -> Change {
    add(note_with("within", change))
}

pub async fn a_memory_past_a_limit_is_refused(at: &StoreFixture) {
    let changes = vec![
        memory(|add| add.memory.text = "a".repeat(limits::TEXT_BYTES + 1)),
        memory(|add| add.memory.title = Some(long(limits::TITLE_CHARS))),
        memory(|add| add.memory.summary = Some(long(limits::SUMMARY_CHARS))),
        memory(|add| add.memory.collection = long(limits::NAME_CHARS)),
        memory(|add| add.memory.project = Some(long(limits::NAME_CHARS))),
        memory(|add| add.memory.tags = vec!["tag".into(); limits::TAGS + 1]),
        memory(|add| add.memory.tags = vec![long(limits::TAG_CHARS)]),
        memory(|add| add.memory.applies_to = vec![long(limits::TAG_CHARS)]),
        memory(|add| add.memory.metadata = wide(limits::METADATA_BYTES)),
        memory(|add| add.memory.metadata = fields(nested(limits::JSON_DEPTH + 1))),
    ];
    each_refused(at, ErrorCode::LimitExceeded, changes).await;
    assert!(at.list_ids(&MemoryQuery::default()).await.is_empty());
}

pub async fn a_memory_at_its_limits_is_written(at: &StoreFixture) {
    let largest = memory(|add| {
        add.memory.text = "a".repeat(limits::TEXT_BYTES);
        add.memory.title = Some("é".repeat(limits::TITLE_CHARS));
        add.memory.tags = (0..limits::TAGS).map(|n| format!("{n:é>100}")).collect();
        add.memory.metadata = fields(nested(limits::JSON_DEPTH));
    });
    let id = at.add_memory(largest).await;
    let written = at.memory(id).await;
    assert_eq!((written.text.len(), written.tags.len()), (limits::TEXT_BYTES, limits::TAGS));
}

pub async fn an_edit_past_a_limit_is_refused(at: &StoreFixture) {
    let id = at.remember("edited").await;
    let before = at.memory(id).await;
    let edit = |change: fn(&mut MemoryEdit)| {
        let mut edit = MemoryEdit::default();
        change(&mut edit);
        Change::EditMemory { memory: id, edit: Box::new(edit) }
    };
    let changes = vec![
        edit(|edit| edit.title = Some(Some(long(limits::TITLE_CHARS)))),
        edit(|edit| edit.summary = Some(Some(long(limits::SUMMARY_CHARS)))),
        edit(|edit| edit.collection = Some(long(limits::NAME_CHARS))),
        edit(|edit| edit.project = Some(Some(long(limits::NAME_CHARS)))),
        edit(|edit| edit.tags = Some(vec!["tag".into(); limits::TAGS + 1])),
        edit(|edit| edit.tags = Some(vec![long(limits::TAG_CHARS)])),
        edit(|edit| edit.metadata = Some(wide(limits::METADATA_BYTES))),
    ];
    each_refused(at, ErrorCode::LimitExceeded, changes).await;
    let changes =
        vec![edit(|edit| edit.priority = Some(6)), edit(|edit| edit.confidence = Some(f32::NAN))];
    each_refused(at, ErrorCode::InvalidArgument, changes).await;
    assert_eq!(at.memory(id).await, before);
}

pub async fn numbers_out_of_range_are_refused(at: &StoreFixture) {
    let changes = vec![
        memory(|add| add.memory.priority = 0),
        memory(|add| add.memory.priority = 6),
        memory(|add| add.memory.confidence = 1.5),
        memory(|add| add.memory.confidence = f32::NAN),
        Change::PutEntity(NewEntity { confidence: -1.0, ..entity("Ada") }),
        Change::PutEntity(entity(" ")),
        Change::StoreHandoff(Box::new(handoff(" "))),
    ];
    each_refused(at, ErrorCode::InvalidArgument, changes).await;
}

pub async fn sessions_handoffs_and_documents_past_a_limit_are_refused(at: &StoreFixture) {
    let session = NewSession::default;
    let stored = |new: NewHandoff| Change::StoreHandoff(Box::new(new));
    let text = "a".repeat(limits::REFERENCE_BYTES + 1);
    let changes = vec![
        Change::StartSession(NewSession { key: Some(long(limits::NAME_CHARS)), ..session() }),
        Change::StartSession(NewSession { project: Some(long(limits::NAME_CHARS)), ..session() }),
        Change::StartSession(NewSession { metadata: wide(limits::METADATA_BYTES), ..session() }),
        stored(handoff(&long(limits::TITLE_CHARS))),
        stored(NewHandoff { document: long(limits::HANDOFF_CHARS), ..handoff("work") }),
        stored(NewHandoff { tags: vec!["tag".into(); limits::TAGS + 1], ..handoff("work") }),
        document("a.md", &[text.as_str()]),
    ];
    each_refused(at, ErrorCode::LimitExceeded, changes).await;
}

pub async fn entities_past_a_limit_are_refused(at: &StoreFixture) {
    let ada = at.put_entity("Ada").await;
    let relation = NewRelation {
        source: Ref::Id(ada),
        target: Ref::Id(ada),
        kind: long(limits::NAME_CHARS),
        weight: 1.0,
        confidence: 1.0,
        memory: None,
        properties: JsonMap::new(),
    };
    let renamed =
        EntityEdit { name: Some(long(limits::ENTITY_NAME_CHARS)), ..EntityEdit::default() };
    let grown = EntityEdit { properties: wide(limits::METADATA_BYTES), ..EntityEdit::default() };
    let changes = vec![
        Change::PutEntity(entity(&long(limits::ENTITY_NAME_CHARS))),
        Change::PutEntity(NewEntity { kind: Some(long(limits::NAME_CHARS)), ..entity("Bob") }),
        Change::PutEntity(NewEntity { properties: wide(limits::METADATA_BYTES), ..entity("Bob") }),
        Change::EditEntity { entity: ada, edit: renamed },
        Change::EditEntity { entity: ada, edit: grown },
        Change::Relate(Box::new(relation)),
    ];
    each_refused(at, ErrorCode::LimitExceeded, changes).await;
}

pub async fn rows_past_a_limit_are_refused(at: &StoreFixture) {
    let columns: JsonMap =
        (0..=limits::TABLE_COLUMNS).map(|n| (format!("c{n}"), json!(n))).collect();
    let changes = vec![
        record(&"t".repeat(limits::NAME_CHARS + 1), json!({"a": 1})),
        record("meals", json!({ long(limits::NAME_CHARS): 1 })),
        record("meals", Value::Object(wide(limits::RECORD_BYTES))),
        record("meals", nested(limits::JSON_DEPTH + 1)),
        record("meals", Value::Object(columns)),
    ];
    each_refused(at, ErrorCode::LimitExceeded, changes).await;
    assert!(at.store.tables(&at.owner).await.unwrap().is_empty());
}

pub async fn a_table_gets_no_more_columns_than_the_limit(at: &StoreFixture) {
    let half = |prefix: &str| -> JsonMap {
        (0..limits::TABLE_COLUMNS / 2).map(|n| (format!("{prefix}{n}"), json!(n))).collect()
    };
    let rows =
        vec![record("meals", Value::Object(half("a"))), record("meals", Value::Object(half("b")))];
    at.write(rows).await;
    let code = at.refusal_code(vec![record("meals", json!({"one_more": 1}))]).await;
    assert_eq!(code, ErrorCode::LimitExceeded);
    at.write(vec![record("meals", json!({"a0": 1}))]).await;
}

pub async fn an_owner_gets_no_more_tables_than_the_limit(at: &StoreFixture) {
    at.write((0..limits::TABLES).map(|n| record(&format!("t{n}"), json!({"n": n}))).collect())
        .await;
    let code = at.refusal_code(vec![record("one_more", json!({"n": 1}))]).await;
    assert_eq!(code, ErrorCode::LimitExceeded);
    at.write(vec![record("t0", json!({"n": 2}))]).await;
}

pub async fn an_update_that_grows_a_row_past_its_limit_is_refused(at: &StoreFixture) {
    let store::ChangeResult::Record(id) = at.apply(record("meals", json!({"a": "b"}))).await else {
        panic!("expected a row")
    };
    let half = json!({"more": "b".repeat(limits::RECORD_BYTES - 10)});
    let update = Change::UpdateRecord { table: "meals".into(), record: id, patch: fields(half) };
    assert_eq!(at.refusal_code(vec![update]).await, ErrorCode::LimitExceeded);
}

pub async fn a_profile_past_a_limit_is_refused(at: &StoreFixture) {
    let patch = |patch| Change::PatchProfile {
        patch,
        reason: None,
        provenance: provenance("ada", moment(0)),
    };
    let half = |name: &str| fields(json!({ name: "b".repeat(limits::PROFILE_BYTES / 2) }));
    let changes =
        vec![patch(wide(limits::PROFILE_BYTES)), patch(fields(nested(limits::JSON_DEPTH + 1)))];
    each_refused(at, ErrorCode::LimitExceeded, changes).await;
    assert_eq!(at.store.profile(&at.owner).await.unwrap(), None);
    at.write(vec![patch(half("a"))]).await;
    assert_eq!(
        at.refusal_code(vec![patch(half("b"))]).await,
        ErrorCode::LimitExceeded,
        "the whole counts"
    );
}

pub async fn reasons_past_a_limit_are_refused(at: &StoreFixture) {
    let memory: MemoryId = at.remember("flagged").await;
    let reason = long(limits::REASON_CHARS);
    let item =
        NewReview { kind: ReviewKind::Flag, reason: reason.clone(), details: JsonMap::new() };
    let details = wide(limits::REVIEW_DETAILS_BYTES);
    let wordy = NewReview { reason: "short".into(), details, ..item.clone() };
    let changes = vec![
        Change::Flag { memory, reason },
        Change::RaiseReview { item, subject: Some(Ref::Id(memory)), against: None },
        Change::RaiseReview { item: wordy, subject: None, against: None },
    ];
    each_refused(at, ErrorCode::LimitExceeded, changes).await;
}
