//! The words that one edit makes of another: a letter removed, inserted, replaced, or swapped with
//! the next. On the word and not on its stem, since a misspelt ending has another stem.

/// Maximum length of a word that is edited; a longer one is hardly a word.
const CHARS_MAX: usize = 24;
/// Minimum length of a word that is edited: too many others are close to a shorter one.
const CHARS_MIN: usize = 4;

/// Returns the words that are one edit away from a lower-case word of the letters a to z; none for
/// any other word.
pub(super) fn one_edit_away(word: &str) -> Vec<String> {
    let is_plain = word.bytes().all(|byte| byte.is_ascii_lowercase());
    if !is_plain || !(CHARS_MIN..=CHARS_MAX).contains(&word.len()) {
        return Vec::new();
    }
    let mut words = Vec::with_capacity(54 * word.len() + 26);
    for at in 0..=word.len() {
        let (start, rest) = word.split_at(at);
        let next = rest.get(1..).unwrap_or_default();
        words.extend(('a'..='z').map(|letter| format!("{start}{letter}{rest}")));
        if !rest.is_empty() {
            words.push(format!("{start}{next}"));
            words.extend(('a'..='z').map(|letter| format!("{start}{letter}{next}")));
        }
        if let (Some(second), Some(after)) = (rest.get(1..2), rest.get(2..)) {
            words.push(format!("{start}{second}{}{after}", &rest[..1]));
        }
    }
    words.retain(|one| one != word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_removes_inserts_replaces_or_swaps_a_letter() {
        let words = one_edit_away("moive");
        for word in ["movie", "moves", "motive", "move", "oive", "moives"] {
            assert_eq!(words.iter().any(|one| one == word), word != "moves", "{word}");
        }
        assert!(!words.contains(&"moive".to_owned()));
    }

    #[test]
    fn short_words_and_other_letters_are_not_edited() {
        for word in ["cat", "", "Movie", "müller", "книга"] {
            assert!(one_edit_away(word).is_empty(), "{word}");
        }
    }
}
