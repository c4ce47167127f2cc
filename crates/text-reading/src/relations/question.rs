//! Questions about relations: "what food do I like?", "who did I run with?", "who works at
//! Acme?", "where does Ada work?". Any tense and number is accepted; a question of another form
//! is not guessed at.

use super::verbs::{self, is_form_of};
use super::{RelationSubject, entity_kinds, roles};
use crate::terms::term;
use crate::word_spans::words;

/// Maximum number of words; a longer question asks for more than one relation.
const WORDS_MAX: usize = 24;

/// A question about relations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelationQuestion {
    pub subject: RelationSubject,
    /// Relations that answer the question, the likeliest first.
    pub relations: Vec<String>,
    /// Entity kind that is asked for.
    pub kind: Option<&'static str>,
    /// Use of the media that are asked for.
    pub media_use: Option<&'static str>,
}

/// Parses a question about relations; `None` when it asks for something else.
#[must_use]
pub fn parse_relation_question(question: &str) -> Option<RelationQuestion> {
    let all: Vec<&str> = words(question).take(WORDS_MAX + 1).map(|word| word.text).collect();
    let terms: Vec<String> = all.iter().map(|word| term(word).into_owned()).collect();
    // The question word may follow a few others ("Remind me, what …").
    let at = terms
        .iter()
        .take(5)
        .position(|word| matches!(&**word, "what" | "which" | "who" | "whom" | "where"))?;
    let reader = QuestionParser { words: &all[at + 1..], terms: &terms[at + 1..] };
    let with = reader.ends_in("with") || (at > 0 && terms[at - 1] == "with");
    match terms[at].as_str() {
        _ if all.len() > WORDS_MAX => None,
        "who" | "whom" if with => reader.companion_question(),
        "who" | "whom" => reader
            .role_question()
            .or_else(|| reader.subject_question())
            .or_else(|| reader.object_question(Some("person"))),
        "where" => reader.place_question(),
        _ => reader.favourite_question().or_else(|| reader.object_question(None)),
    }
}

/// The words after the question word.
struct QuestionParser<'q> {
    words: &'q [&'q str],
    terms: &'q [String],
}

