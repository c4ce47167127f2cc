//! Which of some places one is, told in one step: a ranking asks thousands of times.

use super::{Doc, DocSet};

/// Places in order, each with its position among them.
#[derive(Debug, Clone, Default)]
pub struct Positions {
    set: DocSet,
    /// For each word of the set, how many places lie before it.
    before: Vec<u32>,
}

impl Positions {
    /// The position of a place, if it is one of them.
    #[must_use]
    #[inline]
    pub fn get(&self, doc: Doc) -> Option<usize> {
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
        fn a_position_is_what_counting_finds(places in prop::collection::btree_set(0_u32..400, 0..200)) {
            let positions: Positions = places.iter().copied().map(Doc).collect();
            for doc in 0..420 {
                prop_assert_eq!(positions.get(Doc(doc)), places.iter().position(|&place| place == doc));
            }
        }
    }
}
