//! Noun phrases after a verb, up to the end of its clause: its objects, its companions ("with …")
//! and its place.

use super::verbs::{self, RelationVerb};
use super::{Sentence, entity_kinds};

/// Maximum number of words in a phrase; a longer one is a description, not a name.
const WORDS_MAX: usize = 5;
/// Maximum distance in words from a verb to its companion or place.
const PREPOSITION_DISTANCE_MAX: usize = 8;

/// A noun phrase, as written.
pub(super) struct NounPhrase<'t> {
    pub text: &'t str,
}

impl<'t> NounPhrase<'t> {
    /// Joins the words from `first` to the one before `end`, without a possessive.
    fn from_words(sentence: &Sentence<'t>, first: usize, end: usize) -> Self {
        let text = &sentence.text[sentence.words[first].start..sentence.words[end - 1].end()];
        Self { text: text.strip_suffix("'s").or(text.strip_suffix("\u{2019}s")).unwrap_or(text) }
    }
}

/// Returns the objects of a verb: one phrase or a list of them.
pub(super) fn objects<'t>(
    sentence: &Sentence<'t>,
    from: usize,
    verb: &RelationVerb,
) -> Vec<NounPhrase<'t>> {
    let first = skip_determiners(sentence, from);
    let named = matches!(verb.kind, Some("person" | "place" | "organization"));
    if named && first < sentence.words.len() && sentence.is_name_word(first) {
        return proper_names(sentence, first);
    }
    list(sentence, from, |first| !verb.proper || is_proper(sentence, first))
}

/// Returns noun phrases of any kind from an index on.
pub(super) fn noun_phrases<'t>(sentence: &Sentence<'t>, from: usize) -> Vec<NounPhrase<'t>> {
    list(sentence, from, |_| true)
}

/// Returns the proper names from an index on, if one starts exactly there.
pub(super) fn proper_names<'t>(sentence: &Sentence<'t>, from: usize) -> Vec<NounPhrase<'t>> {
    let Some(end) = name_end(sentence, from) else { return Vec::new() };
    let more =
        next_list_item(sentence, end).map(|next| proper_names(sentence, next)).unwrap_or_default();
    std::iter::once(NounPhrase::from_words(sentence, from, end)).chain(more).collect()
}

/// Returns the end of the name that starts at an index: after a possessive, or its last capital.
fn name_end(sentence: &Sentence<'_>, from: usize) -> Option<usize> {
    let follows = |at: usize| {
        at < sentence.words.len() && sentence.is_name_word(at) && sentence.gap(at).trim().is_empty()
    };
    let mut end = from + 1;
    if from >= sentence.words.len() || !sentence.is_name_word(from) {
        return None;
    }
    loop {
        let joins = sentence
            .terms
            .get(end)
            .is_some_and(|term| matches!(&**term, "of" | "de" | "van" | "von" | "la"));
        if sentence.words[end - 1].text.ends_with("'s") {
            return Some(end);
        } else if follows(end) {
            end += 1;
        } else if joins && follows(end + 1) {
            end += 2;
        } else {
            return Some(end);
        }
    }
}

/// Returns the companions: the names after "with".
pub(super) fn companions<'t>(sentence: &Sentence<'t>, from: usize) -> Vec<NounPhrase<'t>> {
    match preposition(sentence, from, &["with"]) {
        Some(at) => proper_names(sentence, skip_determiners(sentence, at + 1)),
        None => Vec::new(),
    }
}

/// Returns the place: a proper name, or a common noun for a place.
pub(super) fn location<'t>(sentence: &Sentence<'t>, from: usize) -> Vec<NounPhrase<'t>> {
    let Some(at) = preposition(sentence, from, &["at", "in", "near", "from", "around", "along"])
    else {
        return Vec::new();
    };
    let mut found = proper_names(sentence, skip_determiners(sentence, at + 1));
    if found.is_empty() {
        found = list(sentence, at + 1, |_| true);
        found.retain(|phrase| entity_kinds::is_place(phrase.text));
    }
    found.truncate(1);
    found
}

/// Returns the index of the first of these words after the verb, within its clause.
fn preposition(sentence: &Sentence<'_>, from: usize, wanted: &[&str]) -> Option<usize> {
    let reach = (from..sentence.terms.len()).take(PREPOSITION_DISTANCE_MAX);
    reach
        .take_while(|&at| {
            let ends = ends_clause(sentence.gap(at))
                || matches!(&*sentence.terms[at], "because" | "but" | "while")
                // "I cook and eat with Marta" says it of both, since nothing is between.
                || at > from && opens_clause(sentence, at);
            !ends
        })
        .find(|&at| wanted.contains(&sentence.terms[at].as_str()))
}

/// Returns true for an `and` that a verb follows, with or without a subject of its own: what comes
/// then belongs to that verb.
fn opens_clause(sentence: &Sentence<'_>, at: usize) -> bool {
    let is_verb = |at: usize| sentence.terms.get(at..).and_then(verbs::verb_at).is_some();
    matches!(&*sentence.terms[at], "and" | "or" | "then") && (is_verb(at + 1) || is_verb(at + 2))
}

