//! Extractive summary: the first words of a text, never invented ones.

use crate::lines::{LineRole, lines};
use crate::sentences::sentences;

/// Minimum length of a summary: after a shorter first sentence ("Done.") the next one is added.
const SUMMARY_CHARS_MIN: usize = 40;

/// Returns the first sentence of `text`, or the first few when the first is short, in at most
/// `max_chars` characters. Headings and code are skipped when there is prose; a longer sentence is
/// cut between words and ends in `…`.
pub fn summary(text: &str, max_chars: usize) -> String {
    let prose = prose(text);
    let source = if prose.trim().is_empty() { text } else { &prose };
    let mut summary = String::new();
    let mut count = 0;
    for range in sentences(source) {
        let sentence = one_line(strip_markers(&source[range]));
        let length = sentence.chars().count();
        if length == 0 {
            continue;
        }
        // Only the first sentence is ever cut; later ones are added whole or not at all.
        if count == 0 && length > max_chars {
            return shorten(&sentence, max_chars);
        }
        if count > 0 && (count >= SUMMARY_CHARS_MIN || count + 1 + length > max_chars) {
            break;
        }
        if count > 0 {
            summary.push(' ');
            count += 1;
        }
        summary.push_str(&sentence);
        count += length;
    }
    summary
}

fn prose(text: &str) -> String {
    let mut prose = String::new();
    for line in lines(text) {
        if line.role == LineRole::Prose && !line.text.trim_start().starts_with('#') {
            prose.push_str(line.text);
        }
        prose.push('\n');
    }
    prose
}

/// Strips the markers of list items, quotes and headings.
fn strip_markers(sentence: &str) -> &str {
    ["- ", "* ", "+ ", "> ", "# "]
        .iter()
        .fold(sentence, |rest, mark| rest.strip_prefix(mark).unwrap_or(rest))
}

fn one_line(sentence: &str) -> String {
    let mut line = String::with_capacity(sentence.len());
    for word in sentence.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    line
}

/// Cuts between words where possible, so that `…` is the last of at most `max_chars` characters.
fn shorten(sentence: &str, max_chars: usize) -> String {
    let Some(chars) = max_chars.checked_sub(1) else { return String::new() };
    let end = sentence.char_indices().nth(chars).map_or(sentence.len(), |(at, _)| at);
    let head = &sentence[..end];
    let whole_word = sentence[end..].starts_with(' ');
    let cut = if whole_word { head.len() } else { head.rfind(' ').unwrap_or(head.len()) };
    // A single enormous word is cut inside rather than lost.
    let text = if cut * 2 < head.len() { head } else { &head[..cut] };
    format!("{}…", text.trim_end_matches([' ', ',', ';', ':']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_is_the_summary() {
        let text = "# Title\n\nWe moved the index into memory because FTS5 was slow. Then more.";
        assert_eq!(summary(text, 200), "We moved the index into memory because FTS5 was slow.");
    }

    #[test]
    fn a_short_first_sentence_is_joined_to_the_next() {
        assert_eq!(summary("Done. The port is now 2222.", 80), "Done. The port is now 2222.");
        assert_eq!(summary("Done. The port is now 2222.", 10), "Done.");
    }

    #[test]
    fn long_sentences_are_cut_between_words_and_by_characters() {
        assert_eq!(summary("größere Änderungen überall im System", 20), "größere Änderungen…");
        assert_eq!(summary("ääääääää", 4), "äää…");
        assert_eq!(summary("anything", 0), "");
    }

    #[test]
    fn code_alone_still_gets_a_summary() {
        assert!(summary("```\nlet x = 1;\n```", 80).contains("let x"));
        assert_eq!(summary("  \n", 80), "");
    }
}
