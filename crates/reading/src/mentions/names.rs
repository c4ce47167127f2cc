//! Proper names in prose: runs of capitalised words. The first word of a sentence is capitalised anyway, so
//! alone it counts only when it comes back; headings and titles prove nothing and are passed over.

use std::collections::{HashMap, HashSet};

use super::cues;
use super::openers::{is_honorific, is_never_a_name, is_opener};
use super::pieces::{Chunk, chunks};
use super::{Mention, MentionKind, Source};
use crate::terms::is_stop_word;

/// Longer runs are slogans or lists without commas.
const WORDS_MAX: usize = 6;

/// A word of prose with what its punctuation says.
#[derive(Debug, Clone, Copy)]
pub(super) struct NameWord<'t> {
    /// Without punctuation and possessive; empty for something that no name reaches across.
    pub(super) text: &'t str,
    start: usize,
    /// It starts a sentence, so its capital says nothing.
    opens: bool,
    /// Punctuation parts it from the word before.
    pub(super) parted: bool,
    pub(super) possessive: bool,
    ends_sentence: bool,
    ends_clause: bool,
}

impl NameWord<'_> {
    /// Stands for code, addresses and numbers: no name reaches across.
    pub(super) fn barrier() -> Self {
        Self {
            text: "",
            start: 0,
            opens: false,
            parted: true,
            possessive: false,
            ends_sentence: false,
            ends_clause: true,
        }
    }

    fn is_capital(&self) -> bool {
        let capital = self.text.starts_with(char::is_uppercase);
        capital && !self.is_acronym() && (self.text.chars().any(char::is_lowercase) || self.is_initial())
    }

    /// `IBM` and the plural `PRs`.
    fn is_acronym(&self) -> bool {
        let bare = self.text.strip_suffix('s').unwrap_or(self.text);
        (2..=6).contains(&bare.len()) && bare.bytes().all(|byte| byte.is_ascii_uppercase())
    }

    fn is_initial(&self) -> bool {
        self.text.len() == 1 && self.text != "I" && self.text != "A"
    }
}

/// Adds the words of a chunk that starts at `base + chunk.start`.
pub(super) fn push_words<'t>(chunk: Chunk<'t>, base: usize, first: bool, words: &mut Vec<NameWord<'t>>) {
    let before = words.last().copied();
    let quoted = chunk.whole.starts_with(['"', '“', '‘', '«']);
    let mut opens = first || quoted || before.is_none_or(|word| word.ends_sentence);
    let mut parted =
        quoted || chunk.whole.starts_with(['(', '[']) || before.is_some_and(|word| word.ends_clause);
    let (ends_sentence, ends_clause) = ending(chunk, opens);
    let mut offset = 0;
    for part in chunk.core.split('/') {
        let text = part.strip_suffix("'s").or_else(|| part.strip_suffix("’s")).unwrap_or(part);
        let start = base + chunk.start + chunk.whole.find(chunk.core).unwrap_or(0) + offset;
        let text = if is_plain(text) { text } else { "" };
        words.push(NameWord {
            text,
            start,
            opens,
            parted,
            possessive: text.len() < part.len(),
            ends_sentence,
            ends_clause,
        });
        offset += part.len() + 1;
        opens = false;
        parted = true;
    }
}

/// Whether a chunk ends a sentence, and whether it ends a clause. A list marker leaves the sentence to open.
fn ending(chunk: Chunk<'_>, opens: bool) -> (bool, bool) {
    let whole = chunk.whole.trim_end_matches(['"', '\'', ')', ']', '*', '”', '’']);
    let marker = opens && !chunk.core.chars().any(char::is_alphabetic);
    let initial = chunk.core.chars().count() == 1 && chunk.core.starts_with(char::is_uppercase);
    let abbreviated = whole.ends_with('.') && (initial || is_honorific(chunk.core));
    let ends_sentence = marker || (whole.ends_with(['.', '!', '?', ':', '…']) && !abbreviated);
    let ends_clause = !abbreviated && chunk.whole.ends_with(|c: char| !c.is_alphanumeric());
    (ends_sentence, ends_clause)
}

