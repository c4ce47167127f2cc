//! Random changes, applied to the view and to the naive model; afterwards every query must have the
//! same answer.

use crate::naive_model::{self, DIMENSIONS, NaiveMemories, NaiveMemory};
use crate::{all_docs, doc_of, ids, round_trip, vector_model};
use model::{EntityId, LinkKind, MemoryId, Moment, Seq, Status};
use proptest::prelude::*;
use proptest::sample::select;
use quipu_index::{
    Bm25, Direction, Filter, LinkKinds, QueryTerms, QueryVector, StatusFilter, Traversal, View,
};

#[derive(Debug, Clone)]
enum ViewChange {
    Put(Box<NaiveMemory>),
    Remove(i64),
    Compact,
    Reopen,
}

const WORDS: &[&str] = &[
    "the",
    "a",
    "of",
    "cat",
    "cats",
    "dog",
    "river",
    "parseRow",
    "row",
    "café",
    "cafe",
    "東京",
    "C#",
    "deploy",
    "Alice's",
    "2026-05-03",
    "is",
    "what",
    "moon",
    "blue",
];
const QUESTIONS: &[&str] =
    &["what is the cat of Alice", "row", "東京 cafe deploy", "the of a", "C# moon 2026", ""];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(select(WORDS), 0..12).prop_map(|words| words.join(" "))
}

prop_compose! {
    fn memory()(
        (id, session, created_at) in (1_i64..16, prop::option::of(1_i64..4), 0_i64..100),
        (kind, project) in
            (select(&["fact", "note"][..]), select(&[None, Some("a"), Some("b")][..])),
        (status, valid_to, ended_at) in
            (select(&Status::ALL[..]), prop::option::of(0_i64..200), prop::option::of(0_i64..200)),
        (title, text, context) in (text(), text(), text()),
        tags in prop::collection::vec(select(&["x", "y", "z"][..]), 0..3),
        entities in prop::collection::vec(1_i64..5, 0..3),
        links in prop::collection::vec((1_i64..16, select(&LinkKind::ALL[..])), 0..4),
        windows in
            prop::option::of(prop::collection::vec(prop::array::uniform8(any::<i8>()), 1..4)),
        confidence in 0.0_f32..1.0,
    ) -> NaiveMemory {
        let vector = windows.map(|windows| naive_model::stored_vector(&windows));
        let mut entities = entities;
        entities.sort_unstable();
        entities.dedup();
        NaiveMemory {
            id, kind, project, session, status, created_at, valid_to, ended_at, confidence, title,
            text, context, tags, entities, links, vector,
        }
    }
}

fn change() -> impl Strategy<Value = ViewChange> {
    prop_oneof![
        6 => memory().prop_map(|memory| ViewChange::Put(Box::new(memory))),
        2 => (1_i64..16).prop_map(ViewChange::Remove),
        1 => Just(ViewChange::Compact),
        1 => Just(ViewChange::Reopen),
    ]
}

/// Removes a memory together with all links to it, as the store does.
fn forget(memories: &mut NaiveMemories, id: i64) {
    if memories.remove(&id).is_some() {
        memories.values_mut().for_each(|memory| memory.links.retain(|link| link.0 != id));
    }
}

