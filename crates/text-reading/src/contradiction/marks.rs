//! A 64-bit signature of a sentence, one hashed bit per stem (a small Bloom filter), to rule out
//! sentences that have nothing in common. Every write compares a new text with a dozen others, and
//! nearly all of their sentences are ruled out here, before they are parsed. Two stems may share a
//! bit, so a match proves nothing; a mismatch is certain.

use super::statement::{Statement, WORDS_MAX, meaning};
use crate::negation::may_deny;
use crate::terms::spoken;

/// Bit set of the stems of a sentence. Words that may negate are left out, whether they do or not,
/// so that a statement and its negation have the same signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks(u64);

impl Marks {
    /// Computes the signature. Words after the maximum are ignored: such a sentence is no
    /// statement.
    pub(super) fn of(sentence: &str) -> Self {
        let words = spoken(sentence).take(WORDS_MAX).filter(|word| !may_deny(&word.term));
        Self(words.filter_map(|word| meaning(&word.term)).fold(0, |all, root| all | bit(&root)))
    }

    fn hold_all_of(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns true if each has at most one stem that the other lacks.
    fn differ_in_one(self, other: Self) -> bool {
        (self.0 & !other.0).count_ones() <= 1 && (other.0 & !self.0).count_ones() <= 1
    }
}

/// Signatures of a statement, against which other sentences are filtered.
pub(super) struct Reach {
    all: Marks,
    slot: Option<Marks>,
}

impl Reach {
    pub(super) fn of(statement: &Statement<'_>) -> Self {
        let slot = statement.slot().map(|slot| Marks::of(slot.named()));
        Self { all: Marks::of(statement.text), slot }
    }

    /// Returns false if no sentence with this signature can contradict the statement. One that can
    /// fills the same slot, states or negates the same, perhaps with an adjunct, reverses a
    /// preference, or differs in one word.
    pub(super) fn meets(&self, other: Marks) -> bool {
        let same_slot = self.slot.is_some_and(|slot| other.hold_all_of(slot));
        let denied = other.hold_all_of(self.all) || self.all.hold_all_of(other);
        same_slot || denied || self.all.differ_in_one(other)
    }
}

/// Returns the bit of a stem, from the upper bits of its FNV-1a hash, which depend on every byte.
fn bit(root: &str) -> u64 {
    let mixed = root.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    1 << (mixed >> 58)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_other_things_are_told_apart() {
        let statement = Statement::read("The server listens on port 8080").unwrap();
        let reach = Reach::of(&statement);
        assert!(!reach.meets(Marks::of("The cat sleeps on the sofa all day")));
        assert!(reach.meets(Marks::of("The server listens on 9090")));
    }
}
