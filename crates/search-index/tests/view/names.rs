//! Names after compaction: each memory keeps its own, and unused ones are dropped.

use model::{MemoryId, Moment, Seq};
use quipu_index::{DocFacts, IndexEntry, View};

/// Adds a memory with a distinct value in every name column.
fn add_memory(view: &mut View, id: i64) {
    let [kind, collection, table, project, agent, speaker] =
        ["kind", "collection", "table", "project", "agent", "speaker"]
            .map(|what| format!("{what} {id}"));
    let facts = DocFacts {
        kind: &kind,
        collection: &collection,
        table: Some(&table),
        project: Some(&project),
        agent: &agent,
        speaker: Some(&speaker),
        ..DocFacts::note(MemoryId(id), Moment(0))
    };
    view.apply([IndexEntry::new(facts)], [], Seq(id));
}

/// Returns a compacted view whose first memory was removed, so that the names of the others were
/// renumbered.
fn compacted_view() -> View {
    let mut view = View::new(None);
    (1..=3).for_each(|id| add_memory(&mut view, id));
    view.apply([], [MemoryId(1)], Seq(4));
    view.compact();
    view
}

#[test]
fn every_memory_keeps_its_names() {
    let view = compacted_view();
    for id in [2, 3] {
        let facts = view.facts(view.doc(MemoryId(id)).unwrap());
        let names = [facts.kind, facts.collection, facts.agent]
            .into_iter()
            .chain([facts.table, facts.project, facts.speaker].map(Option::unwrap));
        for (name, what) in
            names.zip(["kind", "collection", "agent", "table", "project", "speaker"])
        {
            assert_eq!(name, format!("{what} {id}"));
        }
    }
}

#[test]
fn speakers_are_those_of_the_remaining_memories() {
    let mut view = compacted_view();
    assert_eq!(view.speakers().into_iter().collect::<Vec<_>>(), ["speaker 2", "speaker 3"]);
    view.apply([], [MemoryId(2)], Seq(5));
    assert_eq!(view.speakers().into_iter().collect::<Vec<_>>(), ["speaker 3"]);
    view.apply([], [MemoryId(3)], Seq(6));
    assert!(view.speakers().is_empty());
}
