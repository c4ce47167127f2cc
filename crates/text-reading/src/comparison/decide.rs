//! The relation of two statements, decided from their alignment: first whether they say the same,
//! then whether one denies, reverses or changes the other, from the most to the least certain.

use super::alignment::{Alignment, Gap, has_swap, is_moved_adjunct};
use super::conflict;
use super::lexicon;
use super::regions::is_region;
use super::slots::Slot;
use super::statement::{Statement, StatementKind, Tense};
use super::tokens::{TOKENS_MAX, Token, TokenClass};
use super::values::ValueType;
use super::{Certainty, StatementRelation as R};
use std::ops::Range;

/// The relation of two statements, with what differs as byte ranges in each.
#[derive(Debug)]
pub(super) struct Verdict {
    pub relation: R,
    pub certainty: Certainty,
    pub differences: Vec<(Range<usize>, Range<usize>)>,
    /// True if the later statement says that something has changed.
    pub tells_change: bool,
    /// True if the earlier statement says nothing beyond what the later one replaces.
    pub covers_earlier: bool,
}

/// Two statements under comparison.
struct Pair<'s> {
    earlier: &'s Statement,
    later: &'s Statement,
    left: Vec<&'s Token>,
    right: Vec<&'s Token>,
    alignment: Alignment,
}

/// Decides the relation of an earlier and a later statement.
pub(super) fn decide(earlier: &Statement, later: &Statement) -> Verdict {
    let pair = Pair::new(earlier, later);
    let (relation, certainty) = pair.relation();
    let covers_earlier = pair.covers_earlier();
    let tells_change = later.changed || later.contrast || later.ends_something();
    let differences = pair.differences();
    Verdict { relation, certainty, differences, tells_change, covers_earlier }
}

impl<'s> Pair<'s> {
    fn new(earlier: &'s Statement, later: &'s Statement) -> Self {
        let (mut left, mut right) = (earlier.counted(), later.counted());
        left.truncate(TOKENS_MAX);
        right.truncate(TOKENS_MAX);
        let alignment = Alignment::of(&left, &right, equal);
        Self { earlier, later, left, right, alignment }
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
        if self.is_reversed() {
            return (R::Reversed, Sure);
        }
        if let Some(found) = self.contrast().or_else(|| self.denial()) {
            return found;
        }
        if let Some(found) = self.occasion() {
            return found;
        }
        let exchanged = self.substitution();
        if let Some(found) = exchanged.filter(|(relation, _)| *relation != R::Unrelated) {
            return found;
        }
        self.addition()
            .or_else(|| self.other_wording())
            // In an equal frame the exchanged words have decided already, unless a change is told.
            .or_else(|| {
                let open = exchanged.is_none() || self.later.changed;
                self.conflicting_values().filter(|_| open)
            })
            .or(exchanged)
            .unwrap_or_else(|| self.likeness())
    }

    fn is_identical(&self) -> bool {
        let keys = |statement: &Statement| -> Vec<String> {
            statement.tokens.iter().map(|token| token.key.clone()).collect()
        };
        keys(self.earlier) == keys(self.later)
    }

    /// Returns the relation of two statements with the same words.
    fn same_words(&self) -> Option<(R, Certainty)> {
        let ordered = self.meaningful_gaps().next().is_none();
        let moved = || {
            let (left, right) = (essential(&self.left), essential(&self.right));
            same_bag(&left, &right) && is_moved_adjunct(&left, &right) || self.is_copula_flip()
        };
        if !ordered && !moved() {
            return None;
        }
        let denied = self.earlier.negations % 2 != self.later.negations % 2;
        Some(match (denied, self.earlier.tense, self.later.tense) {
            (true, ..) => (R::Opposite, Certainty::Sure),
            (_, Tense::Past, Tense::Future) | (_, Tense::Future, Tense::Past) => {
                (R::OtherEvent, Certainty::Likely)
            }
            (_, one, other) if one != other => match self.earlier.has_copula() {
                true => (R::Opposite, Certainty::Likely),
                false => (R::OtherEvent, Certainty::Likely),
            },
            _ if self.number_differs() => (R::ChangedValue, Certainty::Likely),
            _ => (R::Same, Certainty::Sure),
        })
    }

