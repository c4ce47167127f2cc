//! Sentence segmentation, good enough for notes and chat: it knows abbreviations, initials,
//! decimals and list items, and no grammar.

use std::collections::HashSet;
use std::ops::Range;

/// Returns the ranges of the sentences of `text`, without surrounding white space; none is empty.
pub fn sentences(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(|c: char| !c.is_whitespace())?;
        let end = start + sentence_length(&text[start..]);
        at = end;
        let length = text[start..end].trim_end().len();
        Some(start..start + length)
    })
}

/// Returns true if every sentence of `part` is also a sentence of `whole`; case, white space and
/// final punctuation do not count. False for a `part` without sentences.
pub fn contains_all_sentences(whole: &str, part: &str) -> bool {
    let known: HashSet<String> =
        sentences(whole).map(|range| normalize_sentence(&whole[range])).collect();
    let mut parts = sentences(part).map(|range| normalize_sentence(&part[range])).peekable();
    parts.peek().is_some() && parts.all(|sentence| known.contains(&sentence))
}

fn normalize_sentence(sentence: &str) -> String {
    let words: Vec<String> = sentence.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', '!', '?', '…', '。', '！', '？']).to_owned()
}

fn sentence_length(text: &str) -> usize {
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match c {
            // Full stops that no number, abbreviation or name contains.
            '。' | '！' | '？' | '।' | '॥' | '؟' | '۔' => return end,
            '!' | '?' | '.' | '…' => {
                let end = end + closing_length(&text[end..]);
                if ends_here(&text[..at], c, &text[end..]) {
                    return end;
                }
            }
            '\n' if starts_a_block(&text[end..]) => return end,
            _ => {}
        }
    }
    text.len()
}

/// Length of the quotes and brackets after a full stop, which still belong to the sentence.
fn closing_length(rest: &str) -> usize {
    rest.len()
        - rest.trim_start_matches(['"', '\'', ')', ']', '\u{201d}', '\u{2019}', '*', '_']).len()
}

fn ends_here(before: &str, mark: char, after: &str) -> bool {
    let Some(next) = after.chars().next() else { return true };
    if !next.is_whitespace() {
        return false;
    }
    if mark != '.' {
        return true;
    }
    // A small letter after the full stop means an abbreviation that is not listed ("p.m. today").
    let continues = after.trim_start().chars().next().is_some_and(char::is_lowercase);
    !continues && !is_abbreviation(before) && !is_day_of_month(before, after)
}

/// Returns true inside of a German date: "am 3. Mai".
fn is_day_of_month(before: &str, after: &str) -> bool {
    let month = after.trim_start().split(|c: char| !c.is_alphabetic()).next().unwrap_or_default();
    before.ends_with(|c: char| c.is_ascii_digit()) && GERMAN_MONTHS.contains(&month)
}

const GERMAN_MONTHS: &[&str] = &[
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

fn is_abbreviation(before: &str) -> bool {
    let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '.').map_or(0, |at| {
        // The found character may be wider than one byte.
        at + before[at..].chars().next().map_or(1, char::len_utf8)
    });
    let word = &before[start..];
    let initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && word != "I";
    initial || ABBREVIATIONS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "vs", "etc", "e.g", "i.e", "cf", "approx", "fig", "inc",
    "ltd",
];

/// Returns true at a blank line, a heading, a list item, a quote or a table row: none of them
/// continues the sentence above.
fn starts_a_block(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or("").trim_start();
    let Some(first) = line.chars().next() else { return true };
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered =
        digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") "));
    numbered
        || matches!(first, '#' | '>' | '|')
        || ["- ", "* ", "+ ", "```", "~~~"].iter().any(|m| line.starts_with(m))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(sentences(text).map(|range| &text[range]).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn one_text_contains_another_only_by_whole_sentences() {
        let whole = "We deploy on Fridays. The pager goes to Ana!\n- Roll back with one command";
        assert!(contains_all_sentences(whole, "the pager goes  to ana."));
        assert!(contains_all_sentences(
            whole,
            "We deploy on Fridays.\n- Roll back with one command."
        ));
        assert!(!contains_all_sentences(
            "It is no longer true that we deploy on Fridays.",
            "We deploy on Fridays."
        ));
        assert!(!contains_all_sentences(whole, "We deploy on Fridays. Always."));
        assert!(!contains_all_sentences(whole, " \n"));
    }

    #[test]
    fn full_stops_end_sentences_and_abbreviations_do_not() {
        check(
            "Dr. Smith came. He left at 3.5 p.m. today!",
            &["Dr. Smith came.", "He left at 3.5 p.m. today!"],
        );
        check(
            "Use tools, e.g. Rust. J. K. Rowling wrote it.",
            &["Use tools, e.g. Rust.", "J. K. Rowling wrote it."],
        );
        check("He said \"no.\" Then (yes.) he left", &["He said \"no.\"", "Then (yes.) he left"]);
    }

    #[test]
    fn blocks_end_sentences_and_wrapped_lines_do_not() {
        check("one\ntwo\n\nthree\n- four\n- five", &["one\ntwo", "three", "- four", "- five"]);
    }

    #[test]
    fn other_scripts_have_full_stops_too() {
        check("今日は。明日！", &["今日は。", "明日！"]);
        check("", &[]);
    }
}
