//! Versions of a row: each is stated by a memory, and the row follows the statuses of these.

use super::builders::{fields, remember};
use super::fixture::StoreFixture;
use model::{ErrorCode, MemoryId, Record, RecordId, Status};
use serde_json::{Value, json};
use store::{Change, ChangeResult, Ref};

async fn row_of(at: &StoreFixture, memory: Option<MemoryId>, calories: i64) -> RecordId {
    let add = Change::AddRecord {
        table: "meals".into(),
        description: None,
        data: fields(json!({"food": "pizza", "calories": calories})),
        memory: memory.map(Ref::Id),
    };
    let ChangeResult::Record(id) = at.apply(add).await else { panic!("expected a row") };
    id
}

fn revise(record: RecordId, memory: MemoryId, calories: i64) -> Change {
    Change::ReviseRecord {
        table: "meals".into(),
        record,
        patch: fields(json!({ "calories": calories })),
        memory: Ref::Id(memory),
    }
}

fn set(memory: MemoryId, status: Status) -> Change {
    Change::SetStatus { memory: Ref::Id(memory), status }
}

async fn read(at: &StoreFixture, id: RecordId) -> Option<Record> {
    at.store.record(&at.owner, "meals", id).await.unwrap()
}

/// Returns the calories of a row and the memory that states them.
async fn shown(at: &StoreFixture, id: RecordId) -> (Value, Option<MemoryId>) {
    let row = read(at, id).await.expect("the row exists");
    assert_eq!(row.data["food"], "pizza", "a version has the fields that were not changed");
    (row.data["calories"].clone(), row.memory)
}

async fn counted(at: &StoreFixture) -> usize {
    at.store.tables(&at.owner).await.unwrap()[0].rows
}

/// Writes a row of 800 calories, and a version of 900 that supersedes it.
async fn revised_row(at: &StoreFixture) -> (RecordId, MemoryId, MemoryId) {
    let (first, second) = (at.remember("pizza, 800").await, at.remember("pizza, 900").await);
    let row = row_of(at, Some(first), 800).await;
    at.write(vec![
        revise(row, second, 900),
        Change::Supersede { old: first, new: Ref::Id(second) },
    ])
    .await;
    (row, first, second)
}

pub async fn a_row_is_as_its_newest_version_with_an_active_memory_states_it(at: &StoreFixture) {
    let (row, first, second) = revised_row(at).await;
    assert_eq!(shown(at, row).await, (json!(900), Some(second)));
    at.write(vec![set(second, Status::Retired)]).await;
    assert_eq!(shown(at, row).await, (json!(900), Some(second)), "no other version is current");
    at.write(vec![set(first, Status::Active)]).await;
    assert_eq!(shown(at, row).await, (json!(800), Some(first)));
    at.write(vec![set(second, Status::Active)]).await;
    assert_eq!(shown(at, row).await, (json!(900), Some(second)), "the newest of two wins");
    let back = |memory, status| Change::RestoreStatus { memory, status, ended_at: None };
    at.write(vec![back(first, Status::Active), back(second, Status::Proposed)]).await;
    assert_eq!(shown(at, row).await, (json!(800), Some(first)));
}

pub async fn a_version_of_a_proposed_memory_waits_until_the_memory_is_active(at: &StoreFixture) {
    let (first, second) = (at.remember("pizza, 800").await, at.remember("pizza, 900").await);
    let row = row_of(at, Some(first), 800).await;
    at.write(vec![set(second, Status::Proposed), revise(row, second, 900)]).await;
    assert_eq!(shown(at, row).await, (json!(800), Some(first)));
    at.write(vec![
        set(second, Status::Active),
        Change::Supersede { old: first, new: Ref::Id(second) },
    ])
    .await;
    assert_eq!(shown(at, row).await, (json!(900), Some(second)));
}

