//! The differential test: the conformance suite and its random batches on a store on SQLite and on
//! one on PostgreSQL at once, comparing every answer. An ordinary run plays some random batches
//! only, because the suite itself runs on each of them anyway.

use crate::fixture::{is_available, is_thorough};
use crate::pair::open_pair;

/// Number of random batches in an ordinary run.
const CASES: u32 = 6;

store_conformance::conformance_suite!(open_pair, when: is_thorough);

#[test]
fn some_random_batches_have_the_same_answers_on_both_stores() {
    if is_available() {
        store_conformance::property_test::random_batches(open_pair, CASES);
    }
}
