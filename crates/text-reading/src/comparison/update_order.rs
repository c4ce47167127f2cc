//! A weaker sign than a changed value: a later statement that tells of a change and names what the
//! earlier one said. It only decides on the order of two results, so that it may be wrong at times.

use super::ParsedText;
use super::decide::StatementPair;
use super::holder::have_other_holders;
use super::statement::{Statement, StatementKind};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

/// Number of first letters by which two forms of one word are recognised.
const STEM_LETTERS: usize = 4;

impl ParsedText<'_> {
    /// Returns true if this text may tell what an earlier one says no longer holds.
    #[must_use]
    pub fn may_update(&self, earlier: &ParsedText<'_>) -> bool {
        let [one] = &earlier.statements[..] else { return false };
        let asserts = |other: &&Statement| {
            !one.question && !other.question && !have_other_holders(one, other)
        };
        let near = self.shares_topic(earlier);
        let updates = |other: &Statement| near && corrects(one, other) || changes_habit(one, other);
        self.statements.iter().filter(asserts).any(updates)
    }
}

/// Returns true if the later statement tells of a change or an error and names the old value.
fn corrects(earlier: &Statement, later: &Statement) -> bool {
    let wrong = |token: &Token| matches!(&*token.word, "wrong" | "mistake" | "erreur");
    let told = later.changed || later.contrast || later.tokens.iter().any(wrong);
    let state = |one: &Statement| one.kind != StatementKind::Event || one.changed;
    told && state(earlier)
        && !earlier.changed
        && StatementPair::new(earlier, later).names_old_value()
}

/// Returns true if one says never and the other how often, of the same person and activity.
fn changes_habit(earlier: &Statement, later: &Statement) -> bool {
    let denied = |one: &Statement| one.negations % 2 == 1;
    let often = |one: &Statement| {
        one.has_value(ValueType::Frequency)
            || one.tokens.iter().any(|token| matches!(&*token.word, "每" | "immer" | "always"))
    };
    let habit = denied(earlier) && often(later) || denied(later) && often(earlier);
    let words = |one: &'_ Statement| -> Vec<String> {
        let content = one.tokens.iter().filter(|token| token.class == TokenClass::Content);
        content.map(|token| token.word.chars().take(STEM_LETTERS).collect()).collect()
    };
    let (left, right) = (words(earlier), words(later));
    habit && left.iter().filter(|word| right.contains(word)).count() >= 2
}
