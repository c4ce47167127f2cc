//! One sentence prepared for comparison: its words, its negations, and the stems of its content
//! words. Questions, wishes, possibilities and reports of the past are no statements.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::slot::Slot;
use crate::negation::{self, Negation};
use crate::terms::{NormalizedWord, light_stem, normalized_words};
use crate::word_list::WordList;
use crate::word_spans::Word;
use words::is_function_word;

/// Maximum number of words; longer sentences state more than one thing and are not compared.
pub(super) const WORDS_MAX: usize = 40;

/// A declarative sentence. Stems and slot are computed on first use and cached, since each
/// statement is compared with many others.
pub(super) struct ParsedStatement<'t> {
    pub(super) text: &'t str,
    pub(super) words: Vec<NormalizedWord<'t>>,
    pub(super) negations: Vec<Negation>,
    stem_set: OnceCell<BTreeSet<Cow<'t, str>>>,
    slot: OnceCell<Option<Slot>>,
}

impl<'t> ParsedStatement<'t> {
    /// Parses one sentence; `None` when it states nothing about the present.
    pub(super) fn read(text: &'t str) -> Option<Self> {
        let words: Vec<_> = normalized_words(text).take(WORDS_MAX + 1).collect();
        if words.is_empty() || words.len() > WORDS_MAX || text.ends_with('?') || is_hedged(&words) {
            return None;
        }
        let (meaning, slot) = Default::default();
        Some(Self {
            text,
            negations: negation::negations_among_words(text, &words),
            words,
            stem_set: meaning,
            slot,
        })
    }

    /// Returns the stem of each content word, with the index of the word. Negation cues are left
    /// out, so that a statement and its negation have the same stems.
    pub(super) fn stems(&self) -> impl Iterator<Item = (usize, Cow<'t, str>)> {
        let denying =
            |word: &Word<'_>| self.negations.iter().any(|denial| denial.cue.contains(&word.start));
        let words = self.words.iter().enumerate().filter(move |(_, word)| !denying(&word.word));
        words.filter_map(|(at, word)| content_stem(&word.term).map(|root| (at, root)))
    }

    /// Returns the set of stems of the whole statement.
    pub(super) fn stem_set(&self) -> &BTreeSet<Cow<'t, str>> {
        self.stem_set.get_or_init(|| self.stems().map(|(_, root)| root).collect())
    }

    /// Returns the slot that the statement fills, if any.
    pub(super) fn slot(&self) -> Option<&Slot> {
        self.slot.get_or_init(|| Slot::read(self)).as_ref()
    }
}

/// Returns the stem of a term, after merging the forms of each pronoun and both spellings of
/// English; `None` for function words.
pub(super) fn content_stem<'t>(term: &Cow<'t, str>) -> Option<Cow<'t, str>> {
    let same = match &**term {
        "i" | "my" | "me" | "mine" | "myself" | "i'm" | "i've" | "user" => "self",
        "we" | "our" | "us" | "we're" | "we've" => "we",
        "he" | "his" | "him" => "he",
        "she" | "her" => "she",
        "they" | "their" | "them" => "they",
        "you" | "your" => "you",
        "favourite" => light_stem("favorite"),
        "colour" => light_stem("color"),
        "currently" | "now" | "still" | "actually" | "really" | "anymore" | "indeed" | "today" => {
            return None;
        }
        _ if is_function_word(term) => return None,
        _ => {
            return Some(match term {
                Cow::Borrowed(term) => Cow::Borrowed(light_stem(term)),
                Cow::Owned(term) => Cow::Owned(light_stem(term).to_owned()),
            });
        }
    };
    Some(Cow::Borrowed(same))
}

fn is_hedged(words: &[NormalizedWord<'_>]) -> bool {
    let hedges = words.iter().any(|word| HEDGES.contains(&word.term));
    let used_to = words.windows(2).any(|pair| pair[0].term == "used" && pair[1].term == "to");
    // "born in 1990" stays true, unlike "worked there in 1990".
    let in_year = words
        .windows(3)
        .any(|three| three[0].term != "born" && is_year_reference(&three[1].term, &three[2].term));
    let opens_with_year = words.len() > 1 && is_year_reference(&words[0].term, &words[1].term);
    hedges || used_to || in_year || opens_with_year
}

/// Returns true for `in 2019`, which limits the statement to a past time.
fn is_year_reference(preposition: &str, year: &str) -> bool {
    let is_year =
        year.len() == 4 && year.parse::<u16>().is_ok_and(|year| (1900..2100).contains(&year));
    is_year && matches!(preposition, "in" | "during" | "by" | "around" | "from")
}

/// Words that signal another time, a possibility, or that more than one value holds.
#[rustfmt::skip]
static HEDGES: WordList = WordList::new(&[
    "additionally", "after", "ago", "also", "another", "before", "could", "either", "example",
    "former", "formerly", "had", "hope", "hopes", "if", "last", "may", "maybe", "might", "mostly",
    "next", "occasionally", "often", "once", "partly", "perhaps", "plan", "planned", "plans",
    "previous", "previously", "probably", "said", "shall", "should", "sometimes", "suggested",
    "thinks", "till", "tomorrow", "too", "unless", "until", "usually", "want", "wants", "was",
    "were", "when", "whenever", "while", "will", "wish", "wishes", "would", "yesterday",
]);
