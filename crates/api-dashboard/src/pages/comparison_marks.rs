//! Two texts side by side with what differs marked. The comparison of statements says where they
//! differ; texts that it does not align are compared word by word.

use maud::{Markup, html};
use std::ops::Range;

/// Maximum number of words that are compared one by one.
const WORDS_MAX: usize = 400;
/// Maximum number of characters of a side that are shown.
const SHOWN_CHARS: usize = 700;
/// Number of characters shown before the first difference of a longer text.
const LEAD_CHARS: usize = 160;

/// Stretches in which two texts differ, for each text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct DifferingRanges {
    pub earlier: Vec<Range<usize>>,
    pub later: Vec<Range<usize>>,
}

/// Returns where two texts differ.
pub(super) fn differing_ranges(earlier: &str, later: &str) -> DifferingRanges {
    let found = reading::compare(earlier, later).differences;
    let side = |ranges: Vec<Range<usize>>, text: &str| -> Vec<Range<usize>> {
        let is_text = |range: &Range<usize>| {
            text.get(range.clone()).is_some_and(|part| !part.trim().is_empty())
        };
        ranges.into_iter().filter(is_text).collect()
    };
    let found = DifferingRanges {
        earlier: side(found.iter().map(|one| one.earlier.clone()).collect(), earlier),
        later: side(found.into_iter().map(|one| one.later).collect(), later),
    };
    if found.earlier.is_empty() && found.later.is_empty() {
        differing_words(earlier, later)
    } else {
        found
    }
}

/// Compares two texts word by word. Of long texts only what is between their common start and end
/// is compared; where that is long too, all of it differs.
fn differing_words(earlier: &str, later: &str) -> DifferingRanges {
    let (left, right) = (words(earlier), words(later));
    let same =
        |one: &Range<usize>, other: &Range<usize>| earlier[one.clone()] == later[other.clone()];
    let start = left.iter().zip(&right).take_while(|(one, other)| same(one, other)).count();
    let (left, right) = (&left[start..], &right[start..]);
    let ends = left.iter().rev().zip(right.iter().rev());
    let end = ends.take_while(|(one, other)| same(one, other)).count();
    let (left, right) = (&left[..left.len() - end], &right[..right.len() - end]);
    let mut found = DifferingRanges::default();
    let is_long = left.len().max(right.len()) > WORDS_MAX;
    let common = if is_long { Vec::new() } else { common_words(left, right, same) };
    for (at, word) in left.iter().enumerate() {
        if !common.iter().any(|(own, _)| *own == at) {
            extend(&mut found.earlier, earlier, word.clone());
        }
    }
    for (at, word) in right.iter().enumerate() {
        if !common.iter().any(|(_, own)| *own == at) {
            extend(&mut found.later, later, word.clone());
        }
    }
    found
}

/// Returns the longest common sequence of words, as pairs of positions.
fn common_words(
    left: &[Range<usize>],
    right: &[Range<usize>],
    same: impl Fn(&Range<usize>, &Range<usize>) -> bool,
) -> Vec<(usize, usize)> {
    // Length of the longest common sequence from each pair of positions on.
    let mut lengths = vec![vec![0_u16; right.len() + 1]; left.len() + 1];
    for (at, word) in left.iter().enumerate().rev() {
        for (other_at, other) in right.iter().enumerate().rev() {
            lengths[at][other_at] = if same(word, other) {
                lengths[at + 1][other_at + 1] + 1
            } else {
                lengths[at + 1][other_at].max(lengths[at][other_at + 1])
            };
        }
    }
    let (mut at, mut other_at, mut common) = (0, 0, Vec::new());
    while at < left.len() && other_at < right.len() {
        if same(&left[at], &right[other_at]) {
            common.push((at, other_at));
            (at, other_at) = (at + 1, other_at + 1);
        } else if lengths[at + 1][other_at] >= lengths[at][other_at + 1] {
            at += 1;
        } else {
            other_at += 1;
        }
    }
    common
}

/// Adds a word, joined with the one before when only spaces are between them.
fn extend(ranges: &mut Vec<Range<usize>>, text: &str, word: Range<usize>) {
    match ranges.last_mut() {
        Some(last) if text[last.end..word.start].trim().is_empty() => last.end = word.end,
        _ => ranges.push(word),
    }
}

fn words(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices() {
        match (character.is_whitespace(), start) {
            (true, Some(from)) => {
                found.push(from..at);
                start = None;
            }
            (false, None) => start = Some(at),
            _ => {}
        }
    }
    found.extend(start.map(|from| from..text.len()));
    found
}

/// Renders a text with ranges of it marked. A long text is cut to the part with the first mark.
pub(super) fn marked(text: &str, ranges: &[Range<usize>]) -> Markup {
    let shown = shown_part(text, ranges.first());
    let mut ranges: Vec<Range<usize>> = ranges
        .iter()
        .map(|range| range.start.max(shown.start)..range.end.min(shown.end))
        .filter(|range| range.start < range.end && text.get(range.clone()).is_some())
        .collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let mut at = shown.start;
    let mut parts: Vec<(&str, Option<&str>)> = Vec::new();
    for range in ranges.into_iter() {
        let start = range.start.max(at);
        if start < range.end {
            parts.push((&text[at..start], Some(&text[start..range.end])));
            at = range.end;
        }
    }
    parts.push((&text[at..shown.end], None));
    html! {
        @if shown.start > 0 { "…" }
        @for (plain, mark) in parts { (plain) @if let Some(mark) = mark { mark { (mark) } } }
        @if shown.end < text.len() { "…" }
    }
}

/// Returns the part of a text that is shown.
fn shown_part(text: &str, first: Option<&Range<usize>>) -> Range<usize> {
    if text.chars().count() <= SHOWN_CHARS {
        return 0..text.len();
    }
    let from = first.map_or(0, |range| range.start);
    let before = text[..from].char_indices().rev().nth(LEAD_CHARS).map_or(0, |(at, _)| at);
    let end =
        text[before..].char_indices().nth(SHOWN_CHARS).map_or(text.len(), |(at, _)| before + at);
    before..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(earlier: &str, later: &str) -> [String; 2] {
        let found = differing_ranges(earlier, later);
        [marked(earlier, &found.earlier), marked(later, &found.later)].map(Markup::into_string)
    }

    #[test]
    fn the_value_that_changed_is_marked_on_both_sides() {
        let [earlier, later] =
            shown("The kiln fires at 1240 degrees.", "The kiln fires at 1260 degrees.");
        assert!(earlier.contains("<mark>1240"), "{earlier}");
        assert!(later.contains("<mark>1260"), "{later}");
    }

    #[test]
    fn a_denial_is_marked() {
        let [_, later] = shown("I live in Berlin.", "I do not live in Berlin.");
        assert!(later.contains("<mark>") && later.contains("not"), "{later}");
    }

    #[test]
    fn long_texts_show_the_part_that_differs() {
        let (start, end) = ("same words ".repeat(100), " and so on".repeat(200));
        let [earlier, later] = shown(&format!("{start}red{end}"), &format!("{start}blue{end}"));
        for side in [earlier, later] {
            assert!(side.starts_with('…') && side.ends_with('…') && side.len() < 1000, "{side}");
        }
    }

    #[test]
    fn nothing_of_a_text_becomes_markup() {
        let [earlier, later] = shown("<b>é</b> was 5 €", "<i>é</i> was 6 €");
        assert!(!earlier.contains("<b>") && !later.contains("<i>"), "{earlier} {later}");
    }
}
