//! Sentences of a message and their words, with contractions written out: "we've" is "we have".

use std::ops::Range;

/// Shortest word before a full stop that ends a sentence although a small letter follows.
const LAST_WORD_CHARS_MIN: usize = 3;
/// Abbreviations that end in a full stop inside of a sentence.
const ABBREVIATIONS: [&str; 8] = ["etc", "approx", "incl", "resp", "bzw", "usw", "inkl", "par"];

/// A word of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SentenceWord<'t> {
    /// Lower case, contractions written out.
    pub plain: String,
    /// The word as it is written, with its marks.
    pub written: &'t str,
    /// Start in the sentence, in bytes.
    pub start: usize,
}

impl SentenceWord<'_> {
    /// Returns true if the word ends in this mark.
    pub fn ends_in(&self, marks: &[char]) -> bool {
        self.written.ends_with(marks)
    }

    /// Returns true if the word starts with a capital letter and has small ones.
    pub fn is_name_like(&self) -> bool {
        let mut letters = self.written.chars().skip_while(|c| !c.is_alphanumeric());
        letters.next().is_some_and(char::is_uppercase) && letters.any(char::is_lowercase)
    }
}

/// Returns the sentences of a message. People write the next one without a capital letter.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for range in reading::sentences(text) {
        for line in text[range].split('\n') {
            split_small(line, &mut found);
        }
    }
    found.into_iter().map(str::trim).filter(|sentence| !sentence.is_empty()).collect()
}

fn split_small<'t>(text: &'t str, found: &mut Vec<&'t str>) {
    let mut rest = text;
    while let Some(end) = small_end(rest) {
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found.push(rest);
}

/// Returns the end of a sentence that is followed by a small letter.
fn small_end(text: &str) -> Option<usize> {
    text.match_indices(". ").map(|(at, _)| at).find_map(|at| {
        let last = text[..at].rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let is_word = last.chars().count() >= LAST_WORD_CHARS_MIN
            && last.chars().all(char::is_alphabetic)
            && !ABBREVIATIONS.contains(&last);
        is_word.then_some(at + 1)
    })
}

/// Returns the words of a sentence.
pub(crate) fn words(sentence: &str) -> Vec<SentenceWord<'_>> {
    let mut found = Vec::new();
    for Range { start, end } in word_ranges(sentence) {
        let written = &sentence[start..end];
        let lower = written.to_lowercase().replace('\u{2019}', "'");
        let bare = lower.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'');
        let bare = bare.trim_matches('\'');
        if bare.is_empty() {
            continue;
        }
        let word = |plain: &str| SentenceWord { plain: plain.to_owned(), written, start };
        match written_out(bare) {
            Some((first, second)) => found.extend([word(&first), word(second)]),
            None => found.push(word(bare)),
        }
    }
    found
}

fn word_ranges(sentence: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + sentence[at..].find(|c: char| !c.is_whitespace())?;
        let length = sentence[start..].find(char::is_whitespace);
        at = length.map_or(sentence.len(), |length| start + length);
        Some(start..at)
    })
}

/// Returns the two words of a contraction.
fn written_out(word: &str) -> Option<(String, &'static str)> {
    let whole = match word {
        "won't" => Some(("will", "not")),
        "can't" | "cannot" => Some(("can", "not")),
        "let's" => Some(("let", "us")),
        "that's" | "thats" => Some(("that", "is")),
        "it's" => Some(("it", "is")),
        "im" => Some(("i", "am")),
        "dont" => Some(("do", "not")),
        _ => None,
    };
    if let Some((first, second)) = whole {
        return Some((first.to_owned(), second));
    }
    const ENDINGS: [(&str, &str); 6] = [
        ("n't", "not"),
        ("'ve", "have"),
        ("'re", "are"),
        ("'ll", "will"),
        ("'m", "am"),
        ("'d", "would"),
    ];
    let ending =
        ENDINGS.iter().find(|(ending, _)| word.len() > ending.len() && word.ends_with(ending))?;
    Some((word[..word.len() - ending.0.len()].to_owned(), ending.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_before_a_small_letter_and_not_after_an_abbreviation() {
        assert_eq!(
            sentences("looks good. in future add a test"),
            ["looks good.", "in future add a test"]
        );
        assert_eq!(sentences("Use tools etc. for it.").len(), 1);
        assert_eq!(sentences("one line\nand another"), ["one line", "and another"]);
    }

    #[test]
    fn contractions_are_written_out_and_marks_left_out() {
        let plain = |text| words(text).into_iter().map(|word| word.plain).collect::<Vec<_>>();
        assert_eq!(plain("We’ve won't, \"can't\""), ["we", "have", "will", "not", "can", "not"]);
        assert_eq!(plain("n't — ok"), ["n't", "ok"]);
    }
}
