//! Content words that two statements share, whatever their order, and those of one side only.

use super::decide::is_topic;
use super::tokens::Token;

/// Content words of two statements.
pub(super) struct Overlap<'s> {
    pub shared: usize,
    pub left_only: Vec<&'s Token>,
    pub right_only: Vec<&'s Token>,
}

impl<'s> Overlap<'s> {
    /// Compares the content words of two sequences.
    pub fn of(left: &[&'s Token], right: &[&'s Token]) -> Self {
        let content = |tokens: &[&'s Token]| -> Vec<&'s Token> {
            tokens.iter().copied().filter(|token| is_topic(token)).collect()
        };
        let (left, right) = (content(left), content(right));
        let same = |one: &Token, other: &Token| one.key == other.key || one.topic == other.topic;
        let without = |these: &[&'s Token], those: &[&'s Token]| -> Vec<&'s Token> {
            let alone = |one: &&&'s Token| those.iter().all(|other| !same(one, other));
            these.iter().filter(alone).copied().collect()
        };
        let left_only = without(&left, &right);
        let right_only = without(&right, &left);
        Self { shared: left.len() - left_only.len(), left_only, right_only }
    }

    /// Returns true if each side has a value that the other lacks.
    pub fn values_differ(&self) -> bool {
        let value = |tokens: &[&Token]| tokens.iter().any(|token| token.value_type().is_some());
        value(&self.left_only) && value(&self.right_only)
    }
}
