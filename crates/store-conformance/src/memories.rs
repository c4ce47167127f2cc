//! Memories: written and read back unchanged, edited, moved to another status, superseded.

use super::builders::{add, fields, moment, note, note_at, note_with, remember};
use super::fixture::StoreFixture;
use model::{
    AccessStats, ContentHash, ErrorCode, Kind, LinkKind, Memory, MemoryId, NewMemory, NewSession,
    Status,
};
use serde_json::json;
use store::{Change, ChangeResult, MemoryEdit, OnDuplicate, Ref};

/// Builds a memory with a non-default value in every field.
fn full() -> NewMemory {
    let mut memory = note_at(3, "Ünïcode text, with\nlines and 'quotes'; -- and more").memory;
    memory.kind = Kind::new("decision").unwrap();
    memory.title = Some("A headline".into());
    memory.summary = Some("In short".into());
    memory.collection = "journal".into();
    memory.project = Some("quipu".into());
    memory.tags = vec!["b".into(), "a".into()];
    memory.applies_to = vec!["src/".into()];
    memory.priority = 1;
    memory.confidence = 0.25;
    memory.metadata = fields(json!({"z": [1, 2.5, null], "a": {"deep": true}}));
    memory.valid_from = moment(-100);
    memory.valid_to = Some(moment(100));
    memory.status = Status::Proposed;
    memory
}

fn edit(memory: MemoryId, edit: MemoryEdit) -> Change {
    Change::EditMemory { memory, edit: Box::new(edit) }
}

pub async fn a_memory_reads_back_as_it_was_written(at: &StoreFixture) {
    let session = at.apply(Change::StartSession(NewSession::default())).await.session().unwrap();
    let new = full();
    let written = note_with("", |add| {
        add.memory = new.clone();
        add.session = Some(Ref::Id(session));
    });
    let id = at.apply_at(3, add(written)).await.memory().unwrap();
    let expected = Memory {
        id,
        kind: new.kind,
        title: new.title,
        text: new.text,
        summary: new.summary,
        collection: new.collection,
        session: Some(session),
        project: new.project,
        tags: new.tags,
        applies_to: new.applies_to,
        priority: new.priority,
        confidence: new.confidence,
        metadata: new.metadata,
        provenance: new.provenance,
        valid_from: new.valid_from,
        valid_to: new.valid_to,
        status: new.status,
        ended_at: None,
        access: AccessStats::default(),
        flags: 0,
        updated_at: moment(3),
    };
    assert_eq!(at.memory(id).await, expected);
}

pub async fn every_dialect_origin_and_status_reads_back(at: &StoreFixture) {
    for (n, dialect) in model::Dialect::ALL.into_iter().enumerate() {
        let new = note_with(&format!("text {n}"), |add| {
            add.memory.provenance.author.dialect = dialect;
            add.memory.provenance.author.client = None;
            add.memory.provenance.origin = model::Origin::ALL[n % 6];
            add.memory.provenance.trust = model::Trust(n as u8);
        });
        let id = at.add_memory(add(new.clone())).await;
        assert_eq!(at.memory(id).await.provenance, new.memory.provenance);
        let status = Status::ALL[n % 5];
        at.write(vec![Change::SetStatus { memory: Ref::Id(id), status }]).await;
        assert_eq!(at.memory(id).await.status, status);
    }
}

pub async fn memories_are_returned_in_the_order_of_the_ids_without_unknown_ones(at: &StoreFixture) {
    let (a, b, c) = (at.remember("a").await, at.remember("b").await, at.remember("c").await);
    let asked = [c, MemoryId(987_654), a, b];
    let found = at.store.memories(&at.owner, &asked).await.unwrap();
    assert_eq!(found.iter().map(|memory| memory.id).collect::<Vec<_>>(), [c, a, b]);
    assert!(at.store.memories(&at.owner, &[]).await.unwrap().is_empty());
}

pub async fn an_edit_changes_the_fields_it_names_and_no_other(at: &StoreFixture) {
    let id = at.add_memory(add(note_with("", |add| add.memory = full()))).await;
    let before = at.memory(id).await;
    let change = MemoryEdit {
        kind: Some(Kind::new("fact").unwrap()),
        title: Some(Some("Another headline".into())),
        tags: Some(vec!["c".into()]),
        applies_to: Some(vec!["docs/".into()]),
        confidence: Some(0.5),
        ..MemoryEdit::default()
    };
    at.write_at(9, vec![edit(id, change)]).await;
    let expected = Memory {
        kind: Kind::new("fact").unwrap(),
        title: Some("Another headline".into()),
        tags: vec!["c".into()],
        applies_to: vec!["docs/".into()],
        confidence: 0.5,
        updated_at: moment(9),
        ..before
    };
    assert_eq!(at.memory(id).await, expected);
}

