//! Two statements of the same words that disagree: one negates the other, swaps a word for its
//! antonym, or reverses a preference.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::Reason;
use super::statement::Statement;
use crate::terms::root;

/// Finds a statement that the other one negates.
pub(super) fn denied(a: &Statement<'_>, b: &Statement<'_>) -> Option<Reason> {
    match (a.denied.is_empty(), b.denied.is_empty()) {
        (false, true) => denied_by(a, b),
        (true, false) => denied_by(b, a),
        _ => None,
    }
}

fn denied_by(denying: &Statement<'_>, saying: &Statement<'_>) -> Option<Reason> {
    let reaches = denying.denied.iter().any(|denial| !denial.scope.is_empty());
    (reaches && says_all_of(saying, denying.meaning()))
        .then(|| Reason::Denied { said: saying.text.trim_end_matches('.').to_owned() })
}

/// Returns true if `saying` contains all of `meaning` and otherwise only an adjunct ("… for the
/// tests").
fn says_all_of(saying: &Statement<'_>, meaning: &BTreeSet<Cow<'_, str>>) -> bool {
    let said = saying.meaning();
    if meaning.is_empty() || !meaning.is_subset(said) {
        return false;
    }
    let last_shared = saying
        .roots()
        .filter(|(_, root)| meaning.contains(root))
        .map(|(at, _)| at)
        .max()
        .unwrap_or(0);
    let extra = saying.roots().find(|(_, root)| !meaning.contains(root));
    match extra {
        None => true,
        Some((first, _)) => first > last_shared && opens_a_circumstance(saying, last_shared + 1),
    }
}

fn opens_a_circumstance(statement: &Statement<'_>, at: usize) -> bool {
    let term = statement.words.get(at).map_or("", |word| &*word.term);
    matches!(term, "for" | "in" | "on" | "at" | "with" | "since" | "because" | "during" | "to")
}

/// Finds statements that differ in one word each, where the two words are antonyms.
pub(super) fn opposite(a: &Statement<'_>, b: &Statement<'_>) -> Option<Reason> {
    if a.denied.is_empty() != b.denied.is_empty() {
        return None;
    }
    let (left, right) = (a.meaning(), b.meaning());
    if left.len() != right.len() {
        return None;
    }
    let only_left = single(left.difference(right))?;
    let only_right = single(right.difference(left))?;
    let found = OPPOSITES.iter().any(|&(one, two)| {
        let (one, two) = (root(one), root(two));
        (only_left == one && only_right == two) || (only_left == two && only_right == one)
    });
    let shared = left.intersection(right).next().is_some();
    (found && shared).then(|| Reason::Opposite {
        left: as_written(a, only_left),
        right: as_written(b, only_right),
    })
}

fn single<'s>(mut roots: impl Iterator<Item = &'s Cow<'s, str>>) -> Option<&'s str> {
    let first = roots.next()?;
    roots.next().is_none().then_some(&**first)
}

fn as_written(statement: &Statement<'_>, root: &str) -> String {
    let at = statement.roots().find(|(_, other)| other == root).map(|(at, _)| at);
    at.and_then(|at| statement.words.get(at)).map_or(root, |word| word.word.text).to_owned()
}

/// Finds reversed preferences: "tabs over spaces" against "spaces over tabs".
pub(super) fn reversed(a: &Statement<'_>, b: &Statement<'_>) -> Option<Reason> {
    let (left, right) = (Order::read(a)?, Order::read(b)?);
    let swapped = left.last.is_subset(&right.first) && right.last.is_subset(&left.first);
    let distinct = left.last.is_disjoint(&right.last);
    let rest_of_left: BTreeSet<_> = left.first.difference(&right.last).collect();
    let rest_of_right: BTreeSet<_> = right.first.difference(&left.last).collect();
    (swapped && distinct && rest_of_left == rest_of_right).then(|| Reason::Reversed {
        left: right.last_shown.to_owned(),
        right: left.last_shown.to_owned(),
    })
}

/// Stems before and after "over", "instead of" or "rather than".
struct Order<'t> {
    first: BTreeSet<Cow<'t, str>>,
    last: BTreeSet<Cow<'t, str>>,
    last_shown: &'t str,
}

impl<'t> Order<'t> {
    fn read(statement: &Statement<'t>) -> Option<Self> {
        let term = |at: usize| statement.words.get(at).map_or("", |word| &*word.term);
        let (at, length) =
            (0..statement.words.len()).find_map(|at| match (term(at), term(at + 1)) {
                ("over", _) => Some((at, 1)),
                ("instead", "of") | ("rather", "than") => Some((at, 2)),
                _ => None,
            })?;
        let after = statement.words.get(at + length)?;
        let (before, behind): (Vec<_>, Vec<_>) =
            statement.roots().partition(|&(index, _)| index < at);
        let last: BTreeSet<_> = behind.into_iter().map(|(_, root)| root).collect();
        let first: BTreeSet<_> = before.into_iter().map(|(_, root)| root).collect();
        let last_shown = statement.text[after.word.start..].trim_end_matches('.');
        (!first.is_empty() && !last.is_empty()).then_some(Self { first, last, last_shown })
    }
}

const OPPOSITES: &[(&str, &str)] = &[
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
