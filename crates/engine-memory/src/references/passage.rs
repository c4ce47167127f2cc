//! The passage of a long section that answers a question: the stretch with most of the question's
//! words, or the beginning when the section has none of them.

use super::ReferenceHit;
use ::recall::{estimate_tokens, truncate_to_tokens};
use std::collections::HashSet;

// A line longer than a quarter of a passage is split into words, so that a passage can begin inside
// of it.
const LINE_SHARE: usize = 4;

impl ReferenceHit {
    /// Returns the passage that answers the question, within a number of tokens; a short section is
    /// returned whole.
    #[must_use]
    pub fn passage(&self, question: &str, tokens: usize) -> String {
        passage(&self.hit.section.text, question, tokens)
    }
}

fn passage(text: &str, question: &str, tokens: usize) -> String {
    if estimate_tokens(text) <= tokens {
        return text.to_owned();
    }
    let asked = reading::content_terms(question);
    let roots: Vec<&str> = asked.iter().map(|term| reading::light_stem(term)).collect();
    let pieces = pieces(text, tokens / LINE_SHARE);
    let contained: Vec<HashSet<usize>> =
        pieces.iter().map(|piece| words_in(piece, &roots)).collect();
    match best_start(&pieces, &contained, tokens, roots.len()) {
        0 => truncate_to_tokens(text, tokens),
        start => format!("…{}", truncate_to_tokens(pieces[start..].concat().trim_start(), tokens)),
    }
}

/// Splits a text into lines, and long lines into words.
fn pieces(text: &str, longest: usize) -> Vec<&str> {
    let cut = |line| -> Vec<&str> {
        if estimate_tokens(line) <= longest {
            return vec![line];
        }
        line.split_inclusive(char::is_whitespace).collect()
    };
    text.split_inclusive('\n').flat_map(cut).collect()
}

/// Returns the indexes of the question's words that a piece contains.
fn words_in(piece: &str, roots: &[&str]) -> HashSet<usize> {
    let said = reading::content_terms(piece);
    let said: HashSet<&str> = said.iter().map(|term| reading::light_stem(term)).collect();
    (0..roots.len()).filter(|&index| said.contains(roots[index])).collect()
}

/// Returns the start of the first stretch with most of the question's words. A stretch begins with
/// one of them, so that it shows what follows; the beginning of the text wins a tie.
fn best_start(pieces: &[&str], contained: &[HashSet<usize>], tokens: usize, all: usize) -> usize {
    let (mut best, mut most) = (0, words_from(0, pieces, contained, tokens));
    for start in (1..pieces.len()).filter(|&start| !contained[start].is_empty()) {
        let count = words_from(start, pieces, contained, tokens);
        if count > most {
            (best, most) = (start, count);
        }
        // Nothing can beat a stretch with all of the words, so the rest need not be tried.
        if most == all {
            break;
        }
    }
    best
}

fn words_from(start: usize, pieces: &[&str], spoken: &[HashSet<usize>], tokens: usize) -> usize {
    let (mut contained, mut left) = (HashSet::<usize>::new(), tokens);
    for (piece, words) in pieces[start..].iter().zip(&spoken[start..]) {
        let cost = estimate_tokens(piece);
        if cost > left {
            break;
        }
        left -= cost;
        contained.extend(words);
    }
    contained.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filler(lines: usize) -> String {
        (0..lines)
            .map(|line| format!("Line {line} tells of gardens and of nothing else.\n"))
            .collect()
    }

    #[test]
    fn a_short_section_is_shown_whole() {
        assert_eq!(passage("## Numbers\nBy year.", "numbers", 100), "## Numbers\nBy year.");
    }

    #[test]
    fn the_stretch_with_the_words_is_shown_even_late_in_the_text() {
        let text = format!("{}Invoices are numbered by year.\n{}", filler(200), filler(200));
        let shown = passage(&text, "how are invoices numbered?", 60);
        assert!(shown.starts_with("…Invoices are numbered by year."), "{shown}");
        assert!(shown.ends_with('…') && estimate_tokens(&shown) <= 65, "{shown}");
    }

    #[test]
    fn one_very_long_line_is_searched_too() {
        let text =
            format!("{}invoices count up {}", "garden ".repeat(2_000), "garden ".repeat(2_000));
        assert!(passage(&text, "invoices", 40).starts_with("…invoices count up"));
    }

    #[test]
    fn without_a_matching_word_the_beginning_is_shown() {
        let shown = passage(&filler(200), "quarterly taxes", 40);
        assert!(shown.starts_with("Line 0 tells") && shown.ends_with('…'), "{shown}");
    }
}
