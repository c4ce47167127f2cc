//! The relation of two statements, decided from their alignment: first whether they say the same,
//! then whether one denies, reverses or changes the other, from the most to the least certain.

use super::alignment::{Alignment, Gap};
use super::choices;
use super::conflict;
use super::holder::have_other_holders;
use super::lexicon;
use super::overlap::Overlap;
use super::slots::Slot;
use super::statement::Statement;
use super::tokens::{TOKENS_MAX, Token, TokenClass};
use super::values::ValueType;
use super::{Certainty, StatementRelation as R};
use std::cell::OnceCell;
use std::ops::Range;

/// The relation of two statements, with what differs as byte ranges in each.
#[derive(Debug)]
pub(super) struct StatementVerdict {
    pub relation: R,
    pub certainty: Certainty,
    pub differences: Vec<(Range<usize>, Range<usize>)>,
    /// True if the later statement says that something has changed.
    pub tells_change: bool,
    /// True if the earlier statement says nothing beyond what the later one replaces.
    pub covers_earlier: bool,
    /// True if what differs is a value, a name or a choice, an attribute has one value at a time,
    /// or a verb tells of the change.
    pub anchored: bool,
}

/// Two statements under comparison.
pub(super) struct StatementPair<'s> {
    pub earlier: &'s Statement,
    pub later: &'s Statement,
    pub left: Vec<&'s Token>,
    pub right: Vec<&'s Token>,
    pub alignment: Alignment,
    overlap: OnceCell<Overlap<'s>>,
}

/// Decides the relation of an earlier and a later statement.
pub(super) fn decide(earlier: &Statement, later: &Statement) -> StatementVerdict {
    let pair = StatementPair::new(earlier, later);
    let (relation, certainty) = match pair.relation() {
        (R::Unrelated | R::Paraphrase | R::OtherEvent, _) if pair.has_new_holder() => {
            (R::ChangedValue, Certainty::Likely)
        }
        (R::Unrelated | R::Paraphrase | R::OtherEvent | R::MoreDetailed, _)
            if pair.is_displaced() || pair.is_told_anew() =>
        {
            (R::ChangedValue, Certainty::Likely)
        }
        (R::ChangedValue, _) if pair.tells_known_value() => (R::Paraphrase, Certainty::Likely),
        (R::ChangedValue, _) if pair.keeps_identity() || pair.changes_other_object() => {
            (R::Unrelated, Certainty::Likely)
        }
        (R::ChangedValue, Certainty::Sure) if !pair.is_beyond_doubt() => {
            (R::ChangedValue, Certainty::Likely)
        }
        decided => decided,
    };
    let covers_earlier = pair.covers_earlier();
    let tells_change = later.changed || later.contrast || later.ends_something();
    let differences = pair.differences(relation);
    let anchored = relation != R::ChangedValue || pair.is_anchored();
    StatementVerdict { relation, certainty, differences, tells_change, covers_earlier, anchored }
}

impl<'s> StatementPair<'s> {
    pub fn new(earlier: &'s Statement, later: &'s Statement) -> Self {
        let (mut left, mut right) = (earlier.counted(), later.counted());
        left.truncate(TOKENS_MAX);
        right.truncate(TOKENS_MAX);
        let alignment = Alignment::of(&left, &right, equal);
        Self { earlier, later, left, right, alignment, overlap: OnceCell::new() }
    }

    fn relation(&self) -> (R, Certainty) {
        use Certainty::{Likely, Sure};
        if self.left.is_empty() || self.right.is_empty() {
            return (R::Unrelated, Likely);
        }
        if self.earlier.tokens.len() > TOKENS_MAX || self.later.tokens.len() > TOKENS_MAX {
            return (if self.is_identical() { R::Same } else { R::Unrelated }, Likely);
        }
        if self.earlier.question != self.later.question {
            return (R::Unrelated, Likely);
        }
        if let Some(found) = self.same_words() {
            return found;
        }
        // Who asks claims nothing that another question could change.
        if self.earlier.question {
            return self.likeness();
        }
        if self.is_reversed() && !(self.later.changed && self.overlap().values_differ()) {
            return if self.is_relisted() { (R::Paraphrase, Likely) } else { (R::Reversed, Sure) };
        }
        if let Some(found) = self.contrast().or_else(|| self.denial()) {
            return found;
        }
        if let Some(found) = self.occasion() {
            return found;
        }
        if self.scopes_differ() {
            return (R::Unrelated, Likely);
        }
        // "J'habite à Lyon" is not changed by where a sister lives.
        let exchanged = self.substitution().filter(|(relation, _)| {
            *relation != R::ChangedValue || !have_other_holders(self.earlier, self.later)
        });
        if let Some(found) = exchanged.filter(|(relation, _)| *relation != R::Unrelated) {
            return found;
        }
        self.addition()
            .or_else(|| self.other_wording())
            // In an equal frame the exchanged words have decided already, unless a change is told.
            .or_else(|| {
                let open = exchanged.is_none() || self.later.changed || self.rewords_around_value();
                if open { self.conflicting_values() } else { None }
            })
            .or(exchanged)
            .unwrap_or_else(|| self.likeness())
    }

