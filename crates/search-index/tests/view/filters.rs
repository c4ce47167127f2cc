//! Filters for current and for historical memories.

use crate::ids;
use model::{LinkKind, MemoryId, Moment, Seq, SessionId, Status};
use quipu_index::{DocFacts, Filter, IndexEntry, OutgoingLink, StatusFilter, View};

fn note(id: i64) -> DocFacts<'static> {
    DocFacts::note(MemoryId(id), Moment(10))
}

fn view(facts: &[DocFacts<'_>]) -> View {
    let mut view = View::new(None);
    view.apply(facts.iter().map(|facts| IndexEntry::new(*facts)), [], Seq(1));
    view
}

fn found(view: &View, filter: &Filter, now: i64) -> Vec<i64> {
    ids(view, view.filter(filter, Moment(now)).iter())
}

#[test]
fn a_superseded_memory_is_history_and_not_current() {
    let old = DocFacts { status: Status::Superseded, ended_at: Some(Moment(50)), ..note(1) };
    let view = view(&[old, DocFacts { created_at: Moment(50), ..note(2) }]);
    let as_of = |moment| Filter { status: StatusFilter::AsOf(Moment(moment)), ..Filter::default() };
    assert_eq!(found(&view, &Filter::default(), 60), [2]);
    assert_eq!(found(&view, &as_of(49), 60), [1]);
    assert_eq!(found(&view, &as_of(50), 60), [2]);
    assert!(found(&view, &as_of(9), 60).is_empty());
}

#[test]
fn a_proposal_was_never_valid() {
    let view = view(&[DocFacts { status: Status::Proposed, ..note(1) }]);
    let as_of = Filter { status: StatusFilter::AsOf(Moment(20)), ..Filter::default() };
    assert!(found(&view, &as_of, 20).is_empty());
    assert!(found(&view, &Filter::default(), 20).is_empty());
}

#[test]
fn a_memory_expires_at_its_moment() {
    let view = view(&[DocFacts { valid_to: Some(Moment(30)), ..note(1) }]);
    assert_eq!(found(&view, &Filter::default(), 29), [1]);
    assert!(found(&view, &Filter::default(), 30).is_empty());
}

#[test]
fn a_session_filter_can_include_memories_without_a_session() {
    let facts_in =
        |session: Option<i64>, id| DocFacts { session: session.map(SessionId), ..note(id) };
    let view = view(&[facts_in(Some(1), 1), facts_in(Some(2), 2), facts_in(None, 3)]);
    let within =
        |sessions: Vec<SessionId>| Filter { sessions, or_no_session: true, ..Filter::default() };
    assert_eq!(found(&view, &within(vec![SessionId(1)]), 20), [1, 3]);
    assert_eq!(found(&view, &within(vec![]), 20), [3]);
}

#[test]
fn a_correction_is_visible_where_the_version_it_replaced_was() {
    let facts_in = |session: i64, id, status| DocFacts {
        session: Some(SessionId(session)),
        status,
        ..note(id)
    };
    let replacing = |facts, old| IndexEntry {
        links: vec![OutgoingLink {
            target: MemoryId(old),
            kind: LinkKind::Supersedes,
            weight: 1.0,
        }],
        ..IndexEntry::new(facts)
    };
    let (first, second) = (facts_in(1, 1, Status::Superseded), facts_in(2, 2, Status::Superseded));
    let mut view = View::new(None);
    // The first two replace each other: an imported file may contain such a cycle.
    let entries =
        [replacing(first, 2), replacing(second, 1), replacing(facts_in(3, 3, Status::Active), 2)];
    view.apply(entries, [], Seq(1));
    let within = |session| Filter {
        sessions: vec![SessionId(session)],
        or_no_session: true,
        ..Filter::default()
    };
    for session in [1, 2, 3] {
        assert_eq!(found(&view, &within(session), 20), [3], "session {session}");
    }
    assert!(found(&view, &within(4), 20).is_empty());
}

#[test]
fn an_empty_list_of_ids_matches_nothing() {
    let view = view(&[note(1)]);
    assert!(found(&view, &Filter { ids: Some(vec![]), ..Filter::default() }, 20).is_empty());
}

#[test]
fn facet_counts_cover_only_the_filtered_memories() {
    let mut entries: Vec<IndexEntry<'_>> = [("a", 1), ("b", 2), ("a", 3)]
        .map(|(project, id)| IndexEntry::new(DocFacts { project: Some(project), ..note(id) }))
        .into();
    entries.push(IndexEntry::new(DocFacts { status: Status::Retired, ..note(4) }));
    entries[0].tags = vec!["x"];
    let mut view = View::new(None);
    view.apply(entries, [], Seq(1));
    let facets = view.facet_counts(&view.filter(&Filter::default(), Moment(20)));
    assert_eq!(facets.memories, 3);
    assert_eq!(facets.projects, [("a", 2), ("b", 1)]);
    assert_eq!((facets.kinds, facets.tags), (vec![("note", 3)], vec![("x", 1)]));
    assert_eq!(facets.with_vector, 0);
}