    /// Returns true if a noun is singular in one statement and plural in the other.
    fn number_differs(&self) -> bool {
        self.alignment.common.iter().any(|&(i, j)| {
            let (one, other) = (self.left[i], self.right[j]);
            let plural = |token: &Token| token.word.ends_with('s');
            let is_noun = one.determined || other.determined;
            is_noun
                && plural(one) != plural(other)
                && one.word != other.word
                && one.key != "self"
                && one.value_type().is_none()
        })
    }

    /// Returns the gaps that change what is said: not those of weak words, or of a preposition
    /// before a value that the other statement leaves out.
    fn meaningful_gaps(&self) -> impl Iterator<Item = &Gap> {
        self.alignment.gaps.iter().filter(|gap| {
            let (left, right) = (&self.left[gap.left.clone()], &self.right[gap.right.clone()]);
            let light = |tokens: &[&Token]| tokens.iter().all(|token| is_light(token));
            !(light(left) && light(right) && (left.is_empty() || right.is_empty()))
        })
    }

    /// Returns true for "green is my favourite colour" and "my favourite colour is green".
    fn is_copula_flip(&self) -> bool {
        let halves = |statement: &Statement| -> Option<(Vec<String>, Vec<String>)> {
            let at = statement.tokens.iter().position(|one| one.class == TokenClass::Copula)?;
            let plain = |tokens: &[Token]| -> Vec<String> {
                let counted = tokens.iter().filter(|token| token.counts() && !is_light(token));
                counted.map(|token| format!("{}{}", token.key, token.possessive)).collect()
            };
            let (before, after) = (&statement.tokens[..at], &statement.tokens[at + 1..]);
            let simple = |tokens: &[Token]| {
                tokens.iter().all(|token| {
                    !matches!(token.class, TokenClass::Preposition | TokenClass::Negation)
                })
            };
            (simple(before) && simple(after)).then(|| (plain(before), plain(after)))
        };
        match (halves(self.earlier), halves(self.later)) {
            (Some((a, b)), Some((c, d))) => a == d && b == c && a != b,
            _ => false,
        }
    }

    /// Returns true if the same words stand in an order that swaps roles or directions.
    fn is_reversed(&self) -> bool {
        let (left, right) = (essential(&self.left), essential(&self.right));
        let pairs = unique_pairs(&left, &right);
        let extra = left.len().max(right.len()) - pairs.len();
        let sorted_owners = left.len() == right.len() && same_bag_without_owners(&left, &right);
        let near = extra <= 1 && pairs.len() >= 3;
        (near && has_swap(&pairs))
            || (sorted_owners && left.len() >= 2 && extra == 0)
            || (sorted_owners && left.len() >= 2 && self.meaningful_gaps().next().is_some())
    }

    /// Returns the relation when the later statement names what no longer holds.
    fn contrast(&self) -> Option<(R, Certainty)> {
        if !self.later.contrast || self.earlier.contrast {
            return None;
        }
        let overlap = self.overlap();
        let known = overlap.shared * 2 >= overlap.shared + overlap.left_only.len();
        let new_value = overlap
            .right_only
            .iter()
            .any(|token| !lexicon::is_verb(&token.word) || token.value_type().is_some());
        (overlap.shared >= 1 && known && new_value).then_some((R::ChangedValue, Certainty::Sure))
    }

