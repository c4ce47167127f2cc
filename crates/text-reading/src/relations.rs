//! Relations that a text states, "I love sushi", "Ada works at Acme", "my wife Anna", and the same
//! relations asked as a question. Plain English statements are read by their verbs, without
//! grammar. Wishes, plans, negations and the past state no relation; a dislike is a relation of its
//! own.

mod entity_kinds;
mod noun_phrases;
mod question;
mod roles;
mod structured_data;
mod verbs;
mod wording;

pub use entity_kinds::{MEDIA_USES, entity_kind_of_word, media_use_of_word};
pub use question::{RelationQuestion, parse_relation_question};
pub use structured_data::{relations_in_profile_field, relations_in_row};
pub use verbs::canonical_relation;
pub use wording::{RelationPhrase, VerbPerson, relation_in_words};

use crate::comparison::is_preposition;
use crate::mentions::{is_about_code, is_tool_name};
use crate::sentences::sentences;
use crate::terms::term;
use crate::word_spans::{Word, words};
use noun_phrases::{NounPhrase, companions, location, objects};
use verbs::VerbForm;
use words::is_function_word;

/// Maximum number of sentences read: a note states its facts early.
const SENTENCES_MAX: usize = 20;
/// Maximum number of words in a sentence; a longer one states too much at once to be read by verbs.
const WORDS_MAX: usize = 60;
/// Maximum number of relations per text; more of them are a list of something else.
const RELATIONS_MAX: usize = 32;

/// A stated relation between a subject and an object.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RelationStatement {
    pub subject: RelationSubject,
    /// Relation in the active voice: `likes`, `works_at`, `run_with`.
    pub relation: String,
    /// Object as written.
    pub object: String,
    /// Entity kind of the object, where the words reveal it.
    pub kind: Option<&'static str>,
    /// Use of an object of the kind `media`, where it is known: one of [`MEDIA_USES`].
    pub media_use: Option<&'static str>,
}

/// Subject of a relation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RelationSubject {
    /// Owner of the text: `I`, `we`, `the user`.
    Owner,
    /// A person.
    Named(String),
    /// A tool, or something else of which the text does not show that it is a person.
    Thing(String),
}

impl RelationSubject {
    /// Returns the name; `None` for the owner.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Owner => None,
            Self::Named(name) | Self::Thing(name) => Some(name),
        }
    }

    /// Returns the entity kind.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Owner | Self::Named(_) => "person",
            Self::Thing(name) if is_tool_name(name) => "tool",
            Self::Thing(_) => "name",
        }
    }
}

impl RelationStatement {
    /// Returns true if subject or object has this name, ignoring case.
    #[must_use]
    pub fn involves(&self, name: &str) -> bool {
        let same = |known: &str| known.to_lowercase() == name.to_lowercase();
        same(&self.object) || self.subject.name().is_some_and(same)
    }

    /// Returns true if a name is only part of the title of the object: no Potter is meant in "A
    /// Potter's Book".
    #[must_use]
    pub fn has_in_title(&self, name: &str) -> bool {
        let words = |text: &str| -> Vec<String> {
            let parts = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 1);
            parts.map(str::to_lowercase).collect()
        };
        let (title, name) = (words(&self.object), words(name));
        let is_part =
            title.len() > name.len() && title.windows(name.len().max(1)).any(|w| w == name);
        self.kind == Some("media") && is_part
    }
}

/// Returns the relations that a text states, each once, in order.
#[must_use]
pub fn relation_statements(text: &str) -> Vec<RelationStatement> {
    let mut found: Vec<RelationStatement> = Vec::new();
    let about_code = is_about_code(text);
    for range in sentences(text).take(SENTENCES_MAX) {
        let sentence = Sentence::read(&text[range], about_code);
        for relation in sentence.into_iter().flat_map(|sentence| sentence.relations()) {
            if found.len() < RELATIONS_MAX && !found.contains(&relation) {
                found.push(relation);
            }
        }
    }
    found
}

