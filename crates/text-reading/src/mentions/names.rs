//! Proper names in prose: runs of capitalised words. The first word of a sentence is capitalised
//! anyway, so by itself it counts only when it recurs; headings and titles are skipped.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use super::capitals::is_german;
use super::cues;
use super::name_words::NameWord;
use super::openers::{is_honorific, is_never_a_name, is_opener};
use super::{Mention, MentionKind, Source};

/// Maximum number of words in a name; longer runs are slogans or lists without commas.
const WORDS_MAX: usize = 6;

/// Returns the names among `words`, with their offsets.
pub(super) fn find(words: &[NameWord<'_>]) -> Vec<(usize, Mention)> {
    // German capitalises every noun, so capitals are no evidence of names.
    if is_german(words.iter().map(|word| word.text)) {
        return Vec::new();
    }
    let candidates = candidates(words);
    // Built on first use: only a recurring name needs the lower-case words, and few texts have one.
    let common: LazyCell<HashSet<&str>, _> = LazyCell::new(|| {
        words
            .iter()
            .map(|word| word.text)
            .filter(|text| text.starts_with(char::is_lowercase))
            .collect()
    });
    let mut seen: HashMap<String, Tally> = HashMap::new();
    for candidate in &candidates {
        let tally = seen.entry(candidate.name.to_lowercase()).or_default();
        tally.count += usize::from(!candidate.listed);
        tally.sure |= !candidate.doubtful;
        if tally.kind == MentionKind::Name {
            tally.kind = candidate.kind;
        }
    }
    let names = candidates.into_iter().filter_map(|candidate| {
        let lower = candidate.name.to_lowercase();
        let tally = seen.get(&lower)?;
        let recurs = tally.count > 1 && !common.contains(lower.as_str()) && !candidate.is_acronym;
        (tally.sure || recurs)
            .then(|| (candidate.start, Mention::new(tally.kind, Source::Prose, candidate.name)))
    });
    names.collect()
}

/// Evidence from all occurrences of one name.
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
    /// Capitalised perhaps only as the first word of a sentence.
    doubtful: bool,
    listed: bool,
    is_acronym: bool,
}

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

/// Returns the end of the run of name words that starts at `at`; `at` itself when there is none.
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
        "of" | "de"
            | "van"
            | "von"
            | "der"
            | "den"
            | "la"
            | "le"
            | "del"
            | "da"
            | "di"
            | "du"
            | "bin"
            | "al"
    )
}

fn candidate(words: &[NameWord<'_>], from: usize, end: usize) -> Option<Candidate> {
    let mut start = from;
    let honorific = words.get(start).is_some_and(|word| is_honorific(word.text));
    while start < end && (starts_idly(&words[start]) || is_honorific(words[start].text)) {
        start += 1;
    }
    let mut end = end;
    while start < end && (is_never_a_name(words[end - 1].text) || is_connector(words[end - 1].text))
    {
        end -= 1;
    }
    let run = words.get(start..end).filter(|run| !run.is_empty() && run.len() <= WORDS_MAX)?;
    let kind = if honorific { MentionKind::Person } else { cues::kind(words, start, end) };
    let is_acronym = run.iter().all(NameWord::is_acronym);
    let alone = run.len() == 1;
    let labels = run[run.len() - 1].ends_label;
    if (labels && words[from].opens) || (alone && run[0].is_initial()) {
        return None;
    }
    let unproven = (alone && run[0].opens) || labels || is_acronym;
    let doubtful = unproven && kind == MentionKind::Name;
    let name = run.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    Some(Candidate {
        name,
        start: run[0].start,
        kind,
        doubtful,
        listed: alone && run[0].listed,
        is_acronym,
    })
}

/// Returns true for words that are capitalised although they are no names.
fn starts_idly(word: &NameWord<'_>) -> bool {
    is_never_a_name(word.text) || is_connector(word.text) || (word.opens && is_opener(word.text))
}
