//! Patterns over the first words of a sentence. A pattern is written as words: `a|b` is either of
//! them, `?a|b` may be missing, `..` stands for up to four words of any kind, and `_` for the space
//! in an alternative of several words.

use crate::sentence::SentenceWord;

/// Number of words that `..` stands for at most.
const GAP_WORDS_MAX: usize = 4;

/// Returns the number of words at the start of a sentence that one of these patterns covers; the
/// first pattern that fits counts.
pub(crate) fn opens_with(words: &[SentenceWord<'_>], patterns: &[&str]) -> Option<usize> {
    patterns.iter().find_map(|pattern| {
        let parts: Vec<&str> = pattern.split(' ').collect();
        covered(words, &parts)
    })
}

/// Returns true if one of these patterns is anywhere in a sentence.
pub(crate) fn contains(words: &[SentenceWord<'_>], patterns: &[&str]) -> bool {
    (0..words.len()).any(|at| opens_with(&words[at..], patterns).is_some())
}

fn covered(words: &[SentenceWord<'_>], parts: &[&str]) -> Option<usize> {
    let Some((first, rest)) = parts.split_first() else { return Some(0) };
    if *first == ".." {
        let most = GAP_WORDS_MAX.min(words.len());
        return (0..=most).find_map(|gap| covered(&words[gap..], rest).map(|after| gap + after));
    }
    let alternatives = first.strip_prefix('?').unwrap_or(first);
    let fits = |alternative: &str| {
        let length = alternative.split('_').count();
        let is_equal = words.len() >= length
            && alternative.split('_').zip(words).all(|(part, word)| word.plain == part);
        is_equal.then_some(length)
    };
    let taken = alternatives
        .split('|')
        .filter_map(fits)
        .find_map(|length| covered(&words[length..], rest).map(|after| length + after));
    taken.or_else(|| if first.starts_with('?') { covered(words, rest) } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sentence::words;

    fn check(sentence: &str, pattern: &str, expected: Option<usize>) {
        assert_eq!(opens_with(&words(sentence), &[pattern]), expected, "{sentence} / {pattern}");
    }

    #[test]
    fn alternatives_gaps_and_missing_words_are_matched() {
        check("We've finally settled on ULIDs", "we ?have ?finally settled_on|chose", Some(5));
        check("We chose ULIDs", "we ?have ?finally settled_on|chose", Some(2));
        check("My wife's name is Elena", "my .. name is", Some(4));
        check("My very long and winding road name is", "my .. name is", None);
        check("We", "we chose", None);
        assert!(contains(&words("so I think that it works"), &["i think|guess"]));
        assert!(!contains(&words("thinking"), &["i think|guess"]));
    }
}
