//! States and events: a state has one current value, an event is one occasion of many. Read from
//! the tense, the verb and the shape of a note.

use super::lexicon;
use super::statement::{Statement, StatementKind, Tense};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

/// Returns the kind of a statement.
pub(super) fn kind_of(statement: &Statement) -> StatementKind {
    if is_event(statement) {
        StatementKind::Event
    } else if is_state(statement) {
        StatementKind::State
    } else {
        StatementKind::Other
    }
}

fn is_event(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    let occasion = (0..tokens.len()).any(|at| {
        matches!(
            (word(at), word(at + 1)),
            ("yesterday" | "tonight" | "gestern" | "ayer" | "hier" | "昨天" | "今天", _)
                | ("last", "night" | "week" | "month")
                | ("this", "morning" | "afternoon" | "evening")
                | ("heute", "morgen" | "früh" | "abend")
                | ("ce", "matin")
                | ("esta", "mañana")
        )
    });
    let past_event = statement.tense == Tense::Past && has_past_event_verb(statement);
    let perfect = statement
        .tokens
        .iter()
        .any(|token| token.class == TokenClass::Content && lexicon::is_foreign_past(&token.word));
    let quantity = statement.has_value(ValueType::Quantity);
    let note = !has_verb_copula(tokens);
    // "Standup: 9:30" is a state; "Lunch: 540 kcal" and "Morning run, 5 km" are occasions.
    let logged = names_activity(tokens)
        && note
        && (quantity || tokens.len() <= 4)
        && !statement.has_value(ValueType::TimeOfDay);
    let stamped = tokens.first().is_some_and(|first| {
        matches!(first.value_type(), Some(ValueType::Date | ValueType::TimeOfDay))
    }) && note
        && tokens.len() > 2;
    let listed = tokens.iter().any(|token| token.word == ":") && tokens.len() > 5;
    let day = tokens
        .iter()
        .any(|token| token.value_type() == Some(ValueType::Date) && token.key.contains('-'));
    let measured = quantity || statement.has_value(ValueType::Identifier);
    let dated = statement.has_value(ValueType::Date)
        && note
        && (measured && tokens.len() > 3 || names_activity(tokens) || day && listed);
    let had = word_had_meal(tokens);
    let timed = [ValueType::Date, ValueType::Weekday, ValueType::TimeOfDay];
    let noted = note
        && measured
        && statement.has_value(ValueType::Weekday)
        && !statement.has_value(ValueType::TimeOfDay)
        && !tokens
            .iter()
            .any(|token| lexicon::is_verb(&token.word) || token.class == TokenClass::Quantifier);
    let past_occasion = statement.tense == Tense::Past
        && timed.iter().any(|kind| statement.has_value(*kind))
        && !tokens.iter().any(|token| matches!(&*token.word, "born" | "since"));
    (past_event
        || had
        || past_occasion
        || noted
        || perfect
        || occasion && note
        || logged
        || stamped
        || dated)
        && !statement.changed
}

fn has_verb_copula(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| {
        token.class == TokenClass::Copula && token.word.chars().all(char::is_alphabetic)
    })
}

fn has_past_event_verb(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let present = tokens.iter().position(|token| {
        token.class == TokenClass::Copula && token.word.chars().all(char::is_alphabetic)
    });
    tokens.iter().enumerate().any(|(at, token)| {
        if present.is_some_and(|copula| copula < at) {
            return false;
        }
        let before = at.checked_sub(1).map_or("", |before| &*tokens[before].word);
        let passive_present = matches!(before, "is" | "are" | "be" | "to" | "gets");
        token.class == TokenClass::Content
            && lexicon::is_past_form(&token.word)
            && !token.determined
            && !passive_present
            && !lexicon::is_past_state(&token.key)
    })
}

/// Returns true for "had lunch", "had a call".
fn word_had_meal(tokens: &[Token]) -> bool {
    tokens.iter().take(3).any(|token| matches!(&*token.word, "had" | "got"))
}

fn names_activity(tokens: &[Token]) -> bool {
    let counted = tokens.iter().filter(|token| token.counts()).take(2);
    let named: Vec<&Token> = counted.collect();
    named.iter().enumerate().any(|(at, token)| {
        let before = at.checked_sub(1).map(|before| named[before]);
        let follows = before.is_some_and(|before| {
            before.class == TokenClass::Preposition || lexicon::is_pronoun_key(&before.key)
        });
        lexicon::is_activity(&token.word) && !follows
    })
}

fn is_state(statement: &Statement) -> bool {
    let several = statement.tokens.iter().any(|token| lexicon::is_many_valued_verb(&token.key));
    let joined = statement.has_copula();
    let verb = statement.tokens.iter().any(|token| lexicon::is_state_verb(&token.key));
    let rule = statement.tokens.iter().any(|token| {
        matches!(&*token.word, "always" | "never" | "must" | "should" | "only" | "don't")
    });
    let value = statement.tokens.iter().any(|token| token.value_type().is_some());
    (joined || verb || rule || value || statement.changed) && (!several || value || rule)
}
