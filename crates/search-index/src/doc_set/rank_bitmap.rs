//! A bitmap with constant-time rank: the position of a document among the members of a set, for a
//! ranking that asks thousands of times per query (Jacobson's rank structure with one level).

use super::{DocId, DocSet};

/// A document set that answers rank queries.
#[derive(Debug, Clone, Default)]
pub struct RankBitmap {
    set: DocSet,
    /// Number of members before each word of the bitmap.
    ranks: Vec<u32>,
}

impl RankBitmap {
    /// Returns the number of smaller members, if the document is a member itself.
    #[must_use]
    #[inline]
    pub fn rank(&self, doc: DocId) -> Option<usize> {
        // The stored count of all earlier words plus a popcount of the lower bits of this word.
        let (nth, bit) = (doc.index() / 64, 1 << (doc.0 % 64));
        let word = *self.set.words.get(nth)?;
        (word & bit != 0).then(|| (self.ranks[nth] + (word & (bit - 1)).count_ones()) as usize)
    }
}

impl FromIterator<DocId> for RankBitmap {
    fn from_iter<I: IntoIterator<Item = DocId>>(docs: I) -> Self {
        let set = DocSet::from_iter(docs);
        let before = set.words.iter().scan(0, |count, word| {
            let before = *count;
            *count += word.count_ones();
            Some(before)
        });
        Self { ranks: before.collect(), set }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_rank_is_the_number_of_smaller_members(
            members in prop::collection::btree_set(0_u32..400, 0..200),
        ) {
            let bitmap: RankBitmap = members.iter().copied().map(DocId).collect();
            for doc in 0..420 {
                let expected = members.iter().position(|&member| member == doc);
                prop_assert_eq!(bitmap.rank(DocId(doc)), expected);
            }
        }
    }
}
