//! One statement prepared for comparison: its tokens, its subject, its polarity, its tense, and
//! whether it tells of a state or of an event.

use super::lexicon;
use super::slots::Slot;
use super::tokens::{Token, TokenClass, tokens};
use super::values::ValueType;
use super::verb_classes;
use std::sync::OnceLock;

/// Number of words behind a verb among which a word leads to its new value.
const LEAD_WORDS: usize = 7;

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
        }
        statement
    }

    fn read_clause(text: &str, offset: usize) -> Self {
        let mut tokens = tokens(text);
        super::claim::drop_lead_in(&mut tokens);
        mark_changes(&mut tokens);
        mark_beginning(&mut tokens);
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
        self.tokens
            .iter()
            .any(|token| token.class == TokenClass::Change && lexicon::tells_of_change(&token.word))
    }

    /// Returns the first word of what a change began with, when nothing else names the old value:
    /// "Kenji" of "handed from Kenji to Adaeze".
    pub fn origin(&self) -> Option<&Token> {
        let change = self.tokens.iter().position(|token| {
            token.class == TokenClass::Change && lexicon::tells_of_change(&token.word)
        })?;
        let from = |token: &Token| matches!(&*token.word, "from" | "von" | "de" | "desde");
        let from = change + self.tokens[change..].iter().position(from)?;
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

fn is_pronoun(token: &Token) -> bool {
    matches!(&*token.key, "self" | "we" | "he" | "she" | "they" | "you") && !token.possessive
}

/// Marks past forms that lead to a new value as words of change, and takes the mark from those that
/// only tell what somebody wants: "climbed to 78%", "wants to become a pilot".
fn mark_changes(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let before = at.checked_sub(1).map_or("", |before| &*tokens[before].word);
        let wished = tokens[at].class == TokenClass::Change && before == "to"
            || is_work_done(tokens, at)
            || is_noun_of_change(tokens, at)
            // "Went down at 3:12" tells of an outage.
            || matches!(&*tokens[at].word, "went" | "gone") && is_timed(&tokens[at + 1..])
            // "Erreur 504" is no correction.
            || tokens[at].word == "erreur"
                && tokens.get(at + 1).is_some_and(|next| next.value_type().is_some())
            // "Transferred $400 to savings" may be done again.
            || matches!(&*tokens[at].word, "transferred" | "moved") && is_paid(&tokens[at + 1..])
            || tokens[at].word == "starting" && is_copula_before(tokens, at)
            // "Update: …" opens a note.
            || at > 0 && matches!(&*tokens[at].word, "edit" | "update");
        let leads = || {
            let after = tokens[at + 1..].iter().take(LEAD_WORDS);
            after.clone().any(|token| {
                token.word == "up" && token.class == TokenClass::Quantifier
                    || matches!(
                        &*token.word,
                        "to" | "as" | "into" | "under" | "auf" | "à" | "a" | "al"
                    )
            })
        };
        if is_reached(tokens, at) {
            tokens[at].class = TokenClass::Change;
        } else if wished {
            tokens[at].class = TokenClass::Content;
        } else if tokens[at].class == TokenClass::Content
            && lexicon::is_leading_verb(&tokens[at].word)
            && !tokens[at].determined
            && leads()
        {
            tokens[at].class = TokenClass::Change;
        }
    }
}

/// Returns true if an amount of money follows.
fn is_paid(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|next| {
        let unit = next.key.split_once(' ').map_or("", |(_, unit)| unit);
        next.value_type() == Some(ValueType::Quantity) && super::values::is_currency(unit)
    })
}

/// Returns true for a word behind a copula: "we're starting the project".
fn is_copula_before(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| tokens[before].class == TokenClass::Copula)
}

/// Returns true if a time or a day follows behind its preposition: "at 3:12 on Tuesday".
fn is_timed(tokens: &[Token]) -> bool {
    let timed = |token: &Token| {
        matches!(
            token.value_type(),
            Some(ValueType::TimeOfDay | ValueType::Weekday | ValueType::Date)
        )
    };
    tokens.first().is_some_and(|first| matches!(&*first.word, "at" | "on"))
        && tokens.get(1).is_some_and(timed)
}

/// Returns true for "up to" and "down to" behind a copula: "we are up to 14", "down to 79 kg".
fn is_reached(tokens: &[Token], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| tokens[before].class);
    let joined = before.is_none_or(|class| class == TokenClass::Copula);
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    // "Turned 12" gives a new age.
    if word(at) == "turned" && tokens.get(at + 1).is_some_and(|next| next.value_type().is_some()) {
        return true;
    }
    let led = tokens[at].class == TokenClass::Quantifier && word(at) == "up"
        || word(at) == "down" && word(at + 1) == "to";
    let value = |at: usize| tokens.get(at).is_some_and(|token| token.value_type().is_some());
    joined && led && (value(at + 1) || value(at + 2))
}

/// Returns true for a word between two nouns that has the form of a verb: "password reset link".
fn is_noun_of_change(tokens: &[Token], at: usize) -> bool {
    let noun = |at: usize| {
        tokens.get(at).is_some_and(|token| token.class == TokenClass::Content && !token.capital)
    };
    // "Made small changes", "small changes can help".
    let object = || {
        let mut near = tokens[at.saturating_sub(2)..at].iter();
        let leads = |token: &Token| token.verb || token.class == TokenClass::Quantifier;
        let joins = |token: &Token| matches!(token.class, TokenClass::Copula | TokenClass::Modal);
        tokens[at].determined || near.any(leads) || tokens.get(at + 1).is_some_and(joins)
    };
    matches!(&*tokens[at].word, "changes" | "moves") && object()
        || matches!(&*tokens[at].word, "reset" | "cut")
            && at > 0
            && noun(at - 1)
            && !tokens[at - 1].verb
            && noun(at + 1)
}

