//! Contexts in which capital letters are no evidence of a name: titles, code, and languages that
//! capitalise every noun.

use super::name_words::is_plain_word;
use super::segments::prose_tokens;
use crate::terms::term;
use crate::word_list::WordList;
use words::is_function_word;

/// Returns true if a line is in title case.
pub(super) fn is_title_case(line: &str) -> bool {
    let long = prose_tokens(line)
        .filter(|token| token.core.chars().count() >= 4 && is_plain_word(token.core));
    let (mut all, mut capital) = (0, 0);
    for token in long {
        all += 1;
        capital += usize::from(token.core.starts_with(char::is_uppercase));
    }
    // At least four long words, four fifths of them capitalised, and no full stop.
    all >= 4 && capital * 5 >= all * 4 && !line.trim_end().ends_with(['.', '!', '?'])
}

/// Returns true if a line looks like program code, where capitals mark types.
pub(super) fn is_code_line(line: &str) -> bool {
    let marks = ["::", "=>", "();", "){", ") {", ") ->"];
    line.trim_end().ends_with([';', '{', '}']) || marks.iter().any(|mark| line.contains(mark))
}

/// Returns true if the words are German, which capitalises every noun.
pub(super) fn is_german<'t>(words: impl Iterator<Item = &'t str> + Clone) -> bool {
    let count = |known: fn(&str) -> bool| words.clone().filter(|word| known(&term(word))).count();
    let german = count(|word| GERMAN_STOP_WORDS.contains(word));
    german > 1 && german > count(is_function_word)
}

/// German stop words.
#[rustfmt::skip]
static GERMAN_STOP_WORDS: WordList = WordList::new(&[
    "aber", "als", "am", "auch", "auf", "bei", "das", "dass", "dem", "den", "der", "die", "ein",
    "eine", "einem", "einen", "einer", "er", "es", "für", "haben", "hat", "ich", "im", "ist",
    "kein", "keine", "mit", "nach", "nicht", "oder", "sie", "sind", "steht", "und", "vom", "von",
    "wenn", "werden", "wir", "wird", "wurde", "zu", "zum", "zur", "über",
]);
