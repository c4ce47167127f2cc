//! Spelling: the known term that a misspelt one was probably meant to be, or that is another
//! spelling of the same name. The whole vocabulary is read, but only terms of about the same length
//! and letters are compared.

mod edit_distance;

use crate::{DocSet, View};
use edit_distance::edits_between;
use std::cmp::Reverse;
use words::sound_key;

/// Length from which a term may differ in one letter or sound.
const ONE_EDIT_FROM: usize = 4;
/// Length from which a term may differ in two letters or sounds.
const TWO_EDITS_FROM: usize = 8;
/// Length from which a term may differ in a sound as well as in its spelling.
const SOUND_EDIT_FROM: usize = 6;
/// Difference in length between two spellings of the same sounds, in bytes.
const SAME_SOUND_BYTES: usize = 3;

/// Known term that is spelt like another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpellingMatch<'v> {
    /// Number of letters or sounds in which they differ, whichever is less; 0 for two spellings of
    /// the same sound.
    pub edits: usize,
    /// Number of letters in which they differ.
    letter_edits: usize,
    frequency: Reverse<usize>,
    pub term: &'v str,
}

impl View {
    /// Returns the term of these memories that is spelt most like an unknown one, in the form that
    /// the crate `words` emits; the most frequent of equally close ones. Short terms and numbers
    /// have none: too many others are close to them.
    #[must_use]
    pub fn nearest_spelling(&self, term: &str, within: &DocSet) -> Option<SpellingMatch<'_>> {
        let wanted = UnknownTerm::parse(term)?;
        let mut best: Option<SpellingMatch<'_>> = None;
        for known in self.postings.terms() {
            let edits_max = best.map_or(wanted.edits_max, |best| best.edits);
            let Some((edits, letter_edits)) = wanted.edits(known, edits_max) else { continue };
            if best.is_some_and(|it| (it.edits, it.letter_edits) < (edits, letter_edits)) {
                continue;
            }
            // Only memories that may be read count, so that no other word shows through.
            let frequency = self.frequency_within(known, within);
            let found =
                SpellingMatch { edits, letter_edits, frequency: Reverse(frequency), term: known };
            if frequency > 0 && best.is_none_or(|best| found < best) {
                best = Some(found);
            }
        }
        best
    }
}

/// A term without a posting list.
struct UnknownTerm<'t> {
    term: &'t str,
    letters: Vec<char>,
    sounds: Vec<char>,
    letter_set: u32,
    edits_max: usize,
}

impl<'t> UnknownTerm<'t> {
    fn parse(term: &'t str) -> Option<Self> {
        let letters: Vec<char> = term.chars().collect();
        if letters.len() < ONE_EDIT_FROM || !letters.iter().all(|c| c.is_alphabetic()) {
            return None;
        }
        Some(Self {
            edits_max: edits_allowed(letters.len()),
            letter_set: letter_set(term),
            sounds: sound_key(term).chars().collect(),
            term,
            letters,
        })
    }

    /// Returns the number of letters or sounds, and of letters, in which a known term differs, if
    /// it is close enough.
    fn edits(&self, known: &str, edits_max: usize) -> Option<(usize, usize)> {
        // Cheap tests first: nearly every term of the vocabulary fails them.
        let both_ascii = known.is_ascii() && self.term.is_ascii();
        if both_ascii && !self.may_be_near(known, edits_max) {
            return None;
        }
        if known == self.term || !known.chars().all(char::is_alphabetic) {
            return None;
        }
        let sounds: Vec<char> = sound_key(known).chars().collect();
        let sound_edits_max = edits_max.min(edits_allowed(self.sounds.len().min(sounds.len())));
        let by_sound = edits_between(&self.sounds, &sounds, sound_edits_max)
            // A short word that only sounds alike and has another letter too is another word.
            .filter(|edits| *edits == 0 || self.letters.len() >= SOUND_EDIT_FROM);
        let letters: Vec<char> = known.chars().collect();
        let letter_edits = edits_between(&self.letters, &letters, usize::MAX)?;
        let by_letter = Some(letter_edits).filter(|edits| *edits <= edits_max);
        let edits = by_sound.into_iter().chain(by_letter).min()?;
        Some((edits, letter_edits))
    }

    fn may_be_near(&self, known: &str, edits_max: usize) -> bool {
        known.len().abs_diff(self.term.len()) <= edits_max + SAME_SOUND_BYTES
            && (letter_set(known) ^ self.letter_set).count_ones() as usize <= 2 * edits_max + 1
    }
}

fn edits_allowed(length: usize) -> usize {
    usize::from(length >= ONE_EDIT_FROM) + usize::from(length >= TWO_EDITS_FROM)
}

/// Returns the set of letters of a term as bits. Letters that may write the same sound share a bit,
/// and those that are often silent have none.
fn letter_set(term: &str) -> u32 {
    let bit = |byte: u8| match byte {
        b'c' | b'k' | b'q' | b's' | b'z' | b'x' => 1,
        b'p' | b'f' => 1 << 1,
        b'v' | b'w' => 1 << 2,
        b'i' | b'j' | b'y' => 1 << 3,
        b'e' | b'h' => 0,
        b'a'..=b'z' => 1 << (4 + byte - b'a'),
        _ => 1 << 31,
    };
    term.bytes().map(bit).fold(0, |all: u32, bit: u32| all | bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocFacts, Filter, IndexEntry, IndexField};
    use model::{MemoryId, Moment, Seq};

    fn view(texts: &[&str]) -> View {
        let mut view = View::new(None);
        for (id, text) in (1..).zip(texts) {
            let mut entry = IndexEntry::new(DocFacts::note(MemoryId(id), Moment(0)));
            entry.texts = vec![(IndexField::Text, text)];
            view.apply([entry], [], Seq(id));
        }
        view
    }

    fn nearest<'v>(view: &'v View, term: &str) -> Option<&'v str> {
        let all = view.filter(&Filter::default(), Moment(0));
        view.nearest_spelling(term, &all).map(|found| found.term)
    }

    #[test]
    fn a_misspelt_term_has_the_known_one_that_is_closest() {
        let view = view(&["the heap", "the help", "a heap of kubernetes", "receive"]);
        assert_eq!(nearest(&view, "heep"), Some("heap"));
        assert_eq!(nearest(&view, "kuberntes"), Some("kubernet"));
        assert_eq!(nearest(&view, "reciev"), Some("receiv"), "swapped characters are one edit");
    }

    #[test]
    fn a_name_is_found_in_another_spelling_and_script() {
        let view = view(&["Mr Müller", "Alexander", "Catherine", "Владимир"]);
        for (asked, known) in [
            ("mueller", "muller"),
            ("александр", "alexand"),
            ("katherin", "catherin"),
            ("vladimir", "владимир"),
        ] {
            assert_eq!(nearest(&view, asked), Some(known), "{asked}");
        }
    }

    #[test]
    fn a_short_or_distant_term_has_none() {
        let view = view(&["qq the cat 12345", "heap"]);
        for term in ["qqq", "cta", "12346", "hexagon", "zzzzzzzz", ""] {
            assert_eq!(nearest(&view, term), None, "{term}");
        }
    }

    #[test]
    fn a_term_of_other_memories_is_not_shown() {
        let view = view(&["the heap", "tea"]);
        let tea: DocSet = view.doc(MemoryId(2)).into_iter().collect();
        assert_eq!(view.nearest_spelling("heep", &tea), None);
    }
}
