//! Two statements of the same words that disagree: one negates the other, swaps a word for its
//! antonym, or reverses a preference.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Contradiction;
use super::statement::ParsedStatement;
use crate::terms::light_stem;

/// Finds a statement that the other one negates.
pub(super) fn negated(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<Contradiction> {
    match (a.negations.is_empty(), b.negations.is_empty()) {
        (false, true) => negated_by(a, b),
        (true, false) => negated_by(b, a),
        _ => None,
    }
}

fn negated_by(
    denying: &ParsedStatement<'_>,
    saying: &ParsedStatement<'_>,
) -> Option<Contradiction> {
    let reaches = denying.negations.iter().any(|denial| !denial.scope.is_empty());
    (reaches && contains_meaning(saying, denying.stem_set()))
        .then(|| Contradiction::Negated { statement: saying.text.trim_end_matches('.').to_owned() })
}

/// Returns true if `saying` contains all of `meaning` and otherwise only an adjunct ("… for the
/// tests").
fn contains_meaning(saying: &ParsedStatement<'_>, meaning: &BTreeSet<Cow<'_, str>>) -> bool {
    let said = saying.stem_set();
    if meaning.is_empty() || !meaning.is_subset(said) {
        return false;
    }
    let last_shared = saying
        .stems()
        .filter(|(_, root)| meaning.contains(root))
        .map(|(at, _)| at)
        .max()
        .unwrap_or(0);
    let extra = saying.stems().find(|(_, root)| !meaning.contains(root));
    match extra {
        None => true,
        Some((first, _)) => first > last_shared && opens_adjunct(saying, last_shared + 1),
    }
}

fn opens_adjunct(statement: &ParsedStatement<'_>, at: usize) -> bool {
    let term = statement.words.get(at).map_or("", |word| &*word.term);
    matches!(term, "for" | "in" | "on" | "at" | "with" | "since" | "because" | "during" | "to")
}

/// Finds statements that differ in one word each, where the two words are antonyms.
pub(super) fn antonym(a: &ParsedStatement<'_>, b: &ParsedStatement<'_>) -> Option<Contradiction> {
    if a.negations.is_empty() != b.negations.is_empty() {
        return None;
    }
    let (left, right) = (a.stem_set(), b.stem_set());
    if left.len() != right.len() {
        return None;
    }
    let only_left = only_item(left.difference(right))?;
    let only_right = only_item(right.difference(left))?;
    let found = ANTONYMS.iter().any(|&(one, two)| {
        let (one, two) = (light_stem(one), light_stem(two));
        (only_left == one && only_right == two) || (only_left == two && only_right == one)
    });
    let shared = left.intersection(right).next().is_some();
    (found && shared).then(|| Contradiction::Antonym {
        left: as_written(a, only_left),
        right: as_written(b, only_right),
    })
}

fn only_item<'s>(mut roots: impl Iterator<Item = &'s Cow<'s, str>>) -> Option<&'s str> {
    let first = roots.next()?;
    roots.next().is_none().then_some(&**first)
}

fn as_written(statement: &ParsedStatement<'_>, root: &str) -> String {
    let at = statement.stems().find(|(_, other)| other == root).map(|(at, _)| at);
    at.and_then(|at| statement.words.get(at)).map_or(root, |word| word.word.text).to_owned()
}

/// Finds reversed preferences: "tabs over spaces" against "spaces over tabs".
pub(super) fn reversed_preference(
    a: &ParsedStatement<'_>,
    b: &ParsedStatement<'_>,
) -> Option<Contradiction> {
    let (left, right) = (PreferenceOrder::read(a)?, PreferenceOrder::read(b)?);
    let swapped =
        left.rejected.is_subset(&right.preferred) && right.rejected.is_subset(&left.preferred);
    let distinct = left.rejected.is_disjoint(&right.rejected);
    let rest_of_left: BTreeSet<_> = left.preferred.difference(&right.rejected).collect();
    let rest_of_right: BTreeSet<_> = right.preferred.difference(&left.rejected).collect();
    (swapped && distinct && rest_of_left == rest_of_right).then(|| {
        Contradiction::ReversedPreference {
            left: right.rejected_text.to_owned(),
            right: left.rejected_text.to_owned(),
        }
    })
}

/// Stems before and after "over", "instead of" or "rather than".
struct PreferenceOrder<'t> {
    preferred: BTreeSet<Cow<'t, str>>,
    rejected: BTreeSet<Cow<'t, str>>,
    rejected_text: &'t str,
}

impl<'t> PreferenceOrder<'t> {
    fn read(statement: &ParsedStatement<'t>) -> Option<Self> {
        let term = |at: usize| statement.words.get(at).map_or("", |word| &*word.term);
        let (at, length) =
            (0..statement.words.len()).find_map(|at| match (term(at), term(at + 1)) {
                ("over", _) => Some((at, 1)),
                ("instead", "of") | ("rather", "than") => Some((at, 2)),
                _ => None,
            })?;
        let after = statement.words.get(at + length)?;
        let (before, behind): (Vec<_>, Vec<_>) =
            statement.stems().partition(|&(index, _)| index < at);
        let last: BTreeSet<_> = behind.into_iter().map(|(_, root)| root).collect();
        let first: BTreeSet<_> = before.into_iter().map(|(_, root)| root).collect();
        let last_shown = statement.text[after.word.start..].trim_end_matches('.');
        (!first.is_empty() && !last.is_empty()).then_some(Self {
            preferred: first,
            rejected: last,
            rejected_text: last_shown,
        })
    }
}

const ANTONYMS: &[(&str, &str)] = &[
    ("enabled", "disabled"),
    ("enable", "disable"),
    ("true", "false"),
    ("allowed", "forbidden"),
    ("open", "closed"),
    ("required", "optional"),
    ("mandatory", "optional"),
    ("online", "offline"),
    ("like", "dislike"),
    ("like", "hate"),
    ("love", "hate"),
    ("public", "private"),
    ("synchronous", "asynchronous"),
    ("supported", "unsupported"),
    ("safe", "unsafe"),
    ("accepts", "rejects"),
    ("married", "single"),
    ("increases", "decreases"),
];
