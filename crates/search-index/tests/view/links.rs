//! Links and traversals, beyond what the random changes cover.

use model::{LinkKind, MemoryId, Moment, Seq};
use quipu_index::{Direction, DocFacts, IndexEntry, LinkKinds, OutgoingLink, Traversal, View};

fn view(links: &[(i64, i64, LinkKind)]) -> View {
    let mut view = View::new(None);
    let ids =
        links.iter().flat_map(|link| [link.0, link.1]).collect::<std::collections::BTreeSet<i64>>();
    let entries = ids.into_iter().map(|id| {
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), Moment(id)));
        let out = links.iter().filter(|link| link.0 == id);
        entry.links = out
            .map(|&(_, to, kind)| OutgoingLink { target: MemoryId(to), kind, weight: 1.0 })
            .collect();
        entry
    });
    view.apply(entries, [], Seq(1));
    view
}

fn traversal() -> Traversal<'static> {
    Traversal {
        depth_max: 5,
        visits_max: 100,
        direction: Direction::Out,
        kinds: LinkKinds::ALL,
        within: None,
        versions: None,
    }
}

fn visited_ids(view: &View, walk: &Traversal<'_>) -> Vec<i64> {
    view.traverse(&[MemoryId(1)], walk).iter().map(|visit| visit.id.0).collect()
}

use LinkKind::{CausedBy, RelatedTo, Supersedes};

#[test]
fn a_traversal_respects_kinds_depth_and_limit() {
    let view = view(&[
        (1, 2, CausedBy),
        (2, 3, CausedBy),
        (1, 4, RelatedTo),
        (3, 1, CausedBy),
        (9, 1, Supersedes),
    ]);
    assert_eq!(visited_ids(&view, &traversal()), [1, 2, 4, 3]);
    assert_eq!(
        visited_ids(&view, &Traversal { kinds: LinkKinds::from_kinds(&[CausedBy]), ..traversal() }),
        [1, 2, 3]
    );
    assert_eq!(visited_ids(&view, &Traversal { depth_max: 1, ..traversal() }), [1, 2, 4]);
    assert_eq!(visited_ids(&view, &Traversal { visits_max: 2, ..traversal() }), [1, 2]);
    assert_eq!(visited_ids(&view, &Traversal { visits_max: 0, ..traversal() }), Vec::<i64>::new());
    assert_eq!(
        visited_ids(&view, &Traversal { direction: Direction::In, ..traversal() }),
        [1, 3, 9, 2]
    );
    let within = [1, 2].into_iter().filter_map(|id| view.doc(MemoryId(id))).collect();
    assert_eq!(visited_ids(&view, &Traversal { within: Some(&within), ..traversal() }), [1, 2]);
}

#[test]
fn a_path_is_the_shortest_one_and_may_not_exist() {
    let view = view(&[
        (1, 2, CausedBy),
        (2, 3, CausedBy),
        (1, 3, RelatedTo),
        (3, 4, CausedBy),
        (8, 9, CausedBy),
    ]);
    let path = view.shortest_path(MemoryId(1), MemoryId(4), &traversal()).unwrap();
    assert_eq!(
        path.iter().map(|edge| (edge.source.0, edge.target.0)).collect::<Vec<_>>(),
        [(1, 3), (3, 4)]
    );
    assert_eq!(view.shortest_path(MemoryId(1), MemoryId(9), &traversal()), None);
    assert_eq!(view.shortest_path(MemoryId(1), MemoryId(1), &traversal()), Some(vec![]));
    assert_eq!(view.shortest_path(MemoryId(1), MemoryId(77), &traversal()), None);
}

#[test]
fn a_link_appears_when_its_target_does() {
    let mut view = View::new(None);
    let mut entry = IndexEntry::new(DocFacts::note(MemoryId(1), Moment(1)));
    entry.links = vec![OutgoingLink { target: MemoryId(2), kind: CausedBy, weight: 1.0 }];
    view.apply([entry], [], Seq(1));
    view.compact();
    assert!(view.links(MemoryId(1), Direction::Out, LinkKinds::ALL).is_empty());
    view.apply([IndexEntry::new(DocFacts::note(MemoryId(2), Moment(2)))], [], Seq(2));
    assert_eq!(view.links(MemoryId(2), Direction::In, LinkKinds::ALL).len(), 1);
}