pub async fn a_row_without_a_memory_gets_the_one_of_its_version(at: &StoreFixture) {
    let row = row_of(at, None, 800).await;
    let results = at
        .write(vec![
            remember("pizza, 900"),
            Change::ReviseRecord {
                table: "meals".into(),
                record: row,
                patch: fields(json!({"calories": 900})),
                memory: Ref::ResultOf(0),
            },
        ])
        .await
        .results;
    let memory = results[0].memory();
    assert_eq!(shown(at, row).await, (json!(900), memory));
    assert_eq!(at.store.records_of_memory(&at.owner, memory.unwrap()).await.unwrap().len(), 1);
    at.write(vec![revise(row, memory.unwrap(), 950)]).await;
    assert_eq!(shown(at, row).await, (json!(950), memory), "its own memory states it again");
}

pub async fn a_table_counts_the_rows_whose_memory_is_active(at: &StoreFixture) {
    let (row, first, second) = revised_row(at).await;
    row_of(at, None, 100).await;
    assert_eq!(counted(at).await, 2);
    at.write(vec![set(second, Status::Rejected)]).await;
    assert_eq!(counted(at).await, 1);
    at.write(vec![set(first, Status::Active)]).await;
    assert_eq!(counted(at).await, 2);
    at.write(vec![set(first, Status::Retired)]).await;
    at.write(vec![Change::DeleteRecord { table: "meals".into(), record: row }]).await;
    assert_eq!(counted(at).await, 1, "a row that was not counted is not taken off");
    assert_eq!(at.store.counts(&at.owner).await.unwrap().records, 1);
}

pub async fn a_row_whose_version_changed_is_among_the_changes(at: &StoreFixture) {
    let (row, first, second) = revised_row(at).await;
    let since = at.seq().await;
    at.write(vec![set(second, Status::Retired), set(first, Status::Active)]).await;
    let changes = at.store.record_changes(&at.owner, "meals", since, RecordId(0), 9).await.unwrap();
    let record = changes[0].record.as_ref().unwrap();
    assert_eq!((changes.len(), changes[0].id, changes[0].memory), (1, row, Some(Status::Active)));
    assert_eq!(record.data["calories"], 800);
}

pub async fn forgetting_a_memory_takes_its_version_and_leaves_the_others(at: &StoreFixture) {
    let (row, first, second) = revised_row(at).await;
    at.write(vec![Change::Forget { memories: vec![second] }]).await;
    assert_eq!(shown(at, row).await, (json!(800), Some(first)));
    assert_eq!(counted(at).await, 0, "its memory is superseded");
    at.write(vec![set(first, Status::Active)]).await;
    assert_eq!(counted(at).await, 1);
    at.write(vec![Change::Forget { memories: vec![first] }]).await;
    assert_eq!((read(at, row).await, counted(at).await), (None, 0));
}

pub async fn forgetting_an_earlier_version_leaves_the_row(at: &StoreFixture) {
    let (row, first, second) = revised_row(at).await;
    at.write(vec![Change::Forget { memories: vec![first] }]).await;
    assert_eq!((shown(at, row).await, counted(at).await), ((json!(900), Some(second)), 1));
}

pub async fn a_removed_row_takes_its_versions_with_it(at: &StoreFixture) {
    let (row, first, _) = revised_row(at).await;
    at.write(vec![Change::DeleteRecord { table: "meals".into(), record: row }]).await;
    at.write(vec![set(first, Status::Active)]).await;
    assert_eq!((read(at, row).await, counted(at).await), (None, 0));
}

pub async fn a_version_of_something_unknown_is_refused(at: &StoreFixture) {
    let memory = at.remember("pizza").await;
    let row = row_of(at, Some(memory), 800).await;
    for change in [
        revise(RecordId(987_654), memory, 1),
        revise(row, MemoryId(987_654), 1),
        Change::ReviseRecord {
            table: "books".into(),
            record: row,
            patch: fields(json!({"n": 1})),
            memory: Ref::Id(memory),
        },
    ] {
        assert_eq!(at.refusal_code(vec![change]).await, ErrorCode::NotFound);
    }
}
