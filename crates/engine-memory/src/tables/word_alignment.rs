//! Alignment of the words of two texts: which words of one stand for which words of the other.
//! Pure, and bounded by the number of words.

use std::ops::Range;

// The alignment compares every word of one text with every word of the other.
const WORDS_MAX: usize = 400;

/// A word with its place in the text; `folded` is what words are compared by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TextWord {
    pub place: Range<usize>,
    pub folded: String,
}

/// Splits a text into words. A number and the unit behind it are two words, and so are two
/// characters of a script without spaces.
pub(super) fn text_words(text: &str) -> Vec<TextWord> {
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    let mut words: Vec<TextWord> = Vec::new();
    let mut start: Option<usize> = None;
    for (at, &(place, c)) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at].1);
        let after = chars.get(at + 1).map(|(_, c)| *c);
        let inside = c.is_alphanumeric() || c == '_' || joins_digits(before, c, after);
        if let Some(from) = start.filter(|_| !inside || begins_word(before, c)) {
            words.push(word(text, from..place));
            start = None;
        }
        if inside && start.is_none() {
            start = Some(place);
        }
    }
    words.extend(start.map(|from| word(text, from..text.len())));
    words
}

fn word(text: &str, place: Range<usize>) -> TextWord {
    TextWord { folded: text[place.clone()].to_lowercase(), place }
}

/// Returns whether a mark belongs to the number around it: `1,200`, `5.5`, `10:30`, `2026-05-03`.
fn joins_digits(before: Option<char>, c: char, after: Option<char>) -> bool {
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    matches!(c, '.' | ',' | ':' | '-' | '/') && digit(before) && digit(after)
}

fn begins_word(before: Option<char>, c: char) -> bool {
    let unit = before.is_some_and(|before| before.is_ascii_digit()) && c.is_alphabetic();
    unit || is_ideograph(c) || before.is_some_and(is_ideograph)
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// A difference between two texts: the words of the old one and those in their place. Either may
/// be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WordChange {
    pub old: Range<usize>,
    pub new: Range<usize>,
}

/// Returns the differences between two texts, in order; `None` when they have too many words.
pub(super) fn word_changes(old: &[TextWord], new: &[TextWord]) -> Option<Vec<WordChange>> {
    if old.len() > WORDS_MAX || new.len() > WORDS_MAX {
        return None;
    }
    let lengths = common_lengths(old, new);
    let (mut at, mut to) = (0, 0);
    let mut changes: Vec<WordChange> = Vec::new();
    while at < old.len() || to < new.len() {
        let same = at < old.len() && to < new.len() && old[at].folded == new[to].folded;
        if same {
            (at, to) = (at + 1, to + 1);
            continue;
        }
        let mut change = WordChange { old: at..at, new: to..to };
        while at < old.len() || to < new.len() {
            let equal = at < old.len() && to < new.len() && old[at].folded == new[to].folded;
            if equal {
                break;
            }
            let skip_old =
                to == new.len() || (at < old.len() && lengths[at + 1][to] >= lengths[at][to + 1]);
            if skip_old { at += 1 } else { to += 1 }
        }
        (change.old.end, change.new.end) = (at, to);
        changes.push(change);
    }
    Some(changes)
}

/// Returns the length of the longest common subsequence of the rest of both texts, for each pair
/// of positions.
fn common_lengths(old: &[TextWord], new: &[TextWord]) -> Vec<Vec<u16>> {
    let mut lengths = vec![vec![0_u16; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            lengths[at][to] = if old[at].folded == new[to].folded {
                lengths[at + 1][to + 1] + 1
            } else {
                lengths[at + 1][to].max(lengths[at][to + 1])
            };
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text_words(text).into_iter().map(|word| word.folded).collect()
    }

    fn changes(old: &str, new: &str) -> Vec<(String, String)> {
        let (old, new) = (text_words(old), text_words(new));
        let text = |words: &[TextWord], range: Range<usize>| {
            words[range].iter().map(|word| word.folded.as_str()).collect::<Vec<_>>().join(" ")
        };
        let found = word_changes(&old, &new).unwrap();
        found.into_iter().map(|one| (text(&old, one.old), text(&new, one.new))).collect()
    }

    fn pair(old: &str, new: &str) -> (String, String) {
        (old.to_owned(), new.to_owned())
    }

    #[test]
    fn numbers_keep_their_marks_and_lose_their_units() {
        assert_eq!(words("Ran 5.5km, 1,200 kcal."), ["ran", "5.5", "km", "1,200", "kcal"]);
        assert_eq!(words("at 10:30 on 2026-05-03"), ["at", "10:30", "on", "2026-05-03"]);
        assert_eq!(words("吃了800卡"), ["吃", "了", "800", "卡"]);
        assert_eq!(words("(rating: 5)"), ["rating", "5"]);
    }

    #[test]
    fn differences_are_found_word_by_word() {
        assert_eq!(changes("ran 5 km", "ran 8 km"), [pair("5", "8")]);
        assert_eq!(
            changes("2 eggs and 3 toasts", "3 eggs and 2 toasts"),
            [pair("2", "3"), pair("3", "2")]
        );
        assert_eq!(changes("pizza with Ana", "pizza"), [pair("with ana", "")]);
        assert_eq!(changes("same", "Same."), []);
        assert!(word_changes(&text_words(&"a ".repeat(401)), &[]).is_none());
    }
}