pub async fn an_edit_can_remove_what_is_optional(at: &StoreFixture) {
    let id = at.add_memory(add(note_with("", |add| add.memory = full()))).await;
    let change = MemoryEdit {
        title: Some(None),
        summary: Some(None),
        collection: Some("drawer".into()),
        project: Some(None),
        priority: Some(5),
        metadata: Some(fields(json!({"only": "this"}))),
        valid_to: Some(None),
        ..MemoryEdit::default()
    };
    at.write(vec![edit(id, change)]).await;
    let after = at.memory(id).await;
    assert_eq!(
        (after.title, after.summary, after.project, after.valid_to),
        (None, None, None, None)
    );
    assert_eq!((after.collection.as_str(), after.priority), ("drawer", 5));
    assert_eq!(after.metadata, fields(json!({"only": "this"})));
}

pub async fn leaving_active_sets_ended_at_and_entering_it_clears_it(at: &StoreFixture) {
    let id = at.remember("comes and goes").await;
    let to = |status| vec![Change::SetStatus { memory: Ref::Id(id), status }];
    at.write_at(5, to(Status::Retired)).await;
    let retired = at.memory(id).await;
    assert_eq!((retired.status, retired.ended_at), (Status::Retired, Some(moment(5))));
    assert_eq!(retired.updated_at, moment(5));
    at.write_at(6, to(Status::Rejected)).await;
    assert_eq!(at.memory(id).await.ended_at, Some(moment(5)), "it left `active` only once");
    at.write_at(7, to(Status::Active)).await;
    let back = at.memory(id).await;
    assert_eq!((back.status, back.ended_at), (Status::Active, None));
}

pub async fn superseding_ends_the_old_memory_and_links_the_new_one_to_it(at: &StoreFixture) {
    let old = at.remember("the port is 80").await;
    let replace =
        vec![remember("the port is 8080"), Change::Supersede { old, new: Ref::ResultOf(0) }];
    let new = at.write_at(5, replace).await.results[0].memory().unwrap();
    let ended = at.memory(old).await;
    assert_eq!((ended.status, ended.ended_at), (Status::Superseded, Some(moment(5))));
    assert_eq!(at.memory(new).await.status, Status::Active);
    let link = &at.links(new).await.outgoing[0];
    assert_eq!((link.source, link.target, link.kind), (new, old, LinkKind::Supersedes));
    assert_eq!(at.links(old).await.incoming.len(), 1);
}

pub async fn a_memory_does_not_supersede_itself(at: &StoreFixture) {
    let id = at.remember("the same").await;
    let again = vec![remember("the same"), Change::Supersede { old: id, new: Ref::ResultOf(0) }];
    assert_eq!(at.write(again).await.results, [ChangeResult::Duplicate(id), ChangeResult::Done]);
    assert_eq!(at.memory(id).await.status, Status::Active);
    assert_eq!(at.links(id).await, store::Links::default());
}

pub async fn a_text_is_found_regardless_of_case_and_spaces(at: &StoreFixture) {
    let saying = |text: &str| at.store.memory_by_text(&at.owner, ContentHash::of_text(text));
    let first = at.remember("We use  Postgres").await;
    assert_eq!(saying("we use postgres").await.unwrap(), Some(first));
    let repeated = note_with("we use postgres", |add| add.on_duplicate = OnDuplicate::Insert);
    let newest = at.add_memory(add(repeated)).await;
    assert_eq!(saying("WE USE POSTGRES").await.unwrap(), Some(newest));
    at.write(vec![Change::SetStatus { memory: Ref::Id(newest), status: Status::Rejected }]).await;
    assert_eq!(saying("we use postgres").await.unwrap(), Some(first), "only an active one counts");
    assert_eq!(saying("we use sqlite").await.unwrap(), None);
}

pub async fn a_memory_of_an_unknown_session_is_refused(at: &StoreFixture) {
    let stray = note_with("stray", |add| add.session = Some(super::builders::unknown_session()));
    assert_eq!(at.refusal_code(vec![add(stray)]).await, ErrorCode::NotFound);
}

pub async fn an_empty_text_is_refused(at: &StoreFixture) {
    assert_eq!(at.refusal_code(vec![add(note(" \n"))]).await, ErrorCode::InvalidArgument);
}
