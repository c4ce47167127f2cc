//! What a sentence speaks of as 64 bits, one for each root: enough to see that two sentences have
//! nothing to do with each other. A new text is held against a dozen others on every write, and
//! nearly all of their sentences are told apart here, before anything is made of them. Two roots
//! may fall on one bit, so a yes proves nothing; a no is sure.

use super::statement::{Statement, WORDS_MAX, meaning};
use crate::negation::may_deny;
use crate::terms::spoken;

/// The roots of a sentence, a bit for each. Words that may deny count for nothing, whether they do
/// or not: a statement and its denial speak of the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marks(u64);

impl Marks {
    /// The marks of a sentence. One of more words is no statement, whatever its marks.
    pub(super) fn of(sentence: &str) -> Self {
        let said = spoken(sentence).take(WORDS_MAX).filter(|spoken| !may_deny(&spoken.term));
        Self(said.filter_map(|spoken| meaning(&spoken.term)).fold(0, |all, root| all | bit(&root)))
    }

    fn hold_all_of(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Whether each has at most one root that the other lacks.
    fn differ_in_one(self, other: Self) -> bool {
        (self.0 & !other.0).count_ones() <= 1 && (other.0 & !self.0).count_ones() <= 1
    }
}

/// What has to be said for a sentence to stand against a statement.
pub(super) struct Reach {
    all: Marks,
    slot: Option<Marks>,
}

impl Reach {
    pub(super) fn of(statement: &Statement<'_>) -> Self {
        let slot = statement.slot().map(|slot| Marks::of(slot.named()));
        Self { all: Marks::of(statement.text), slot }
    }

    /// Whether a sentence with these marks may stand against the statement: it fills the same slot,
    /// says or denies the same, perhaps with a circumstance, puts the same in another order, or
    /// says all but one word of it.
    pub(super) fn meets(&self, said: Marks) -> bool {
        let same_slot = self.slot.is_some_and(|slot| said.hold_all_of(slot));
        let denied = said.hold_all_of(self.all) || self.all.hold_all_of(said);
        same_slot || denied || self.all.differ_in_one(said)
    }
}

/// The bit of a root, by the hash of Fowler, Noll and Vo, whose upper bits depend on every byte.
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
