//! The value that a statement tells, beside the one that it replaces: whether the other statement
//! has it already, and where both stand in their texts.

use super::decide::{StatementPair, is_topic};
use super::overlap::Overlap;
use super::tokens::{Token, TokenClass};
use super::verb_classes;
use std::ops::Range;

impl StatementPair<'_> {
    /// Returns true if the later statement tells of a change to a value that the earlier one gives
    /// already: "I'm down to 78 kilos", "my weight: down to 78 kilos".
    pub fn tells_known_value(&self) -> bool {
        let tokens = &self.later.tokens;
        // Who names what was replaced repeats the old value.
        if self.later.contrast || self.is_replaced() {
            return false;
        }
        let Some(change) = tokens.iter().rposition(|it| it.class == TokenClass::Change) else {
            return false;
        };
        let from = |at: usize| tokens[at - 1].word == "from";
        let mut values = (change + 1..tokens.len()).filter(|at| tokens[*at].value_type().is_some());
        let told = values.find(|at| !from(*at)).map(|at| &tokens[at]);
        told.is_some_and(|told| {
            let mut earlier = self.earlier.tokens.iter();
            earlier.any(|token| token.class == told.class && token.key == told.key)
                && !differ_in_type(self.overlap())
        })
    }

    /// Returns true if the object of a verb of replacement is the whole value of the earlier
    /// statement and nothing else: "my phone is a Pixel 6", "I replaced my Pixel 6 with …".
    pub fn replaces_whole_value(&self) -> bool {
        let tokens = &self.later.tokens;
        let verb = tokens.iter().position(|it| verb_classes::is_replacement(&it.word));
        let object = tokens[verb.map_or(tokens.len(), |at| at + 1)..].iter();
        let object: Vec<&Token> =
            object.take_while(|it| !is_leading_to_new(it)).filter(|it| is_noun(it)).collect();
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        let value: Vec<&Token> = value.iter().copied().filter(|it| is_noun(it)).collect();
        let keys = |tokens: &[&'_ Token]| -> Vec<String> {
            tokens.iter().map(|token| token.key.clone()).collect()
        };
        !value.is_empty()
            && keys(&value) == keys(&object)
            && self.earlier.has_copula()
            && !self.names_other_place()
    }

    /// Returns true if the later statement ends with where it holds, and the earlier one lacks it:
    /// "in the ingest queue".
    fn names_other_place(&self) -> bool {
        let tokens = &self.later.tokens;
        let known = |token: &Token| self.left.iter().any(|one| one.key == token.key);
        let place = |at: usize| matches!(&*tokens[at].word, "in" | "on" | "at");
        let last = (0..tokens.len()).rev().find(|at| place(*at));
        last.is_some_and(|at| tokens[at..].iter().any(|token| is_noun(token) && !known(token)))
    }

    /// Returns where the old and the new value stand, as byte ranges of both texts.
    pub fn value_ranges(&self) -> Option<(Range<usize>, Range<usize>)> {
        let overlap = self.overlap();
        let (old, new) = self.exchanged_values(overlap)?;
        let range = |tokens: &[&Token], first: &Token, offset: usize| {
            offset + first.start..offset + value_end(tokens, first)
        };
        let left = range(&self.left, old, self.earlier.offset);
        let right = range(&self.right, new, self.later.offset);
        Some((left, right))
    }

    /// Returns the first words of the old and the new value: values of one type, names, or the only
    /// noun that each statement has for itself.
    fn exchanged_values<'o>(&'o self, overlap: &Overlap<'o>) -> Option<(&'o Token, &'o Token)> {
        let (left, right) = (&overlap.left_only, &overlap.right_only);
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        // The number of "Pixel 6" is part of its name.
        let numbers = |old: &&&Token| {
            let mut names = self.left.iter().filter(|token| token.is_name());
            names.any(|name| name.end + 1 == old.start)
        };
        let typed =
            left.iter().chain(value).filter(|old| !numbers(old)).find_map(|old| {
                right.iter().find(|new| is_of_type(old, new)).map(|new| (*old, *new))
            });
        let name = |tokens: &[&'o Token]| tokens.iter().copied().find(|token| token.is_name());
        let noun = |tokens: &[&'o Token]| {
            let mut nouns = tokens.iter().copied().filter(|token| is_noun(token));
            nouns.next().filter(|_| nouns.next().is_none())
        };
        let named = || name(left).or_else(|| name(value)).zip(name(right));
        let told = || self.named_old_value().zip(name(right).or_else(|| noun(right)));
        typed.or_else(told).or_else(named).or_else(|| noun(left).zip(noun(right)))
    }

    /// Returns the old value where the later statement says what no longer holds: "not Marta",
    /// "instead of webpack".
    fn named_old_value(&self) -> Option<&Token> {
        let said = self
            .later
            .tokens
            .iter()
            .filter(|token| !matches!(token.class, TokenClass::Dropped | TokenClass::Weak));
        let said: Vec<&Token> = said.collect();
        let leads = |token: &Token| {
            token.class == TokenClass::Negation || matches!(&*token.word, "from" | "of" | "than")
        };
        let old = said.windows(2).find(|two| leads(two[0]) && is_noun(two[1]))?[1];
        self.left.iter().copied().find(|token| token.key == old.key)
    }
}

