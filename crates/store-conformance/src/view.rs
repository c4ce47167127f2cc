//! Input of the search index: complete changes after a sequence number, and vectors of memories.

use super::builders::{add, batch, entity, forget, link, mention, note_with, remember, vector};
use super::fixture::StoreFixture;
use model::{LinkKind, MemoryId, Seq, Status};
use std::collections::BTreeSet;
use store::{Change, ChangeResult, Changes, MemoryEdit, Ref};

async fn since(at: &StoreFixture, after: Seq) -> Changes {
    let changes = at.store.changes(&at.owner, after, 1_000).await.unwrap();
    assert!(!changes.more);
    assert_eq!(changes.upto, at.seq().await, "the last page reaches the newest change");
    changes
}

fn ids(changes: &Changes) -> BTreeSet<MemoryId> {
    changes.entries.iter().map(|entry| entry.memory.id).collect()
}

pub async fn an_empty_store_has_no_changes(at: &StoreFixture) {
    let changes = since(at, Seq::ZERO).await;
    assert!(changes.entries.is_empty() && changes.removed.is_empty());
    assert_eq!(changes.upto, Seq::ZERO);
}

pub async fn an_entry_contains_the_memory_with_links_entities_and_vectors(at: &StoreFixture) {
    let other = at.remember("other").await;
    let id = at.add_memory(add(note_with("whole", |add| add.vector = Some(vector("m", 9))))).await;
    let person = at.put_entity("Ada").await;
    at.write(vec![link(id, other, LinkKind::Supports), mention(id, person, "Ada")]).await;
    let changes = since(at, Seq::ZERO).await;
    assert_eq!(ids(&changes), BTreeSet::from([id, other]));
    let entry = changes.entries.iter().find(|entry| entry.memory.id == id).unwrap();
    assert_eq!(entry.memory, at.memory(id).await);
    assert_eq!(entry.links_out, at.links(id).await.outgoing);
    assert_eq!(
        (entry.entities.as_slice(), entry.vector.as_ref()),
        (&[person][..], Some(&vector("m", 9)))
    );
    let end = changes.entries.iter().find(|entry| entry.memory.id == other).unwrap();
    assert!(end.links_out.is_empty() && end.entities.is_empty() && end.vector.is_none());
}

pub async fn only_changes_after_the_sequence_number_are_returned(at: &StoreFixture) {
    at.remember("before").await;
    let mark = at.seq().await;
    let after = at.remember("after").await;
    assert_eq!(ids(&since(at, mark).await), BTreeSet::from([after]));
    assert!(since(at, at.seq().await).await.entries.is_empty());
}

pub async fn a_change_to_no_memory_still_advances_the_sequence_number(at: &StoreFixture) {
    at.remember("before").await;
    let mark = at.seq().await;
    at.write(vec![Change::PutSetting { name: "theme".into(), value: "dark".into() }]).await;
    assert!(since(at, mark).await.entries.is_empty());
    let first = at.store.changes(&at.owner, Seq::ZERO, 1).await.unwrap();
    assert!(
        first.more || first.upto == at.seq().await,
        "the last page reaches the newest change: {first:?}"
    );
}

pub async fn every_change_to_a_memory_returns_it_again(at: &StoreFixture) {
    let id =
        at.add_memory(add(note_with("touched", |add| add.vector = Some(vector("m", 1))))).await;
    let (other, person) = (at.remember("other").await, at.put_entity("Ada").await);
    let edit = MemoryEdit { priority: Some(1), ..MemoryEdit::default() };
    for change in [
        Change::EditMemory { memory: id, edit: Box::new(edit) },
        Change::SetVector { memory: id, vector: vector("m2", 2) },
        link(id, other, LinkKind::Supports),
        Change::Unlink { source: id, target: other, kind: LinkKind::Supports },
        mention(id, person, "Ada"),
        Change::Flag { memory: id, reason: "wrong".into() },
        Change::SettleFlags { memory: id },
        Change::SetStatus { memory: Ref::Id(id), status: Status::Retired },
        Change::Supersede { old: id, new: Ref::Id(other) },
    ] {
        let mark = at.seq().await;
        at.write(vec![change.clone()]).await;
        assert!(ids(&since(at, mark).await).contains(&id), "{change:?}");
    }
}

pub async fn both_memories_of_a_supersession_are_returned(at: &StoreFixture) {
    let (old, new) = (at.remember("old").await, at.remember("new").await);
    let mark = at.seq().await;
    at.write(vec![Change::Supersede { old, new: Ref::Id(new) }]).await;
    let changes = since(at, mark).await;
    assert_eq!(ids(&changes), BTreeSet::from([old, new]));
    let entry = changes.entries.iter().find(|entry| entry.memory.id == new).unwrap();
    assert_eq!(entry.links_out[0].target, old);
}

pub async fn a_changed_entity_returns_the_memories_that_mention_it(at: &StoreFixture) {
    let id = at.remember("mentions both").await;
    let (kept, merged) = (at.put_entity("Ada").await, at.put_entity("Countess").await);
    at.write(vec![mention(id, merged, "Countess")]).await;
    let mark = at.seq().await;
    at.write(vec![Change::MergeEntities { from: Ref::Id(merged), into: Ref::Id(kept) }]).await;
    let changes = since(at, mark).await;
    assert_eq!(ids(&changes), BTreeSet::from([id]));
    assert_eq!(changes.entries[0].entities, [kept]);
    let mark = at.seq().await;
    at.write(vec![Change::DeleteEntity(kept)]).await;
    assert!(since(at, mark).await.entries[0].entities.is_empty());
}

