//! Spelling: the known term that a misspelt one was probably meant to be. Only terms with the same
//! first letter are compared, which bounds the cost by a small part of the vocabulary.

use crate::{DocSet, View};

/// Length in characters from which a term may differ in one character.
const ONE_EDIT_FROM: usize = 4;
/// Length in characters from which a term may differ in two characters.
const TWO_EDITS_FROM: usize = 8;

impl View {
    /// Returns the term of these memories that is spelt most like an unknown one, in the form that
    /// the crate `words` emits; the most frequent of equally close ones. Short terms and numbers
    /// have none: too many others are close to them.
    #[must_use]
    pub fn nearest_spelling(&self, term: &str, within: &DocSet) -> Option<&str> {
        let wanted: Vec<char> = term.chars().collect();
        let edits_max = edits_allowed(&wanted)?;
        let prefix: String = wanted.iter().take(1).collect();
        let mut best: Option<(usize, usize, &str)> = None;
        for known in self.postings.terms_with_prefix(&prefix) {
            let limit = best.map_or(edits_max, |(edits, ..)| edits);
            let Some(edits) = edits_between(&wanted, known, limit) else { continue };
            // Only memories that may be read count, so that no other word shows through.
            let frequency = self.frequency_within(known, within);
            let is_better = best.is_none_or(|(least, most, name)| {
                (edits, usize::MAX - frequency, known) < (least, usize::MAX - most, name)
            });
            if frequency > 0 && is_better {
                best = Some((edits, frequency, known));
            }
        }
        best.map(|(_, _, known)| known)
    }
}

fn edits_allowed(term: &[char]) -> Option<usize> {
    if !term.iter().all(|c| c.is_alphabetic()) {
        return None;
    }
    match term.len() {
        length if length >= TWO_EDITS_FROM => Some(2),
        length if length >= ONE_EDIT_FROM => Some(1),
        _ => None,
    }
}

/// Returns the number of inserted, removed, replaced and swapped characters between two terms, if
/// it is at most `limit`.
fn edits_between(term: &[char], known: &str, limit: usize) -> Option<usize> {
    // Bytes bound characters, and a length outside of the bounds needs no further look.
    if known.len() + limit < term.len() || known.len() > 4 * (term.len() + limit) {
        return None;
    }
    let known: Vec<char> = known.chars().collect();
    if known.len().abs_diff(term.len()) > limit || !known.iter().all(|c| c.is_alphabetic()) {
        return None;
    }
    let (mut before, mut above): (Vec<usize>, Vec<usize>) =
        (Vec::new(), (0..=known.len()).collect());
    for (row, &wanted) in term.iter().enumerate() {
        let mut line = vec![row + 1];
        for (column, &found) in known.iter().enumerate() {
            let replaced = above[column] + usize::from(wanted != found);
            let mut edits = replaced.min(above[column + 1] + 1).min(line[column] + 1);
            if row > 0 && column > 0 && wanted == known[column - 1] && term[row - 1] == found {
                edits = edits.min(before[column - 1] + 1);
            }
            line.push(edits);
        }
        if line.iter().min().is_some_and(|&least| least > limit) {
            return None;
        }
        (before, above) = (above, line);
    }
    above.last().copied().filter(|&edits| edits <= limit)
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
        view.nearest_spelling(term, &view.filter(&Filter::default(), Moment(0)))
    }

    #[test]
    fn a_misspelt_term_has_the_known_one_that_is_closest() {
        let view = view(&["the heap", "the help", "a heap of kubernetes", "receive"]);
        assert_eq!(nearest(&view, "heep"), Some("heap"));
        assert_eq!(nearest(&view, "kuberntes"), Some("kubernet"));
        assert_eq!(nearest(&view, "reciev"), Some("receiv"), "swapped characters are one edit");
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