/// Returns the phrases from an index on, as long as commas and `and` continue the list.
fn list<'t>(
    sentence: &Sentence<'t>,
    from: usize,
    takes: impl Fn(usize) -> bool,
) -> Vec<NounPhrase<'t>> {
    let mut found = Vec::new();
    let mut at = from;
    while let Some((first, end)) = list_item(sentence, at) {
        if takes(first) {
            found.push(NounPhrase::from_words(sentence, first, end));
        }
        match next_list_item(sentence, end) {
            Some(next) => at = next,
            None => break,
        }
    }
    found
}

fn skip_determiners(sentence: &Sentence<'_>, from: usize) -> usize {
    let articles = sentence.terms.iter().skip(from).take_while(|term| is_determiner(term)).count();
    from + articles
}

/// Returns the range of words of one list item, without its determiners.
fn list_item(sentence: &Sentence<'_>, from: usize) -> Option<(usize, usize)> {
    let mut first = from;
    while sentence.terms.get(first).is_some_and(|term| is_determiner(term)) {
        if first > from && ends_item(sentence.gap(first)) {
            return None;
        }
        first += 1;
    }
    let mut end = first;
    while end < sentence.terms.len()
        && !(end > first && ends_item(sentence.gap(end)))
        && !ends_phrase(&sentence.terms[end])
    {
        end += 1;
    }
    let opens = first == from && from > 0 && ends_clause(sentence.gap(first));
    let says_something = end > first && sentence.text[sentence.words[first].start..].len() > 1;
    (says_something && end - first <= WORDS_MAX && !opens).then_some((first, end))
}

/// Returns the index of the next list item, if the list continues.
fn next_list_item(sentence: &Sentence<'_>, end: usize) -> Option<usize> {
    let term = sentence.terms.get(end)?.as_str();
    let joined = matches!(term, "and" | "or" | "&" | "plus");
    let next = if joined { end + 1 } else { end };
    let follows = joined || sentence.gap(end).contains(',') || sentence.gap(end).contains('&');
    let after = sentence.terms.get(next)?.as_str();
    let another = if after == "and" { next + 1 } else { next };
    let word = sentence.terms.get(another)?.as_str();
    let speaks = matches!(word, "i" | "we" | "he" | "she" | "they" | "it" | "my" | "i'm" | "i've");
    let acts = verbs::verb_at(&sentence.terms[another..])
        .is_some_and(|form| form.verb.relation.is_some() && !form.declarative);
    let next_clause = is_subject(sentence, another);
    (follows && !speaks && !acts && !next_clause && !ends_phrase(word)).then_some(another)
}

/// Returns true if a name at an index is the subject of a verb of its own: "… and Bob works at …".
fn is_subject(sentence: &Sentence<'_>, at: usize) -> bool {
    let names = (at..sentence.words.len()).take_while(|&word| sentence.is_name_word(word)).count();
    let verb = sentence.terms.get(at + names..).and_then(verbs::verb_at);
    names > 0 && verb.is_some_and(|form| form.declarative && form.verb.relation.is_some())
}

fn ends_item(gap: &str) -> bool {
    gap.contains([',', '&']) || ends_clause(gap)
}

fn ends_clause(gap: &str) -> bool {
    gap.contains(['.', ';', ':', '!', '?', '(', ')', '\u{2014}', '\u{2013}', '\n'])
        || gap.contains(" - ")
}

fn is_proper(sentence: &Sentence<'_>, first: usize) -> bool {
    let quoted = sentence.gap(first).ends_with(['"', '\'', '\u{201c}', '\u{2018}', '*', '_']);
    quoted
        || sentence.words[first].text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
}

fn is_determiner(term: &str) -> bool {
    matches!(
        term,
        "the"
            | "a"
            | "an"
            | "my"
            | "our"
            | "some"
            | "any"
            | "all"
            | "both"
            | "lots"
            | "of"
            | "more"
            | "most"
            | "friend"
            | "wife"
            | "husband"
            | "colleague"
            | "brother"
            | "sister"
            | "boss"
            | "to"
            | "eating"
            | "drinking"
            | "listening"
            | "watching"
            | "reading"
            | "playing"
    )
}

/// Returns true for words that end a noun phrase and cannot start one.
fn ends_phrase(term: &str) -> bool {
    matches!(
        term,
        "and"
            | "or"
            | "but"
            | "because"
            | "when"
            | "since"
            | "while"
            | "if"
            | "so"
            | "for"
            | "with"
            | "at"
            | "in"
            | "on"
            | "from"
            | "every"
            | "than"
            | "that"
            | "which"
            | "who"
            | "as"
            | "by"
            | "after"
            | "before"
            | "during"
            | "over"
            | "again"
            | "too"
            | "also"
            | "today"
            | "yesterday"
            | "now"
            | "anymore"
            | "lately"
            | "recently"
            | "very"
            | "it"
            | "this"
            | "these"
            | "those"
            | "them"
            | "him"
            | "her"
            | "me"
            | "you"
            | "us"
            | "how"
            | "what"
            | "where"
            | "is"
            | "are"
            | "was"
            | "were"
            | "near"
            | "around"
            | "along"
            | "about"
            | "without"
            | "i"
            | "we"
            | "he"
            | "she"
            | "they"
            | "there"
            | "here"
            | "almost"
            | "each"
            | "twice"
            | "once"
            | "always"
            | "often"
            | "together"
            | "last"
            | "next"
            | "though"
            | "although"
            | "until"
            | "instead"
            | "not"
    )
}
