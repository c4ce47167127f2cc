//! Comparison of everything a store contains with the reference model.

use super::id_map::AssignedIds;
use super::plan::{AGENTS, TABLES, TEXTS};
use super::reference_model::{ReferenceModel, folded};
use crate::fixture::{StoreFixture, full_page};
use model::{Link, LinkKind, MemoryId, RecordId};
use proptest::prop_assert_eq;
use proptest::test_runner::TestCaseError;
use store::{HandoffQuery, MemoryQuery};

/// `Ok` while the store and the model agree.
pub(super) type Comparison = Result<(), TestCaseError>;

/// Compares everything that can be read with the model.
pub(super) async fn compare(
    at: &StoreFixture,
    state: &ReferenceModel,
    names: &AssignedIds,
) -> Comparison {
    memories(at, state, names).await?;
    links(at, state, names).await?;
    sessions(at, state, names).await?;
    records(at, state, names).await?;
    handoffs(at, state, names).await?;
    for (text, words) in TEXTS.iter().enumerate() {
        let there = at.forgotten_at(words).await.is_some();
        prop_assert_eq!(
            there,
            state.forgotten.contains(&folded(text)),
            "the tombstone of {:?}",
            words
        );
    }
    Ok(())
}

async fn memories(at: &StoreFixture, state: &ReferenceModel, names: &AssignedIds) -> Comparison {
    let sort = store::MemorySort::Oldest;
    let mut there = at.list_ids(&MemoryQuery { sort, ..MemoryQuery::default() }).await;
    there.sort_unstable();
    let expected: Vec<MemoryId> =
        state.memories.keys().map(|index| names.memories[*index]).collect();
    prop_assert_eq!(&there, &expected, "which memories there are");
    let found = at.store.memories(&at.owner, &expected).await.unwrap();
    for (memory, item) in found.iter().zip(state.memories.values()) {
        prop_assert_eq!(memory.text.as_str(), TEXTS[item.text]);
        prop_assert_eq!(memory.project.as_deref(), item.project);
        prop_assert_eq!(memory.session, item.session.map(|index| names.sessions[index]));
        prop_assert_eq!(
            (memory.status, memory.ended_at, memory.flags),
            (item.status, item.ended_at, item.flags),
            "memory {}",
            memory.id
        );
    }
    Ok(())
}

async fn links(at: &StoreFixture, state: &ReferenceModel, names: &AssignedIds) -> Comparison {
    type ComparedLink = (MemoryId, MemoryId, LinkKind, Option<u32>);
    // The contract does not specify the weight of a supersedes link.
    let edge = |source, target, kind, weight: f32| -> ComparedLink {
        (source, target, kind, (kind != LinkKind::Supersedes).then_some(weight.to_bits()))
    };
    let mut expected: Vec<ComparedLink> = state
        .links
        .iter()
        .map(|((source, target, kind), weight)| {
            edge(names.memories[*source], names.memories[*target], *kind, *weight)
        })
        .collect();
    expected.sort_unstable();
    let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
    for index in state.memories.keys() {
        let links = at.links(names.memories[*index]).await;
        let seen = |link: &Link| edge(link.source, link.target, link.kind, link.weight);
        outgoing.extend(links.outgoing.iter().map(seen));
        incoming.extend(links.incoming.iter().map(seen));
    }
    outgoing.sort_unstable();
    incoming.sort_unstable();
    prop_assert_eq!(&outgoing, &expected, "the links, from where they start");
    prop_assert_eq!(&incoming, &expected, "the links, from where they end");
    Ok(())
}

async fn sessions(at: &StoreFixture, state: &ReferenceModel, names: &AssignedIds) -> Comparison {
    let total = at.store.sessions(&at.owner, full_page()).await.unwrap().total;
    prop_assert_eq!(total, state.sessions.len(), "how many sessions there are");
    for (item, id) in state.sessions.iter().zip(&names.sessions) {
        let session = at.store.session(&at.owner, *id).await.unwrap().unwrap();
        prop_assert_eq!(session.key.as_deref(), item.key);
        if !item.resumed {
            let episode = item.episode.map(|index| names.memories[index]);
            prop_assert_eq!(
                (session.ended_at, session.episode),
                (item.ended_at, episode),
                "session {}",
                id
            );
        }
    }
    Ok(())
}

async fn records(at: &StoreFixture, state: &ReferenceModel, names: &AssignedIds) -> Comparison {
    for (table, name) in TABLES.iter().enumerate() {
        let found = at.store.records(&at.owner, name, RecordId(0), 1_000).await.unwrap();
        let found: Vec<_> = found.into_iter().map(|row| (row.id, row.data, row.memory)).collect();
        let rows = state.tables[table].rows.iter();
        let expected: Vec<_> = rows
            .map(|(index, row)| {
                let memory = row.memory.map(|index| names.memories[index]);
                (names.rows[table][*index], row.data.clone(), memory)
            })
            .collect();
        prop_assert_eq!(found, expected, "the rows of {}", name);
        let tables = at.store.tables(&at.owner).await.unwrap();
        let counted = tables.iter().find(|one| one.name == *name).map_or(0, |one| one.rows);
        prop_assert_eq!(counted, state.current_rows(table), "the current rows of {}", name);
    }
    Ok(())
}

async fn handoffs(at: &StoreFixture, state: &ReferenceModel, names: &AssignedIds) -> Comparison {
    let total =
        at.store.handoffs(&at.owner, &HandoffQuery::default(), full_page()).await.unwrap().total;
    prop_assert_eq!(total, state.handoffs.len(), "how many handoffs there are");
    for (item, id) in state.handoffs.iter().zip(&names.handoffs) {
        let handoff = at.handoff(*id).await;
        prop_assert_eq!(handoff.state, item.state, "handoff {}", id);
        // The contract leaves open whether a settled handoff still names its last holder.
        if !item.is_settled() {
            let claim = handoff.claim.map(|claim| (claim.by.to_string(), claim.until));
            let expected = item.holder.map(|(agent, until)| (AGENTS[agent].to_owned(), until));
            prop_assert_eq!(claim, expected, "handoff {}", id);
        }
    }
    Ok(())
}