/// One declarative sentence, split into words.
struct Sentence<'t> {
    text: &'t str,
    words: Vec<Word<'t>>,
    terms: Vec<String>,
    /// Part of a text about software, where names are more often those of things.
    about_code: bool,
}

impl<'t> Sentence<'t> {
    fn read(text: &'t str, about_code: bool) -> Option<Self> {
        let words: Vec<Word<'t>> = words(text).take(WORDS_MAX + 1).collect();
        let terms: Vec<String> = words.iter().map(|word| term(word.text).into_owned()).collect();
        let states = !text.ends_with('?')
            && words.len() <= WORDS_MAX
            && !terms.iter().any(|one| is_irrealis(one));
        (states && !words.is_empty()).then_some(Self { text, words, terms, about_code })
    }

    fn relations(&self) -> Vec<RelationStatement> {
        let mut found = roles::role_relations(self);
        let mut speaker: Option<RelationSubject> = None;
        let mut at = 0;
        while at < self.words.len() {
            let Some(form) = verbs::verb_at(&self.terms[at..]) else {
                at += 1;
                continue;
            };
            if let Some(subject) = self.subject_of_verb(at, &form, speaker.as_ref()) {
                self.read_verb(at, &form, &subject, &mut found);
                speaker = Some(subject.subject);
            }
            at += form.length.max(1);
        }
        found
    }

    fn read_verb(
        &self,
        at: usize,
        form: &VerbForm,
        subject: &VerbSubject,
        found: &mut Vec<RelationStatement>,
    ) {
        let from = at + form.length;
        let statement = |relation: &str, item: &NounPhrase<'_>, kind: Option<&'static str>| {
            let (relation, kind) = without_tool_as_person(relation, item.text, kind);
            RelationStatement {
                subject: subject.subject.clone(),
                relation: relation.to_owned(),
                object: item.text.to_owned(),
                kind: kind.or_else(|| entity_kinds::entity_kind_of_phrase(item.text)),
                media_use: entity_kinds::media_use_of_verb(form.verb.base),
            }
        };
        let mut add = |relation: &str, items: Vec<NounPhrase<'_>>, kind: Option<&'static str>| {
            found.extend(items.iter().map(|item| statement(relation, item, kind)));
        };
        if subject.negated {
            if form.verb.relation == Some("likes") {
                add("dislikes", objects(self, from, form.verb), None);
            }
            return;
        }
        if let Some(relation) = form.verb.relation {
            add(relation, objects(self, from, form.verb), form.verb.kind);
        }
        // "Runs with Zephyr in Frankfurt", about software, names neither company nor a visit.
        let ambiguous = self.about_code && !verbs::is_personal(form.verb);
        let companion = (!ambiguous).then_some("person");
        add(&format!("{}_with", form.verb.base), companions(self, from), companion);
        let is_visit = !subject.plural && !ambiguous;
        if let Some(relation) = form.verb.place_relation.filter(|_| is_visit) {
            let mut place = location(self, from);
            place.retain(|place| !is_tool_name(place.text));
            add(relation, place, Some("place"));
        }
    }

    /// Returns the subject of the verb at `at` and its polarity; `None` when there is no subject
    /// that can be read.
    fn subject_of_verb(
        &self,
        at: usize,
        form: &VerbForm,
        speaker: Option<&RelationSubject>,
    ) -> Option<VerbSubject> {
        let mut negated = false;
        for index in (0..at).rev() {
            let term = self.terms[index].as_str();
            match term {
                "i" | "i'm" | "i've" | "user" => {
                    return VerbSubject::new(RelationSubject::Owner, negated);
                }
                "we" | "we're" | "we've" => {
                    return Some(VerbSubject {
                        subject: RelationSubject::Owner,
                        negated,
                        plural: true,
                    });
                }
                "and" | "but" | "or" => {
                    return speaker.cloned().and_then(|subject| VerbSubject::new(subject, negated));
                }
                _ if is_negation_word(term) => negated = true,
                _ if may_precede_verb(term) => {}
                // "Backups of Porto go to Zurich" says nothing of Porto.
                _ if self.is_name_word(index) && self.is_within_phrase(index) => return None,
                _ if self.is_name_word(index) => {
                    return VerbSubject::new(
                        self.named_subject(self.name_ending_at(index), form),
                        negated,
                    );
                }
                _ => return None,
            }
        }
        // A note may leave the subject out, as in "Finished reading Dune"; a verb in the base form
        // would be an imperative instead.
        (form.declarative && speaker.is_none()).then_some(VerbSubject {
            subject: RelationSubject::Owner,
            negated,
            plural: false,
        })
    }

