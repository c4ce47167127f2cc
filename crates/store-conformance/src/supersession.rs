//! Supersession: no cycle of replacements, and no active memory replaced by something out of use.

use super::builders::{batch, link, moment, remember};
use super::fixture::StoreFixture;
use model::{Link, LinkKind, MemoryId, Status};
use store::{Change, Conflict, ImportedItem, Ref, WriteError};

fn supersede(old: MemoryId, new: MemoryId) -> Change {
    Change::Supersede { old, new: Ref::Id(new) }
}

fn set_status(memory: MemoryId, status: Status) -> Change {
    Change::SetStatus { memory: Ref::Id(memory), status }
}

/// Writes three versions of a memory, oldest first.
async fn three_versions(at: &StoreFixture) -> [MemoryId; 3] {
    let ids = [at.remember("first").await, at.remember("second").await, at.remember("third").await];
    at.write(vec![supersede(ids[0], ids[1]), supersede(ids[1], ids[2])]).await;
    ids
}

async fn conflict(at: &StoreFixture, changes: Vec<Change>) -> Conflict {
    match at.expect_refused(batch(changes)).await {
        WriteError::Conflict(conflict) => conflict,
        other => panic!("expected a conflict, got {other:?}"),
    }
}

pub async fn a_replacement_that_would_close_a_cycle_is_refused(at: &StoreFixture) {
    let [first, second, third] = three_versions(at).await;
    for (old, new) in [(second, first), (third, second), (third, first)] {
        let refusal = conflict(at, vec![supersede(old, new)]).await;
        assert_eq!(refusal, Conflict::SupersessionCycle { old, new });
    }
    assert_eq!(at.memory(third).await.status, Status::Active);
}

pub async fn a_cycle_within_one_batch_is_refused(at: &StoreFixture) {
    let (old, new) = (at.remember("old").await, at.remember("new").await);
    let refusal = conflict(at, vec![supersede(old, new), supersede(new, old)]).await;
    assert_eq!(refusal, Conflict::SupersessionCycle { old: new, new: old });
    assert_eq!(at.memory(old).await.status, Status::Active);
}

pub async fn a_link_that_would_close_a_cycle_of_replacements_is_refused(at: &StoreFixture) {
    let [first, _, third] = three_versions(at).await;
    let expected = Conflict::SupersessionCycle { old: third, new: first };
    let closing = link(first, third, LinkKind::Supersedes);
    assert_eq!(conflict(at, vec![closing]).await, expected);
    let imported = Link {
        source: first,
        target: third,
        kind: LinkKind::Supersedes,
        weight: 1.0,
        created_at: moment(-9),
    };
    let imported = Change::Import(Box::new(ImportedItem::Link(imported)));
    assert_eq!(conflict(at, vec![imported]).await, expected);
    assert!(at.links(first).await.outgoing.is_empty());
}

pub async fn a_cycle_of_other_links_is_allowed(at: &StoreFixture) {
    let [first, _, third] = three_versions(at).await;
    for kind in LinkKind::ALL.into_iter().filter(|kind| *kind != LinkKind::Supersedes) {
        at.write(vec![link(first, third, kind), link(third, first, kind)]).await;
    }
    at.write(vec![link(third, first, LinkKind::Supersedes)]).await;
}

pub async fn a_replacement_that_was_taken_back_can_be_made_the_other_way_round(at: &StoreFixture) {
    let (one, other) = (at.remember("one").await, at.remember("other").await);
    at.write(vec![supersede(one, other)]).await;
    at.write(vec![
        Change::Unlink { source: other, target: one, kind: LinkKind::Supersedes },
        set_status(one, Status::Active),
        supersede(other, one),
    ])
    .await;
    assert_eq!(at.memory(other).await.status, Status::Superseded);
}

pub async fn an_active_memory_is_not_replaced_by_one_that_is_out_of_use(at: &StoreFixture) {
    let current = at.remember("current").await;
    for status in [Status::Proposed, Status::Rejected, Status::Retired, Status::Superseded] {
        let gone = at.remember(status.name()).await;
        at.write(vec![set_status(gone, status)]).await;
        let refusal = conflict(at, vec![supersede(current, gone)]).await;
        assert_eq!(refusal, Conflict::NoCurrentSuccessor { old: current, new: gone });
    }
    assert_eq!(at.memory(current).await.status, Status::Active);
    assert!(at.links(current).await.incoming.is_empty());
}

pub async fn a_memory_may_be_replaced_by_one_that_has_a_current_version(at: &StoreFixture) {
    let [first, _, third] = three_versions(at).await;
    let rival = at.remember("rival").await;
    at.write(vec![supersede(rival, first)]).await;
    assert_eq!(at.memory(rival).await.status, Status::Superseded);
    at.write(vec![set_status(third, Status::Retired)]).await;
    let late = at.remember("late").await;
    let refusal = conflict(at, vec![supersede(late, first)]).await;
    assert_eq!(refusal, Conflict::NoCurrentSuccessor { old: late, new: first });
}

pub async fn of_two_racing_replacements_in_a_cycle_one_is_refused(at: &StoreFixture) {
    let (one, other) = (at.remember("one").await, at.remember("other").await);
    let write = |store: &std::sync::Arc<dyn super::StoreBackend>, change| {
        let (store, owner) = (store.clone(), at.owner.clone());
        async move { store.write(&owner, batch(vec![change])).await }
    };
    let (first, second) = tokio::join!(
        write(&at.store, supersede(one, other)),
        write(&at.second_handle, supersede(other, one)),
    );
    assert_eq!(first.is_ok(), second.is_err(), "{first:?} and {second:?}");
    let statuses = [at.memory(one).await.status, at.memory(other).await.status];
    assert!(statuses.contains(&Status::Active), "{statuses:?}");
    at.write(vec![remember("the store still writes")]).await;
}
