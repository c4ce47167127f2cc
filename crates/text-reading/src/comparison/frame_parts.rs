//! Parts of a statement by the place of its words: what stands before the predicate, what only says
//! when or why, who made a change, and which words name or measure something.

use super::change_verbs;
use super::foreign_words::is_foreign_filler;
use super::frame::FramePart;
use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use super::verb_classes;

pub(super) fn is_before_preposition(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| next.class == TokenClass::Preposition)
}

/// Returns true for a name that says which of several: "the Dublin team".
pub(super) fn heads_noun(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| {
        let joined = tokens[at].end + 1 == next.start;
        let noun = !next.verb || next.word.ends_with("ing");
        joined && next.class == TokenClass::Content && !next.capital && noun
    })
}

/// Returns true for what stands behind "for".
pub(super) fn is_purpose(tokens: &[Token], at: usize) -> bool {
    let before = said_before(tokens, at);
    before.is_some_and(|token| matches!(&*token.word, "for" | "für" | "para" | "pour"))
}

/// Returns the preposition before a word.
pub(super) fn preposition_of(tokens: &[Token], at: usize) -> Option<&str> {
    let before = said_before(tokens, at)?;
    (before.class == TokenClass::Preposition).then_some(&*before.word)
}

/// Returns the word before another, articles left out.
fn said_before(tokens: &[Token], at: usize) -> Option<&Token> {
    tokens[..at].iter().rev().find(|token| token.class != TokenClass::Dropped)
}

/// Returns true for a number that tells one thing from others of its kind, beside the value: "room
/// 201 has 12 seats".
pub(super) fn is_number_of(tokens: &[Token], at: usize, leads: bool) -> bool {
    let bare =
        |token: &Token| token.value_type() == Some(ValueType::Quantity) && !token.key.contains(' ');
    let noun = at.checked_sub(1).is_some_and(|before| {
        let before = &tokens[before];
        let attribute = lexicon::is_attribute(&before.key) && !leads;
        before.class == TokenClass::Content && !attribute && !before.verb
    });
    noun && bare(&tokens[at]) && tokens[at + 1..].iter().any(is_measure)
}

/// Returns true for a day that stands as the first part of a noun.
pub(super) fn is_modifier(tokens: &[Token], at: usize) -> bool {
    let day = matches!(tokens[at].value_type(), Some(ValueType::Weekday | ValueType::Date));
    day && tokens.get(at + 1).is_some_and(|next| next.class == TokenClass::Content && !next.verb)
}

/// Returns the keys of the nouns that a number without a unit counts: "12 newsletter subscribers".
pub(super) fn counted_nouns(tokens: &[Token], at: usize) -> Vec<&str> {
    const NOUN_WORDS: usize = 2;
    let number = tokens[at].value_type() == Some(ValueType::Quantity);
    if !number || tokens[at].key.contains(' ') {
        return Vec::new();
    }
    // What follows a number at once is a noun: "3 meeting rooms".
    let noun = |(nth, token): &(usize, &Token)| {
        token.class == TokenClass::Content && (*nth == 0 || !is_predicate(token))
    };
    let after = tokens[at + 1..].iter().take(NOUN_WORDS).enumerate().take_while(noun);
    after.map(|(_, token)| token.topic.as_str()).collect()
}

pub(super) fn is_measure(token: &Token) -> bool {
    token.value_type().is_some_and(|kind| kind != ValueType::Identifier)
}

/// Counts the tokens before the predicate, or before the last sign that assigns a value.
pub(super) fn leading_length(statement: &Statement, tokens: &[Token]) -> usize {
    let sign = |token: &Token| matches!(&*token.word, ":" | "=" | "→" | ">" | "：");
    let assigned = tokens.iter().rposition(sign).unwrap_or(0);
    // "Send invoices to …" asks for something.
    let first = tokens.iter().find(|token| token.class != TokenClass::Dropped);
    if !statement.has_copula()
        && first.is_some_and(|token| token.opens && lexicon::is_plain_verb(&token.word))
        // "Return train from Prague leaves at …" has its verb behind.
        && !tokens.iter().skip(1).any(is_third_person)
    {
        return assigned;
    }
    let counted = tokens.iter().enumerate().filter(|(_, token)| token.counts());
    let predicate = counted.map(|(at, _)| at).nth(statement.subject).unwrap_or(tokens.len());
    predicate.max(assigned)
}

/// Returns true for a verb that ends like one behind a singular subject.
fn is_third_person(token: &Token) -> bool {
    token.class == TokenClass::Content
        && token.verb
        && token.word.ends_with('s')
        && !token.determined
        && !token.capital
        && verb_classes::is_finite_only(&token.word)
}

