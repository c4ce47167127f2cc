//! Rules and cross-encoder together against labelled pairs. None of these files was trained on.

use super::*;
use embed::CrossEncoder;
use reading::{Certainty, StatementRelation as R};

/// Counts of changed values in a file of pairs.
#[derive(Debug, Default)]
struct ChangeCounts {
    labelled: usize,
    called: usize,
    right: usize,
    sure: usize,
    sure_right: usize,
}

fn compare(encoder: &CrossEncoder, earlier: &str, later: &str) -> TextComparison {
    let (comparison, asked_from) = compare_by_rules(&LazyText::new(earlier), &LazyText::new(later));
    let Some(asked_from) = asked_from else { return comparison };
    let pair = TextPair { earlier: earlier.to_owned(), later: later.to_owned() };
    match encoder.change_probabilities(&[pair])[0] {
        Some(probability) => comparison.with_change_probability(probability, asked_from),
        None => comparison,
    }
}

fn count(file: &str) -> ChangeCounts {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../text-reading/tests/corpus");
    let text = std::fs::read_to_string(format!("{folder}/{file}")).unwrap();
    let (encoder, mut counts) = (CrossEncoder::new(), ChangeCounts::default());
    for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let labelled = fields[3].split('|').any(|label| label == "changed_value");
        let comparison = compare(&encoder, fields[4], fields[5]);
        let called = comparison.relation == R::ChangedValue;
        let sure = called && comparison.certainty == Certainty::Sure;
        counts.labelled += usize::from(labelled);
        counts.called += usize::from(called);
        counts.right += usize::from(called && labelled);
        counts.sure += usize::from(sure);
        counts.sure_right += usize::from(sure && labelled);
    }
    counts
}

/// Checks that at least these shares, in percent, of the changed values that are called are right,
/// and of those that are labelled are called.
fn check(file: &str, right: usize, found: usize) {
    let counts = count(file);
    assert!(counts.right * 100 >= counts.called * right, "{counts:?}");
    assert!(counts.right * 100 >= counts.labelled * found, "{counts:?}");
    assert!(counts.sure_right * 100 >= counts.sure * 95, "{counts:?}");
}

#[test]
fn changes_are_found_in_notes_by_writers_who_know_nothing_of_the_rules() {
    check("pairs_users_sealed.tsv", 96, 62);
}

#[test]
fn changes_are_found_in_everyday_notes() {
    check("pairs_everyday_sealed.tsv", 97, 63);
}

#[test]
fn changes_are_found_in_notes_kept_out_of_the_training() {
    check("pairs_kept_out.tsv", 92, 49);
}

#[test]
fn changes_in_quite_other_words_are_mostly_right() {
    check("pairs_notes_looked_at.tsv", 80, 16);
}
