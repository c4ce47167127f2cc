//! Looking places up in the list of a term, one after another.

use super::{Counts, List};
use crate::Doc;

/// A finger on a list: places that are asked for in ascending order are found by walking on from the last one, in
/// steps that double, which costs little where they lie close together.
pub(crate) struct Finger<'a> {
    list: List<'a>,
    /// Every place of the base before this one was below the last that was asked for.
    at: usize,
}

impl<'a> Finger<'a> {
    pub(crate) fn on(list: List<'a>) -> Self {
        Self { list, at: 0 }
    }

    /// What one place holds of the term.
    pub(crate) fn counts(&mut self, doc: Doc) -> Option<Counts> {
        let List { docs, counts, tail, base_places, stale } = self.list;
        if doc.0 < base_places && stale.is_none_or(|stale| !stale.contains(doc)) {
            self.move_to(doc);
            docs.get(self.at).filter(|&&found| found == doc.0).map(|_| Counts(counts[self.at]))
        } else {
            let at = tail.binary_search_by_key(&doc, |posting| posting.doc).ok()?;
            Some(tail[at].counts)
        }
    }

    fn move_to(&mut self, doc: Doc) {
        let docs = self.list.docs;
        if self.at > 0 && docs[self.at - 1] >= doc.0 {
            self.at = 0;
        }
        let mut step = 1;
        while docs.get(self.at + step - 1).is_some_and(|&passed| passed < doc.0) {
            self.at += step;
            step *= 2;
        }
        let ahead = &docs[self.at..docs.len().min(self.at + step - 1)];
        self.at += ahead.partition_point(|&passed| passed < doc.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;
    use crate::postings::Postings;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_finger_finds_what_is_there_in_whatever_order_it_is_asked(
            holding in prop::collection::btree_set(0_u32..400, 0..200),
            changed in prop::collection::btree_set(0_u32..400, 0..20),
            asked in prop::collection::vec(0_u32..420, 0..100),
        ) {
            let mut postings = Postings::default();
            let text = |doc: u32| if holding.contains(&doc) { "red" } else { "blue" };
            (0..400).for_each(|doc| drop(postings.insert(Doc(doc), &[(Field::Text, text(doc))], &[])));
            let mut postings = postings.merged(400, None);
            changed.iter().for_each(|&doc| drop(postings.insert(Doc(doc), &[(Field::Text, "red")], &[])));
            let mut finger = Finger::on(postings.list("red"));
            for doc in asked {
                let held = holding.contains(&doc) || changed.contains(&doc);
                prop_assert_eq!(finger.counts(Doc(doc)).is_some(), held, "{}", doc);
            }
        }
    }
}
