//! The last condition for a change to be sure, by which the later statement replaces the earlier
//! one: both are about the same thing beyond doubt, and nothing but its value differs. Most pairs
//! that meet in a memory are about different things and share a verb, a "new" or a number.

use super::choices;
use super::decide::{StatementPair, is_topic};
use super::lexicon;
use super::overlap::Overlap;
use super::slots::Slot;
use super::statement::Statement;
use super::tokens::{Token, is_unsegmented};
use super::values::{self, ValueType};
use words::TextLanguage;

/// Maximum number of words that are exchanged in one place.
const EXCHANGED_WORDS_MAX: usize = 3;

impl StatementPair<'_> {
    /// Returns true if a change that the rules call sure may replace the earlier statement.
    pub fn is_beyond_doubt(&self) -> bool {
        if ScriptAndLanguage::of(self.earlier) != ScriptAndLanguage::of(self.later) {
            return false;
        }
        if is_unsegmented_text(self.earlier) {
            return has_value_of_type(self.earlier, self.later);
        }
        if self.differs_in_one_place() || self.fills_same_slot() {
            return true;
        }
        let overlap = self.overlap();
        let left_over = overlap.left_only.iter().any(|token| is_unexplained(token, overlap));
        let told = overlap.left_only.is_empty() || are_alike(overlap) || self.later.contrast;
        self.shares_noun()
            && (self.repeats_old_name() || !left_over && told)
            && !self.is_narrowed(overlap)
    }

    /// Returns true if one value or choice of words stands in the place of another, and all else is
    /// equal.
    fn differs_in_one_place(&self) -> bool {
        let mut gaps = self.meaningful_gaps();
        let (Some(gap), None) = (gaps.next(), gaps.next()) else { return false };
        let (left, right) = (&self.left[gap.left.clone()], &self.right[gap.right.clone()]);
        let alike = left.iter().any(|one| right.iter().any(|other| is_like(one, other)));
        let words = || left.iter().chain(right).filter(|token| is_topic(token));
        let plain = |token: &&Token| !token.is_name() && token.value_type().is_none();
        let short = left.len() <= EXCHANGED_WORDS_MAX && right.len() <= EXCHANGED_WORDS_MAX;
        let exchanged = match alike {
            true => !words().any(|token| plain(token) && !is_choice(token, left, right)),
            // "My brother moved the piano" says nothing of his profession.
            false => {
                let acts = self.later.has_verb_of_change();
                self.shares_noun() && !acts && words().all(plain)
            }
        };
        short && exchanged && !left.is_empty() && !right.iter().any(|token| token.verb)
    }

    /// Returns true if the later statement repeats a name from the value of the earlier one.
    fn repeats_old_name(&self) -> bool {
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        let known = |token: &Token| self.right.iter().any(|other| other.key == token.key);
        self.later.has_verb_of_change() && value.iter().any(|one| one.is_name() && known(one))
    }

    /// Returns true if the later statement says for what its value holds: "budget for the offsite".
    fn is_narrowed(&self, overlap: &Overlap<'_>) -> bool {
        let tokens = &self.later.tokens;
        let limits =
            |token: &Token| matches!(&*token.word, "for" | "of" | "per" | "für" | "para" | "pour");
        let Some(at) = tokens.iter().position(limits) else { return false };
        overlap.right_only.iter().any(|token| {
            let plain = !token.is_name() && token.value_type().is_none() && !token.verb;
            plain && token.start > tokens[at].start
        })
    }

    /// Returns true if both have a noun in common that says what they are about.
    fn shares_noun(&self) -> bool {
        let known = |token: &Token| {
            self.right.iter().any(|other| other.key == token.key || other.topic == token.topic)
        };
        let noun = |token: &Token| {
            is_topic(token)
                && !token.verb
                && token.value_type().is_none()
                && !lexicon::is_new(&token.word)
                && !lexicon::is_light_verb(&token.key)
        };
        self.left.iter().any(|token| noun(token) && known(token))
    }

    /// Returns true if both fill one slot with names, or with values of one type.
    fn fills_same_slot(&self) -> bool {
        let (Some(left), Some(right)) = (self.earlier.slot(), self.later.slot()) else {
            return false;
        };
        fn first<'s>(slot: &Slot, of: &'s Statement) -> &'s Token {
            &of.tokens[slot.value[0]]
        }
        left.attribute == right.attribute
            && left.same_subject(right)
            && is_like(first(left, self.earlier), first(right, self.later))
    }
}

/// Script and language of a statement, as far as its words tell.
#[derive(Debug, PartialEq, Eq)]
struct ScriptAndLanguage(bool, Option<TextLanguage>);