/// Returns the end of a value of several words: "Pixel 6", "San Marino".
fn value_end(tokens: &[&Token], first: &Token) -> usize {
    let mut end = first.end;
    for token in tokens.iter().filter(|token| token.start > first.start) {
        let part = token.is_name() || first.is_name() && token.value_type().is_some();
        if !part || token.start != end + 1 {
            break;
        }
        end = token.end;
    }
    end
}

/// Returns true for the word between what was replaced and what replaced it.
pub(super) fn is_leading_to_new(token: &Token) -> bool {
    matches!(&*token.word, "with" | "for" | "by" | "durch" | "gegen" | "por" | "par")
}

fn is_noun(token: &Token) -> bool {
    is_topic(token) && !token.verb
}

fn is_of_type(one: &Token, other: &Token) -> bool {
    one.value_type().is_some() && one.class == other.class
}

/// Returns true if each side has a value of one type that the other lacks.
fn differ_in_type(overlap: &Overlap<'_>) -> bool {
    let (left, right) = (&overlap.left_only, &overlap.right_only);
    left.iter().any(|one| right.iter().any(|other| is_of_type(one, other)))
}

#[cfg(test)]
mod tests {
    use super::super::{Certainty, StatementRelation as R, compare};

    #[test]
    fn an_explicit_change_is_sure_and_the_difference_names_both_values() {
        for (earlier, later, old, new) in [
            ("The API listens on port 8080", "We changed the API's port to 9090", "8080", "9090"),
            ("The Q3 budget is 40k.", "Finance cut the Q3 budget to 32k.", "40k", "32k"),
            (
                "The frontend is bundled with webpack.",
                "The frontend is bundled with Vite instead of webpack.",
                "webpack",
                "Vite",
            ),
            (
                "Marta is the account manager for Helios.",
                "Helios's account manager is no longer Marta but Jonas.",
                "Marta",
                "Jonas",
            ),
            (
                "My phone is a Pixel 6.",
                "I replaced my Pixel 6 with a Fairphone 5.",
                "Pixel 6",
                "Fairphone 5",
            ),
            (
                "The staging host is stage-1.",
                "We moved staging from stage-1 to stage-4.",
                "stage-1",
                "stage-4",
            ),
        ] {
            let found = compare(earlier, later);
            assert_eq!(
                (found.relation, found.certainty, found.covers_earlier),
                (R::ChangedValue, Certainty::Sure, true),
                "{later}"
            );
            let expected = format!("\"{old}\" in one, \"{new}\" in the other");
            assert_eq!(found.describe(earlier, later), expected);
        }
    }

    #[test]
    fn a_change_of_another_subject_or_attribute_is_no_change() {
        for (earlier, later) in [
            ("The API listens on port 8080.", "We changed the API's timeout to 30 seconds."),
            ("The API listens on port 8080.", "We changed the port of the metrics server to 9090."),
            ("The Q3 budget is 40k.", "The Q4 budget was cut to 32k."),
            ("I live in Porto.", "Ana moved to Lisbon last week."),
            ("My phone is a Pixel 6.", "I moved my phone to the kitchen."),
            ("CI runs on Jenkins.", "We plan to switch from Jenkins to Buildkite."),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn a_replacement_in_one_of_several_places_is_not_sure() {
        let found =
            compare("Our queue is RabbitMQ.", "We swapped RabbitMQ for NATS in the mail queue.");
        assert_eq!((found.relation, found.certainty), (R::ChangedValue, Certainty::Likely));
    }

    #[test]
    fn statements_with_the_same_value_do_not_change_it() {
        for (earlier, later) in [
            ("I'm down to 78 kilos", "My weight: down to 78 kilos"),
            ("We moved the job to 3 am.", "The job now runs at 3 am."),
            ("I have a 500 Mbps plan.", "I upgraded to 500 Mbps three weeks ago."),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
        let changed = compare("We moved the job to 3 am.", "The job now runs at 4 am.");
        assert_eq!(changed.relation, R::ChangedValue);
    }
}
