//! One statement prepared for comparison: its tokens, its subject, its polarity, its tense, and
//! whether it tells of a state or of an event.

use super::change_marks::{mark_changes, names_new_attribute, tells_change};
use super::change_occasion::mark_occasion;
use super::change_verbs;
use super::lexicon;
use super::slots::Slot;
use super::tokens::{Token, TokenClass, tokens};
use super::values::ValueType;
use super::verb_classes;
use std::sync::OnceLock;

/// Time that a statement speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tense {
    Past,
    Present,
    Future,
}

/// Kind of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// Has one current value for its subject and attribute.
    State,
    /// One occasion of many: a meal, a run, a call.
    Event,
    /// Anything else: opinions, skills, facts with several values.
    Other,
}

/// A statement.
#[derive(Debug)]
pub(super) struct Statement {
    /// Offset of the statement in its text.
    pub offset: usize,
    pub tokens: Vec<Token>,
    /// Number of negations.
    pub negations: usize,
    pub tense: Tense,
    /// True if words tell of a change: "now", "switched to".
    pub changed: bool,
    /// True if the statement says what no longer holds: "instead of", "no longer", "from … to".
    pub contrast: bool,
    /// Index of a negation that opens its own part behind a comma: "in the safe, not in the
    /// drawer".
    pub denial: Option<usize>,
    /// True if it says since when it holds.
    pub since: bool,
    pub kind: StatementKind,
    /// Number of counted tokens before the predicate.
    pub subject: usize,
    pub question: bool,
    /// Parts between commas and colons that can stand alone; empty for a plain sentence.
    pub clauses: Vec<Statement>,
    /// True for a clause beside another one that says what happened before: "they gave us an
    /// extension: the tender has to be in by 26 May".
    pub explained: bool,
    /// The slot that it fills, read when it is first asked for.
    slot: OnceLock<Option<Slot>>,
}

impl Statement {
    /// Prepares one sentence and its clauses.
    pub fn read(text: &str, offset: usize) -> Self {
        let mut statement = Self::read_clause(text, offset);
        let clauses = super::clauses::split(text);
        if clauses.len() > 1 {
            let question = statement.question;
            let read = |range: &std::ops::Range<usize>| {
                let clause = Self::read_clause(&text[range.clone()], offset + range.start);
                Self { question, ..clause }
            };
            statement.clauses = clauses.iter().map(read).collect();
            mark_explained(&mut statement.clauses);
        }
        statement
    }

    fn read_clause(text: &str, offset: usize) -> Self {
        let mut tokens = tokens(text);
        super::claim::drop_lead_in(&mut tokens);
        mark_changes(&mut tokens);
        mark_occasion(&mut tokens, text);
        let tense = tense(&tokens);
        let mut statement = Self {
            offset,
            negations: tokens.iter().filter(|one| one.class == TokenClass::Negation).count(),
            changed: tokens.iter().any(|one| one.class == TokenClass::Change && tells_change(one))
                || names_new_attribute(&tokens),
            contrast: has_contrast(&tokens) || text.contains("(was "),
            denial: tokens.iter().rposition(|token| {
                let opens = text[..token.start].trim_end().ends_with([',', ';', '—', '(', '，']);
                token.class == TokenClass::Negation && opens
            }),
            since: tokens.iter().any(|token| {
                matches!(&*token.word, "since" | "seit" | "desde" | "depuis" | "自" | "从")
            }),
            kind: StatementKind::Other,
            subject: 0,
            question: text.trim_end().ends_with(['?', '？']),
            clauses: Vec::new(),
            explained: false,
            slot: OnceLock::new(),
            tense,
            tokens,
        };
        statement.subject = statement.subject_length();
        statement.kind = super::kind::kind_of(&statement);
        statement
    }

    /// Returns the slot that it fills, if it fills one.
    pub fn slot(&self) -> Option<&Slot> {
        self.slot.get_or_init(|| Slot::read(self)).as_ref()
    }

    /// Returns the tokens that take part in an alignment.
    pub fn counted(&self) -> Vec<&Token> {
        self.tokens.iter().filter(|token| token.counts()).collect()
    }

    /// Returns true if it says that something ended: "no longer", "anymore", "stopped".
    pub fn ends_something(&self) -> bool {
        self.tokens.iter().any(|token| {
            token.key == lexicon::NO_LONGER
                || token.word == "any" && token.class == TokenClass::Change
                || matches!(&*token.word, "anymore" | "stopped" | "dropped" | "gone")
        })
    }

