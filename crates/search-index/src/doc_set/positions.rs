//! A bitmap with constant-time rank: the position of a document among the members of a set, for a
//! ranking that asks thousands of times per query (Jacobson's rank structure with one level).

use super::{Doc, DocSet};

/// A document set that answers rank queries.
#[derive(Debug, Clone, Default)]
pub struct Positions {
    set: DocSet,
    /// Number of members before each word of the bitmap.
    before: Vec<u32>,
}

impl Positions {
    /// Returns the number of smaller members, if the document is a member itself.
    #[must_use]
    #[inline]
    pub fn get(&self, doc: Doc) -> Option<usize> {
        // The stored count of all earlier words plus a popcount of the lower bits of this word.
        let (nth, bit) = (doc.index() / 64, 1 << (doc.0 % 64));
        let word = *self.set.words.get(nth)?;
        (word & bit != 0).then(|| (self.before[nth] + (word & (bit - 1)).count_ones()) as usize)
    }
}

impl FromIterator<Doc> for Positions {
    fn from_iter<I: IntoIterator<Item = Doc>>(docs: I) -> Self {
        let set = DocSet::from_iter(docs);
        let before = set.words.iter().scan(0, |count, word| {
            let before = *count;
            *count += word.count_ones();
            Some(before)
        });
        Self { before: before.collect(), set }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_position_is_what_counting_finds(
            members in prop::collection::btree_set(0_u32..400, 0..200),
        ) {
            let bitmap: Positions = members.iter().copied().map(Doc).collect();
            for doc in 0..420 {
                let expected = members.iter().position(|&member| member == doc);
                prop_assert_eq!(bitmap.get(Doc(doc)), expected);
            }
        }
    }
}
