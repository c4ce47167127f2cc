//! Statements with the same words: whether their order says the same, denies, or swaps roles.

use super::alignment::{has_swap, is_moved_adjunct};
use super::decide::{StatementPair, is_light};
use super::statement::{Statement, Tense};
use super::tokens::{Token, TokenClass};
use super::{Certainty, StatementRelation as R};

impl<'s> StatementPair<'s> {
    pub fn is_identical(&self) -> bool {
        let keys = |statement: &Statement| -> Vec<String> {
            statement.tokens.iter().map(|token| token.key.clone()).collect()
        };
        keys(self.earlier) == keys(self.later)
    }

    /// Returns the relation of two statements with the same words.
    pub fn same_words(&self) -> Option<(R, Certainty)> {
        let ordered = self.meaningful_gaps().next().is_none();
        let moved = || {
            let (left, right) = (essential(&self.left), essential(&self.right));
            same_bag(&left, &right, owned_key) && is_moved_adjunct(&left, &right)
                || self.is_copula_flip()
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

    /// Returns true for "green is my favourite colour" and "my favourite colour is green".
    fn is_copula_flip(&self) -> bool {
        type Keys<'t> = Vec<(&'t str, bool)>;
        fn plain(tokens: &[Token]) -> Keys<'_> {
            let counted = tokens.iter().filter(|token| token.counts() && !is_light(token));
            counted.map(owned_key).collect()
        }
        let halves = |statement: &'s Statement| -> Option<(Keys<'s>, Keys<'s>)> {
            let at = statement.tokens.iter().position(|one| one.class == TokenClass::Copula)?;
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
    pub fn is_reversed(&self) -> bool {
        let (left, right) = (essential(&self.left), essential(&self.right));
        if left.len().abs_diff(right.len()) > 1 {
            return false;
        }
        let pairs = unique_pairs(&left, &right);
        let extra = left.len().max(right.len()) - pairs.len();
        let sorted_owners = same_bag(&left, &right, |token| &*token.key);
        let near = extra <= 1 && pairs.len() >= 3;
        (near && has_swap(&pairs))
            || (sorted_owners && left.len() >= 2 && extra == 0)
            || (sorted_owners && left.len() >= 2 && self.meaningful_gaps().next().is_some())
    }
}

fn essential<'s>(tokens: &[&'s Token]) -> Vec<&'s Token> {
    tokens.iter().copied().filter(|token| token.class != TokenClass::Weak).collect()
}

/// Returns true if two sequences have the same keys, whatever their order.
fn same_bag<'t, K: Ord>(
    left: &[&'t Token],
    right: &[&'t Token],
    key: impl Fn(&'t Token) -> K,
) -> bool {
    let bag = |tokens: &[&'t Token]| {
        let mut keys: Vec<K> = tokens.iter().map(|token| key(token)).collect();
        keys.sort_unstable();
        keys
    };
    left.len() == right.len() && bag(left) == bag(right)
}

fn owned_key(token: &Token) -> (&str, bool) {
    (&token.key, token.possessive)
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
