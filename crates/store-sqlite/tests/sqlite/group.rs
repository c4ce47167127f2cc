//! Group commit: waiting requests are committed together, and a refused one is rolled back alone.

use crate::house::{House, assert_whole, one_memory};
use model::{MemoryId, Seq};
use quipu_store_sqlite::Options;
use std::time::Duration;
use store::{Batch, Committed, Idempotency, Made, Store, StoreError, Use, WriteError};
use store_conformance::build::{batch, event, forget, moment, remember};
use tokio::task::JoinSet;

/// Submits all batches while another process holds the lock, so that they are committed together.
async fn together(fixture: &House, batches: Vec<Batch>) -> Vec<Result<Committed, WriteError>> {
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = hand_in(fixture, batches);
    tokio::time::sleep(Duration::from_millis(30)).await;
    other.execute_batch("ROLLBACK").unwrap();
    answers(waiting).await
}

type Waiting = JoinSet<(usize, Result<Committed, WriteError>)>;

fn hand_in(fixture: &House, batches: Vec<Batch>) -> Waiting {
    let mut waiting = JoinSet::new();
    for (position, batch) in batches.into_iter().enumerate() {
        let (store, me) = (fixture.store.clone(), fixture.me.clone());
        waiting.spawn(async move { (position, store.write(&me, batch).await) });
    }
    waiting
}

async fn answers(waiting: Waiting) -> Vec<Result<Committed, WriteError>> {
    let mut answers = waiting.join_all().await;
    answers.sort_by_key(|(position, _)| *position);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[tokio::test]
async fn a_refused_batch_is_taken_back_alone() {
    let fixture = House::new().await;
    let nobody = model::EntityId(987_654);
    let refused = |text: &str| batch(vec![remember(text), store::Change::DeleteEntity(nobody)]);
    let batches = (0..12).map(|n| match n % 3 {
        1 => refused(&format!("refused {n}")),
        _ => one_memory(&format!("kept {n}")),
    });
    let answers = together(&fixture, batches.collect()).await;
    for (position, answer) in answers.iter().enumerate() {
        assert_eq!(answer.is_ok(), position % 3 != 1, "{position}: {answer:?}");
    }
    let mut numbers: Vec<Seq> = answers.iter().flatten().map(|committed| committed.seq).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).map(Seq).collect::<Vec<_>>(), "a refused batch takes no number");
    let results = answers.iter().flatten().map(|committed| committed.made[0].clone());
    let ids: Vec<MemoryId> = results.map(|result| result.memory().unwrap()).collect();
    let texts = fixture.store.memories(&fixture.me, &ids).await.unwrap();
    assert!(texts.iter().all(|memory| memory.text.starts_with("kept")), "{texts:?}");
    assert_whole(&fixture.store, &fixture.me, 8).await;
}

#[tokio::test]
async fn retries_that_wait_together_write_once() {
    let fixture = House::new().await;
    let fingerprint = model::ContentHash::of_bytes(b"the request");
    let keyed = || Batch {
        idempotency: Some(Idempotency { key: "once".into(), fingerprint }),
        ..one_memory("written once")
    };
    let answers = together(&fixture, (0..5).map(|_| keyed()).collect()).await;
    let results: Vec<Made> =
        answers.iter().map(|answer| answer.as_ref().unwrap().made[0].clone()).collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    assert_eq!(answers.iter().flatten().filter(|committed| !committed.replayed).count(), 1);
    assert_whole(&fixture.store, &fixture.me, 1).await;
}

#[tokio::test]
async fn a_duplicate_that_waits_beside_its_twin_finds_it() {
    let fixture = House::new().await;
    let answers = together(&fixture, (0..3).map(|_| one_memory("said by all")).collect()).await;
    let results: Vec<Made> =
        answers.into_iter().map(|answer| answer.unwrap().made.remove(0)).collect();
    let new = results.iter().filter(|result| matches!(result, Made::Memory(_))).count();
    assert_eq!(new, 1, "{results:?}");
    assert!(results.windows(2).all(|pair| pair[0].memory() == pair[1].memory()));
}

#[tokio::test]
async fn a_busy_file_refuses_the_whole_group_and_applies_nothing() {
    let fixture =
        House::with(Options { busy_timeout: Duration::from_millis(1), ..Options::default() }).await;
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answers =
        answers(hand_in(&fixture, (0..4).map(|n| one_memory(&format!("late {n}"))).collect()))
            .await;
    assert!(
        answers.iter().all(|answer| matches!(answer, Err(WriteError::Store(StoreError::Busy))))
    );
    other.execute_batch("ROLLBACK").unwrap();
    fixture.remember("in time").await;
    assert_whole(&fixture.store, &fixture.me, 1).await;
}

#[tokio::test]
async fn a_caller_who_gives_up_leaves_the_writer_sound() {
    let fixture = House::new().await;
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let write = fixture.store.write(&fixture.me, one_memory("given up"));
    assert!(tokio::time::timeout(Duration::from_millis(10), write).await.is_err());
    other.execute_batch("ROLLBACK").unwrap();
    fixture.remember("after it").await;
    let writes = fixture.store.seq(&fixture.me).await.unwrap().0;
    assert_whole(&fixture.store, &fixture.me, usize::try_from(writes).unwrap()).await;
}

#[tokio::test]
async fn uses_are_noted_in_the_same_transaction_as_writes_and_take_no_number() {
    let fixture = House::new().await;
    let id = fixture.remember("used").await;
    let read = Use::new(event(moment(1)), vec![id, MemoryId(987_654)]);
    let (logged, written) = tokio::join!(
        fixture.store.note_use(&fixture.me, vec![read.clone(), read]),
        fixture.store.write(&fixture.me, batch(vec![forget(&[MemoryId(987_654)])])),
    );
    logged.unwrap();
    assert_eq!(written.unwrap().seq, Seq(2));
    assert_eq!(fixture.store.memories(&fixture.me, &[id]).await.unwrap()[0].access.count, 2);
}

#[tokio::test]
async fn the_writer_survives_a_fault_and_goes_on_with_the_file_opened_anew() {
    let fixture = House::new().await;
    fixture.remember("before").await;
    let other = fixture.connection();
    other.execute_batch("ALTER TABLE audit RENAME TO away").unwrap();
    let refusal = fixture.store.write(&fixture.me, one_memory("meanwhile")).await.unwrap_err();
    assert!(matches!(refusal, WriteError::Store(StoreError::Failed { .. })), "{refusal:?}");
    other.execute_batch("ALTER TABLE away RENAME TO audit").unwrap();
    fixture.remember("after").await;
    assert_whole(&fixture.store, &fixture.me, 2).await;
}
