//! Duplicates: a text that an active memory of the same collection and project already has is not
//! written again; the existing memory is returned, unless the writer asks otherwise.

use super::builders::{add, fields, note_with, remember};
use super::fixture::StoreFixture;
use model::{ErrorCode, NewSession, SessionId, Status};
use serde_json::{Value, json};
use store::{AddMemory, Change, ChangeResult, MemoryQuery, OnDuplicate, Ref};

pub async fn an_existing_memory_is_returned_and_not_written_again(at: &StoreFixture) {
    let there = at.remember("We use Postgres").await;
    let before = at.memory(there).await;
    assert_eq!(
        at.apply_at(9, remember("we  use POSTGRES\n")).await,
        ChangeResult::Duplicate(there)
    );
    assert_eq!(at.list_ids(&MemoryQuery::default()).await, [there]);
    assert_eq!(at.memory(there).await, before);
}

pub async fn the_second_of_two_equal_texts_in_a_batch_is_a_duplicate(at: &StoreFixture) {
    let results = at.write(vec![remember("twice"), remember("twice")]).await.results;
    assert_eq!(results[1], ChangeResult::Duplicate(results[0].memory().unwrap()));
}

pub async fn the_same_text_elsewhere_is_no_duplicate(at: &StoreFixture) {
    let in_project = |name: &str| {
        let name = Some(name.to_owned());
        add(note_with("same", |add| add.memory.project = name))
    };
    let journal = add(note_with("same", |add| add.memory.collection = "journal".into()));
    let (first, second) = (at.remember("same").await, at.add_memory(in_project("a")).await);
    let (third, fourth) =
        (at.add_memory(in_project("b")).await, at.add_memory(journal.clone()).await);
    for (again, there) in [
        (remember("same"), first),
        (in_project("a"), second),
        (in_project("b"), third),
        (journal, fourth),
    ] {
        assert_eq!(at.apply(again).await, ChangeResult::Duplicate(there));
    }
}

pub async fn only_an_active_memory_has_duplicates(at: &StoreFixture) {
    for status in [Status::Superseded, Status::Rejected, Status::Retired, Status::Proposed] {
        let there = at.remember("said before").await;
        at.write(vec![Change::SetStatus { memory: Ref::Id(there), status }]).await;
        let again = at.remember("said before").await;
        assert_ne!(again, there, "{status:?}");
        at.write(vec![Change::SetStatus { memory: Ref::Id(again), status: Status::Retired }]).await;
    }
}

pub async fn a_duplicate_can_be_written_on_request(at: &StoreFixture) {
    let there = at.remember("repeated").await;
    let second = at
        .add_memory(add(note_with("repeated", |add| add.on_duplicate = OnDuplicate::Insert)))
        .await;
    assert_ne!(there, second);
}

pub async fn an_event_with_other_metadata_is_no_duplicate(at: &StoreFixture) {
    let run = |metadata: Value| {
        add(note_with("Morning run", |add| {
            add.on_duplicate = OnDuplicate::ReturnExistingWithMetadata;
            add.memory.metadata = fields(metadata);
        }))
    };
    let first = at.add_memory(run(json!({"km": 5, "with": "Ada"}))).await;
    let second = at.add_memory(run(json!({"km": 8}))).await;
    for (metadata, there) in [
        (json!({"km": 5, "with": "Ada"}), first),
        (json!({"with": "Ada"}), first),
        (json!({"km": 8}), second),
        // Of several that fit, the newest is meant.
        (json!({}), second),
    ] {
        let again = at.apply(run(metadata.clone())).await;
        assert_eq!(again, ChangeResult::Duplicate(there), "{metadata}");
    }
}

pub async fn a_text_under_another_title_is_no_duplicate(at: &StoreFixture) {
    let titled = |title: Option<&str>| {
        add(note_with("It stands in the yard", |add| {
            add.memory.title = title.map(str::to_owned);
        }))
    };
    let first = at.add_memory(titled(Some("Crane A"))).await;
    let second = at.add_memory(titled(Some("Crane B"))).await;
    assert_ne!(first, second);
    for (title, there) in [(Some("crane a "), first), (Some("Crane B"), second), (None, second)] {
        assert_eq!(at.apply(titled(title)).await, ChangeResult::Duplicate(there), "{title:?}");
    }
}

pub async fn a_forgotten_text_that_is_still_said_is_not_refused(at: &StoreFixture) {
    let again = || add(note_with("Morning run", |add| add.on_duplicate = OnDuplicate::Insert));
    let (one, other) = (at.add_memory(again()).await, at.add_memory(again()).await);
    at.write(vec![Change::Forget { memories: vec![one] }]).await;
    let third = at.add_memory(again()).await;
    at.write(vec![Change::Forget { memories: vec![other, third] }]).await;
    assert_eq!(at.refusal_code(vec![again()]).await, ErrorCode::Forgotten);
}

pub async fn within_a_session_only_its_own_memories_are_duplicates(at: &StoreFixture) {
    let session =
        async || at.apply(Change::StartSession(NewSession::default())).await.session().unwrap();
    let (one, two) = (session().await, session().await);
    let there = at.add_memory(in_session(one, OnDuplicate::ReturnExistingInSession)).await;
    let beside = at.add_memory(in_session(two, OnDuplicate::ReturnExistingInSession)).await;
    assert_ne!(there, beside);
    for (session, there) in [(one, there), (two, beside)] {
        let again = at.apply(in_session(session, OnDuplicate::ReturnExistingInSession)).await;
        assert_eq!(again, ChangeResult::Duplicate(there));
    }
}

pub async fn across_sessions_the_text_counts_alone(at: &StoreFixture) {
    let session = at.apply(Change::StartSession(NewSession::default())).await.session().unwrap();
    let there = at.add_memory(in_session(session, OnDuplicate::ReturnExisting)).await;
    assert_eq!(at.apply(remember("repeated")).await, ChangeResult::Duplicate(there));
}

pub async fn racing_writers_of_one_text_write_it_once(at: &StoreFixture) {
    let mut writers = tokio::task::JoinSet::new();
    for n in 0..20 {
        let (store, owner) = (
            if n % 2 == 0 { at.store.clone() } else { at.second_handle.clone() },
            at.owner.clone(),
        );
        let batch = super::builders::batch(vec![remember("said by all")]);
        writers.spawn(async move { store.write(&owner, batch).await.unwrap().results.remove(0) });
    }
    let results = writers.join_all().await;
    assert_eq!(
        results.iter().filter(|result| matches!(result, ChangeResult::Memory(_))).count(),
        1
    );
    assert_eq!(at.list_ids(&MemoryQuery::default()).await.len(), 1);
}

fn in_session(session: SessionId, on_duplicate: OnDuplicate) -> Change {
    let change = |add: &mut AddMemory| {
        add.session = Some(Ref::Id(session));
        add.on_duplicate = on_duplicate;
    };
    add(note_with("repeated", change))
}
