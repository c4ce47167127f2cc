//! States and events: a state has one current value, an event is one occasion of many. Read from
//! the tense, the verb and the shape of a note.

use super::change_verbs;
use super::foreign_past::has_foreign_perfect;
use super::lexicon;
use super::occasion_notes::{
    had_meal, is_note_of_occasion, logs_reading, names_activity, tells_routine,
};
use super::statement::{Statement, StatementKind, Tense};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use super::verb_classes;

/// Number of words between "has" and the participle at the end of a statement.
const PARTICIPLE_WORDS: usize = 4;

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

/// Returns true if the same words on another day tell of another occasion: a note of an activity, a
/// meal, or a day named from where the speaker stands. What happens once, such as a release or a
/// move, is the same event whenever it is told.
pub(super) fn may_happen_again(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    statement.kind == StatementKind::Event
        && (names_relative_day(tokens) || names_activity(tokens) || tells_routine(tokens))
        && ![ValueType::Date, ValueType::Version, ValueType::Identifier]
            .iter()
            .any(|kind| statement.has_value(*kind))
}

/// Returns true for "yesterday", "this morning": words that mean another day when said on another.
fn names_relative_day(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    // "since last month" tells from when on a state holds.
    // So does "after last night's upgrade".
    let since = |at: usize| {
        at > 0 && (lexicon::opens_period(word(at - 1)) || lexicon::is_after(word(at - 1)))
    };
    (0..tokens.len()).filter(|at| !since(*at)).any(|at| {
        matches!(
            (word(at), word(at + 1)),
            ("yesterday" | "today" | "tonight" | "gestern" | "heute" | "ayer" | "hoy", _)
                | ("hier" | "aujourd'hui", _)
                | ("今" | "昨" | "前", "天" | "早" | "晚")
                | ("last", "night" | "week" | "month")
                | ("this", "morning" | "afternoon" | "evening" | "week" | "weekend")
                | ("ce", "matin")
                | ("esta", "mañana")
        ) && word(at + 2) != "of"
    })
}

fn is_event(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let told = tells_past(statement) || has_foreign_perfect(statement);
    let repeated = names_relative_day(tokens) || had_meal(tokens) || logs_reading(tokens);
    !statement.changed && (told || repeated || is_note_of_occasion(statement))
}

/// Returns true for what happened once: a verb in the past, or an amount or a day with "was".
fn tells_past(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    // What somebody has to do holds until it is changed.
    let ruled = tokens.windows(2).any(|two| {
        matches!(&*two[0].word, "should" | "must" | "may")
            || matches!(&*two[0].word, "has" | "have") && two[1].word == "to"
    });
    let past = |token: &Token| token.class == TokenClass::PastCopula && token.word != "been";
    let was = statement.has_value(ValueType::Quantity) && tokens.iter().any(past);
    let acted = statement.tense == Tense::Past && has_past_event_verb(statement);
    let timed = [ValueType::Date, ValueType::Weekday, ValueType::TimeOfDay];
    let dated = statement.tense == Tense::Past
        && timed.iter().any(|kind| statement.has_value(*kind))
        && !tokens.iter().any(|token| matches!(&*token.word, "born" | "since"));
    !ruled && (was || acted) || dated
}

