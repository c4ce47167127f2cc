//! The labelled messages: nearly everything that is kept of them is worth keeping. Rules were tuned
//! on one half of them; the other half shows what they do with messages they were not made for.

mod labelled;

use labelled::{LabelledMessage, messages};
use quipu_statements::user_statements;

const TUNED: &str = include_str!("tuned.txt");
const HELD_OUT: &str = include_str!("held_out.txt");
/// Share of what is kept that must be worth keeping.
const PRECISION_MIN: f64 = 0.9;
/// Share of what is worth keeping that must be kept; below, nobody would notice the feature.
const SHARE_KEPT_MIN: f64 = 0.6;

/// Counts over a labelled set.
#[derive(Debug, Default)]
struct StatementCounts {
    kept: usize,
    right: usize,
    worth_keeping: usize,
    found: usize,
    mistakes: Vec<String>,
}

fn count(messages: &[LabelledMessage]) -> StatementCounts {
    let mut counts = StatementCounts::default();
    for message in messages {
        let kept: Vec<String> =
            user_statements(&message.text).into_iter().map(|one| one.text).collect();
        let right = |text: &&String| message.labels.iter().any(|label| label.fits(text));
        counts.kept += kept.len();
        counts.right += kept.iter().filter(right).count();
        counts.worth_keeping += message.labels.len();
        let is_found = |label: &&labelled::StatementLabel| kept.iter().any(|one| label.fits(one));
        counts.found += message.labels.iter().filter(is_found).count();
        let wrong = kept.iter().filter(|text| !right(text));
        counts.mistakes.extend(wrong.map(|text| format!("kept: {text}")));
        let missed = message.labels.iter().filter(|label| !is_found(label));
        counts.mistakes.extend(missed.map(|label| format!("missed: {}", label.words)));
    }
    counts
}

fn check(messages: &[LabelledMessage]) {
    let counts = count(messages);
    let precision = counts.right as f64 / counts.kept as f64;
    let share = counts.found as f64 / counts.worth_keeping as f64;
    println!(
        "{} of {} kept are right, {} of {} found",
        counts.right, counts.kept, counts.found, counts.worth_keeping
    );
    assert!(precision >= PRECISION_MIN && share >= SHARE_KEPT_MIN, "{counts:#?}");
}

#[test]
fn there_are_at_least_three_hundred_messages_of_all_kinds() {
    let (tuned, held_out) = (messages(TUNED), messages(HELD_OUT));
    assert!(tuned.len() >= 150 && held_out.len() >= 150);
    for set in [tuned, held_out] {
        let nothing = set.iter().filter(|message| message.labels.is_empty()).count();
        assert!(nothing * 2 > set.len() && nothing * 4 < set.len() * 3, "{nothing}");
    }
}

#[test]
fn nine_of_ten_statements_kept_of_tuned_messages_are_worth_keeping() {
    check(&messages(TUNED));
}

#[test]
fn nine_of_ten_statements_kept_of_messages_held_out_are_worth_keeping() {
    check(&messages(HELD_OUT));
}
