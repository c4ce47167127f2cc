//! Who is tied to what: "I love sushi", "Ada works at Acme", "my wife Anna"; and the same asked as
//! a question. Reads plain English statements by their verbs and knows no grammar beyond that. What
//! is wished, planned, denied or over is no tie; a dislike is one of its own.

mod fields;
mod kinds;
mod phrase;
mod question;
mod roles;
mod verbs;

pub use fields::{ties_in_field, ties_in_row};
pub use kinds::kind_of_word;
pub use question::{Asked, asked};
pub use verbs::relation_named;

use crate::sentences::sentences;
use crate::terms::{is_stop_word, term};
use crate::words::{Word, words};
use phrase::{Phrase, companions, objects, place};
use verbs::Form;

/// What comes after this many sentences is not read: a note states what it states early.
const SENTENCES_MAX: usize = 20;
/// A longer sentence says too much at once.
const WORDS_MAX: usize = 60;
/// More ties than this in one text are a list of something else.
const TIES_MAX: usize = 32;

/// That somebody is tied to something.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tie {
    /// Who.
    pub subject: Party,
    /// How, in the active voice: `likes`, `works_at`, `run_with`.
    pub relation: String,
    /// To what, as written.
    pub object: String,
    /// What sort of thing that is, where the words tell.
    pub kind: Option<&'static str>,
}

/// Who is tied.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Party {
    /// Whoever the text belongs to: `I`, `we`, `the user`.
    Owner,
    /// Somebody by name.
    Named(String),
}

impl Tie {
    /// Whether it names this, on either end.
    #[must_use]
    pub fn names(&self, name: &str) -> bool {
        let same = |known: &str| known.to_lowercase() == name.to_lowercase();
        same(&self.object) || matches!(&self.subject, Party::Named(subject) if same(subject))
    }
}

/// The ties that a text states, each once, in order.
#[must_use]
pub fn ties(text: &str) -> Vec<Tie> {
    let mut found: Vec<Tie> = Vec::new();
    for range in sentences(text).take(SENTENCES_MAX) {
        for tie in Sentence::read(&text[range]).into_iter().flat_map(|sentence| sentence.ties()) {
            if found.len() < TIES_MAX && !found.contains(&tie) {
                found.push(tie);
            }
        }
    }
    found
}

/// One sentence, in words.
struct Sentence<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
    terms: Vec<String>,
}

impl<'t> Sentence<'t> {
    fn read(text: &'t str) -> Option<Self> {
        let words: Vec<Word<'t>> = words(text).take(WORDS_MAX + 1).collect();
        let terms: Vec<String> = words.iter().map(|word| term(word.text).into_owned()).collect();
        let states = !text.ends_with('?')
            && words.len() <= WORDS_MAX
            && !terms.iter().any(|one| is_unreal(one));
        (states && !words.is_empty()).then_some(Self { text, words, terms })
    }

    fn ties(&self) -> Vec<Tie> {
        let mut found = roles::ties(self);
        let mut speaker: Option<Party> = None;
        let mut at = 0;
        while at < self.words.len() {
            let Some(form) = verbs::at(&self.terms[at..]) else {
                at += 1;
                continue;
            };
            if let Some(spoken) = self.subject_before(at, &form, speaker.as_ref()) {
                self.read_verb(at, &form, &spoken, &mut found);
                speaker = Some(spoken.party);
            }
            at += form.length.max(1);
        }
        found
    }

    fn read_verb(&self, at: usize, form: &Form, spoken: &Spoken, found: &mut Vec<Tie>) {
        let from = at + form.length;
        let mut add = |relation: &str, items: Vec<Phrase<'_>>, kind: Option<&'static str>| {
            found.extend(items.iter().map(|item| Tie {
                subject: spoken.party.clone(),
                relation: relation.to_owned(),
                object: item.text.to_owned(),
                kind: kind.or_else(|| kinds::kind_of(item.text)),
            }));
        };
        if spoken.denied {
            if form.verb.relation == Some("likes") {
                add("dislikes", objects(self, from, form.verb), None);
            }
            return;
        }
        if let Some(relation) = form.verb.relation {
            add(relation, objects(self, from, form.verb), form.verb.kind);
        }
        add(&format!("{}_with", form.verb.base), companions(self, from), Some("person"));
        if let Some(relation) = form.verb.place.filter(|_| !spoken.several) {
            add(relation, place(self, from), Some("place"));
        }
    }