fn apply(view: &mut View, memories: &mut NaiveMemories, change: ViewChange, seq: Seq) {
    match change {
        ViewChange::Put(memory) => {
            view.apply([memory.entry()], [], seq);
            memories.insert(memory.id, *memory);
        }
        ViewChange::Remove(id) => {
            view.apply([], [MemoryId(id)], seq);
            forget(memories, id);
        }
        ViewChange::Compact => view.compact(),
        ViewChange::Reopen => *view = round_trip(view),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    #[test]
    fn the_view_agrees_with_the_naive_model(changes in prop::collection::vec(change(), 1..40)) {
        let mut view = View::new(Some(vector_model(DIMENSIONS)));
        let mut memories = NaiveMemories::new();
        for (nth, change) in changes.into_iter().enumerate() {
            apply(&mut view, &mut memories, change, Seq(nth as i64 + 1));
        }
        check_filters(&view, &memories);
        check_lexical(&view, &memories);
        check_nearest(&view, &memories);
        check_links(&view, &memories);
        check_sessions_and_entities(&view, &memories);
    }
}

fn check_filters(view: &View, memories: &NaiveMemories) {
    let check = |filter: Filter, now: i64, passes: &dyn Fn(&NaiveMemory) -> bool| {
        let found = view.filter(&filter, Moment(now));
        let expected: Vec<i64> =
            memories.values().filter(|memory| passes(memory)).map(|memory| memory.id).collect();
        assert_eq!(ids(view, found.iter()), expected, "{filter:?} at {now}");
        assert_eq!(found.count(), expected.len());
    };
    let any = || Filter { status: StatusFilter::Any, ..Filter::default() };
    check(any(), 0, &|_| true);
    for now in [0, 50, 150] {
        let alive = move |memory: &NaiveMemory| memory.valid_to.is_none_or(|end| end > now);
        check(Filter::default(), now, &|memory| memory.status == Status::Active && alive(memory));
        check(
            Filter { status: StatusFilter::AsOf(Moment(now)), ..Filter::default() },
            0,
            &|memory| {
                let was_active = memory.status == Status::Active || memory.ended_at.is_some();
                let still = memory.ended_at.is_none_or(|end| end > now) && alive(memory);
                was_active && memory.created_at <= now && still
            },
        );
        let since = Filter { since: Some(Moment(now)), ..any() };
        check(since, 0, &|memory| memory.created_at >= now);
        check(Filter { until: Some(Moment(now)), ..any() }, 0, &|memory| memory.created_at <= now);
    }
    check(Filter { kinds: vec!["fact".into()], ..any() }, 0, &|memory| memory.kind == "fact");
    check(Filter { projects: vec!["a".into(), "".into()], ..any() }, 0, &|memory| {
        memory.project != Some("b")
    });
    check(Filter { projects: vec!["nowhere".into()], ..any() }, 0, &|_| false);
    let tags = || vec!["x".to_owned(), "y".to_owned()];
    let has = |memory: &NaiveMemory, tag: &str| memory.tags.contains(&tag);
    check(Filter { tags_any: tags(), ..any() }, 0, &|memory| has(memory, "x") || has(memory, "y"));
    check(Filter { tags_all: tags(), ..any() }, 0, &|memory| has(memory, "x") && has(memory, "y"));
    check(Filter { ids: Some(vec![MemoryId(3), MemoryId(99)]), ..any() }, 0, &|memory| {
        memory.id == 3
    });
    check(Filter { confidence_min: Some(0.5), ..any() }, 0, &|memory| memory.confidence >= 0.5);
    let superseded = StatusFilter::Statuses(vec![Status::Superseded]);
    check(Filter { status: superseded, ..any() }, 0, &|memory| memory.status == Status::Superseded);
}

fn check_lexical(view: &View, memories: &NaiveMemories) {
    let all = all_docs(view);
    for question in QUESTIONS {
        let (query, bm25) = (QueryTerms::parse(question), Bm25::PRODUCTION);
        let expected = naive_model::lexical(memories, &query, &bm25);
        for limit in [1, 3, 100] {
            let found = view.lexical(&query, &bm25, &all, limit);
            assert_eq!(found.hits.len(), expected.len().min(limit), "{question}");
            for (hit, expected) in found.hits.iter().zip(&expected) {
                assert!((hit.score - expected.1).abs() < 1e-4, "{question}: {hit:?} {expected:?}");
                assert!(
                    hit.score <= found.score_max,
                    "{question}: {hit:?} over {}",
                    found.score_max
                );
            }
        }
        for (id, score) in &expected {
            let scores = view.lexical_scores(&query, &bm25, &[doc_of(view, *id)]);
            assert!((scores[0] - score).abs() < 1e-4);
        }
        for (id, share) in naive_model::bigram_shares(memories, &query) {
            let shares = view.bigram_scores(&query, &[doc_of(view, id)]);
            assert!((shares[0] - share).abs() < 1e-4, "{question}: {id} {shares:?} {share}");
        }
    }
}

fn check_nearest(view: &View, memories: &NaiveMemories) {
    let query = [0.3, -0.1, 0.9, 0.0, -0.5, 0.2, 0.7, -0.8];
    let expected = naive_model::cosines(memories, &query);
    let prepared = QueryVector::new(&query);
    let found = view.nearest(&prepared, &all_docs(view), 100);
    assert_eq!(found.len(), expected.len());
    assert!(found.windows(2).all(|pair| pair[0].score >= pair[1].score));
    for hit in &found {
        let (whole, best) = expected[&hit.id.0];
        assert!((hit.score - whole).abs() < 0.02, "{hit:?} {whole}");
        assert_eq!(view.cosine(hit.doc, &prepared), Some(hit.score));
        // Four bits per dimension, and only eight dimensions over which errors can average out.
        let found = view.passage_cosines(&[hit.doc], &prepared)[0];
        assert_eq!(found.is_some(), best.is_some(), "{hit:?}");
        let each = view.each_passage_cosine(&[hit.doc], &prepared).remove(0);
        assert_eq!(each.into_iter().max_by(f32::total_cmp), found, "{hit:?}");
        assert!(
            found.zip(best).is_none_or(|(found, best)| (found - best).abs() < 0.2),
            "{found:?} {best:?}"
        );
    }
    assert_eq!(view.nearest(&prepared, &all_docs(view), 2), found[..found.len().min(2)]);
    assert!(view.nearest(&QueryVector::new(&[1.0; 5]), &all_docs(view), 9).is_empty());
}

fn check_links(view: &View, memories: &NaiveMemories) {
    let all = |direction| {
        let mut links: Vec<(i64, i64, u8)> = (memories.keys())
            .flat_map(|&id| view.links(MemoryId(id), direction, LinkKinds::ALL))
            .map(|edge| (edge.source.0, edge.target.0, edge.kind as u8))
            .collect();
        links.sort_unstable();
        links
    };
    let expected = naive_model::links(memories);
    assert_eq!(all(Direction::Out), expected);
    assert_eq!(all(Direction::In), expected);
    let walk = Traversal {
        depth_max: 99,
        visits_max: 99,
        direction: Direction::Both,
        kinds: LinkKinds::ALL,
        within: None,
        versions: None,
    };
    for &start in memories.keys() {
        let expected = naive_model::depths(memories, start);
        let visits = view.traverse(&[MemoryId(start)], &walk);
        let found = visits.iter().map(|visit| (visit.id.0, visit.depth)).collect();
        assert_eq!(expected, found);
        for (&goal, &depth) in &expected {
            let path = view.shortest_path(MemoryId(start), MemoryId(goal), &walk).unwrap();
            assert_eq!(path.len(), depth as usize);
        }
    }
}

fn check_sessions_and_entities(view: &View, memories: &NaiveMemories) {
    for memory in memories.values() {
        let doc = doc_of(view, memory.id);
        let key = |other: &NaiveMemory| (other.created_at, other.id);
        let mut same: Vec<&NaiveMemory> = memories
            .values()
            .filter(|other| other.session.is_some() && other.session == memory.session)
            .collect();
        same.sort_by_key(|other| key(other));
        let ids_of = |docs: &mut dyn Iterator<Item = quipu_index::DocId>| {
            docs.map(|doc| view.id(doc).0).collect::<Vec<_>>()
        };
        let after: Vec<i64> =
            same.iter().filter(|other| key(other) > key(memory)).map(|other| other.id).collect();
        let mut before: Vec<i64> =
            same.iter().filter(|other| key(other) < key(memory)).map(|other| other.id).collect();
        before.reverse();
        assert_eq!(ids_of(&mut view.session_after(doc)), after);
        assert_eq!(ids_of(&mut view.session_before(doc)), before);
        assert_eq!(view.tags(doc).collect::<Vec<_>>(), memory.tags);
        assert_eq!(view.facts(doc), memory.entry().facts);
    }
    for entity in 1..5 {
        let expected: Vec<i64> = memories
            .values()
            .filter(|memory| memory.entities.contains(&entity))
            .map(|memory| memory.id)
            .collect();
        assert_eq!(ids(view, view.docs_mentioning(EntityId(entity)).iter()), expected);
    }
}