    /// Returns true if a verb tells of a change: "moved", "switched".
    pub fn has_verb_of_change(&self) -> bool {
        self.tokens.iter().any(|token| {
            token.class == TokenClass::Change && change_verbs::tells_of_change(&token.word)
        })
    }

    /// Returns the first word of what a change began with, when nothing else names the old value:
    /// "Kenji" of "handed from Kenji to Adaeze".
    pub fn origin(&self) -> Option<&Token> {
        let from = origin_preposition(&self.tokens)?;
        let named = |token: &Token| {
            matches!(&*token.word, "instead" | "rather" | "used" | "previously" | "formerly")
        };
        let other = self.negations > 0 || self.tokens.iter().any(named);
        let content = |token: &&Token| token.class == TokenClass::Content;
        self.tokens[from + 1..].iter().find(content).filter(|_| !other)
    }

    /// Returns true if it says that it holds for the time being: "at the moment", "currently".
    pub fn is_at_present(&self) -> bool {
        self.tokens.iter().any(|token| {
            matches!(&*token.word, "moment" | "currently" | "presently" | "nowadays" | "these")
        })
    }

    /// Returns true if a verb, a copula or an assignment says something of the subject.
    pub fn has_predicate(&self) -> bool {
        let verb = |token: &Token| {
            token.class == TokenClass::Modal || token.class == TokenClass::Content && token.verb
        };
        self.has_copula() || self.tokens.iter().any(verb)
    }

    /// Returns true if a copula or an assignment joins subject and value.
    pub fn has_copula(&self) -> bool {
        let is =
            |token: &&Token| matches!(token.class, TokenClass::Copula | TokenClass::PastCopula);
        self.tokens.iter().any(|token| is(&token))
    }

    /// Counts the tokens of the subject: those before the copula, the first verb, or the first
    /// value of a note without a verb.
    fn subject_length(&self) -> usize {
        let counted_before =
            |at: usize| self.tokens[..at].iter().filter(|token| token.counts()).count();
        let after_pronoun = self.tokens.iter().position(is_pronoun).map(|at| at + 1);
        // "Train" is no verb in "the return train leaves at 6".
        let finite = |token: &Token| verb_classes::is_finite_only(&token.word) && !token.determined;
        let later = self.tokens.iter().rposition(finite);
        let joint = self.tokens.iter().enumerate().position(|(at, token)| {
            let before = at.checked_sub(1).map(|before| &self.tokens[before]);
            let noun = before.is_some_and(|it| {
                it.class == TokenClass::Content && !it.word.ends_with('s') && !is_pronoun(it)
            });
            if noun && lexicon::is_plain_verb(&token.word) && later.is_some_and(|later| later > at)
            {
                return false;
            }
            let copula = matches!(token.class, TokenClass::Copula | TokenClass::PastCopula);
            let verb = token.class == TokenClass::Content
                && token.verb
                && !token.determined
                && !token.capital;
            let change = matches!(token.class, TokenClass::Change | TokenClass::Modal);
            (copula || verb || change) && counted_before(at) > 0
        });
        if let Some(at) = joint.or(after_pronoun) {
            return counted_before(after_pronoun.filter(|after| *after <= at).unwrap_or(at)).max(
                if after_pronoun.is_some_and(|after| after <= at) { 0 } else { counted_before(at) },
            );
        }
        if self.tokens.first().is_some_and(|token| token.verb) {
            return 0;
        }
        let value = self.tokens.iter().position(|token| token.value_type().is_some());
        value.map_or(1, counted_before)
    }

    /// Returns true if a value of this type occurs.
    pub fn has_value(&self, kind: ValueType) -> bool {
        self.tokens.iter().any(|token| token.value_type() == Some(kind))
    }
}

/// Marks the clauses that tell what holds since another one happened.
fn mark_explained(clauses: &mut [Statement]) {
    // "Bellini could only do a later slot", "her old firm won't release her early".
    let failed = |token: &Token| matches!(&*token.word, "could" | "cannot" | "wo" | "ca");
    let happened = |one: &Statement| {
        let past = one.kind == StatementKind::Event || one.tense == Tense::Past;
        past || one.tokens.iter().any(failed)
    };
    if clauses.iter().any(happened) {
        for clause in clauses.iter_mut() {
            clause.explained = clause.kind == StatementKind::State
                && clause.tense == Tense::Present
                && clause.negations == 0;
        }
    }
}

pub(super) fn is_pronoun(token: &Token) -> bool {
    matches!(&*token.key, "self" | "we" | "he" | "she" | "they" | "you") && !token.possessive
}

