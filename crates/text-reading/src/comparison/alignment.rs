//! Alignment of two token sequences: the longest common subsequence, and the gaps that it leaves.

use super::tokens::Token;
use std::ops::Range;

/// A stretch where two sequences differ; either side may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gap {
    pub left: Range<usize>,
    pub right: Range<usize>,
}

/// Aligned sequences.
#[derive(Debug)]
pub(super) struct Alignment {
    /// Pairs of equal tokens, in order.
    pub common: Vec<(usize, usize)>,
    pub gaps: Vec<Gap>,
}

impl Alignment {
    /// Aligns two sequences under a test of equality. Takes the product of their lengths, which the
    /// maximum number of tokens bounds.
    pub fn of(left: &[&Token], right: &[&Token], equal: impl Fn(&Token, &Token) -> bool) -> Self {
        let width = right.len() + 1;
        // lengths[i * width + j] is the length of the best alignment of left[i..] and right[j..].
        let mut lengths = vec![0_u16; (left.len() + 1) * width];
        for i in (0..left.len()).rev() {
            for j in (0..right.len()).rev() {
                let best = lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]);
                lengths[i * width + j] = match equal(left[i], right[j]) {
                    true => best.max(lengths[(i + 1) * width + j + 1] + 1),
                    false => best,
                };
            }
        }
        let (mut common, mut i, mut j) = (Vec::new(), 0, 0);
        while i < left.len() && j < right.len() {
            let here = lengths[i * width + j];
            if equal(left[i], right[j]) && here == lengths[(i + 1) * width + j + 1] + 1 {
                common.push((i, j));
                (i, j) = (i + 1, j + 1);
            } else if lengths[(i + 1) * width + j] == here {
                i += 1;
            } else {
                j += 1;
            }
        }
        let gaps = gaps(&common, left.len(), right.len());
        Self { common, gaps }
    }
}

fn gaps(common: &[(usize, usize)], left: usize, right: usize) -> Vec<Gap> {
    let (mut gaps, mut from) = (Vec::new(), (0, 0));
    for &(i, j) in common.iter().chain(std::iter::once(&(left, right))) {
        if from.0 < i || from.1 < j {
            gaps.push(Gap { left: from.0..i, right: from.1..j });
        }
        from = (i + 1, j + 1);
    }
    gaps
}

/// Returns true if two sequences of the same tokens differ by one block that moved, and the block
/// is an adjunct: it opens with a preposition or is a value, as in "in the evening I …".
pub(super) fn is_moved_adjunct(left: &[&Token], right: &[&Token]) -> bool {
    let same = |a: &&Token, b: &&Token| a.key == b.key && a.possessive == b.possessive;
    if left.len() != right.len() {
        return false;
    }
    let prefix = left.iter().zip(right).take_while(|(a, b)| same(a, b)).count();
    let rest = left[prefix..].iter().rev().zip(right[prefix..].iter().rev());
    let suffix = rest.take_while(|(a, b)| same(a, b)).count();
    let (left, right) = (&left[prefix..left.len() - suffix], &right[prefix..right.len() - suffix]);
    // A moved block rotates the middle: U V became V U.
    (1..left.len()).any(|cut| {
        let rotated = left[cut..].iter().chain(&left[..cut]);
        let moved = rotated.zip(right).all(|(a, b)| same(a, b));
        moved && (opens_adjunct(left[0]) || opens_adjunct(left[cut]))
    })
}

fn opens_adjunct(token: &Token) -> bool {
    use super::tokens::TokenClass::{Preposition, Quantifier, Value};
    matches!(token.class, Preposition | Quantifier | Value(_))
}

/// Returns true if some token stands between two others that changed places around it.
pub(super) fn has_swap(common: &[(usize, usize)]) -> bool {
    common.iter().any(|&(v_left, v_right)| {
        let before_to_after = |&(l, r): &(usize, usize)| l < v_left && r > v_right;
        let after_to_before = |&(l, r): &(usize, usize)| l > v_left && r < v_right;
        common.iter().any(before_to_after) && common.iter().any(after_to_before)
    })
}