    /// Returns true if a changed value is more than another noun in a phrase.
    fn is_anchored(&self) -> bool {
        let overlap = self.overlap();
        let (left, right) = (&overlap.left_only, &overlap.right_only);
        let alike = |one: &Token, other: &Token| {
            one.is_name() && other.is_name()
                || one.value_type().is_some() && one.value_type() == other.value_type()
                || choices::same_choice(&one.key, &other.key)
        };
        let valued = left.iter().any(|one| right.iter().any(|other| alike(one, other)));
        let single = |token: &Token| lexicon::is_single_valued(&token.key);
        let attribute = self.alignment.common.iter().any(|(at, _)| single(self.left[*at]));
        valued || attribute || self.later.has_verb_of_change()
    }

    /// Returns true if a value and words beside it were exchanged together: "allows 100 requests",
    /// "limit: 300 requests".
    fn rewords_around_value(&self) -> bool {
        let valued = |tokens: &[&Token]| tokens.iter().any(|token| token.value_type().is_some());
        self.meaningful_gaps().any(|gap| {
            let (left, right) = (&self.left[gap.left.clone()], &self.right[gap.right.clone()]);
            valued(left) && valued(right) && left.len() + right.len() > 2
        })
    }

    /// Returns the gaps that change what is said: not those of weak words, or of a preposition
    /// before a value that the other statement leaves out.
    pub fn meaningful_gaps(&self) -> impl Iterator<Item = &Gap> {
        self.alignment.gaps.iter().filter(|gap| {
            let (left, right) = (&self.left[gap.left.clone()], &self.right[gap.right.clone()]);
            let light = |tokens: &[&Token]| tokens.iter().all(|token| is_light(token));
            !(light(left) && light(right) && (left.is_empty() || right.is_empty()))
        })
    }

