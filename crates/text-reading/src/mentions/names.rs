//! Proper names in prose: runs of capitalised words. The first word of a sentence is capitalised
//! anyway, so by itself it counts only when it recurs; headings and titles are skipped.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};

use super::capitalization::is_german;
use super::cues;
use super::name_words::NameWord;
use super::non_names::{is_head_of_names, is_honorific, is_never_a_name, is_sentence_opener};
use super::{MentionKind, MentionSource, TextMention};

/// Maximum number of words in a name; longer runs are slogans or lists without commas.
const WORDS_MAX: usize = 6;

/// Returns the names among `words`, with their offsets.
pub(super) fn find(words: &[NameWord<'_>]) -> Vec<(usize, TextMention)> {
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
    let mut seen: HashMap<String, NameEvidence> = HashMap::new();
    for candidate in &candidates {
        let evidence = seen.entry(candidate.name.to_lowercase()).or_default();
        evidence.count += usize::from(!candidate.opens_list_item);
        evidence.certain |= !candidate.doubtful;
        if evidence.kind == MentionKind::Name {
            evidence.kind = candidate.kind;
        }
    }
    let names = candidates.into_iter().filter_map(|candidate| {
        let lower = candidate.name.to_lowercase();
        let evidence = seen.get(&lower)?;
        let recurs =
            evidence.count > 1 && !common.contains(lower.as_str()) && !candidate.is_acronym;
        (evidence.certain || recurs).then(|| {
            (candidate.start, TextMention::new(evidence.kind, MentionSource::Prose, candidate.name))
        })
    });
    names.collect()
}

/// Evidence from all occurrences of one name.
struct NameEvidence {
    count: usize,
    certain: bool,
    kind: MentionKind,
}

impl Default for NameEvidence {
    fn default() -> Self {
        Self { count: 0, certain: false, kind: MentionKind::Name }
    }
}

struct NameCandidate {
    name: String,
    start: usize,
    kind: MentionKind,
    /// Capitalised perhaps only as the first word of a sentence.
    doubtful: bool,
    opens_list_item: bool,
    is_acronym: bool,
}

fn candidates(words: &[NameWord<'_>]) -> Vec<NameCandidate> {
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
    while end < words.len() && (end == at || !words[end].separated) {
        let connects = end > at && is_connector(words[end].text);
        if is_part(&words[end]) {
            end += 1;
            if words[end - 1].possessive {
                break;
            }
        } else if connects
            && words.get(end + 1).is_some_and(|next| is_part(next) && !next.separated)
        {
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

fn candidate(words: &[NameWord<'_>], from: usize, end: usize) -> Option<NameCandidate> {
    let mut start = from;
    let honorific = words.get(start).is_some_and(|word| is_honorific(word.text));
    while start < end && (is_capitalized_non_name(&words[start]) || is_honorific(words[start].text))
    {
        start += 1;
    }
    if is_of_phrase(words.get(start..end)?) {
        start += 2;
    }
    let mut end = end;
    while start < end && (is_never_a_name(words[end - 1].text) || is_connector(words[end - 1].text))
    {
        end -= 1;
    }
    let run = words.get(start..end).filter(|run| !run.is_empty() && run.len() <= WORDS_MAX)?;
    let kind =
        if honorific { MentionKind::Person } else { cues::kind_from_context(words, start, end) };
    let is_acronym = run.iter().all(NameWord::is_acronym);
    let alone = run.len() == 1;
    let labels = run[run.len() - 1].ends_label;
    if (labels && words[from].opens_sentence) || (alone && run[0].is_initial()) {
        return None;
    }
    let unproven = (alone && run[0].opens_sentence) || labels || is_acronym;
    let doubtful = unproven && matches!(kind, MentionKind::Name | MentionKind::Tool);
    let name = run.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    Some(NameCandidate {
        name,
        start: run[0].start,
        kind,
        doubtful,
        opens_list_item: alone && run[0].opens_list_item,
        is_acronym,
    })
}

/// Returns true if a run opens a sentence with a common noun and "of": in "Backups of Porto go to
/// the cellar" only Porto is a name.
fn is_of_phrase(run: &[NameWord<'_>]) -> bool {
    let [head, of, _, ..] = run else { return false };
    head.opens_sentence && of.text == "of" && !is_head_of_names(head.text)
}

/// Returns true for words that are capitalised although they are no names.
fn is_capitalized_non_name(word: &NameWord<'_>) -> bool {
    is_never_a_name(word.text)
        || is_connector(word.text)
        || (word.opens_sentence && is_sentence_opener(word.text))
}