    /// Returns the relation when exactly one statement denies, or has the opposite word.
    fn denial(&self) -> Option<(R, Certainty)> {
        let overlap = self.overlap();
        let antonym = |one: &&&Token| {
            let opposite = |other: &&&Token| lexicon::are_antonyms(&one.key, &other.key);
            overlap.right_only.iter().find(opposite).map(|other| other.key.clone())
        };
        let pair = overlap.left_only.iter().find(|one| antonym(one).is_some());
        // "on" and "off" are no content words.
        let signs = self.alignment.gaps.iter().any(|gap| {
            match (&self.left[gap.left.clone()], &self.right[gap.right.clone()]) {
                ([one], [other]) => lexicon::are_antonyms(&one.key, &other.key),
                _ => false,
            }
        });
        let denied = self.earlier.negations % 2 != self.later.negations % 2;
        if denied == (pair.is_some() || signs) {
            return None;
        }
        let rest = usize::from(pair.is_some());
        let left = overlap.left_only.len() - rest;
        let right = overlap.right_only.len() - rest;
        // Both sides may not go on about different things.
        let apart = left.min(right) > 1 || self.subjects_differ(&overlap);
        let near = overlap.shared >= 1 && (overlap.shared + rest) * 2 > left.min(right);
        let close = left.min(right) == 0 || overlap.shared >= 2;
        if apart || !near || !close || overlap.values_differ() && pair.is_none() {
            return None;
        }
        if denied && self.denies_something_new(&overlap) {
            return None;
        }
        let sure = left == 0;
        // "not Beth anymore, it is Omar" names the new value too.
        let named = |token: &&&Token| {
            let typed = |one: &&Token| one.value_type() == token.value_type();
            token.is_name()
                || token.value_type().is_some() && self.left.iter().any(|one| typed(&one))
        };
        let renewed = overlap.right_only.iter().filter(named).count() > 0;
        if denied && sure && renewed && self.later.negations > 0 {
            return Some((R::ChangedValue, Certainty::Sure));
        }
        Some((R::Opposite, if sure { Certainty::Sure } else { Certainty::Likely }))
    }

    /// Returns true if the denial is about a word that the other statement does not have: what it
    /// adds, it adds as a denial.
    fn denies_something_new(&self, overlap: &Overlap<'_>) -> bool {
        let (tokens, only) = match self.later.negations > self.earlier.negations {
            true => (&self.later.tokens, &overlap.right_only),
            false => (&self.earlier.tokens, &overlap.left_only),
        };
        let cue = tokens.iter().position(|token| token.class == TokenClass::Negation);
        let denied = cue.and_then(|cue| tokens[cue + 1..].iter().find(|token| is_content(token)));
        denied.is_some_and(|denied| {
            only.iter().any(|token| token.start == denied.start)
                && !lexicon::is_verb(&denied.word)
                && overlap.left_only.is_empty() != overlap.right_only.is_empty()
        })
    }