impl QuestionParser<'_> {
    fn ends_in(&self, word: &str) -> bool {
        self.terms.last().is_some_and(|last| last == word)
    }

    /// Returns the subject, and the index from which to search for the verb.
    fn subject(&self) -> Option<(RelationSubject, usize)> {
        let at = self
            .terms
            .iter()
            .position(|term| is_auxiliary(term) || FIRST_PERSON_WORDS.contains(&&**term))?;
        let mut from = at;
        while self.terms.get(from).is_some_and(|term| is_auxiliary(term) || term == "the") {
            from += 1;
        }
        let first = self.terms.get(from)?.as_str();
        if FIRST_PERSON_WORDS.contains(&first) {
            return Some((RelationSubject::Owner, from + 1));
        }
        let name = self.words.get(from)?;
        let mut end = from + 1;
        while self.words.get(end).is_some_and(|word| word.starts_with(char::is_uppercase)) {
            end += 1;
        }
        let is_name = name.starts_with(char::is_uppercase);
        is_name.then(|| (RelationSubject::Named(self.words[from..end].join(" ")), end))
    }

    /// Returns the first verb from an index on, past auxiliaries and adverbs.
    fn verb(&self, from: usize) -> Option<(usize, &str)> {
        let at = (from..self.terms.len())
            .find(|&at| !is_auxiliary(&self.terms[at]) && !is_filler(&self.terms[at]))?;
        Some((at, self.terms[at].as_str()))
    }

    /// Parses "who do I eat pizza with".
    fn companion_question(&self) -> Option<RelationQuestion> {
        let (subject, from) = self.subject()?;
        let (_, verb) = self.verb(from).filter(|(_, verb)| *verb != "with")?;
        Some(RelationQuestion {
            subject,
            relations: vec![format!("{}_with", verbs::base_form(verb))],
            kind: Some("person"),
            media_use: None,
        })
    }

    /// Parses "who is my wife", "who are Ada's friends".
    fn role_question(&self) -> Option<RelationQuestion> {
        let at = self.terms.iter().position(|term| roles::relation_of_role(term).is_some())?;
        let relation = roles::relation_of_role(&self.terms[at])?;
        let owner = at.checked_sub(1)?;
        let subject = match self.terms[owner].as_str() {
            "my" | "our" | "user" => RelationSubject::Owner,
            _ if self.words[owner].starts_with(char::is_uppercase) => {
                RelationSubject::Named(self.words[owner].trim_end_matches("'s").to_owned())
            }
            _ => return None,
        };
        Some(RelationQuestion {
            subject,
            relations: vec![relation.to_owned()],
            kind: Some("person"),
            media_use: None,
        })
    }

    /// Parses "where do I work".
    fn place_question(&self) -> Option<RelationQuestion> {
        let (subject, from) = self.subject()?;
        let (at, verb) = self.verb(from)?;
        let out =
            is_form_of(verb, "work") && self.terms.get(at + 1).is_some_and(|next| next == "out");
        let mut relations: Vec<String> = PLACE_RELATIONS
            .iter()
            .filter(|(base, _)| if out { *base == "exercise" } else { is_form_of(verb, base) })
            .flat_map(|(_, relations)| relations.iter().map(|relation| (*relation).to_owned()))
            .collect();
        relations.extend(
            verbs::verbs_with_form(verb).filter_map(|verb| verb.place_relation).map(str::to_owned),
        );
        relations.dedup();
        (!relations.is_empty()).then_some(RelationQuestion {
            subject,
            relations,
            kind: None,
            media_use: None,
        })
    }

    /// Parses "what are my favourite foods".
    fn favourite_question(&self) -> Option<RelationQuestion> {
        let at = self
            .terms
            .iter()
            .position(|term| term.starts_with("favourite") || term.starts_with("favorite"))?;
        let kind =
            self.terms[at + 1..].iter().find_map(|word| entity_kinds::entity_kind_of_word(word));
        Some(RelationQuestion {
            subject: RelationSubject::Owner,
            relations: vec!["likes".to_owned()],
            kind,
            media_use: self.media_use(),
        })
    }

    /// Parses "what food do I like", "which books have I read", "what am I allergic to", "what do I
    /// like to eat".
    fn object_question(&self, default_kind: Option<&'static str>) -> Option<RelationQuestion> {
        let (subject, from) = self.subject()?;
        let (at, verb) = self.verb(from)?;
        let noun_kind =
            self.terms[..from].iter().find_map(|word| entity_kinds::entity_kind_of_word(word));
        let verb_kind = self.terms[at + 1..]
            .iter()
            .find_map(|word| verbs::verbs_with_form(word).find_map(|verb| verb.kind));
        let mut relations: Vec<String> = Vec::new();
        for relation in verbs::verbs_with_form(verb).filter_map(|verb| verb.relation) {
            if !relations.iter().any(|known| known == relation) {
                relations.push(relation.to_owned());
            }
        }
        let negated = self.terms[..at].iter().any(|term| term == "not" || term.ends_with("n't"));
        if negated {
            relations = relations
                .iter()
                .filter(|one| *one == "likes")
                .map(|_| "dislikes".to_owned())
                .collect();
        }
        // "Take" has too many meanings to be read in a statement; with the noun it has one.
        if is_form_of(verb, "take") && noun_kind == Some("medication") {
            relations.push("takes".to_owned());
        }
        let kind = noun_kind.or(default_kind).or(verb_kind);
        let media_use = self.media_use().or_else(|| entity_kinds::media_use_of_verb(verb));
        (!relations.is_empty()).then_some(RelationQuestion { subject, relations, kind, media_use })
    }

    fn media_use(&self) -> Option<&'static str> {
        self.terms.iter().find_map(|word| entity_kinds::media_use_of_word(word))
    }

    /// Parses "who works at Acme", "who likes sushi": the answer is the subject.
    fn subject_question(&self) -> Option<RelationQuestion> {
        let form = verbs::verb_at(self.terms)?;
        let relation = form.verb.relation.filter(|_| form.declarative)?;
        let object: Vec<&str> = self.words[form.length..]
            .iter()
            .copied()
            .skip_while(|word| matches!(*word, "the" | "a" | "an"))
            .collect();
        let object = object.join(" ");
        let subject = match object.as_str() {
            "" => return None,
            "me" | "us" => RelationSubject::Owner,
            _ => RelationSubject::Named(object),
        };
        let (relations, kind) = (vec![relation.to_owned()], Some("person"));
        Some(RelationQuestion { subject, relations, kind, media_use: None })
    }
}

const FIRST_PERSON_WORDS: &[&str] = &["i", "we", "user", "i'm", "i've", "we've", "we're"];

fn is_auxiliary(term: &str) -> bool {
    matches!(
        term,
        "do" | "does"
            | "did"
            | "have"
            | "has"
            | "had"
            | "am"
            | "are"
            | "is"
            | "was"
            | "were"
            | "been"
    ) || term.ends_with("n't")
}

fn is_filler(term: &str) -> bool {
    matches!(
        term,
        "usually"
            | "often"
            | "always"
            | "really"
            | "ever"
            | "currently"
            | "now"
            | "not"
            | "to"
            | "mostly"
            | "normally"
            | "most"
            | "the"
            | "go"
            | "going"
    )
}

/// Relations that say where something is done, by the base form of the verb.
#[rustfmt::skip]
const PLACE_RELATIONS: &[(&str, &[&str])] = &[
    ("work", &["works_at"]), ("employ", &["works_at"]), ("live", &["lives_at"]),
    ("reside", &["lives_at"]), ("study", &["attended"]), ("go", &["visited"]),
    ("travel", &["visited"]), ("visit", &["visited"]), ("eat", &["visited"]),
    ("shop", &["visited"]), ("drink", &["visited"]), ("exercise", &["works_out_at"]),
    ("train", &["works_out_at"]), ("run", &["works_out_at", "visited"]), ("been", &["visited"]),
];
