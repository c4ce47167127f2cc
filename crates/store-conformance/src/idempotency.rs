//! Idempotency keys: a retry writes nothing and returns the results of the first call.

use super::build::{batch, batch_by, moment, remember};
use super::fixture::Fixture;
use model::{ContentHash, ErrorCode, Failure, MemoryId, limits};
use store::{Batch, Change, Idempotency, Made, MemoryQuery, WriteError};

fn keyed(key: &str, request: &str, batch: Batch) -> Batch {
    let fingerprint = ContentHash::of_bytes(request.as_bytes());
    Batch { idempotency: Some(Idempotency { key: key.to_owned(), fingerprint }), ..batch }
}

fn saying(text: &str) -> Batch {
    keyed("key", text, batch(vec![remember(text), remember("beside it")]))
}

pub async fn the_same_key_writes_once_and_answers_twice(at: &Fixture) {
    let first = at.commit(saying("once")).await;
    at.remember("something between").await;
    let (seq, events) = (at.seq().await, at.events().await);
    let again = at.commit(saying("once")).await;
    assert!(!first.replayed && again.replayed);
    assert_eq!((again.seq, &again.made), (first.seq, &first.made));
    assert_eq!((at.seq().await, at.events().await), (seq, events), "a replay changes nothing");
    assert_eq!(at.list(&MemoryQuery::default()).await.len(), 3);
}

pub async fn a_replay_is_known_through_another_handle(at: &Fixture) {
    let first = at.commit(saying("once")).await;
    let again = at.twin.write(&at.owner, saying("once")).await.unwrap();
    assert!(again.replayed);
    assert_eq!(again.made, first.made);
}

pub async fn a_replay_answers_with_a_receipt_too(at: &Fixture) {
    let id = at.remember("to be forgotten").await;
    let forget = || keyed("key", "forget", batch(vec![super::build::forget(&[id])]));
    let first = at.commit(forget()).await;
    assert!(matches!(&first.made[0], Made::Forgotten(receipt) if receipt.memories == [id]));
    assert_eq!(at.commit(forget()).await.made, first.made);
}

pub async fn the_same_key_with_another_request_is_refused(at: &Fixture) {
    at.commit(saying("once")).await;
    let refusal = at.refused(saying("something else")).await;
    assert!(matches!(refusal, WriteError::IdempotencyMismatch), "{refusal:?}");
    assert_eq!(at.list(&MemoryQuery::default()).await.len(), 2);
}

pub async fn the_same_key_of_another_agent_is_another_key(at: &Fixture) {
    let by = |agent: &str| keyed("key", agent, batch_by(agent, moment(0), vec![remember(agent)]));
    let first = at.commit(by("ada")).await;
    let second = at.commit(by("bob")).await;
    assert!(!second.replayed);
    assert_ne!(first.made, second.made);
}

pub async fn a_refused_batch_does_not_use_its_key_up(at: &Fixture) {
    let broken = vec![remember("once"), Change::SettleFlags { memory: MemoryId(987_654) }];
    at.refused(keyed("key", "broken", batch(broken))).await;
    let committed = at.commit(saying("once")).await;
    assert!(!committed.replayed);
}

pub async fn twenty_retries_at_once_write_once(at: &Fixture) {
    let mut retries = tokio::task::JoinSet::new();
    for n in 0..20 {
        let (store, owner) =
            (if n % 2 == 0 { at.store.clone() } else { at.twin.clone() }, at.owner.clone());
        retries.spawn(async move { store.write(&owner, saying("once")).await.unwrap() });
    }
    let answers = retries.join_all().await;
    assert_eq!(answers.iter().filter(|answer| !answer.replayed).count(), 1);
    assert!(
        answers.iter().all(|answer| answer.made == answers[0].made && answer.seq == answers[0].seq)
    );
    assert_eq!(at.events().await, 1);
}

pub async fn a_key_longer_than_the_limit_is_refused(at: &Fixture) {
    let key = "k".repeat(limits::IDEMPOTENCY_KEY_CHARS + 1);
    let refusal = at.refused(keyed(&key, "request", batch(vec![remember("once")]))).await;
    assert_eq!(Failure::from(refusal).code, ErrorCode::LimitExceeded);
}

pub async fn old_keys_are_given_up_and_young_ones_still_answer(at: &Fixture) {
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
    assert!(again.replayed && again.made == young.made);
    assert!(!at.commit(said("old", 30)).await.replayed, "a removed key is new again");
}
