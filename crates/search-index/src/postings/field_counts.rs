//! Term frequency per field, packed into 16 bits.

use crate::IndexField;

/// Saturating counters: two bits each for title and tags, four for the context, eight for the text.
/// Part of the snapshot format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FieldCounts(pub(crate) u16);

impl FieldCounts {
    /// Returns the shift and the highest count of a field.
    const fn bit_range(field: IndexField) -> (u16, u16) {
        match field {
            IndexField::Title => (0, 0b11),
            IndexField::Tags => (2, 0b11),
            IndexField::Context => (4, 0b1111),
            IndexField::Text => (8, 0xff),
        }
    }

    /// Counts one more occurrence in the field.
    pub(crate) fn increment(&mut self, field: IndexField) {
        let (shift, highest) = Self::bit_range(field);
        if self.0 >> shift & highest < highest {
            self.0 += 1 << shift;
        }
    }

    /// Returns true if the title or the text contains the term.
    #[inline]
    pub(crate) fn is_stated(self) -> bool {
        let mask = |field| {
            let (shift, highest) = Self::bit_range(field);
            highest << shift
        };
        self.0 & (mask(IndexField::Title) | mask(IndexField::Text)) != 0
    }

    /// Returns the sum of the counts, each times the weight of its field (as in BM25F).
    #[inline]
    pub(crate) fn weighted(self, weights: &[f32; IndexField::COUNT]) -> f32 {
        let part = |field: IndexField| {
            let (shift, highest) = Self::bit_range(field);
            f32::from(self.0 >> shift & highest) * weights[field as usize]
        };
        let text = part(IndexField::Text);
        // Most terms occur in the text alone.
        if self.0 & 0xff == 0 {
            text
        } else {
            text + part(IndexField::Title) + part(IndexField::Tags) + part(IndexField::Context)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_of_tags_or_context_alone_is_not_stated() {
        for (field, is_stated) in [
            (IndexField::Title, true),
            (IndexField::Text, true),
            (IndexField::Tags, false),
            (IndexField::Context, false),
        ] {
            let mut counts = FieldCounts::default();
            counts.increment(field);
            assert_eq!(counts.is_stated(), is_stated, "{field:?}");
        }
    }

    #[test]
    fn each_field_counts_by_itself_and_stops_at_its_highest() {
        let mut counts = FieldCounts::default();
        (0..300).for_each(|_| counts.increment(IndexField::Text));
        (0..2).for_each(|_| counts.increment(IndexField::Title));
        (0..20).for_each(|_| counts.increment(IndexField::Context));
        assert_eq!(counts.weighted(&[0.0, 1.0, 0.0, 0.0]), 255.0);
        assert_eq!(counts.weighted(&[2.0, 0.0, 5.0, 0.0]), 4.0);
        assert_eq!(counts.weighted(&[0.0, 0.0, 0.0, 1.0]), 15.0);
    }
}
