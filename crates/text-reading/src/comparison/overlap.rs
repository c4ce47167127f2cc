//! Content words that two statements share, whatever their order, and those of one side only.

use super::tokens::Token;

/// Content words of two statements.
pub(super) struct Overlap<'s> {
    pub shared: usize,
    pub left_only: Vec<&'s Token>,
    pub right_only: Vec<&'s Token>,
}

impl Overlap<'_> {
    /// Returns true if each side has a value that the other lacks.
    pub fn values_differ(&self) -> bool {
        let value = |tokens: &[&Token]| tokens.iter().any(|token| token.value_type().is_some());
        value(&self.left_only) && value(&self.right_only)
    }
}
