//! Group commit: what waits goes to disk together, and what is refused goes alone.

use crate::house::{House, assert_whole, one_memory};
use model::{MemoryId, Seq};
use quipu_store_sqlite::Options;
use std::time::Duration;
use store::{Batch, Committed, Idempotency, Made, Store, StoreError, Use, WriteError};
use store_conformance::build::{batch, event, forget, moment, remember};
use tokio::task::JoinSet;

/// Hands in all batches while another process holds the lock, so that they wait together.
async fn together(house: &House, batches: Vec<Batch>) -> Vec<Result<Committed, WriteError>> {
    let other = house.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let waiting = hand_in(house, batches);
    tokio::time::sleep(Duration::from_millis(30)).await;
    other.execute_batch("ROLLBACK").unwrap();
    answers(waiting).await
}

type Waiting = JoinSet<(usize, Result<Committed, WriteError>)>;

fn hand_in(house: &House, batches: Vec<Batch>) -> Waiting {
    let mut waiting = JoinSet::new();
    for (position, batch) in batches.into_iter().enumerate() {
        let (store, me) = (house.store.clone(), house.me.clone());
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
    let house = House::new().await;
    let nobody = model::EntityId(987_654);
    let refused = |text: &str| batch(vec![remember(text), store::Change::DeleteEntity(nobody)]);
    let batches = (0..12).map(|n| match n % 3 {
        1 => refused(&format!("refused {n}")),
        _ => one_memory(&format!("kept {n}")),
    });
    let answers = together(&house, batches.collect()).await;
    for (position, answer) in answers.iter().enumerate() {
        assert_eq!(answer.is_ok(), position % 3 != 1, "{position}: {answer:?}");
    }
    let mut numbers: Vec<Seq> = answers.iter().flatten().map(|committed| committed.seq).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).map(Seq).collect::<Vec<_>>(), "a refused batch takes no number");
    let made = answers.iter().flatten().map(|committed| committed.made[0].clone());
    let ids: Vec<MemoryId> = made.map(|made| made.memory().unwrap()).collect();
    let texts = house.store.memories(&house.me, &ids).await.unwrap();
    assert!(texts.iter().all(|memory| memory.text.starts_with("kept")), "{texts:?}");
    assert_whole(&house.store, &house.me, 8).await;
}

#[tokio::test]
async fn retries_that_wait_together_write_once() {
    let house = House::new().await;
    let fingerprint = model::ContentHash::of_bytes(b"the request");
    let keyed = || Batch {
        idempotency: Some(Idempotency { key: "once".into(), fingerprint }),
        ..one_memory("written once")
    };
    let answers = together(&house, (0..5).map(|_| keyed()).collect()).await;
    let made: Vec<Made> =
        answers.iter().map(|answer| answer.as_ref().unwrap().made[0].clone()).collect();
    assert!(made.windows(2).all(|pair| pair[0] == pair[1]), "{made:?}");
    assert_eq!(answers.iter().flatten().filter(|committed| !committed.replayed).count(), 1);
    assert_whole(&house.store, &house.me, 1).await;
}

#[tokio::test]
async fn a_duplicate_that_waits_beside_its_twin_finds_it() {
    let house = House::new().await;
    let answers = together(&house, (0..3).map(|_| one_memory("said by all")).collect()).await;
    let made: Vec<Made> =
        answers.into_iter().map(|answer| answer.unwrap().made.remove(0)).collect();
    assert_eq!(made.iter().filter(|made| matches!(made, Made::Memory(_))).count(), 1, "{made:?}");
    assert!(made.windows(2).all(|pair| pair[0].memory() == pair[1].memory()));
}

#[tokio::test]
async fn a_busy_file_refuses_the_whole_group_and_applies_nothing() {
    let house =
        House::with(Options { busy_timeout: Duration::from_millis(1), ..Options::default() }).await;
    let other = house.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let answers =
        answers(hand_in(&house, (0..4).map(|n| one_memory(&format!("late {n}"))).collect())).await;
    assert!(
        answers.iter().all(|answer| matches!(answer, Err(WriteError::Store(StoreError::Busy))))
    );
    other.execute_batch("ROLLBACK").unwrap();
    house.remember("in time").await;
    assert_whole(&house.store, &house.me, 1).await;
}

#[tokio::test]
async fn a_caller_who_gives_up_leaves_the_writer_sound() {
    let house = House::new().await;
    let other = house.connection();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let write = house.store.write(&house.me, one_memory("given up"));
    assert!(tokio::time::timeout(Duration::from_millis(10), write).await.is_err());
    other.execute_batch("ROLLBACK").unwrap();
    house.remember("after it").await;
    let writes = house.store.seq(&house.me).await.unwrap().0;
    assert_whole(&house.store, &house.me, usize::try_from(writes).unwrap()).await;
}

#[tokio::test]
async fn uses_are_noted_in_the_same_transaction_as_writes_and_take_no_number() {
    let house = House::new().await;
    let id = house.remember("used").await;
    let shown = Use::new(event(moment(1)), vec![id, MemoryId(987_654)]);
    let (noted, written) = tokio::join!(
        house.store.note_use(&house.me, vec![shown.clone(), shown]),
        house.store.write(&house.me, batch(vec![forget(&[MemoryId(987_654)])])),
    );
    noted.unwrap();
    assert_eq!(written.unwrap().seq, Seq(2));
    assert_eq!(house.store.memories(&house.me, &[id]).await.unwrap()[0].access.count, 2);
}

#[tokio::test]
async fn the_writer_survives_a_fault_and_goes_on_with_the_file_opened_anew() {
    let house = House::new().await;
    house.remember("before").await;
    let other = house.connection();
    other.execute_batch("ALTER TABLE audit RENAME TO away").unwrap();
    let refusal = house.store.write(&house.me, one_memory("meanwhile")).await.unwrap_err();
    assert!(matches!(refusal, WriteError::Store(StoreError::Failed { .. })), "{refusal:?}");
    other.execute_batch("ALTER TABLE away RENAME TO audit").unwrap();
    house.remember("after").await;
    assert_whole(&house.store, &house.me, 2).await;
}