    /// Returns the content words in common and those of one side only, whatever their order.
    fn overlap(&self) -> Overlap<'s> {
        let content = |tokens: &[&'s Token]| -> Vec<&'s Token> {
            tokens.iter().copied().filter(|token| is_topic(token)).collect()
        };
        let (left, right) = (content(&self.left), content(&self.right));
        let same = |one: &Token, other: &Token| {
            one.key == other.key
                || lexicon::synonym_key(&one.key) == lexicon::synonym_key(&other.key)
        };
        let without = |these: &[&'s Token], those: &[&'s Token]| -> Vec<&'s Token> {
            let alone = |one: &&&'s Token| those.iter().all(|other| !same(one, other));
            these.iter().filter(alone).copied().collect()
        };
        let left_only = without(&left, &right);
        let right_only = without(&right, &left);
        Overlap { shared: left.len() - left_only.len(), left_only, right_only }
    }

    /// Returns true if each subject has a word that is nowhere in the other statement.
    fn subjects_differ(&self, overlap: &Overlap<'_>) -> bool {
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

    /// Returns the relation when a statement tells of an occasion: occasions neither contradict nor
    /// replace one another.
    fn occasion(&self) -> Option<(R, Certainty)> {
        let event = |one: &Statement| one.kind == StatementKind::Event;
        let (both, one) =
            (event(self.earlier) && event(self.later), event(self.earlier) || event(self.later));
        let overlap = self.overlap();
        let shorter = overlap.shared + overlap.left_only.len().min(overlap.right_only.len());
        let related = overlap.shared * 2 >= shorter && overlap.shared >= 1;
        let planned = (self.earlier.tense == Tense::Future) != (self.later.tense == Tense::Future);
        let done = one || self.earlier.tense == Tense::Past || self.later.tense == Tense::Past;
        if planned && done && related {
            return Some((R::OtherEvent, Certainty::Likely));
        }
        if !one || self.later.changed {
            return None;
        }
        if let Some(found) = self.addition() {
            return Some(found);
        }
        let alike = both && (overlap.shared >= 1 || self.share_activity());
        let relation = match (alike || related) && !self.other_person(&overlap) {
            true => R::OtherEvent,
            false => R::Unrelated,
        };
        Some((relation, Certainty::Likely))
    }

    /// Returns true if the only words that differ are names and amounts of two one-time events:
    /// "I lent Hannah 100 euros", "I lent Dominik 30 euros".
    fn other_person(&self, overlap: &Overlap<'_>) -> bool {
        let name = |tokens: &[&Token]| tokens.iter().any(|token| token.is_name());
        name(&overlap.left_only) && name(&overlap.right_only)
    }

    fn share_activity(&self) -> bool {
        let activity = |tokens: &[&Token]| {
            tokens.iter().find(|token| lexicon::is_activity(&token.word)).map(|one| one.key.clone())
        };
        activity(&self.left).is_some_and(|one| activity(&self.right) == Some(one))
    }

    /// Returns the relation when words were exchanged in an otherwise equal statement.
    fn substitution(&self) -> Option<(R, Certainty)> {
        let exchanged: Vec<Exchange<'_>> =
            self.meaningful_gaps().map(|gap| self.exchange(gap)).collect();
        let both_sides = exchanged.iter().filter(|one| one.is_substitution()).count();
        if both_sides == 0 || self.shared_topic() == 0 {
            return None;
        }
        if exchanged.iter().all(Exchange::is_synonym_or_light) {
            return Some((R::Paraphrase, Certainty::Likely));
        }
        let others: Vec<&Exchange<'_>> =
            exchanged.iter().filter(|one| !one.is_synonym_or_light()).collect();
        if let [one] = others[..]
            && one.is_substitution()
        {
            return Some(self.single_exchange(one));
        }
        let longer = self.left.len().max(self.right.len());
        let in_order = self.alignment.common.len() * 5 >= longer * 3;
        let all_typed = others.iter().all(|one| one.is_typed() && one.place == Place::Value);
        match (all_typed, in_order) {
            (true, true) => Some((R::ChangedValue, Certainty::Likely)),
            // Two exchanged words in one frame are another subject with its own value.
            (false, true) if others.iter().filter(|one| one.is_substitution()).count() > 1 => {
                Some((R::Unrelated, Certainty::Likely)).filter(|_| !self.later.changed)
            }
            _ => None,
        }
    }

    /// Returns the relation of two statements that differ in one place.
    fn single_exchange(&self, one: &Exchange<'_>) -> (R, Certainty) {
        let unrelated = (R::Unrelated, Certainty::Likely);
        if one.is_refinement() || one.is_region_and_place() {
            return (R::MoreDetailed, Certainty::Likely);
        }
        if one.is_quantifier() {
            return (R::ChangedValue, Certainty::Likely);
        }
        let counted = one.place == Place::Subject && one.is_typed() && one.after;
        // "fact 1" and "fact 2" are two facts: a bare number behind a noun is its name.
        let bare = one.is_bare_number() && !self.earlier.has_predicate();
        if bare {
            return unrelated;
        }
        let held = counted || one.place == Place::Subject && self.is_role_holder(one);
        if one.place == Place::Subject && !held {
            return unrelated;
        }
        if !held && (one.place == Place::Verb || one.is_qualifier(self) || !one.is_exclusive(self))
        {
            return unrelated;
        }
        let asserted = conflict::is_asserted(self.earlier) && conflict::is_asserted(self.later);
        let numbered = one.is_bare_number() && one.follows_plain_noun();
        let clear = one.is_typed() && !numbered || one.has_names() || self.later.changed;
        let sure = asserted && clear;
        (R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely })
    }

    /// Returns the relation of two statements about one thing with values that exclude each other.
    fn conflicting_values(&self) -> Option<(R, Certainty)> {
        if !conflict::is_asserted(self.earlier) || !conflict::is_asserted(self.later) {
            return None;
        }
        let overlap = self.overlap();
        if self.subjects_differ(&overlap) {
            return None;
        }
        let told = self.later.changed || self.later.contrast;
        if told && self.tells_new_value(&overlap) {
            let sure = overlap.left_only.len() <= 1;
            return Some((R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely }));
        }
        let found = conflict::find(self.earlier, self.later, told)?;
        let sure = told && found.left_over == 0;
        found
            .is_same_topic(told)
            .then_some((R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely }))
    }

    /// Returns true if a statement of change is about the earlier one and names something new.
    fn tells_new_value(&self, overlap: &Overlap<'_>) -> bool {
        let known = overlap.shared + overlap.left_only.len();
        let unsegmented =
            self.left.iter().any(|token| token.word.chars().any(super::tokens::is_unsegmented));
        let least = if unsegmented { 0.35 } else { 0.5 };
        let new = overlap.right_only.iter().any(|token| !lexicon::is_verb(&token.word));
        let is_self = |token: &&&Token| !matches!(&*token.key, "self" | "we");
        let anchored = self.left.iter().filter(is_self).any(|token| {
            is_content(token) && !overlap.left_only.iter().any(|one| one.start == token.start)
        });
        let verb = self.later.tokens.iter().any(|token| lexicon::is_change_verb(&token.word))
            || self.later.contrast
            || unsegmented;
        verb && anchored && new && overlap.shared as f64 >= least * known as f64
    }

    fn exchange<'p>(&'p self, gap: &Gap) -> Exchange<'p> {
        let left = &self.left[gap.left.clone()];
        let right = &self.right[gap.right.clone()];
        let at_verb = gap.left.start == self.earlier.subject
            && gap.right.start == self.later.subject
            && left.iter().chain(right).any(|token| lexicon::is_verb(&token.word))
            && !self.earlier.has_copula();
        let in_subject =
            gap.left.start < self.earlier.subject && gap.right.start < self.later.subject;
        let place = match (in_subject, at_verb) {
            (true, _) => Place::Subject,
            (_, true) => Place::Verb,
            _ => Place::Value,
        };
        let before = gap.left.start.checked_sub(1).map(|at| self.left[at]);
        let follows = |tokens: &[&Token], end: usize| {
            tokens.get(end).is_some_and(|token| token.class == TokenClass::Content)
        };
        let after = follows(&self.left, gap.left.end) && follows(&self.right, gap.right.end);
        Exchange { left, right, place, before, at: gap.left.start, after }
    }

    /// Returns true if the exchanged subject holds a role of which there is one: "Tom is my
    /// manager".
    fn is_role_holder(&self, one: &Exchange<'_>) -> bool {
        let whole = one.left.len() == self.earlier.subject && one.right.len() == self.later.subject;
        let role = self
            .later
            .tokens
            .iter()
            .any(|token| lexicon::is_role(&token.key) || lexicon::is_single_valued(&token.key));
        let holds = |tokens: &[&Token], subject: usize| {
            tokens.get(subject).is_some_and(|verb| lexicon::is_role_verb(&verb.key))
        };
        let verb =
            holds(&self.left, self.earlier.subject) && holds(&self.right, self.later.subject);
        let joined = self.earlier.has_copula() && self.later.has_copula();
        whole && (role && joined || verb)
    }

    /// Returns the relation of two wordings of one attribute.
    fn other_wording(&self) -> Option<(R, Certainty)> {
        let (left, right) = (Slot::read(self.earlier)?, Slot::read(self.later)?);
        if left.attribute != right.attribute || !left.same_subject(&right) {
            return None;
        }
        let (old, new) = (left.value_keys(self.earlier), right.value_keys(self.later));
        let same = old.iter().any(|key| new.contains(key));
        let value =
            |slot: &Slot, statement: &Statement| statement.tokens[slot.value[0]].value_type();
        let comparable = value(&left, self.earlier) == value(&right, self.later);
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
    fn addition(&self) -> Option<(R, Certainty)> {
        let gaps: Vec<&Gap> = self.meaningful_gaps().collect();
        let left_only = gaps.iter().all(|gap| gap.right.is_empty());
        let right_only = gaps.iter().all(|gap| gap.left.is_empty());
        if !left_only && !right_only {
            return None;
        }
        let quantified = gaps.iter().any(|gap| {
            let tokens = self.left[gap.left.clone()].iter().chain(&self.right[gap.right.clone()]);
            tokens
                .filter(|token| !is_light(token))
                .all(|token| token.class == TokenClass::Quantifier)
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
        let denied = self.earlier.negations % 2 != self.later.negations % 2;
        match same_values && !denied && shared * 2 >= longer && shared >= 2 {
            true => (R::Paraphrase, Certainty::Likely),
            false => (R::Unrelated, Certainty::Likely),
        }
    }

    /// Counts the aligned content words that say what a statement is about.
    fn shared_topic(&self) -> usize {
        let topical = |&&(i, _): &&(usize, usize)| is_topic(self.left[i]);
        self.alignment.common.iter().filter(topical).count()
    }

    fn shared_content(&self) -> usize {
        let counted = |&&(i, _): &&(usize, usize)| is_content(self.left[i]);
        self.alignment.common.iter().filter(counted).count()
    }

    /// Returns true if everything that the earlier statement says is in the later one, or replaced
    /// by it.
    fn covers_earlier(&self) -> bool {
        self.meaningful_gaps().all(|gap| gap.left.is_empty() || !gap.right.is_empty())
    }

    fn differences(&self) -> Vec<(Range<usize>, Range<usize>)> {
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

/// Content words of two statements.
struct Overlap<'s> {
    shared: usize,
    left_only: Vec<&'s Token>,
    right_only: Vec<&'s Token>,
}

impl Overlap<'_> {
    /// Returns true if each side has a value that the other lacks.
    fn values_differ(&self) -> bool {
        let value = |tokens: &[&Token]| tokens.iter().any(|token| token.value_type().is_some());
        value(&self.left_only) && value(&self.right_only)
    }
}

/// Part of a statement in which words were exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Subject,
    Verb,
    Value,
}

/// Words that stand in each other's place.
struct Exchange<'p> {
    left: &'p [&'p Token],
    right: &'p [&'p Token],
    place: Place,
    before: Option<&'p Token>,
    /// Index of the first exchanged word.
    at: usize,
    /// True if a content word of both statements follows at once.
    after: bool,
}

