//! The parts of a statement that say what it is about: its subject, the attribute it speaks of, the
//! verbs of its predicate, and the names and values it gives. Adverbials of time, reasons, and
//! whoever made a change are left out, since they do not tell one subject from another.

use super::attribute_families::{FamilySet, families_of, measure, measures_of};
use super::frame_parts::{
    agent_length, counted_nouns, heads_noun, is_before_preposition, is_measure, is_modifier,
    is_number_of, is_purpose, is_verb_of_value, leading_length, part_of, preposition_of,
    reason_start,
};
use super::lexicon;
use super::statement::Statement;
use super::tokens::Token;
use super::values::ValueType;

/// Part of a word in its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramePart {
    Subject,
    Attribute,
    Verb,
    Name,
    Value(ValueType),
}

/// A word that counts, with its part and the key by which it is recognised in other wordings.
#[derive(Debug)]
pub(super) struct FrameWord<'s> {
    pub token: &'s Token,
    pub part: FramePart,
    pub key: &'s str,
    /// Attributes that it may name beside the values of its statement.
    pub families: FamilySet,
    /// True if it names who made a change: "the landlord put …", "finance approved …".
    pub agent: bool,
    /// True if it stands before the predicate.
    pub leads: bool,
    /// True if it says of what something holds: "for Python".
    pub purpose: bool,
    /// Preposition before it.
    pub preposition: Option<&'s str>,
    /// Key of the word of the frame that follows.
    pub next: Option<&'s str>,
    /// Key of the noun before, when both make one noun: "release" of "release party".
    pub modifier: Option<&'s str>,
    /// Keys of the nouns that it counts, when it is a number without a unit.
    pub counts: Vec<&'s str>,
    /// Key of the noun behind, when both make one noun: "office" of "Paris office".
    pub head: Option<&'s str>,
}

impl FrameWord<'_> {
    /// Returns true for a name, or a word that may be one, that is no owner.
    pub fn is_holder(&self) -> bool {
        let opens = self.part == FramePart::Subject && self.token.opens;
        (self.part == FramePart::Name || opens) && !self.token.possessive
    }

    /// Returns the preposition that leads to a name of which there is one: "through Amex".
    pub fn leading_preposition(&self) -> Option<&str> {
        let single = |it: &&str| matches!(*it, "through" | "via" | "with" | "in" | "by" | "at");
        self.preposition.filter(single).filter(|_| self.is_holder())
    }
}

/// The words of a statement by their parts.
#[derive(Debug)]
pub(super) struct StatementFrame<'s> {
    pub words: Vec<FrameWord<'s>>,
    german: bool,
}

impl<'s> StatementFrame<'s> {
    /// Reads the frame of a statement.
    fn read(statement: &'s Statement) -> Self {
        let tokens = &statement.tokens[..reason_start(&statement.tokens)];
        let (agents, leading) = (agent_length(tokens), leading_length(statement, tokens));
        let german = tokens.iter().any(|token| lexicon::is_german(&token.word));
        let measured = tokens.iter().any(is_measure);
        let words = tokens.iter().enumerate().filter_map(|(at, token)| {
            let leads = at < leading;
            // Beside a number an identifier says where it holds: "is 200 on db-1".
            let placed = measured && token.value_type() == Some(ValueType::Identifier);
            let part = part_of(tokens, at, leads || placed)?;
            let part = match part {
                // "A Motorola", but German nouns are capitalised too.
                FramePart::Subject if token.is_name() && !german && !heads_noun(tokens, at) => {
                    FramePart::Name
                }
                part => part,
            };
            // German nouns are capitalised, so nothing else is one.
            let noun = !german || token.capital || token.opens || token.determined;
            let purpose = is_purpose(tokens, at);
            let part = match part {
                FramePart::Subject if !noun || is_verb_of_value(tokens, at) => FramePart::Verb,
                // "for Python" says of what something holds.
                FramePart::Name if purpose => FramePart::Subject,
                FramePart::Value(_) if is_number_of(tokens, at, leads) => FramePart::Name,
                // "Friday lunch" is another meal than "Monday lunch".
                FramePart::Value(_) if leads && is_modifier(tokens, at) => FramePart::Name,
                part => part,
            };
            // "Runs on Node" tells of no manager.
            let runs =
                part == FramePart::Verb && token.key == "run" && is_before_preposition(tokens, at);
            let key = if runs { token.key.as_str() } else { token.topic.as_str() };
            let agent = at < agents;
            let (next, modifier, head) = (None, None, None);
            let counts = counted_nouns(tokens, at);
            let preposition = preposition_of(tokens, at);
            Some(FrameWord {
                token,
                part,
                key,
                families: 0,
                agent,
                leads,
                purpose,
                preposition,
                next,
                modifier,
                head,
                counts,
            })
        });
        let mut words: Vec<FrameWord<'s>> = words.collect();
        for at in 1..words.len() {
            let (one, other) = (words[at - 1].key, words[at].key);
            words[at - 1].next = Some(other);
            if is_one_noun(&words[at - 1], &words[at]) {
                words[at].modifier = Some(one);
                words[at - 1].head = Some(other);
            }
        }
        Self { words, german }
    }