    /// Returns the subject of a name: a person, unless it is a tool, or software is said to do what
    /// software does.
    fn named_subject(&self, name: &str, form: &VerbForm) -> RelationSubject {
        let is_thing = is_tool_name(name) || (self.about_code && !verbs::is_personal(form.verb));
        let name = name.to_owned();
        if is_thing { RelationSubject::Thing(name) } else { RelationSubject::Named(name) }
    }

    /// Returns true if the word at an index is capitalised and no stop word.
    fn is_name_word(&self, index: usize) -> bool {
        let word = self.words[index].text;
        word.starts_with(char::is_uppercase)
            && !is_function_word(&self.terms[index])
            && word.chars().count() > 1
    }

    /// Returns the run of name words that ends at an index.
    fn name_ending_at(&self, index: usize) -> &'t str {
        &self.text[self.words[self.name_start(index)].start..self.words[index].end()]
    }

    /// Returns the index of the first word of the name that ends at an index.
    fn name_start(&self, index: usize) -> usize {
        let mut first = index;
        while first > 0 && self.is_name_word(first - 1) && self.gap(first).trim().is_empty() {
            first -= 1;
        }
        first
    }

    /// Returns true if a preposition makes the name that ends at an index a part of another phrase.
    fn is_within_phrase(&self, index: usize) -> bool {
        let first = self.name_start(index);
        let before = first.checked_sub(1).map_or("", |before| self.terms[before].as_str());
        // These open a clause of their own, or are the article.
        let opens_clause = matches!(before, "a" | "after" | "as" | "before" | "until");
        self.gap(first).trim().is_empty() && is_preposition(before) && !opens_clause
    }

    /// Returns the text between the word at an index and the one before it.
    fn gap(&self, index: usize) -> &'t str {
        let from = index.checked_sub(1).map_or(0, |before| self.words[before].end());
        self.words.get(index).map_or("", |word| &self.text[from..word.start])
    }
}

/// Returns the relation and the kind of an object. A tool that one knows is a skill, and one that
/// one works with is used; neither is a person.
fn without_tool_as_person<'r>(
    relation: &'r str,
    object: &str,
    kind: Option<&'static str>,
) -> (&'r str, Option<&'static str>) {
    match kind {
        _ if relation.ends_with("_with") && is_tool_name(object) => ("uses", Some("tool")),
        Some("person") if is_tool_name(object) => ("has_skill", Some("tool")),
        // An everyday word can be the name of a tool too, but not in lower case.
        None if object.starts_with(char::is_uppercase)
            && is_tool_name(object)
            && entity_kinds::entity_kind_of_phrase(object).is_none() =>
        {
            (relation, Some("tool"))
        }
        kind => (relation, kind),
    }
}

/// Subject of a verb, with its polarity and number.
struct VerbSubject {
    subject: RelationSubject,
    negated: bool,
    /// `we`: often a team, and "we run in production" names no place that anybody visits.
    plural: bool,
}

impl VerbSubject {
    #[allow(clippy::unnecessary_wraps, reason = "every caller returns an option")]
    fn new(subject: RelationSubject, negated: bool) -> Option<Self> {
        Some(Self { subject, negated, plural: false })
    }
}

/// Returns true for words that mark a wish, a plan, a possibility or the past (irrealis).
fn is_irrealis(term: &str) -> bool {
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

fn is_negation_word(term: &str) -> bool {
    matches!(term, "not" | "never" | "cannot" | "no" | "longer" | "hardly") || term.ends_with("n't")
}

/// Returns true for auxiliaries and adverbs that may stand between a subject and its verb.
fn may_precede_verb(term: &str) -> bool {
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