impl Exchange<'_> {
    fn is_substitution(&self) -> bool {
        !self.left.is_empty() && !self.right.is_empty()
    }

    fn is_synonym(&self) -> bool {
        let keys = |tokens: &[&Token]| -> Vec<String> {
            let heavy = tokens.iter().filter(|token| !is_light(token));
            heavy.map(|token| lexicon::synonym_key(&token.key).to_owned()).collect()
        };
        self.is_substitution() && keys(self.left) == keys(self.right)
    }

    fn is_synonym_or_light(&self) -> bool {
        let light = |tokens: &[&Token]| tokens.iter().all(|token| is_light(token));
        self.is_synonym() || light(self.left) && light(self.right)
    }

    /// Returns true if both sides have a value of the same type and unit, and nothing else differs.
    fn is_typed(&self) -> bool {
        let value = |tokens: &[&Token]| -> Option<(ValueType, String)> {
            let token = tokens.iter().find(|token| token.value_type().is_some())?;
            let unit = token.key.split_once(' ').map_or("", |(_, unit)| unit);
            Some((token.value_type()?, unit.to_owned()))
        };
        let words = |tokens: &[&Token]| {
            tokens.iter().filter(|token| token.class == TokenClass::Content).count()
        };
        // "12 Rowan Close" is one value; "5 mg amlodipine" is a value of something.
        let named = |tokens: &[&Token]| {
            tokens.iter().all(|token| token.class != TokenClass::Content || token.is_name())
        };
        let counted = value(self.left).is_some_and(|(kind, _)| kind == ValueType::Quantity);
        let mixed = words(self.left) > 0
            && words(self.right) > 0
            && !(counted && named(self.left) && named(self.right));
        let when = |kind: &Option<(ValueType, String)>| {
            matches!(kind, Some((ValueType::Weekday | ValueType::Frequency, _)))
        };
        let (one, other) = (value(self.left), value(self.right));
        self.is_substitution()
            && !mixed
            && one.is_some()
            && (one == other || when(&one) && when(&other))
    }

    fn is_refinement(&self) -> bool {
        let first = |tokens: &[&Token]| {
            let value = tokens.iter().find(|token| token.value_type().is_some());
            value.map(|token| token.key.clone())
        };
        match (first(self.left), first(self.right)) {
            (Some(one), Some(other)) => super::values::refines(&one, &other),
            _ => false,
        }
    }

    /// Returns true for "Berlin" and "Germany", which do not exclude each other.
    fn is_region_and_place(&self) -> bool {
        let region = |tokens: &[&Token]| tokens.iter().any(|token| is_region(&token.word));
        self.is_substitution() && region(self.left) != region(self.right)
    }

    /// Returns true for "always" and "sometimes", "all" and "most".
    fn is_quantifier(&self) -> bool {
        let quantifier = |token: &&Token| {
            token.class == TokenClass::Quantifier
                || token.value_type() == Some(ValueType::Frequency)
        };
        self.is_substitution() && self.left.iter().chain(self.right).all(|one| quantifier(one))
    }

    /// Returns true if both values are numbers without a unit.
    fn is_bare_number(&self) -> bool {
        let bare = |tokens: &[&Token]| {
            let number = |token: &&Token| token.value_type() == Some(ValueType::Quantity);
            matches!(tokens, [one] if number(one) && !one.key.contains(' '))
        };
        bare(self.left) && bare(self.right)
    }

    /// Returns true if the words stand behind a noun that is no attribute: "chapter 3".
    fn follows_plain_noun(&self) -> bool {
        self.before.is_some_and(|token| {
            token.class == TokenClass::Content
                && !lexicon::is_single_valued(&token.key)
                && !lexicon::is_verb(&token.word)
        })
    }

    fn has_names(&self) -> bool {
        // Technical names are written in small letters and joined by a dash.
        let named = |tokens: &[&Token]| {
            tokens.iter().all(|token| token.is_name() || token.word.contains('-'))
        };
        named(self.left) && named(self.right)
    }

    /// Returns true if the words say for what or when something holds, behind its value.
    fn is_qualifier(&self, pair: &Pair<'_>) -> bool {
        let marks = self.before.is_some_and(|token| {
            matches!(
                &*token.word,
                "for" | "during" | "when" | "if" | "while" | "für" | "para" | "pour" | "of"
            )
        });
        marks && self.at > pair.earlier.subject + 2 && !self.is_typed()
    }

    /// Returns true if both values cannot hold at once.
    fn is_exclusive(&self, pair: &Pair<'_>) -> bool {
        let is_value = |tokens: &[&Token]| tokens.iter().any(|token| token.value_type().is_some());
        let named = |tokens: &[&Token]| tokens.iter().any(|token| token.is_name());
        let unlike =
            is_value(self.left) != is_value(self.right) && !(named(self.left) && named(self.right));
        if unlike && !pair.later.changed {
            return false;
        }
        let for_what = pair.earlier.tokens.iter().any(|token| matches!(&*token.word, "for" | "as"));
        let many = pair.earlier.tokens.iter().any(|token| {
            lexicon::is_many_valued_verb(&token.key)
                || matches!(&*token.word, "has" | "have") && !for_what
        });
        // The attribute is what both have; a word of the value may look like one.
        let single = pair
            .alignment
            .common
            .iter()
            .any(|(i, _)| lexicon::is_single_valued(&pair.left[*i].key));
        let note = |statement: &Statement| {
            statement.tokens.iter().any(|token| matches!(&*token.word, ":" | "="))
        };
        let assigned = note(pair.earlier)
            && note(pair.later)
            && self.at == pair.earlier.subject
            && self.at + self.left.len() == pair.left.len()
            && !pair.left.iter().any(|token| lexicon::is_many_valued_verb(&token.key));
        let choice = self
            .left
            .iter()
            .any(|one| self.right.iter().any(|other| lexicon::same_choice(&one.key, &other.key)));
        let modifier = self.left.len() == 1 && self.right.len() == 1 && self.after;
        let hedged = !conflict::is_asserted(pair.later);
        let shared = pair.shared_content();
        let named = !many && self.has_names() && self.names_one_holder(pair);
        !hedged && (self.is_typed() || choice || pair.later.changed || single || assigned)
            || !hedged && (named && shared >= 1 || !many && modifier && shared >= 3)
    }

    /// Returns true if a name stands where only one can: "is Tom", "is owned by Ana", "lives in
    /// Porto", "Mr. Lund for maths"; not "I run with Alex".
    fn names_one_holder(&self, pair: &Pair<'_>) -> bool {
        let copula = pair.earlier.has_copula() && pair.later.has_copula();
        let slot = Slot::read(pair.earlier).zip(Slot::read(pair.later));
        let same_slot = slot.is_some_and(|(one, other)| one.attribute == other.attribute);
        let placed = self.before.is_some_and(|token| {
            matches!(
                &*token.word,
                "by" | "in" | "at" | "on" | "under" | "von" | "bei" | "en" | "chez"
            )
        });
        let purpose = pair.earlier.tokens.iter().any(|token| matches!(&*token.word, "for" | "as"));
        copula || same_slot || placed && pair.shared_content() >= 2 || purpose
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

fn is_content(token: &Token) -> bool {
    matches!(token.class, TokenClass::Content | TokenClass::Value(_))
}

/// Returns true for content words other than pronouns.
pub(super) fn is_topic(token: &Token) -> bool {
    is_content(token) && !lexicon::is_pronoun_key(&token.key)
}

fn essential<'s>(tokens: &[&'s Token]) -> Vec<&'s Token> {
    tokens.iter().copied().filter(|token| token.class != TokenClass::Weak).collect()
}

fn bag(tokens: &[&Token], key: impl Fn(&Token) -> String) -> Vec<String> {
    let mut keys: Vec<String> = tokens.iter().map(|token| key(token)).collect();
    keys.sort();
    keys
}

fn same_bag(left: &[&Token], right: &[&Token]) -> bool {
    let key = |token: &Token| format!("{}{}", token.key, token.possessive);
    bag(left, key) == bag(right, key)
}

fn same_bag_without_owners(left: &[&Token], right: &[&Token]) -> bool {
    bag(left, |token| token.key.clone()) == bag(right, |token| token.key.clone())
}

/// Returns the positions of keys that occur exactly once in both sequences.
fn unique_pairs(left: &[&Token], right: &[&Token]) -> Vec<(usize, usize)> {
    let once = |tokens: &[&Token], key: &str| {
        let mut at = tokens.iter().enumerate().filter(|(_, token)| token.key == key);
        at.next().filter(|_| at.next().is_none()).map(|(at, _)| at)
    };
    let position = |(at, token): (usize, &&Token)| {
        once(left, &token.key).and(once(right, &token.key)).map(|other| (at, other))
    };
    left.iter().enumerate().filter_map(position).collect()
}