fn has_past_event_verb(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let present = tokens.iter().enumerate().position(|(at, token)| {
        token.class == TokenClass::Copula && token.word.chars().all(char::is_alphabetic)
            || is_finite_present(tokens, at)
    });
    tokens.iter().enumerate().any(|(at, token)| {
        if present.is_some_and(|copula| copula < at) {
            return false;
        }
        let before = at.checked_sub(1).map_or("", |before| &*tokens[before].word);
        let passive_present = matches!(before, "is" | "are" | "be" | "to" | "gets");
        let next = tokens.get(at + 1).map_or("", |next| &*next.word);
        // "three failed attempts", "width enforced by the formatter", "HR announced that we get".
        let noun = tokens.get(at + 1).is_some_and(|next| next.class == TokenClass::Content);
        let counted = at > 0 && tokens[at - 1].value_type().is_some() && noun;
        let reported = change_verbs::is_setting_verb(&token.word) && next == "that";
        let adjectival = counted || next == "by" && at > 1 || is_attributive(tokens, at);
        // "has 40 customers enrolled".
        let mut near = tokens[at.saturating_sub(PARTICIPLE_WORDS)..at].iter();
        let adjectival = adjectival
            || near.any(|token| matches!(&*token.word, "has" | "have")) && next.is_empty();
        // "Called the supplier": without a subject it is no name that something is called.
        let called = at == 0 && token.word == "called";
        token.class == TokenClass::Content
            && (lexicon::is_past_form(&token.word) || called)
            && !token.capital
            && !token.determined
            && !passive_present
            && !reported
            && !adjectival
            && (!lexicon::is_past_state(&token.key) || at == 0 && has_object(tokens))
    })
}

/// Returns true for a participle before its noun, behind a preposition or at the beginning of the
/// subject of a copula: "days of paid leave", "unhandled errors are …".
pub(super) fn is_attributive(tokens: &[Token], at: usize) -> bool {
    const SUBJECT_WORDS: usize = 3;
    let joins = |token: &Token| {
        token.class == TokenClass::Copula && token.word.starts_with(char::is_alphabetic)
    };
    let noun = tokens.get(at + 1).is_some_and(|next| next.class == TokenClass::Content);
    let led = at > 0 && tokens[at - 1].class == TokenClass::Preposition;
    let opens = at == 0 && tokens[0].word.ends_with("ed");
    noun && (led || opens && tokens.iter().skip(1).take(SUBJECT_WORDS).any(joins))
}

/// Returns true if a value or an article follows the first word: "worked 9 hours", but "based in".
fn has_object(tokens: &[Token]) -> bool {
    tokens.get(1).is_some_and(|next| next.value_type().is_some() || lexicon::is_article(&next.word))
}

/// Returns true for a verb in the present that is no activity itself: "session cookies expire".
pub(super) fn has_present_verb(tokens: &[Token]) -> bool {
    tokens.iter().enumerate().skip(1).any(|(at, token)| {
        let after_preposition = tokens[at - 1].class == TokenClass::Preposition;
        let rules = token.class == TokenClass::Modal && token.word.starts_with("need");
        rules
            || token.class == TokenClass::Content
                && token.verb
                && !token.determined
                && !token.capital
                && !after_preposition
                && !lexicon::is_past_form(&token.word)
                && !verb_classes::is_invariant_verb(&token.word)
                && !lexicon::is_activity(&token.word)
    })
}

/// Returns true if a subordinate clause opens the statement, and its main verb is in the present:
/// "since we split the jobs, the suite takes six minutes".
pub(super) fn opens_with_subordinate(tokens: &[Token]) -> bool {
    let opens = tokens.first().is_some_and(|first| {
        matches!(&*first.word, "since" | "after" | "when" | "because" | "once" | "seit" | "depuis")
    });
    let verb = |at: usize| {
        let joined = tokens[at].class == TokenClass::Copula;
        joined && tokens[at].word.starts_with(char::is_alphabetic) || is_finite_present(tokens, at)
    };
    opens && (2..tokens.len()).any(verb)
}

/// Returns true for a verb in the present behind its subject: "Ruben gets", "we cache".
fn is_finite_present(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let Some(before) = at.checked_sub(1).map(|before| &tokens[before]) else { return false };
    let third = token.word.ends_with('s') && before.class == TokenClass::Content;
    let spoken = lexicon::is_pronoun_key(&before.key) && !before.possessive;
    token.class == TokenClass::Content
        && token.verb
        && !token.determined
        && !token.capital
        && !lexicon::is_past_form(&token.word)
        && (third || spoken)
}

pub(super) fn has_verb_copula(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| {
        token.class == TokenClass::Copula && token.word.chars().all(char::is_alphabetic)
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
