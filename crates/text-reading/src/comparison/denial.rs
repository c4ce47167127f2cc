//! Denials: a statement that says the opposite of another, or says what no longer holds and what
//! holds instead.

use super::decide::{StatementPair, is_content};
use super::holder::have_other_holders;
use super::lexicon;
use super::overlap::Overlap;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::{Certainty, StatementRelation as R};

impl StatementPair<'_> {
    /// Returns the relation when the later statement names what no longer holds.
    pub fn contrast(&self) -> Option<(R, Certainty)> {
        let overlap = self.overlap();
        if !self.earlier.changed && self.later.changed && self.is_replaced() {
            let sure = self.replaces_whole_value() && !have_other_holders(self.earlier, self.later);
            return Some((R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely }));
        }
        if self.is_succeeded() {
            return Some((R::ChangedValue, Certainty::Likely));
        }
        if self.earlier.contrast || !self.later.contrast && !self.replaces_denied(overlap) {
            return None;
        }
        if have_other_holders(self.earlier, self.later) || !self.names_old_value() {
            return None;
        }
        if self.begins_elsewhere() {
            return None;
        }
        let origin = self.later.origin();
        // "We moved from Istio to Linkerd" needs no other word in common.
        let named = origin.is_some_and(|old| old.is_name());
        let known = overlap.shared * 2 >= overlap.shared + overlap.left_only.len();
        let new_value =
            overlap.right_only.iter().any(|token| !token.verb || token.value_type().is_some());
        (overlap.shared >= 1 && (known || named) && new_value).then(|| {
            let sure = self.later.contrast && known;
            (R::ChangedValue, if sure { Certainty::Sure } else { Certainty::Likely })
        })
    }

    /// Returns true if the later statement tells what a change began with, and the earlier one does
    /// not name it: "handed from Kenji to Adaeze" says nothing of what was not Kenji's.
    pub fn begins_elsewhere(&self) -> bool {
        let known = |old: &Token| self.left.iter().any(|token| token.topic == old.topic);
        let origin = self.later.origin().or_else(|| self.later.replaced());
        origin.is_some_and(|old| old.is_name() && !known(old))
    }

    /// Returns true if the later statement has a word of what the earlier one says of its subject.
    pub fn names_old_value(&self) -> bool {
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        value.iter().any(|token| {
            let same = |other: &&Token| other.key == token.key || other.topic == token.topic;
            is_content(token) && !token.verb && self.right.iter().any(same)
        })
    }

    /// Returns true if the later statement ends by denying what the earlier one says, and names
    /// something else before: "in the safe, not in the drawer".
    fn replaces_denied(&self, overlap: &Overlap<'_>) -> bool {
        let tokens = &self.later.tokens;
        let Some(cue) = self.later.denial else { return false };
        let alone = |token: &Token| overlap.right_only.iter().any(|one| one.start == token.start);
        let mut denied = tokens[cue + 1..].iter().filter(|token| is_content(token)).peekable();
        let verb = |token: &Token| token.verb && token.value_type().is_none();
        self.earlier.negations == 0
            && denied.peek().is_some()
            && denied.all(|token| !alone(token) && !verb(token))
            && tokens[..cue].iter().any(|token| alone(token) && !verb(token))
    }

    /// Returns the relation when exactly one statement denies, or has the opposite word.
    pub fn denial(&self) -> Option<(R, Certainty)> {
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
                // "开启" and "关闭" are words of two characters.
                ([one, _], [other, _]) => {
                    let unsegmented = one.word.contains(super::tokens::is_unsegmented);
                    unsegmented && lexicon::are_antonyms(&one.key, &other.key)
                }
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
        let apart = left.min(right) > 1 || self.subjects_differ(overlap);
        let near = overlap.shared >= 1 && (overlap.shared + rest) * 2 > left.min(right);
        let close = left.min(right) == 0 || overlap.shared >= 2;
        if apart || !near || !close || overlap.values_differ() && pair.is_none() {
            return None;
        }
        if denied && self.denies_something_new(overlap) {
            return None;
        }
        if have_other_holders(self.earlier, self.later) || denied && self.denies_another(overlap) {
            return None;
        }
        // "without sugar", "now with honey": what is said instead is another value.
        let instead = self.later.changed && self.earlier.negations > self.later.negations;
        if instead && !overlap.right_only.is_empty() {
            return None;
        }
        let sure = left == 0;
        // "not Beth anymore, it is Omar" names the new value too.
        let named = |token: &&&Token| {
            let typed = |one: &&Token| one.value_type() == token.value_type();
            token.is_name() || token.value_type().is_some() && self.left.iter().any(typed)
        };
        let renewed = overlap.right_only.iter().filter(named).count() > 0;
        if denied && sure && renewed && self.later.negations > 0 {
            return Some((R::ChangedValue, Certainty::Sure));
        }
        // "Secrets aren't in Vault any more; they live in AWS."
        let names = overlap.right_only.iter().any(|token| token.is_name());
        if denied && names && self.later.negations > 0 && self.later.ends_something() {
            return Some((R::ChangedValue, Certainty::Likely));
        }
        Some((R::Opposite, if sure { Certainty::Sure } else { Certainty::Likely }))
    }

    /// Returns true if what is denied is another predicate, or one of somebody else: "Ana does not
    /// live in Porto" is no answer to "Ana works in Porto" and "Ana's sister lives in Porto".
    fn denies_another(&self, overlap: &Overlap<'_>) -> bool {
        let verb = |tokens: &[&Token]| {
            tokens.iter().any(|token| token.verb && token.value_type().is_none())
        };
        // The owner of one subject is the whole subject of the other.
        let owned = |statement: &Statement, tokens: &[&Token], only: &[&Token]| {
            let subject = &tokens[..statement.subject.min(tokens.len())];
            let Some((head, owners)) = subject.split_last() else { return false };
            owners.iter().any(|token| token.possessive && token.is_name())
                && only.iter().any(|token| token.start == head.start)
        };
        verb(&overlap.left_only) && verb(&overlap.right_only)
            || owned(self.earlier, &self.left, &overlap.left_only)
            || owned(self.later, &self.right, &overlap.right_only)
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
                && !denied.verb
                && overlap.left_only.is_empty() != overlap.right_only.is_empty()
        })
    }
}