pub(super) fn part_of(tokens: &[Token], at: usize, leads: bool) -> Option<FramePart> {
    let token = &tokens[at];
    if is_adverbial(tokens, at) {
        return None;
    }
    match token.class {
        TokenClass::Value(ValueType::Identifier) if token.capital => Some(FramePart::Name),
        // An identifier before the predicate names what is spoken of.
        TokenClass::Value(ValueType::Identifier) if leads => Some(FramePart::Name),
        TokenClass::Value(kind) => Some(FramePart::Value(kind)),
        TokenClass::Content if lexicon::is_pronoun_key(&token.key) => None,
        TokenClass::Content if lexicon::is_filler(&token.word) => None,
        TokenClass::Content if is_foreign_filler(&token.word) && !token.capital => None,
        // "Backups run at 2 am" tells of no role.
        TokenClass::Content if !leads && is_intransitive(tokens, at) => Some(FramePart::Verb),
        TokenClass::Content if lexicon::is_attribute(&token.key) => Some(FramePart::Attribute),
        TokenClass::Content if token.is_name() && !token.determined => Some(FramePart::Name),
        TokenClass::Content if !leads && is_predicate(token) => Some(FramePart::Verb),
        TokenClass::Content => Some(FramePart::Subject),
        _ => None,
    }
}

/// Returns true for the last of several words before a preposition and a value, in a statement
/// without another predicate: "the flight lands at 10:45".
pub(super) fn is_verb_of_value(tokens: &[Token], at: usize) -> bool {
    let is =
        |at: usize, class: TokenClass| tokens.get(at).is_some_and(|token| token.class == class);
    let valued = |at: usize| tokens.get(at).is_some_and(|token| token.value_type().is_some());
    let follows = valued(at + 1) || is(at + 1, TokenClass::Preposition) && valued(at + 2);
    let third_person = tokens[at].word.ends_with('s') && !tokens[at].determined;
    at > 0 && third_person && is(at - 1, TokenClass::Content) && follows
}

/// Returns true for a verb before a preposition or a value.
fn is_intransitive(tokens: &[Token], at: usize) -> bool {
    is_predicate(&tokens[at])
        && !lexicon::is_single_valued(&tokens[at].key)
        && tokens.get(at + 1).is_some_and(|next| {
            next.value_type().is_some()
                || matches!(&*next.word, "at" | "on" | "in" | "for" | "with" | "within" | "after")
        })
}

/// Returns true for a verb that stands where a noun cannot.
fn is_predicate(token: &Token) -> bool {
    let verb = token.verb || lexicon::is_participle(&token.word);
    verb && !token.determined && !token.capital
}

/// Returns true for words that say when something began or holds: "since March", "last month".
fn is_adverbial(tokens: &[Token], at: usize) -> bool {
    let word =
        |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| &*token.word);
    let (this, before) = (&*tokens[at].word, word(at.checked_sub(1)));
    let period = lexicon::is_period(this);
    let day = matches!(tokens[at].value_type(), Some(ValueType::Date | ValueType::Weekday));
    let relative = lexicon::is_relative(before) && (period || day);
    let opens = lexicon::is_relative(this)
        && tokens.get(at + 1).is_some_and(|next| {
            lexicon::is_period(&next.word) || next.value_type() == Some(ValueType::Weekday)
        });
    let dated = matches!(
        tokens[at].value_type(),
        Some(ValueType::Date | ValueType::Weekday | ValueType::Quantity)
    );
    let begins = dated && lexicon::opens_period(before);
    relative || opens || begins
}

/// Returns the index from which a statement only gives a reason.
pub(super) fn reason_start(tokens: &[Token]) -> usize {
    let reason = |at: &usize| {
        let next = tokens.get(at + 1).map_or("", |next| &*next.word);
        // "Since she started school", but "since March".
        let clause = matches!(
            (&*tokens[*at].word, next),
            ("since", "i" | "we" | "he" | "she" | "they" | "the" | "my" | "our")
                | ("desde" | "depuis", "que" | "qu")
                | ("now", "that")
        );
        if *at > 2 && clause {
            return true;
        }
        // "Due to the storm", but "due 1 June".
        let due = tokens[*at].word == "due" && next != "to";
        *at > 2 && lexicon::opens_reason(&tokens[*at].word) && !due
    };
    (0..tokens.len()).find(reason).unwrap_or(tokens.len())
}

/// Counts the tokens before a verb that makes somebody change something: "the doctor raised my …".
pub(super) fn agent_length(tokens: &[Token]) -> usize {
    const AGENT_TOKENS_MAX: usize = 4;
    let sets = |token: &Token| {
        let leads = token.class == TokenClass::Change && change_verbs::is_leading_verb(&token.word);
        (leads || change_verbs::is_setting_verb(&token.word)) && !token.determined
    };
    let Some(verb) = tokens.iter().take(AGENT_TOKENS_MAX + 1).position(sets) else { return 0 };
    // "Amber Foods wants delivery on Tuesdays" tells of Amber Foods.
    let wants = matches!(&*tokens[verb].word, "wants" | "gives" | "puts" | "says" | "sets");
    if wants && tokens[..verb].iter().any(|token| token.capital) {
        return 0;
    }
    // Without an object the subject is what changed: "rent went up to 1350".
    let object = tokens.get(verb + 1).is_some_and(|next| {
        let particle = matches!(&*next.word, "back" | "forward" | "up" | "down" | "out");
        matches!(next.class, TokenClass::Content | TokenClass::Weak | TokenClass::Dropped)
            && !particle
            || next.value_type().is_some()
    });
    let passive = tokens[..verb].iter().any(|token| {
        matches!(token.class, TokenClass::Copula | TokenClass::PastCopula)
            || matches!(&*token.word, "got" | "gets")
    });
    if object && !passive { verb + 1 } else { 0 }
}
