//! Versions in the link graph: a replaced memory counts as its newest version.

use crate::all_docs;
use model::{LinkKind, MemoryId, Moment, Seq, Status};
use quipu_index::{
    Direction, DocFacts, DocSet, IndexEntry, LinkKinds, OutgoingLink, Traversal, View,
};

use LinkKind::{CausedBy, RelatedTo, Supersedes, Supports};

/// Builds a view of memories with a status each, and links with a weight.
fn view(memories: &[(i64, Status)], links: &[(i64, i64, LinkKind, f32)]) -> View {
    let mut view = View::new(None);
    let entries = memories.iter().map(|&(id, status)| {
        let facts = DocFacts { status, ..DocFacts::note(MemoryId(id), Moment(id)) };
        let mut entry = IndexEntry::new(facts);
        let out = links.iter().filter(|link| link.0 == id);
        entry.links = out
            .map(|&(_, to, kind, weight)| OutgoingLink { target: MemoryId(to), kind, weight })
            .collect();
        entry
    });
    view.apply(entries, [], Seq(1));
    view
}

fn newest(view: &View, id: i64) -> i64 {
    view.newest_version(MemoryId(id), None).0
}

/// Returns source, target and weight of the current links of a memory in both directions.
fn links(view: &View, id: i64, readable: Option<&DocSet>) -> Vec<(i64, i64, f32)> {
    let found = view.current_links(MemoryId(id), Direction::Both, LinkKinds::ALL, readable);
    found.iter().map(|edge| (edge.source.0, edge.target.0, edge.weight)).collect()
}

/// A cause 1, replaced by 4 and that by 6; its effect 2, replaced by 5; and 3, caused by the 2.
fn corrected_chain() -> View {
    use Status::{Active, Superseded};
    view(
        &[(1, Superseded), (2, Superseded), (3, Active), (4, Superseded), (5, Active), (6, Active)],
        &[
            (2, 1, CausedBy, 0.5),
            (3, 2, CausedBy, 1.0),
            (4, 1, Supersedes, 1.0),
            (6, 4, Supersedes, 1.0),
            (5, 2, Supersedes, 1.0),
        ],
    )
}

#[test]
fn the_newest_version_is_the_last_of_a_chain() {
    let view = corrected_chain();
    assert_eq!([1, 4, 6].map(|id| newest(&view, id)), [6, 6, 6]);
    assert_eq!([2, 3, 5].map(|id| newest(&view, id)), [5, 3, 5]);
    assert_eq!(newest(&view, 99), 99, "an unknown memory is its own");
    let older: Vec<i64> =
        view.older_versions(MemoryId(6), None).iter().map(|version| version.0).collect();
    assert_eq!(older, [4, 1]);
}

#[test]
fn a_current_version_is_preferred_and_a_current_memory_is_its_own() {
    use Status::{Active, Rejected, Retired, Superseded};
    let view = view(
        &[(1, Superseded), (2, Active), (3, Retired), (4, Superseded), (5, Rejected)],
        &[(2, 1, Supersedes, 1.0), (3, 1, Supersedes, 1.0), (5, 4, Supersedes, 1.0)],
    );
    assert_eq!([1, 2, 3].map(|id| newest(&view, id)), [2, 2, 3]);
    assert_eq!(newest(&view, 4), 5, "the greatest one when none is current");
    assert!(view.older_versions(MemoryId(3), None).is_empty(), "1 is a version of 2");
}

#[test]
fn a_cycle_of_replacements_ends() {
    use Status::{Active, Superseded};
    let links = [(1, 2, Supersedes, 1.0), (2, 1, Supersedes, 1.0), (3, 2, Supersedes, 1.0)];
    let lost = view(&[(1, Superseded), (2, Superseded)], &links[..2]);
    assert_eq!(newest(&lost, 1), 2);
    let found = view(&[(1, Superseded), (2, Superseded), (3, Active)], &links);
    assert_eq!([1, 2, 3].map(|id| newest(&found, id)), [3, 3, 3]);
}

#[test]
fn links_to_and_from_replaced_versions_are_links_of_the_newest() {
    let view = corrected_chain();
    assert_eq!(links(&view, 6, None), [(6, 4, 1.0), (5, 6, 0.5)]);
    assert_eq!(links(&view, 5, None), [(5, 2, 1.0), (5, 6, 0.5), (3, 5, 1.0)]);
    assert_eq!(links(&view, 3, None), [(3, 5, 1.0)]);
}

#[test]
fn several_links_between_two_memories_are_one_and_none_leads_to_itself() {
    use Status::{Active, Superseded};
    let view = view(
        &[(1, Superseded), (2, Active), (3, Active)],
        &[
            (3, 1, Supports, 0.9),
            (3, 2, Supports, 0.4),
            (2, 1, Supersedes, 1.0),
            (1, 2, RelatedTo, 1.0),
        ],
    );
    assert_eq!(links(&view, 3, None), [(3, 2, 0.9)]);
    assert_eq!(links(&view, 2, None), [(2, 1, 1.0), (3, 2, 0.9)]);
}

#[test]
fn an_unreadable_version_is_not_followed() {
    let view = corrected_chain();
    let mut readable = all_docs(&view);
    readable.remove(crate::doc_of(&view, 4));
    assert_eq!(view.newest_version(MemoryId(1), Some(&readable)), MemoryId(1));
    assert_eq!(links(&view, 6, Some(&readable)), [(6, 4, 1.0)]);
}

fn walk<'a>(within: &'a DocSet, versions: &'a DocSet) -> Traversal<'a> {
    Traversal {
        depth_max: 5,
        visits_max: 100,
        direction: Direction::Out,
        kinds: LinkKinds::only(CausedBy),
        within: Some(within),
        versions: Some(versions),
    }
}

#[test]
fn a_traversal_visits_each_newest_version_once() {
    let (view, mut current) = (corrected_chain(), DocSet::default());
    [3, 5, 6].iter().for_each(|&id| current.insert(crate::doc_of(&view, id)));
    let all = all_docs(&view);
    let visits = |start: i64| -> Vec<(i64, u32)> {
        let found = view.traverse(&[MemoryId(start)], &walk(&current, &all));
        found.iter().map(|visit| (visit.id.0, visit.depth)).collect()
    };
    assert_eq!(visits(3), [(3, 0), (5, 1), (6, 2)]);
    assert_eq!(visits(2), [(5, 0), (6, 1)], "a replaced start is its newest version");
}

#[test]
fn a_path_leads_over_replaced_versions() {
    let (view, all) = (corrected_chain(), all_docs(&corrected_chain()));
    let walk = Traversal { direction: Direction::Both, ..walk(&all, &all) };
    let path = view.shortest_path(MemoryId(1), MemoryId(3), &walk).unwrap();
    let ends: Vec<_> = path.iter().map(|edge| (edge.source.0, edge.target.0)).collect();
    assert_eq!(ends, [(5, 6), (3, 5)]);
    assert_eq!(view.shortest_path(MemoryId(1), MemoryId(6), &walk), Some(vec![]));
}
