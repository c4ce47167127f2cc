//! A page by age equals the same slice of the fully sorted list, wherever it begins and ends.

use model::{MemoryId, Moment, Page, Seq};
use quipu_index::{Age, Entry, Facts, Filter, View};

/// Ten moments for 200 memories, not in the order of their ids, so that ids often break ties.
fn written(id: i64) -> i64 {
    id * 7 % 10
}

#[test]
fn every_page_by_age_is_a_part_of_the_whole_in_order() {
    let mut view = View::new(None);
    view.apply(
        (1..=200).map(|id| Entry::new(Facts::note(MemoryId(id), Moment(written(id))))),
        [],
        Seq(1),
    );
    let all = view.filter(&Filter::default(), Moment(20));
    let mut oldest: Vec<i64> = (1..=200).collect();
    oldest.sort_by_key(|&id| (written(id), id));
    let newest: Vec<i64> = oldest.iter().rev().copied().collect();
    for (offset, limit) in
        [(0, 0), (0, 1), (0, 7), (7, 7), (199, 5), (200, 5), (150, 50), (0, 1_000), (9, usize::MAX)]
    {
        for (age, whole) in [(Age::Newest, &newest), (Age::Oldest, &oldest)] {
            let page: Vec<i64> =
                view.by_age(&all, age, Page { limit, offset }).iter().map(|id| id.0).collect();
            let expected: Vec<i64> = whole.iter().skip(offset).take(limit).copied().collect();
            assert_eq!(page, expected, "{age:?} from {offset}, {limit}");
        }
    }
}

#[test]
fn what_was_written_in_a_stretch_of_time_is_found_by_that_and_not_by_when_it_holds() {
    let mut view = View::new(None);
    let early = Facts { valid_from: Moment(90), ..Facts::note(MemoryId(1), Moment(10)) };
    view.apply([early, Facts::note(MemoryId(2), Moment(50))].map(Entry::new), [], Seq(1));
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
