//! Group commit: waiting requests are committed together, and a refused one is rolled back alone.

use crate::fixture::{SqliteFixture, assert_sound, note_batch};
use model::{MemoryId, Seq};
use quipu_store_sqlite::Options;
use std::time::Duration;
use store::{
    Batch, ChangeResult, CommittedBatch, Idempotency, ReadEvent, Store, StoreError, WriteError,
};
use store_conformance::builders::{batch, event, forget, moment, remember};
use tokio::task::JoinSet;

/// Submits all batches while another process holds the lock, so that they are committed together.
async fn write_together(
    fixture: &SqliteFixture,
    batches: Vec<Batch>,
) -> Vec<Result<CommittedBatch, WriteError>> {
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = submit(fixture, batches);
    tokio::time::sleep(Duration::from_millis(30)).await;
    other.execute_batch("ROLLBACK").unwrap();
    results_in_order(waiting).await
}

type PendingWrites = JoinSet<(usize, Result<CommittedBatch, WriteError>)>;

fn submit(fixture: &SqliteFixture, batches: Vec<Batch>) -> PendingWrites {
    let mut waiting = JoinSet::new();
    for (position, batch) in batches.into_iter().enumerate() {
        let (store, me) = (fixture.store.clone(), fixture.owner.clone());
        waiting.spawn(async move { (position, store.write(&me, batch).await) });
    }
    waiting
}

async fn results_in_order(waiting: PendingWrites) -> Vec<Result<CommittedBatch, WriteError>> {
    let mut answers = waiting.join_all().await;
    answers.sort_by_key(|(position, _)| *position);
    answers.into_iter().map(|(_, answer)| answer).collect()
}

#[tokio::test]
async fn a_refused_batch_is_rolled_back_alone() {
    let fixture = SqliteFixture::new().await;
    let nobody = model::EntityId(987_654);
    let refused = |text: &str| batch(vec![remember(text), store::Change::DeleteEntity(nobody)]);
    let batches = (0..12).map(|n| match n % 3 {
        1 => refused(&format!("refused {n}")),
        _ => note_batch(&format!("kept {n}")),
    });
    let answers = write_together(&fixture, batches.collect()).await;
    for (position, answer) in answers.iter().enumerate() {
        assert_eq!(answer.is_ok(), position % 3 != 1, "{position}: {answer:?}");
    }
    let mut numbers: Vec<Seq> = answers.iter().flatten().map(|committed| committed.seq).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).map(Seq).collect::<Vec<_>>(), "a refused batch takes no number");
    let results = answers.iter().flatten().map(|committed| committed.results[0].clone());
    let ids: Vec<MemoryId> = results.map(|result| result.memory().unwrap()).collect();
    let texts = fixture.store.memories(&fixture.owner, &ids).await.unwrap();
    assert!(texts.iter().all(|memory| memory.text.starts_with("kept")), "{texts:?}");
    assert_sound(&fixture.store, &fixture.owner, 8).await;
}

#[tokio::test]
async fn retries_in_one_group_write_once() {
    let fixture = SqliteFixture::new().await;
    let fingerprint = model::ContentHash::of_bytes(b"the request");
    let keyed = || Batch {
        idempotency: Some(Idempotency { key: "once".into(), fingerprint }),
        ..note_batch("written once")
    };
    let answers = write_together(&fixture, (0..5).map(|_| keyed()).collect()).await;
    let results: Vec<ChangeResult> =
        answers.iter().map(|answer| answer.as_ref().unwrap().results[0].clone()).collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{results:?}");
    assert_eq!(answers.iter().flatten().filter(|committed| !committed.replayed).count(), 1);
    assert_sound(&fixture.store, &fixture.owner, 1).await;
}

#[tokio::test]
async fn a_duplicate_in_the_same_group_finds_the_first() {
    let fixture = SqliteFixture::new().await;
    let answers =
        write_together(&fixture, (0..3).map(|_| note_batch("said by all")).collect()).await;
    let results: Vec<ChangeResult> =
        answers.into_iter().map(|answer| answer.unwrap().results.remove(0)).collect();
    let new = results.iter().filter(|result| matches!(result, ChangeResult::Memory(_))).count();
    assert_eq!(new, 1, "{results:?}");
    assert!(results.windows(2).all(|pair| pair[0].memory() == pair[1].memory()));
}

#[tokio::test]
async fn a_busy_file_refuses_the_whole_group_and_applies_nothing() {
    let fixture = SqliteFixture::with(Options {
        busy_timeout: Duration::from_millis(1),
        ..Options::default()
    })
    .await;
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answers = results_in_order(submit(
        &fixture,
        (0..4).map(|n| note_batch(&format!("late {n}"))).collect(),
    ))
    .await;
    assert!(
        answers.iter().all(|answer| matches!(answer, Err(WriteError::Store(StoreError::Busy))))
    );
    other.execute_batch("ROLLBACK").unwrap();
    fixture.remember("in time").await;
    assert_sound(&fixture.store, &fixture.owner, 1).await;
}

#[tokio::test]
async fn a_caller_that_gives_up_leaves_the_writer_working() {
    let fixture = SqliteFixture::new().await;
    let other = fixture.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let write = fixture.store.write(&fixture.owner, note_batch("given up"));
    assert!(tokio::time::timeout(Duration::from_millis(10), write).await.is_err());
    other.execute_batch("ROLLBACK").unwrap();
    fixture.remember("after it").await;
    let writes = fixture.store.seq(&fixture.owner).await.unwrap().0;
    assert_sound(&fixture.store, &fixture.owner, usize::try_from(writes).unwrap()).await;
}

#[tokio::test]
async fn reads_are_logged_with_writes_and_take_no_sequence_number() {
    let fixture = SqliteFixture::new().await;
    let id = fixture.remember("used").await;
    let read = ReadEvent::new(event(moment(1)), vec![id, MemoryId(987_654)]);
    let (logged, written) = tokio::join!(
        fixture.store.log_reads(&fixture.owner, vec![read.clone(), read]),
        fixture.store.write(&fixture.owner, batch(vec![forget(&[MemoryId(987_654)])])),
    );
    logged.unwrap();
    assert_eq!(written.unwrap().seq, Seq(2));
    assert_eq!(fixture.store.memories(&fixture.owner, &[id]).await.unwrap()[0].access.count, 2);
}

#[tokio::test]
async fn the_writer_survives_an_error_and_reopens_the_file() {
    let fixture = SqliteFixture::new().await;
    fixture.remember("before").await;
    let other = fixture.connection();
    other.execute_batch("ALTER TABLE audit RENAME TO away").unwrap();
    let refusal = fixture.store.write(&fixture.owner, note_batch("meanwhile")).await.unwrap_err();
    assert!(matches!(refusal, WriteError::Store(StoreError::Failed { .. })), "{refusal:?}");
    other.execute_batch("ALTER TABLE away RENAME TO audit").unwrap();
    fixture.remember("after").await;
    assert_sound(&fixture.store, &fixture.owner, 2).await;
}
