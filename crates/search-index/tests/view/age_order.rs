//! A page by age equals the same slice of the fully sorted list, wherever it begins and ends.

use model::{MemoryId, Moment, Page, Seq};
use quipu_index::{AgeOrder, DocFacts, Filter, IndexEntry, View};

#[test]
fn every_page_by_age_is_a_slice_of_the_sorted_list() {
    // Ten moments for 200 memories, not in the order of their ids, so that ids often break ties.
    assert_pages_are_slices(200, |id| id * 7 % 10);
}

#[test]
fn a_page_by_age_may_come_from_any_zone_of_documents() {
    assert_pages_are_slices(5_000, |id| id * 7_919 % 3_000);
    assert_pages_are_slices(5_000, |id| 9_000 - id);
}

fn assert_pages_are_slices(count: i64, created_at: impl Fn(i64) -> i64) {
    let mut view = View::new(None);
    let entry = |id, at| IndexEntry::new(DocFacts::note(MemoryId(id), Moment(at)));
    // Written with other times first, so that the bounds of the zones are wider than needed.
    view.apply((1..=count).map(|id| entry(id, id * 31 % 9_999)), [], Seq(1));
    view.apply((1..=count).map(|id| entry(id, created_at(id))), [], Seq(2));
    let all = view.filter(&Filter::default(), Moment(20));
    let mut oldest: Vec<i64> = (1..=count).collect();
    oldest.sort_by_key(|&id| (created_at(id), id));
    let newest: Vec<i64> = oldest.iter().rev().copied().collect();
    for (offset, limit) in
        [(0, 0), (0, 1), (0, 7), (7, 7), (199, 5), (200, 5), (150, 50), (0, 1_000), (9, usize::MAX)]
    {
        for (age, whole) in [(AgeOrder::Newest, &newest), (AgeOrder::Oldest, &oldest)] {
            let expected: Vec<i64> = whole.iter().skip(offset).take(limit).copied().collect();
            let page = Page { limit, offset };
            for found in [view.page_by_age(&all, age, page), view.page_by_validity(&all, age, page)]
            {
                let found: Vec<i64> = found.iter().map(|id| id.0).collect();
                assert_eq!(found, expected, "{age:?} from {offset}, {limit}");
            }
        }
    }
}

#[test]
fn the_written_bounds_filter_by_creation_time_and_not_by_validity() {
    let mut view = View::new(None);
    let early = DocFacts { valid_from: Moment(90), ..DocFacts::note(MemoryId(1), Moment(10)) };
    view.apply([early, DocFacts::note(MemoryId(2), Moment(50))].map(IndexEntry::new), [], Seq(1));
    let found = |since: Option<i64>, until: Option<i64>| {
        let filter = Filter {
            written_since: since.map(Moment),
            written_until: until.map(Moment),
            ..Filter::default()
        };
        crate::ids(&view, view.filter(&filter, Moment(99)).iter())
    };
    assert_eq!(found(Some(10), None), [1, 2]);
    assert_eq!(found(Some(11), None), [2]);
    assert_eq!(found(None, Some(49)), [1]);
    assert!(found(Some(11), Some(49)).is_empty());
}
