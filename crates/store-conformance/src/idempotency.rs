//! Idempotency keys: a retry writes nothing and returns the results of the first call.

use super::builders::{batch, batch_by, moment, remember};
use super::fixture::StoreFixture;
use model::{ContentHash, ErrorCode, Failure, MemoryId, limits};
use store::{Batch, Change, ChangeResult, Idempotency, MemoryQuery, ReadEvent, WriteError};

fn keyed(key: &str, request: &str, batch: Batch) -> Batch {
    let fingerprint = ContentHash::of_bytes(request.as_bytes());
    Batch { idempotency: Some(Idempotency { key: key.to_owned(), fingerprint }), ..batch }
}

fn keyed_note(text: &str) -> Batch {
    keyed("key", text, batch(vec![remember(text), remember("beside it")]))
}

pub async fn the_same_key_writes_once_and_returns_the_same_results_twice(at: &StoreFixture) {
    let first = at.commit(keyed_note("once")).await;
    at.remember("something between").await;
    let (seq, events) = (at.seq().await, at.event_count().await);
    let again = at.commit(keyed_note("once")).await;
    assert!(!first.replayed && again.replayed);
    assert_eq!((again.seq, &again.results), (first.seq, &first.results));
    assert_eq!((at.seq().await, at.event_count().await), (seq, events), "a replay changes nothing");
    assert_eq!(at.list_ids(&MemoryQuery::default()).await.len(), 3);
}

pub async fn a_replay_is_known_through_another_handle(at: &StoreFixture) {
    let first = at.commit(keyed_note("once")).await;
    let again = at.second_handle.write(&at.owner, keyed_note("once")).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.results, first.results);
}

pub async fn a_replay_returns_the_receipt_too(at: &StoreFixture) {
    let id = at.remember("to be forgotten").await;
    let forget = || keyed("key", "forget", batch(vec![super::builders::forget(&[id])]));
    let first = at.commit(forget()).await;
    assert!(
        matches!(&first.results[0], ChangeResult::Forgotten(receipt) if receipt.memories == [id])
    );
    assert_eq!(at.commit(forget()).await.results, first.results);
}

pub async fn the_same_key_with_another_request_is_refused(at: &StoreFixture) {
    at.commit(keyed_note("once")).await;
    let refusal = at.expect_refused(keyed_note("something else")).await;
    assert!(matches!(refusal, WriteError::IdempotencyMismatch), "{refusal:?}");
    assert_eq!(at.list_ids(&MemoryQuery::default()).await.len(), 2);
}

pub async fn the_same_key_of_another_agent_is_another_key(at: &StoreFixture) {
    let by = |agent: &str| keyed("key", agent, batch_by(agent, moment(0), vec![remember(agent)]));
    let first = at.commit(by("ada")).await;
    let second = at.commit(by("bob")).await;
    assert!(!second.replayed);
    assert_ne!(first.results, second.results);
}

pub async fn a_refused_batch_does_not_use_up_its_key(at: &StoreFixture) {
    let broken = vec![remember("once"), Change::SettleFlags { memory: MemoryId(987_654) }];
    at.expect_refused(keyed("key", "broken", batch(broken))).await;
    let committed = at.commit(keyed_note("once")).await;
    assert!(!committed.replayed);
}

pub async fn twenty_retries_at_once_write_once(at: &StoreFixture) {
    let mut retries = tokio::task::JoinSet::new();
    for n in 0..20 {
        let (store, owner) = (
            if n % 2 == 0 { at.store.clone() } else { at.second_handle.clone() },
            at.owner.clone(),
        );
        retries.spawn(async move { store.write(&owner, keyed_note("once")).await.unwrap() });
    }
    let answers = retries.join_all().await;
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    assert!(
        answers
            .iter()
            .all(|answer| answer.results == answers[0].results && answer.seq == answers[0].seq)
    );
    assert_eq!(at.event_count().await, 1);
}

pub async fn a_key_longer_than_the_limit_is_refused(at: &StoreFixture) {
    let key = "k".repeat(limits::IDEMPOTENCY_KEY_CHARS + 1);
    let refusal = at.expect_refused(keyed(&key, "request", batch(vec![remember("once")]))).await;
    assert_eq!(Failure::from(refusal).code, ErrorCode::LimitExceeded);
}

pub async fn keys_of_batches_whose_event_was_removed_are_removed_too(at: &StoreFixture) {
    let said = |key: &str, second: i64| {
        keyed(key, key, batch_by("ada", moment(second), vec![remember(key)]))
    };
    at.commit(said("old", 10)).await;
    let read = batch_by("ada", moment(11), Vec::new()).event;
    at.store.log_reads(&at.owner, vec![ReadEvent::new(read, Vec::new())]).await.unwrap();
    at.commit(said("young", 20)).await;
    at.store.prune_audit(&at.owner, moment(11)).await.unwrap();
    assert_eq!(at.store.prune_idempotency(&at.owner, moment(0)).await.unwrap(), 1);
    assert!(at.commit(said("young", 20)).await.replayed);
}

pub async fn old_keys_are_removed_and_recent_ones_still_replay(at: &StoreFixture) {
    let said = |key: &str, second: i64| {
        keyed(key, key, batch_by("ada", moment(second), vec![remember(key)]))
    };
    at.commit(said("old", 10)).await;
    let young = at.commit(said("young", 20)).await;
    let seq = at.seq().await;
    assert_eq!(at.store.prune_idempotency(&at.owner, moment(20)).await.unwrap(), 1);
    assert_eq!(at.store.prune_idempotency(&at.owner, moment(20)).await.unwrap(), 0);
    assert_eq!(at.seq().await, seq, "removing keys is no change to the memory");
    let again = at.commit(said("young", 20)).await;
    assert!(again.replayed && again.results == young.results);
    assert!(!at.commit(said("old", 30)).await.replayed, "a removed key is new again");
}
