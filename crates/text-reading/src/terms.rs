//! Content words of a text: lower-cased, without English stop words. Numbers stay, since they are
//! often the whole point of a note.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::word_list::WordList;
use crate::words::{Word, words};

/// A word as written, with its normalised term.
pub(crate) struct NormalizedWord<'t> {
    pub(crate) word: Word<'t>,
    pub(crate) term: Cow<'t, str>,
}

/// Returns the words of `text` in order, each with its term.
pub(crate) fn normalized_words(text: &str) -> impl Iterator<Item = NormalizedWord<'_>> {
    words(text).map(|word| NormalizedWord { word, term: term(word.text) })
}

/// Returns the content words of `text`, lower-cased, each once, in order of appearance.
pub fn content_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    words(text)
        .map(|word| term(word.text).into_owned())
        .filter(|term| !is_stop_word(term))
        .filter(|term| seen.insert(term.clone()))
        .collect()
}

/// Normalises a word: lower case, plain apostrophes, no possessive.
pub(crate) fn term(word: &str) -> Cow<'_, str> {
    // Most words are normalised already, and every word of every text passes here.
    if word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    let lower = word.to_lowercase().replace('\u{2019}', "'");
    Cow::Owned(lower.strip_suffix("'s").map(str::to_owned).unwrap_or(lower))
}

/// Light stemmer: strips the common English endings of a lower-cased term, so that `use`, `uses`,
/// `used` and `using` share a stem. Cruder than Porter, and only good for comparing two terms; the
/// stem is never displayed.
pub fn light_stem(term: &str) -> &str {
    if term.len() < 3 || !term.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return term;
    }
    // `pass`, `bus` and `basis` end in an s that is no plural.
    let bare = if term.ends_with("ss") || term.ends_with("us") || term.ends_with("is") {
        term
    } else {
        ["ing", "ed", "es", "s"]
            .iter()
            .find_map(|ending| term.strip_suffix(ending).filter(|rest| has_vowel(rest)))
            .unwrap_or(term)
    };
    let bare = drop_doubled_consonant(bare, term);
    bare.strip_suffix(['e', 'i', 'y']).filter(|rest| rest.len() >= 2).unwrap_or(bare)
}

/// Returns false for the rest of `sing` or `red`: without a vowel, more than an ending was cut.
fn has_vowel(rest: &str) -> bool {
    rest.len() >= 2 && rest.contains(['a', 'e', 'i', 'o', 'u', 'y'])
}

/// Drops the doubled consonant before a stripped ending: `stopp` is `stop`, `pass` stays.
fn drop_doubled_consonant<'t>(bare: &'t str, term: &str) -> &'t str {
    let bytes = bare.as_bytes();
    let doubled = bytes.len() >= 4 && bytes[bytes.len() - 1] == bytes[bytes.len() - 2];
    let shortened = bare.len() < term.len();
    if doubled && shortened && !bare.ends_with(['s', 'l', 'e', 'o']) {
        &bare[..bare.len() - 1]
    } else {
        bare
    }
}

/// Returns true if a lower-cased term is an English function word.
pub(crate) fn is_stop_word(term: &str) -> bool {
    STOP_WORDS.contains(term)
}

#[rustfmt::skip]
static STOP_WORDS: WordList = WordList::new(&[
    "a", "about", "after", "again", "all", "also", "am", "an", "and", "any", "are", "aren't", "as",
    "at", "be", "because", "been", "before", "being", "but", "by", "can", "can't", "cannot",
    "could", "couldn't", "did", "didn't", "do", "does", "doesn't", "doing", "don't", "done", "down",
    "during", "each", "else", "ever", "for", "from", "had", "hadn't", "has", "hasn't", "have",
    "haven't", "having", "he", "he'd", "he'll", "her", "here", "hers", "herself", "him", "himself",
    "his", "how", "i", "i'd", "i'll", "i'm", "i've", "if", "in", "into", "is", "isn't", "it",
    "it'll", "its", "itself", "just", "let", "may", "me", "might", "mine", "must", "my", "myself",
    "neither", "never", "no", "nor", "not", "of", "off", "on", "only", "onto", "or", "our", "ours",
    "ourselves", "out", "over", "own", "same", "shall", "she", "she'd", "she'll", "should",
    "shouldn't", "so", "some", "such", "than", "that", "the", "their", "theirs", "them",
    "themselves", "then", "there", "these", "they", "they'd", "they'll", "they're", "they've",
    "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "was", "wasn't",
    "we", "we'd", "we'll", "we're", "we've", "were", "weren't", "what", "when", "where", "which",
    "while", "who", "whom", "whose", "why", "will", "with", "without", "won't", "would", "wouldn't",
    "you", "you'd", "you'll", "you're", "you've", "your", "yours", "yourself", "yourselves",
]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_words_stay_and_stop_words_do_not() {
        assert_eq!(
            content_terms("The SSH port isn't 22; it's 2222 on Ana’s server, and C++ is used."),
            ["ssh", "port", "22", "2222", "ana", "server", "c++", "used"]
        );
        assert!(content_terms("it is what it is").is_empty());
    }

    #[test]
    fn forms_of_one_word_share_a_stem_and_other_words_do_not() {
        for forms in [
            ["use", "uses"],
            ["used", "using"],
            ["stop", "stopped"],
            ["live", "living"],
            ["city", "cities"],
        ] {
            assert_eq!(light_stem(forms[0]), light_stem(forms[1]), "{forms:?}");
        }
        for pair in [["sing", "s"], ["red", "r"], ["pass", "pas"], ["v2s", "v2"], ["bus", "bu"]] {
            assert_ne!(light_stem(pair[0]), light_stem(pair[1]), "{pair:?}");
        }
    }
}
