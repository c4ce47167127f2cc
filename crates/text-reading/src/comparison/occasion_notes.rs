//! Notes that tell of one occasion: meals, runs, talks, measurements, entries of a log.

use super::kind::{has_present_verb, has_verb_copula};
use super::lexicon;
use super::statement::{Statement, Tense};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

/// Returns true for a note without a verb that tells of one occasion.
pub(super) fn is_note_of_occasion(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let first = tokens.first();
    let stamped = first.is_some_and(|first| {
        matches!(first.value_type(), Some(ValueType::Date | ValueType::TimeOfDay))
    }) && tokens.len() > 2;
    // "Error 504 on /cart at 9:14".
    let failed = statement.has_value(ValueType::TimeOfDay)
        && first.is_some_and(|first| lexicon::is_failure(&first.word));
    let noted = is_log_entry(statement) || is_reading(statement) || is_dated_note(statement);
    notes_occasion(tokens) || !has_verb_copula(tokens) && (stamped || failed || noted)
}

fn is_measured(statement: &Statement) -> bool {
    statement.has_value(ValueType::Quantity) || statement.has_value(ValueType::Identifier)
}

/// Returns true for an activity with an amount: "Lunch: 540 kcal", but not "Standup: 9:30".
fn is_log_entry(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    names_activity(tokens)
        && !has_present_verb(tokens)
        && (statement.has_value(ValueType::Quantity) || tokens.len() <= 4)
        && !statement.has_value(ValueType::TimeOfDay)
        && !statement.has_value(ValueType::Frequency)
}

/// Returns true for one measurement: "Pulse 62", but not "the weight limit is 20 kg".
fn is_reading(statement: &Statement) -> bool {
    let current = statement.tokens.iter().any(|token| lexicon::is_filler(&token.word));
    is_measured(statement) && names_measurement(&statement.tokens) && !current
}

/// Returns true for an amount or an activity with its day.
fn is_dated_note(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let measured = is_measured(statement);
    let listed = tokens.iter().any(|token| token.word == ":") && tokens.len() > 5;
    let day = tokens
        .iter()
        .any(|token| token.value_type() == Some(ValueType::Date) && token.key.contains('-'));
    let dated = names_day_of_occasion(tokens)
        && statement.tense != Tense::Future
        && !tokens.iter().any(|token| lexicon::is_deadline(&token.key))
        && (measured && tokens.len() > 3 || names_activity(tokens) || day && listed);
    let on_weekday = measured
        && statement.has_value(ValueType::Weekday)
        && !statement.has_value(ValueType::TimeOfDay)
        && !tokens.iter().any(|token| token.verb || token.class == TokenClass::Quantifier);
    dated || on_weekday
}

/// Returns true for a day that is not the one by which or from which on something holds: "530 a
/// year from March", "10,000 by December".
fn names_day_of_occasion(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().any(|(at, token)| {
        let before = at.checked_sub(1).map_or("", |before| &*tokens[before].word);
        let month = !token.key.contains('-');
        let bound = matches!(before, "by" | "until" | "till" | "bis" | "hasta" | "since" | "seit")
            || month && matches!(before, "from" | "ab" | "desde" | "depuis" | "starting");
        token.value_type() == Some(ValueType::Date) && !bound
    })
}

/// Returns true for a note of a meal or of a talk with somebody: "Dinner: risotto", "call with
/// Marisol: …".
fn notes_occasion(tokens: &[Token]) -> bool {
    const OPENING_TOKENS: usize = 3;
    let Some(colon) = tokens.iter().position(|token| token.word == ":") else { return false };
    let opening = &tokens[..colon.min(OPENING_TOKENS)];
    let accompanied =
        tokens[..colon].iter().any(|token| matches!(&*token.word, "with" | "mit" | "con" | "avec"));
    let valued = tokens[colon..].iter().any(|token| token.value_type().is_some());
    let talk = |token: &Token| {
        matches!(&*token.word, "call" | "chat" | "anruf" | "termin" | "gespräch" | "telefonat")
            || matches!(&*token.word, "llamada" | "appel" | "interview" | "meeting" | "reunión")
    };
    let occasion = |token: &Token| lexicon::is_meal(&token.word) || accompanied && talk(token);
    !valued && opening.iter().any(occasion)
}

/// Returns true for a measured thing at the beginning of a note, unless an attribute follows.
fn names_measurement(tokens: &[Token]) -> bool {
    let first: Vec<&Token> = tokens.iter().filter(|token| token.counts()).take(3).collect();
    let at = first.iter().position(|token| lexicon::is_measurement(&token.word));
    // "I sleep six hours" tells of a habit.
    let at = at.filter(|at| {
        at.checked_sub(1).is_none_or(|before| !lexicon::is_pronoun_key(&first[before].key))
    });
    at.is_some_and(|at| first.get(at + 1).is_none_or(|next| !lexicon::is_single_valued(&next.key)))
}

/// Returns true for what people do again and again: "ran 5 km", "took the pill", "had lunch".
pub(super) fn tells_routine(tokens: &[Token]) -> bool {
    had_meal(tokens) || tokens.iter().take(3).any(|token| lexicon::is_routine_past(&token.word))
}

/// Returns true for "Read 30 pages": how much was read is told afterwards.
pub(super) fn logs_reading(tokens: &[Token]) -> bool {
    let counted = |token: &Token| token.value_type() == Some(ValueType::Quantity);
    tokens.first().is_some_and(|first| first.word == "read") && tokens.get(1).is_some_and(counted)
}

/// Returns true for "had lunch", "had a call".
pub(super) fn had_meal(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    (0..tokens.len().min(3)).any(|at| {
        // "got moved to Sunday" tells what happened to it; "got a new phone" of what is there now.
        let next = tokens.get(at + 1);
        let passive = next.is_some_and(|next| {
            next.class == TokenClass::Change || lexicon::is_past_form(&next.word)
        });
        let new = word(at + 1) == "new" || word(at + 2) == "new";
        matches!(word(at), "had") || word(at) == "got" && !passive && !new
    })
}

pub(super) fn names_activity(tokens: &[Token]) -> bool {
    let counted = tokens.iter().filter(|token| token.counts()).take(2);
    let named: Vec<&Token> = counted.collect();
    named.iter().enumerate().any(|(at, token)| {
        let before = at.checked_sub(1).map(|before| named[before]);
        let follows = before.is_some_and(|before| {
            before.class == TokenClass::Preposition || lexicon::is_pronoun_key(&before.key)
        });
        // "Trip budget: 900 euros" is about the budget.
        let attribute = tokens.iter().filter(|token| token.counts()).nth(at + 1);
        let attribute = attribute.is_some_and(|next| lexicon::is_single_valued(&next.key));
        // "Builds run on Ubuntu".
        let verb = token.word == "run" && before.is_some_and(|before| before.word.ends_with('s'));
        lexicon::is_activity(&token.word) && !follows && !attribute && !verb
    })
}