    /// Returns the content words in common and those of one side only, whatever their order.
    pub fn overlap(&self) -> &Overlap<'s> {
        self.overlap.get_or_init(|| Overlap::of(&self.left, &self.right))
    }

    /// Returns true if each subject has a word that is nowhere in the other statement.
    pub fn subjects_differ(&self, overlap: &Overlap<'_>) -> bool {
        let subject = |tokens: &[&'s Token], count: usize, only: &[&Token]| {
            let within = &tokens[..count.min(tokens.len())];
            only.iter().any(|token| {
                within.iter().any(|one| one.start == token.start)
                    && token.value_type().is_none_or(|kind| kind == ValueType::Identifier)
            })
        };
        subject(&self.left, self.earlier.subject, &overlap.left_only)
            && subject(&self.right, self.later.subject, &overlap.right_only)
    }

    /// Returns the relation of two wordings of one attribute.
    fn other_wording(&self) -> Option<(R, Certainty)> {
        let (left, right) = (self.earlier.slot()?, self.later.slot()?);
        if !left.is_of_attribute(self.earlier, right, self.later)
            || !left.same_subject(right)
            || have_other_holders(self.earlier, self.later)
        {
            return None;
        }
        let (old, new) = (left.value_keys(self.earlier), right.value_keys(self.later));
        let same = old.iter().any(|key| new.contains(key));
        let value =
            |slot: &Slot, statement: &Statement| statement.tokens[slot.value[0]].value_type();
        let comparable = value(left, self.earlier) == value(right, self.later);
        // "binds to port 7070" and "7443" share the word "port" only.
        let same = same && !self.overlap().values_differ();
        // Of two names one may have changed: "Ola and Ben", "Ola and Sunniva".
        let alone = |slot: &Slot, statement: &Statement, others: &[&str]| {
            slot.value.iter().any(|at| {
                let token = &statement.tokens[*at];
                token.is_name() && !others.contains(&token.key.as_str())
            })
        };
        if same && alone(left, self.earlier, &new) && alone(right, self.later, &old) {
            return Some((R::ChangedValue, Certainty::Likely));
        }
        Some(match (same, comparable) {
            (true, _) => (R::Paraphrase, Certainty::Likely),
            (false, true) => {
                let whole = old.len() == left.value.len();
                (R::ChangedValue, if whole { Certainty::Sure } else { Certainty::Likely })
            }
            (false, false) => return None,
        })
    }

    /// Returns the relation when one statement has all that the other says, and more.
    pub fn addition(&self) -> Option<(R, Certainty)> {
        let gaps: Vec<&Gap> = self.meaningful_gaps().collect();
        let left_only = gaps.iter().all(|gap| gap.right.is_empty());
        let right_only = gaps.iter().all(|gap| gap.left.is_empty());
        if !left_only && !right_only {
            return None;
        }
        let quantified = gaps.iter().any(|gap| {
            let tokens = self.left[gap.left.clone()].iter().chain(&self.right[gap.right.clone()]);
            tokens.filter(|token| !is_light(token)).all(|token| {
                token.class == TokenClass::Quantifier && !lexicon::is_estimate(&token.word)
            })
        });
        let relation = if quantified { R::ChangedValue } else { R::MoreDetailed };
        Some((relation, Certainty::Likely))
    }

    /// Returns the relation of what is left: a paraphrase when nearly all words have a counterpart
    /// and no value differs, else nothing.
    fn likeness(&self) -> (R, Certainty) {
        let keys = |tokens: &[&Token]| -> Vec<String> {
            let content = tokens.iter().filter(|token| is_content(token));
            content.map(|token| lexicon::synonym_key(&token.key).to_owned()).collect()
        };
        let (left, right) = (keys(&self.left), keys(&self.right));
        let shared = left.iter().filter(|key| right.contains(key)).count();
        let values = |tokens: &[&Token]| -> Vec<String> {
            let mut values: Vec<String> = tokens
                .iter()
                .filter(|token| token.value_type().is_some() || token.is_name())
                .map(|token| token.key.clone())
                .collect();
            values.sort();
            values
        };
        let same_values = values(&self.left) == values(&self.right);
        let longer = left.len().max(right.len());
        let denied = || {
            self.earlier.negations % 2 != self.later.negations % 2
                || conflict::have_other_topics(self.earlier, self.later)
        };
        match same_values && shared * 2 >= longer && shared >= 2 && !denied() {
            true => (R::Paraphrase, Certainty::Likely),
            false => (R::Unrelated, Certainty::Likely),
        }
    }

    /// Counts the aligned content words that say what a statement is about.
    pub fn shared_topic(&self) -> usize {
        let topical = |&&(i, _): &&(usize, usize)| is_topic(self.left[i]);
        self.alignment.common.iter().filter(topical).count()
    }

    /// Counts the aligned content words. The words of one name are one: who is spoken of says
    /// nothing of the attribute.
    pub fn shared_content(&self) -> usize {
        let common = &self.alignment.common;
        let named = |i: usize| self.left[i].is_name() || self.left[i].opens;
        let continues_name = |at: usize| {
            let before = at.checked_sub(1).map(|before| common[before].0);
            let (i, _) = common[at];
            self.left[i].is_name() && before.is_some_and(|before| before + 1 == i && named(before))
        };
        let counted = |at: &usize| is_content(self.left[common[*at].0]) && !continues_name(*at);
        (0..common.len()).filter(counted).count()
    }

    /// Returns true if everything that the earlier statement says is in the later one, or replaced
    /// by it.
    fn covers_earlier(&self) -> bool {
        self.meaningful_gaps().all(|gap| gap.left.is_empty() || !gap.right.is_empty())
    }

    fn differences(&self, relation: R) -> Vec<(Range<usize>, Range<usize>)> {
        // Of two wordings nearly every word differs; the values tell more.
        let exchanged = |gap: &&Gap| !gap.left.is_empty() && !gap.right.is_empty();
        let one_place = self.meaningful_gaps().filter(exchanged).count() == 1
            && self.meaningful_gaps().count() == 1;
        if relation == R::ChangedValue
            && !one_place
            && let Some(values) = self.value_ranges()
        {
            return vec![values];
        }
        // Words around "and" may stand in another order than in the text.
        let span = |tokens: &[&Token], offset: usize| {
            let start = tokens.iter().map(|token| token.start).min();
            let end = tokens.iter().map(|token| token.end).max();
            start.zip(end).map_or(0..0, |(start, end)| offset + start..offset + end)
        };
        self.meaningful_gaps()
            .map(|gap| {
                let left = span(&self.left[gap.left.clone()], self.earlier.offset);
                let right = span(&self.right[gap.right.clone()], self.later.offset);
                (left, right)
            })
            .collect()
    }
}

fn equal(one: &Token, other: &Token) -> bool {
    one.key == other.key
        && (one.possessive == other.possessive || one.class == TokenClass::Weak)
        && (one.class == other.class || one.value_type().is_none() && other.value_type().is_none())
}

/// Returns true for words whose absence changes nothing by itself.
pub(super) fn is_light(token: &Token) -> bool {
    token.class == TokenClass::Weak
        || token.class == TokenClass::Preposition
            && matches!(&*token.word, "at" | "on" | "in" | "of" | "for" | "um" | "am" | "à" | "a")
}

pub(super) fn is_content(token: &Token) -> bool {
    matches!(token.class, TokenClass::Content | TokenClass::Value(_))
}

/// Returns true for content words other than pronouns.
pub(super) fn is_topic(token: &Token) -> bool {
    is_content(token) && !lexicon::is_pronoun_key(&token.key)
}
