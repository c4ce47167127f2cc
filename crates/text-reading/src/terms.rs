//! Content words of a text: lower-cased, without English stop words. Numbers stay, since they are
//! often the whole point of a note.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::word_spans::{Word, words};

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
        .filter(|term| !words::is_function_word(term))
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
/// `used` and `using` share a stem. It stays beside the Porter stemmer of the crate `words` because
/// its stem is always the beginning of the word: it is looked up as a part of stored names, where
/// Porter's `citi` would not find a city, and it needs no allocation.
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
