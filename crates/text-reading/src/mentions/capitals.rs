//! Where capitals say nothing about names: titles, code, and languages that capitalise every noun.

use super::name_words::is_plain;
use super::pieces::chunks;
use crate::terms::{is_stop_word, term};
use crate::word_list::WordList;

/// Whether a line capitalises like a title, so that capitals in it say nothing.
pub(super) fn is_title_case(line: &str) -> bool {
    let long = chunks(line).filter(|chunk| chunk.core.chars().count() >= 4 && is_plain(chunk.core));
    let (mut all, mut capital) = (0, 0);
    for chunk in long {
        all += 1;
        capital += usize::from(chunk.core.starts_with(char::is_uppercase));
    }
    all >= 4 && capital * 5 >= all * 4 && !line.trim_end().ends_with(['.', '!', '?'])
}

/// Whether a line is a statement of some language, where capitals mean types.
pub(super) fn is_code(line: &str) -> bool {
    let marks = ["::", "=>", "();", "){", ") {", ") ->"];
    line.trim_end().ends_with([';', '{', '}']) || marks.iter().any(|mark| line.contains(mark))
}

/// Whether the words are German, which capitalises every noun.
pub(super) fn is_german<'t>(words: impl Iterator<Item = &'t str> + Clone) -> bool {
    let count = |known: fn(&str) -> bool| words.clone().filter(|word| known(&term(word))).count();
    let german = count(|word| GERMAN.has(word));
    german > 1 && german > count(is_stop_word)
}

/// Words that hold German sentences together.
#[rustfmt::skip]
static GERMAN: WordList = WordList::new(&[
    "aber", "als", "am", "auch", "auf", "bei", "das", "dass", "dem", "den", "der", "die", "ein", "eine",
    "einem", "einen", "einer", "er", "es", "für", "haben", "hat", "ich", "im", "ist", "kein", "keine", "mit",
    "nach", "nicht", "oder", "sie", "sind", "steht", "und", "vom", "von", "wenn", "werden", "wir", "wird",
    "wurde", "zu", "zum", "zur", "über",
]);