    /// Reads the frames of two statements. A word that both have names nothing else.
    pub fn read_both(earlier: &'s Statement, later: &'s Statement) -> (Self, Self) {
        let (mut left, mut right) = (Self::read(earlier), Self::read(later));
        let keys = |frame: &Self| -> Vec<&'s str> { frame.words.iter().map(|it| it.key).collect() };
        let (left_keys, right_keys) = (keys(&left), keys(&right));
        let known = |words: &mut [FrameWord<'s>], keys: &[&str]| {
            for word in words.iter_mut().filter(|word| keys.contains(&word.key)) {
                word.families = 0;
            }
        };
        left.join_numbers(&right_keys);
        right.join_numbers(&left_keys);
        known(&mut left.words, &right_keys);
        known(&mut right.words, &left_keys);
        (left, right)
    }

    /// Takes a number beside a name that the other frame lacks for a part of it: "Pixel 7", "12
    /// Mill Lane".
    fn join_numbers(&mut self, others: &[&str]) {
        let name = |word: &FrameWord<'_>| {
            word.part == FramePart::Name && !word.token.possessive && !others.contains(&word.key)
        };
        for at in 0..self.words.len() {
            let number = &self.words[at];
            let bare = number.part == FramePart::Value(ValueType::Quantity)
                && !number.token.key.contains(' ');
            let joined = |one: &FrameWord<'_>, other: &FrameWord<'_>| {
                one.token.end + 1 == other.token.start && one.leads == other.leads
            };
            let before = at.checked_sub(1).map(|before| &self.words[before]);
            let before = before.is_some_and(|before| name(before) && joined(before, number));
            let after = self.words.get(at + 1);
            let after = after.is_some_and(|after| name(after) && joined(number, after));
            if bare && (before || after) {
                self.words[at].part = FramePart::Name;
            }
        }
        find_families(&mut self.words);
    }

    /// Returns true if nothing but names stands before the predicate.
    pub fn is_led_by_name(&self) -> bool {
        let mut leading = self.words.iter().filter(|word| word.leads).peekable();
        // "Icons come from …": a noun in the plural and its verb.
        let verb = self.words.iter().find(|word| !word.leads && word.part == FramePart::Verb);
        let plural = |word: &FrameWord<'_>| {
            let plain = verb.is_some_and(|verb| lexicon::is_plain_verb(&verb.token.word));
            plain && !word.token.capital && word.token.word.ends_with('s')
        };
        leading.peek().is_some() && leading.all(|word| word.is_holder() && !plural(word))
    }

    /// Returns true if it names who set the value: "finance approved 15k".
    pub fn is_set_by_somebody(&self) -> bool {
        self.words.iter().any(|word| word.agent)
    }

    /// Returns true if a word with this key or of the same attribute occurs.
    pub fn has(&self, other: &FrameWord<'_>) -> bool {
        self.repeats(other) || self.words.iter().any(|word| word.families & other.families != 0)
    }

    /// Returns true if a noun with this key or of the same attribute occurs.
    pub fn has_noun(&self, other: &FrameWord<'_>) -> bool {
        self.words.iter().any(|word| {
            let same = word.key == other.key || word.families & other.families != 0;
            same && word.part != FramePart::Verb
        })
    }

    /// Returns true if a word with this key occurs.
    fn repeats(&self, other: &FrameWord<'_>) -> bool {
        let key = other.key;
        self.words.iter().any(|word| {
            word.key == key
                || self.german && (is_compound(word.key, key) || is_compound(&word.token.key, key))
        })
    }

    /// Iterates over the words that the other frame lacks.
    pub fn only<'f>(&'f self, other: &'f Self) -> impl Iterator<Item = &'f FrameWord<'s>> {
        self.words.iter().filter(|word| !other.has(word))
    }

    /// Counts the words of the subject, the attribute, names and full verbs that both have.
    pub fn shared(&self, other: &Self) -> usize {
        self.subject_words().filter(|word| other.has(word)).count()
    }

    /// Counts those that both have in the same words.
    pub fn repeated(&self, other: &Self) -> usize {
        self.subject_words().filter(|word| other.repeats(word)).count()
    }

    fn subject_words(&self) -> impl Iterator<Item = &FrameWord<'s>> {
        self.words.iter().filter(|word| !matches!(word.part, FramePart::Value(_)))
    }
}

/// Finds the attributes that words may name beside the values of their statement.
fn find_families(words: &mut [FrameWord<'_>]) {
    let measures = words.iter().fold(0, |all, word| match word.part {
        FramePart::Value(_) if !word.counts.is_empty() => all | measure::AMOUNT,
        FramePart::Value(kind) => all | measures_of(kind, &word.token.key),
        _ => all,
    });
    let measures = if measures == 0 { measure::NAME } else { measures };
    for word in words.iter_mut().filter(|word| !matches!(word.part, FramePart::Value(_))) {
        word.families = families_of(&word.token.key, measures);
    }
}

/// Returns true if two words stand side by side and neither is a verb, a value or an owner.
fn is_one_noun(one: &FrameWord<'_>, other: &FrameWord<'_>) -> bool {
    let noun = |word: &FrameWord<'_>| !matches!(word.part, FramePart::Verb | FramePart::Value(_));
    let joined = one.token.end + 1 == other.token.start;
    joined && noun(one) && noun(other) && !one.token.possessive
}

/// Returns true if one of two words is a part of the other: "Miete", "Monatsmiete".
fn is_compound(one: &str, other: &str) -> bool {
    const LETTERS_MIN: usize = 5;
    let within = |part: &str, whole: &str| {
        part.len() >= LETTERS_MIN && (whole.starts_with(part) || whole.ends_with(part))
    };
    within(one, other) || within(other, one)
}