fn is_plain(text: &str) -> bool {
    text.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’' | '&' | '.'))
        && text.chars().next().is_some_and(char::is_alphabetic)
        && !text.contains("..")
}

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
fn is_german(words: &[NameWord<'_>]) -> bool {
    let german = |word: &&NameWord<'_>| GERMAN.contains(&word.text.to_lowercase().as_str());
    let english = |word: &&NameWord<'_>| is_stop_word(&word.text.to_lowercase());
    let count = words.iter().filter(german).count();
    count > 1 && count > words.iter().filter(english).count()
}

/// The names among `words`, with their places.
pub(super) fn find(words: &[NameWord<'_>]) -> Vec<(usize, Mention)> {
    if is_german(words) {
        return Vec::new();
    }
    let candidates = candidates(words);
    let common: HashSet<String> = words
        .iter()
        .filter(|word| word.text.starts_with(char::is_lowercase))
        .map(|word| word.text.to_lowercase())
        .collect();
    let mut seen: HashMap<String, Tally> = HashMap::new();
    for candidate in &candidates {
        let tally = seen.entry(candidate.name.to_lowercase()).or_default();
        tally.count += 1;
        tally.sure |= !candidate.doubtful;
        if tally.kind == MentionKind::Name {
            tally.kind = candidate.kind;
        }
    }
    let told = candidates.into_iter().filter_map(|candidate| {
        let lower = candidate.name.to_lowercase();
        let tally = seen.get(&lower)?;
        let comes_back = tally.count > 1 && !common.contains(&lower) && !candidate.is_acronym;
        (tally.sure || comes_back)
            .then(|| (candidate.start, Mention::new(tally.kind, Source::Prose, candidate.name)))
    });
    told.collect()
}

/// What all occurrences of one name say together.
struct Tally {
    count: usize,
    sure: bool,
    kind: MentionKind,
}

impl Default for Tally {
    fn default() -> Self {
        Self { count: 0, sure: false, kind: MentionKind::Name }
    }
}

struct Candidate {
    name: String,
    start: usize,
    kind: MentionKind,
    /// Its capital may only be that of the sentence.
    doubtful: bool,
    is_acronym: bool,
}

#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "der", "die", "das", "den", "dem", "ein", "eine", "einen", "einem", "einer", "und", "oder", "ist", "sind", "nicht",
    "ich", "wir", "sie", "er", "es", "mit", "für", "auf", "im", "am", "zu", "zum", "zur", "von", "vom", "bei", "über",
    "wird", "werden", "wurde", "haben", "hat", "auch", "aber", "als", "nach", "wenn", "dass", "kein", "keine", "steht",
];

fn candidates(words: &[NameWord<'_>]) -> Vec<Candidate> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let end = run_end(words, at);
        found.extend(candidate(words, at, end));
        at = end.max(at + 1);
    }
    found
}

/// Where the run of name words ends that starts at `at`; `at` itself when none does.
fn run_end(words: &[NameWord<'_>], at: usize) -> usize {
    let is_part = |word: &NameWord<'_>| word.is_capital() || word.is_acronym();
    let mut end = at;
    while end < words.len() && (end == at || !words[end].parted) {
        let connects = end > at && is_connector(words[end].text);
        if is_part(&words[end]) {
            end += 1;
            if words[end - 1].possessive {
                break;
            }
        } else if connects && words.get(end + 1).is_some_and(|next| is_part(next) && !next.parted) {
            end += 2;
        } else {
            break;
        }
    }
    end
}

fn is_connector(word: &str) -> bool {
    matches!(
        word,
        "of" | "de" | "van" | "von" | "der" | "den" | "la" | "le" | "del" | "da" | "di" | "du" | "bin" | "al"
    )
}

fn candidate(words: &[NameWord<'_>], from: usize, end: usize) -> Option<Candidate> {
    let mut start = from;
    let honorific = words.get(start).is_some_and(|word| is_honorific(word.text));
    while start < end && (starts_idly(&words[start]) || is_honorific(words[start].text)) {
        start += 1;
    }
    let mut end = end;
    while start < end && (is_never_a_name(words[end - 1].text) || is_connector(words[end - 1].text)) {
        end -= 1;
    }
    let run = words.get(start..end).filter(|run| !run.is_empty() && run.len() <= WORDS_MAX)?;
    let kind = if honorific { MentionKind::Person } else { cues::kind(words, start, end) };
    let is_acronym = run.iter().all(NameWord::is_acronym);
    let alone = run.len() == 1;
    let doubtful = kind == MentionKind::Name
        && ((alone && run[0].opens) || is_acronym || (alone && run[0].is_initial()));
    let name = run.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    Some(Candidate { name, start: run[0].start, kind, doubtful, is_acronym })
}

/// Words that are capitalised for another reason: they open the sentence, or are always written so.
fn starts_idly(word: &NameWord<'_>) -> bool {
    is_never_a_name(word.text) || is_connector(word.text) || (word.opens && is_opener(word.text))
}