pub(super) fn tense(tokens: &[Token]) -> Tense {
    let future = |token: &&Token| {
        token.class == TokenClass::Modal
            && matches!(
                &*token.word,
                "will"
                    | "won't"
                    | "going"
                    | "plan"
                    | "plans"
                    | "planning"
                    | "werde"
                    | "wird"
                    | "werden"
                    | "将"
                    | "会"
            )
            || token.word.ends_with("'ll")
    };
    if tokens.iter().any(|token| future(&token)) && !is_german_passive(tokens) {
        return Tense::Future;
    }
    let joined = tokens.iter().position(|token| {
        token.class == TokenClass::Copula && token.word.starts_with(char::is_alphabetic)
    });
    let subordinate = super::kind::opens_with_subordinate(tokens);
    let past = tokens.iter().enumerate().any(|(at, token)| {
        // "is 8% of the salary, paid in April" tells of the present.
        let participle = joined.is_some_and(|joined| joined < at)
            || subordinate
            || super::kind::is_attributive(tokens, at);
        let before = at.checked_sub(1).map_or("", |before| &*tokens[before].word);
        // "is deployed", "has moved" and "the attached file" tell of the present.
        let present = matches!(
            before,
            "is" | "are"
                | "be"
                | "am"
                | "has"
                | "have"
                | "been"
                | "get"
                | "gets"
                | "by"
                | "not"
                | "to"
                | "'ve"
                | "'s"
                | "'re"
                | "'m"
                | "n't"
        ) || matches!(before, "=" | ":")
            && lexicon::irregular_base(&token.word).is_none()
            || token.determined;
        token.class == TokenClass::PastCopula && !matches!(&*token.word, "been")
            || token.class == TokenClass::Content
                && (lexicon::is_past_form(&token.word) || at == 0 && token.word == "called")
                && !token.capital
                && !participle
                && !present
    });
    if past { Tense::Past } else { Tense::Present }
}

/// Returns true for "werden mit 92 Euro abgerechnet", which tells of the present.
fn is_german_passive(tokens: &[Token]) -> bool {
    let auxiliary = tokens.iter().any(|token| matches!(&*token.word, "wird" | "werden"));
    auxiliary
        && tokens.last().is_some_and(|last| {
            let strong = last.word.contains("ge") && last.word.ends_with("en");
            !last.capital && (last.word.ends_with('t') || strong)
        })
}

/// Returns true if the statement names what it replaces.
fn has_contrast(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    (0..tokens.len()).any(|at| {
        matches!(
            (word(at), word(at + 1)),
            ("instead" | "place" | "lieu" | "favor" | "favour", "of")
                | ("au", "lieu")
                | ("à", "place")
                | ("en", "vez" | "lugar")
                | ("al", "posto")
                | ("rather", "than")
                | ("used", "to")
                | ("no", "but")
                | ("previously" | "formerly" | "anstatt" | "anstelle" | "statt" | "invece", _)
        )
    }) || origin_preposition(tokens).is_some()
        || {
            let negated = tokens.iter().any(|token| token.class == TokenClass::Negation);
            let adds = tokens.iter().enumerate().any(|(at, token)| match &*token.word {
                // "I have not read it, but I will" sets nothing against anything.
                "but" | "mais" | "而" => !tokens[at + 1..].iter().any(opens_clause),
                "sondern" | "sino" | "now" | "jetzt" | "ahora" => true,
                _ => false,
            });
            negated && adds
        }
}

/// Returns the index of the preposition before what a change began with.
fn origin_preposition(tokens: &[Token]) -> Option<usize> {
    let changes = |token: &Token| {
        token.class == TokenClass::Change
            && (change_verbs::tells_of_change(&token.word)
                || matches!(&*token.word, "took" | "taken" | "taking" | "换" | "搬" | "调"))
    };
    let verb = tokens.iter().position(changes)?;
    let from = |token: &Token| matches!(&*token.word, "from" | "von" | "de" | "desde");
    let behind = tokens[verb..].iter().position(from).map(|at| verb + at);
    // In German and Chinese the verb follows: "von Memcached auf Valkey umgestiegen".
    let before = || tokens[..verb].iter().rposition(|it| matches!(&*it.word, "von" | "从"));
    behind.or_else(before)
}

/// Returns true for a word that a clause of its own begins with.
fn opens_clause(token: &Token) -> bool {
    is_pronoun(token)
        || matches!(&*token.word, "it" | "that" | "there" | "this")
        || matches!(token.class, TokenClass::Copula | TokenClass::Modal)
}