impl ScriptAndLanguage {
    fn of(statement: &Statement) -> Self {
        let words = statement.tokens.iter().map(|token| &*token.word);
        Self(is_unsegmented_text(statement), TextLanguage::detect(words))
    }
}

fn is_unsegmented_text(statement: &Statement) -> bool {
    statement.tokens.iter().any(|token| token.word.contains(is_unsegmented))
}

/// Returns true if one word is a choice that the other side has too.
fn is_choice(token: &Token, left: &[&Token], right: &[&Token]) -> bool {
    let same = |other: &&&Token| {
        other.start != token.start && choices::same_choice(&token.key, &other.key)
    };
    left.iter().chain(right).any(|other| same(&other))
}

/// Returns true if the later statement has a value of each type that the earlier one has.
fn has_value_of_type(earlier: &Statement, later: &Statement) -> bool {
    let types = |of: &Statement| -> Vec<ValueType> {
        of.tokens.iter().filter_map(Token::value_type).collect()
    };
    let given = types(later);
    types(earlier).iter().all(|kind| given.contains(kind))
}

/// Returns true if two words can be values of one attribute.
fn is_like(one: &Token, other: &Token) -> bool {
    one.is_name() && other.is_name()
        || is_of_type(one, other)
        || choices::same_choice(&one.key, &other.key)
}

/// Returns true for values of one type and unit.
pub(super) fn is_of_type(one: &Token, other: &Token) -> bool {
    let unit = |token: &Token| token.key.split_once(' ').map_or("", |(_, unit)| unit).to_owned();
    let counted = one.value_type() == Some(ValueType::Quantity);
    let alike = !counted || values::are_comparable_units(&unit(one), &unit(other));
    one.value_type().is_some() && one.value_type() == other.value_type() && alike
}

/// Returns true if each side has a value that may stand in the place of the other's.
fn are_alike(overlap: &Overlap<'_>) -> bool {
    let like = |one: &&Token| overlap.right_only.iter().any(|other| is_like(one, other));
    overlap.left_only.iter().any(like)
}

/// Returns true for a word of the earlier statement of which the later one says nothing.
fn is_unexplained(token: &Token, overlap: &Overlap<'_>) -> bool {
    let chosen = overlap.right_only.iter().any(|other| is_like(token, other));
    let is_value = token.is_name() || token.value_type().is_some() || chosen;
    !is_value && !token.verb && !lexicon::is_new(&token.word)
}

#[cfg(test)]
mod tests {
    use super::super::{Certainty, StatementRelation as R, compare};

    fn is_replaced(earlier: &str, later: &str) -> bool {
        let found = compare(earlier, later);
        found.relation == R::ChangedValue && found.certainty == Certainty::Sure
    }

    #[test]
    fn statements_about_different_things_never_replace_one_another() {
        for (earlier, later) in [
            ("My sister lives in Ghent.", "We moved to Bergen in 2019."),
            (
                "Jonas Weber repairs bikes in the cellar.",
                "Jonas Weber moved the DNS to Cloudflare.",
            ),
            ("Mi hermano vive en Bogotá.", "We moved to Bergen in 2019."),
            ("I just moved to Porto.", "I moved my savings to Nationwide."),
            ("I called the plumber.", "I hate being called by my nickname."),
            ("Got a new phone, a Pixel 10.", "New running goal: 45 km a week"),
            ("I take vitamin D in the evening.", "I take the 22 to work now, the 14 was cut."),
            ("I have a driving licence", "I drive a Golf."),
            ("Node pool A has 3 machines.", "Bumped Node to 22."),
            ("Our rent is 1,240 euros.", "We now rent a house in Halle."),
            ("The budget is 1.5 million.", "Budget for the offsite: 12k"),
            ("The demo is on Friday at 3 pm.", "The demo environment is reset every night."),
            ("My brother is a physician.", "My brother moved the piano upstairs."),
            ("Das Daily ist um 9 Uhr.", "The nightly build starts at 1 am."),
        ] {
            assert!(!is_replaced(earlier, later), "{earlier} / {later}");
        }
    }

    #[test]
    fn a_new_value_of_the_same_thing_replaces_the_old_one() {
        for (earlier, later) in [
            ("My rent is 950 a month.", "Rent went up to 1350."),
            ("My dentist is Dr. Weller.", "Switched dentists, now seeing Dr. Okafor."),
            ("My manager is Ingrid.", "I report to Hussein these days."),
            ("The budget is 1.5 million.", "The budget was cut to 32k."),
            ("I live in Porto.", "I just moved to Lisbon."),
            ("Standup is at 9", "Standup: 9:30"),
        ] {
            assert!(is_replaced(earlier, later), "{earlier} / {later}");
        }
    }
}