pub async fn a_forgotten_memory_is_returned_as_removed(at: &StoreFixture) {
    let (gone, pointing) = (at.remember("gone").await, at.remember("pointing").await);
    at.write(vec![link(pointing, gone, LinkKind::Supports)]).await;
    let mark = at.seq().await;
    at.write(vec![forget(&[gone])]).await;
    let changes = since(at, mark).await;
    assert_eq!(changes.removed, [gone]);
    assert_eq!(ids(&changes), BTreeSet::from([pointing]), "its links changed");
    assert!(changes.entries[0].links_out.is_empty());
    assert!(since(at, at.seq().await).await.removed.is_empty());
    let all = since(at, Seq::ZERO).await;
    assert!(!ids(&all).contains(&gone));
}

pub async fn no_page_of_changes_holds_half_a_batch(at: &StoreFixture) {
    for n in 0..6 {
        at.write((0..5).map(|m| remember(&format!("memory {n} {m}"))).collect()).await;
    }
    for limit in [1, 4, 7, 12] {
        let (mut after, mut seen) = (Seq::ZERO, BTreeSet::new());
        loop {
            let page = at.store.changes(&at.owner, after, limit).await.unwrap();
            assert_eq!(page.entries.len() % 5, 0, "limit {limit}: half a batch");
            assert!(
                page.entries.len() <= limit + 5,
                "limit {limit}: about that many, not {}",
                page.entries.len()
            );
            assert!(page.upto > after || !page.more, "limit {limit}: every page goes on");
            seen.extend(ids(&page));
            after = page.upto;
            if !page.more {
                break;
            }
        }
        assert_eq!((seen.len(), after), (30, at.seq().await), "limit {limit}");
    }
}

pub async fn paging_returns_removals_and_late_changes_once(at: &StoreFixture) {
    let results =
        at.write((0..9).map(|n| remember(&format!("memory {n}"))).collect()).await.results;
    let all: Vec<MemoryId> = results.iter().filter_map(ChangeResult::memory).collect();
    for id in &all[..3] {
        at.write(vec![forget(&[*id])]).await;
    }
    for id in &all[3..6] {
        at.write(vec![Change::Flag { memory: *id, reason: "wrong".into() }]).await;
    }
    let (mut after, mut there, mut gone) = (Seq::ZERO, BTreeSet::new(), BTreeSet::new());
    loop {
        let page = at.store.changes(&at.owner, after, 2).await.unwrap();
        there.extend(ids(&page));
        gone.extend(page.removed);
        after = page.upto;
        if !page.more {
            break;
        }
    }
    assert_eq!(there, all[3..].iter().copied().collect());
    assert!(gone.is_subset(&all[..3].iter().copied().collect()), "{gone:?}");
    assert_eq!(after, at.seq().await);
}

pub async fn a_vector_reads_back_and_can_be_replaced(at: &StoreFixture) {
    let id = at.add_memory(add(note_with("with", |add| add.vector = Some(vector("m1", 1))))).await;
    let bare = at.remember("without").await;
    assert_eq!(at.store.vector(&at.owner, id).await.unwrap(), Some(vector("m1", 1)));
    assert_eq!(at.store.vector(&at.owner, bare).await.unwrap(), None);
    at.write(vec![Change::SetVector { memory: id, vector: vector("m2", 2) }]).await;
    assert_eq!(at.store.vector(&at.owner, id).await.unwrap(), Some(vector("m2", 2)));
}

pub async fn memories_without_a_vector_of_the_model_are_found(at: &StoreFixture) {
    let with =
        |text: &str, model: &str| add(note_with(text, |add| add.vector = Some(vector(model, 1))));
    let old = at.add_memory(with("old", "m1")).await;
    at.add_memory(with("new", "m2")).await;
    let bare = at.remember("bare").await;
    let lacking = async |limit| {
        let found = at.store.memories_without_vector(&at.owner, "m2", limit).await.unwrap();
        found.iter().map(|memory| memory.id).collect::<Vec<_>>()
    };
    assert_eq!(lacking(10).await, [old, bare]);
    assert_eq!(lacking(1).await, [old]);
    let set = |memory| Change::SetVector { memory, vector: vector("m2", 3) };
    at.write(vec![set(old), set(bare)]).await;
    assert!(lacking(10).await.is_empty());
}

pub async fn changes_by_another_handle_are_returned(at: &StoreFixture) {
    at.remember("here").await;
    let mark = at.seq().await;
    let results =
        at.second_handle.write(&at.owner, batch(vec![remember("there")])).await.unwrap().results;
    assert_eq!(ids(&since(at, mark).await), BTreeSet::from([results[0].memory().unwrap()]));
}

pub async fn an_entity_alone_touches_no_memory(at: &StoreFixture) {
    at.remember("untouched").await;
    let mark = at.seq().await;
    at.write(vec![Change::PutEntity(entity("Ada"))]).await;
    assert!(since(at, mark).await.entries.is_empty());
}