/// Leaves out the day from which on a statement holds, when it opens with it: "as of July our rent
/// is …".
fn mark_beginning(tokens: &mut [Token]) {
    let opens = tokens.first().is_some_and(|first| {
        first.class == TokenClass::Change && matches!(&*first.word, "as" | "ab" | "starting")
            || matches!(&*first.word, "since" | "from" | "seit" | "desde" | "depuis")
    });
    let timed = |token: &Token| {
        matches!(token.value_type(), Some(ValueType::Date | ValueType::Weekday))
            || lexicon::is_period(&token.word)
    };
    let Some(day) = tokens.iter().take(3).position(timed).filter(|_| opens) else { return };
    // Without another word there is nothing that could begin.
    if tokens.len() > day + 2 {
        tokens[..=day].iter_mut().for_each(|token| token.class = TokenClass::Change);
    }
}

/// Returns true for "a new number", "neue Adresse": the attribute has another value from now on.
fn names_new_attribute(tokens: &[Token]) -> bool {
    (0..tokens.len()).any(|at| {
        let attribute = tokens
            .get(at + 1)
            .is_some_and(|next| lexicon::is_attribute(&next.key) || next.word == "number");
        lexicon::is_new(&tokens[at].word) && (attribute || gives_value(&tokens[at + 1..]))
    })
}

/// Returns true if one to three nouns are followed by a name or a value: "scrum master: Paloma",
/// "departure 16:40".
fn gives_value(tokens: &[Token]) -> bool {
    const NOUN_WORDS_MAX: usize = 3;
    let noun = |token: &&Token| token.class == TokenClass::Content && !token.capital && !token.verb;
    let nouns = tokens.iter().take_while(noun).count();
    let joins = |token: &&Token| {
        matches!(token.class, TokenClass::Copula | TokenClass::Dropped | TokenClass::Weak)
    };
    let value = tokens[nouns..].iter().find(|token| !joins(token));
    (1..=NOUN_WORDS_MAX).contains(&nouns)
        && value.is_some_and(|value| value.is_name() || value.opens || value.value_type().is_some())
}

/// Returns true for a verb of change that tells what somebody did, without a new value: "changed
/// the air filter". Nothing says that it will not be done again.
fn is_work_done(tokens: &[Token], at: usize) -> bool {
    let verb = &tokens[at];
    // "moved to" is read as one word.
    let swallows = verb.end - verb.start > verb.word.len();
    let by_somebody = at == 0 || at == 1 && (is_pronoun(&tokens[0]) || tokens[0].opens);
    let names_value = |token: &Token| {
        matches!(
            &*token.word,
            "to" | "from" | "with" | "by" | "in" | "into" | "as" | "for" | "under" | "over" | "on"
        ) || token.class == TokenClass::Change
    };
    lexicon::is_change_verb(&verb.word)
        && verb.word.ends_with("ed")
        && verb.class == TokenClass::Change
        && by_somebody
        && !swallows
        && tokens.get(at + 1).is_some_and(|next| {
            matches!(next.class, TokenClass::Content | TokenClass::Dropped | TokenClass::Weak)
        })
        && !tokens[at + 1..].iter().any(|token| names_value(token) && !is_dated(tokens, token))
}

/// Returns true for the preposition before a day: "on Saturday".
fn is_dated(tokens: &[Token], preposition: &Token) -> bool {
    let mut after = tokens.iter().skip_while(|token| token.start <= preposition.start);
    let day = |kind| matches!(kind, ValueType::Date | ValueType::Weekday);
    matches!(&*preposition.word, "on" | "in")
        && after.next().is_some_and(|next| next.value_type().is_some_and(day))
}

/// Returns false for words that only place a statement in the present: "today", "since".
fn tells_change(token: &Token) -> bool {
    !matches!(&*token.word, "today" | "since" | "seit" | "actually" | "still" | "moment")
}

fn tense(tokens: &[Token]) -> Tense {
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
    if tokens.iter().any(|token| future(&token)) {
        return Tense::Future;
    }
    let joined = tokens.iter().position(|token| {
        token.class == TokenClass::Copula && token.word.starts_with(char::is_alphabetic)
    });
    let subordinate = super::kind::opens_with_subordinate(tokens);
    let past = tokens.iter().enumerate().any(|(at, token)| {
        // "is 8% of the salary, paid in April" tells of the present.
        let participle = joined.is_some_and(|joined| joined < at) || subordinate;
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

/// Returns true if the statement names what it replaces.
fn has_contrast(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    (0..tokens.len()).any(|at| {
        matches!(
            (word(at), word(at + 1)),
            ("instead", "of")
                | ("rather", "than")
                | ("used", "to")
                | ("no", "but")
                | ("previously" | "formerly" | "anstatt" | "statt", _)
        ) || tokens[at].class == TokenClass::Change
            && (lexicon::tells_of_change(&tokens[at].word)
                || matches!(word(at), "took" | "taken" | "taking"))
            && tokens[at..].iter().any(|token| matches!(&*token.word, "from" | "von" | "de"))
    }) || {
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

/// Returns true for a word that a clause of its own begins with.
fn opens_clause(token: &Token) -> bool {
    is_pronoun(token)
        || matches!(&*token.word, "it" | "that" | "there" | "this")
        || matches!(token.class, TokenClass::Copula | TokenClass::Modal)
}