    /// Who does what the verb at `at` says, and whether it is denied; `None` when nobody does it
    /// now.
    fn subject_before(&self, at: usize, form: &Form, speaker: Option<&Party>) -> Option<Spoken> {
        let mut denied = false;
        for place in (0..at).rev() {
            let term = self.terms[place].as_str();
            match term {
                "i" | "i'm" | "i've" | "user" => return Spoken::new(Party::Owner, denied),
                "we" | "we're" | "we've" => {
                    return Some(Spoken { party: Party::Owner, denied, several: true });
                }
                "and" | "but" | "or" => {
                    return speaker.cloned().and_then(|party| Spoken::new(party, denied));
                }
                _ if is_denial(term) => denied = true,
                _ if is_between(term) => {}
                _ if self.is_name(place) => {
                    return Spoken::new(Party::Named(self.name_ending(place).to_owned()), denied);
                }
                _ => return None,
            }
        }
        // A note may leave the speaker out, as in "Finished reading Dune"; an order in the base
        // form is no note.
        (form.told && speaker.is_none()).then_some(Spoken {
            party: Party::Owner,
            denied,
            several: false,
        })
    }

    /// Whether the word at a place is written like a name and is none of the words that hold
    /// sentences together.
    fn is_name(&self, place: usize) -> bool {
        let word = self.words[place].text;
        word.starts_with(char::is_uppercase)
            && !is_stop_word(&self.terms[place])
            && word.chars().count() > 1
    }

    /// The run of name words that ends at a place.
    fn name_ending(&self, place: usize) -> &'t str {
        let mut first = place;
        while first > 0 && self.is_name(first - 1) && self.gap(first).trim().is_empty() {
            first -= 1;
        }
        &self.text[self.words[first].start..self.words[place].end()]
    }

    /// What stands between the word at a place and the one before it.
    fn gap(&self, place: usize) -> &'t str {
        let from = place.checked_sub(1).map_or(0, |before| self.words[before].end());
        self.words.get(place).map_or("", |word| &self.text[from..word.start])
    }
}

/// Who a verb is said of.
struct Spoken {
    party: Party,
    denied: bool,
    /// `we`: often a team that runs things in places where nobody goes.
    several: bool,
}

impl Spoken {
    #[allow(clippy::unnecessary_wraps, reason = "every caller answers with an option")]
    fn new(party: Party, denied: bool) -> Option<Self> {
        Some(Self { party, denied, several: false })
    }
}

/// Words that make a statement one of another time or of a possibility.
fn is_unreal(term: &str) -> bool {
    matches!(
        term,
        "if" | "maybe"
            | "perhaps"
            | "would"
            | "will"
            | "might"
            | "could"
            | "should"
            | "want"
            | "wants"
            | "wanted"
            | "plan"
            | "plans"
            | "hope"
            | "hopes"
            | "wish"
            | "wishes"
            | "used"
            | "formerly"
            | "i'd"
            | "i'll"
            | "we'd"
            | "we'll"
            | "tomorrow"
    )
}

fn is_denial(term: &str) -> bool {
    matches!(term, "not" | "never" | "cannot" | "no" | "longer" | "hardly") || term.ends_with("n't")
}

/// Words that may stand between a subject and its verb.
fn is_between(term: &str) -> bool {
    matches!(
        term,
        "am" | "are"
            | "is"
            | "was"
            | "were"
            | "do"
            | "did"
            | "does"
            | "have"
            | "has"
            | "had"
            | "been"
            | "just"
            | "also"
            | "really"
            | "absolutely"
            | "often"
            | "usually"
            | "always"
            | "sometimes"
            | "currently"
            | "now"
            | "still"
            | "recently"
            | "mostly"
            | "mainly"
            | "both"
            | "all"
            | "truly"
            | "totally"
            | "quite"
            | "finally"
            | "already"
            | "finished"
            | "started"
            | "enjoy"
            | "enjoys"
            | "love"
            | "loves"
            | "like"
            | "likes"
            | "to"
            | "can"
            | "regularly"
            | "once"
            | "each"
            | "deeply"
    )
}

#[cfg(test)]
mod tests;
