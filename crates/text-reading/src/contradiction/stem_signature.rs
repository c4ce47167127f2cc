//! A 64-bit signature of a sentence, one hashed bit per stem (a small Bloom filter), to rule out
//! sentences that have nothing in common. Every write compares a new text with a dozen others, and
//! nearly all of their sentences are ruled out here, before they are parsed. Two stems may share a
//! bit, so a match proves nothing; a mismatch is certain.

use super::statement::{ParsedStatement, WORDS_MAX, content_stem};
use crate::negation::may_be_negation_cue;
use crate::terms::normalized_words;

/// Bit set of the stems of a sentence. Words that may negate are left out, whether they do or not,
/// so that a statement and its negation have the same signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StemSignature(u64);

impl StemSignature {
    /// Computes the signature. Words after the maximum are ignored: such a sentence is no
    /// statement.
    pub(super) fn of_sentence(sentence: &str) -> Self {
        let words = normalized_words(sentence)
            .take(WORDS_MAX)
            .filter(|word| !may_be_negation_cue(&word.term));
        Self(
            words
                .filter_map(|word| content_stem(&word.term))
                .fold(0, |all, root| all | stem_bit(&root)),
        )
    }

    fn contains_all(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    /// Returns true if each has at most one stem that the other lacks.
    fn differ_by_at_most_one(self, other: Self) -> bool {
        (self.0 & !other.0).count_ones() <= 1 && (other.0 & !self.0).count_ones() <= 1
    }
}

/// Signatures of a statement, against which other sentences are filtered.
pub(super) struct StatementFilter {
    all: StemSignature,
    slot: Option<StemSignature>,
}

impl StatementFilter {
    pub(super) fn for_statement(statement: &ParsedStatement<'_>) -> Self {
        let slot = statement.slot().map(|slot| StemSignature::of_sentence(slot.text()));
        Self { all: StemSignature::of_sentence(statement.text), slot }
    }

    /// Returns false if no sentence with this signature can contradict the statement. One that can
    /// fills the same slot, states or negates the same, perhaps with an adjunct, reverses a
    /// preference, or differs in one word.
    pub(super) fn may_contradict(&self, other: StemSignature) -> bool {
        let same_slot = self.slot.is_some_and(|slot| other.contains_all(slot));
        let denied = other.contains_all(self.all) || self.all.contains_all(other);
        same_slot || denied || self.all.differ_by_at_most_one(other)
    }
}

/// Returns the bit of a stem, from the upper bits of its FNV-1a hash, which depend on every byte.
fn stem_bit(root: &str) -> u64 {
    let mixed = root.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    1 << (mixed >> 58)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_about_other_things_are_filtered_out() {
        let statement = ParsedStatement::read("The server listens on port 8080").unwrap();
        let reach = StatementFilter::for_statement(&statement);
        assert!(
            !reach.may_contradict(StemSignature::of_sentence("The cat sleeps on the sofa all day"))
        );
        assert!(reach.may_contradict(StemSignature::of_sentence("The server listens on 9090")));
    }
}
