//! States and events: a state has one current value, an event is one occasion of many. Read from
//! the tense, the verb and the shape of a note.

use super::change_verbs;
use super::lexicon;
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
    let occasion = names_relative_day(tokens);
    // What somebody has to do holds until it is changed.
    let ruled = tokens.windows(2).any(|two| {
        matches!(&*two[0].word, "should" | "must" | "may")
            || matches!(&*two[0].word, "has" | "have") && two[1].word == "to"
    });
    let past_event = statement.tense == Tense::Past && has_past_event_verb(statement) && !ruled;
    let passive = tokens.iter().any(|token| matches!(&*token.word, "wird" | "werden"));
    // "est fixé à" and "ist für den 8. April geplant" tell of the present.
    let copula = tokens.iter().any(|token| matches!(&*token.word, "ist" | "sind"));
    let joined = |at: usize| {
        at > 0 && tokens[at - 1].class == TokenClass::Copula
            || copula && lexicon::is_stative_participle(&tokens[at].word)
    };
    let perfect = tokens.iter().enumerate().any(|(at, token)| {
        // "mon kiné" and "par salarié" are nouns.
        let led = at > 0
            && (tokens[at - 1].class == TokenClass::Preposition || tokens[at - 1].word == "par");
        token.class == TokenClass::Content
            && !led
            && lexicon::is_foreign_past(&token.word)
            && !token.determined
            && !joined(at)
            && !passive
    });
    // "20 Euro ausgegeben" has no other verb.
    let spent = !statement.has_copula() && tokens.last().is_some_and(is_separable_participle);
    let perfect = perfect || spent;
    let quantity = statement.has_value(ValueType::Quantity);
    let note = !has_verb_copula(tokens);
    // "Standup: 9:30" is a state; "Lunch: 540 kcal" and "Morning run, 5 km" are occasions.
    let logged = names_activity(tokens)
        && note
        && !has_present_verb(tokens)
        && (quantity || tokens.len() <= 4)
        && ![ValueType::TimeOfDay, ValueType::Frequency].iter().any(|it| statement.has_value(*it));
    let stamped = tokens.first().is_some_and(|first| {
        matches!(first.value_type(), Some(ValueType::Date | ValueType::TimeOfDay))
    }) && note
        && tokens.len() > 2;
    let listed = tokens.iter().any(|token| token.word == ":") && tokens.len() > 5;
    let day = tokens
        .iter()
        .any(|token| token.value_type() == Some(ValueType::Date) && token.key.contains('-'));
    let measured = quantity || statement.has_value(ValueType::Identifier);
    let dated = names_day_of_occasion(tokens)
        && note
        && statement.tense != Tense::Future
        && !tokens.iter().any(|token| lexicon::is_deadline(&token.key))
        && (measured && tokens.len() > 3 || names_activity(tokens) || day && listed);
    let had = word_had_meal(tokens) || logs_reading(tokens);
    let counted = quantity || statement.has_value(ValueType::Identifier);
    // "Pulse 62" is one measurement; "the weight limit is 20 kg" is none.
    let current = tokens.iter().any(|token| lexicon::is_filler(&token.word));
    let reading = note && counted && names_measurement(tokens) && !current;
    let past = |token: &Token| token.class == TokenClass::PastCopula && token.word != "been";
    let was = quantity && !ruled && tokens.iter().any(past);
    let auxiliary = has_perfect_auxiliary(tokens);
    let timed = [ValueType::Date, ValueType::Weekday, ValueType::TimeOfDay];
    // "Error 504 on /cart at 9:14".
    let failed = note
        && statement.has_value(ValueType::TimeOfDay)
        && tokens.first().is_some_and(|first| lexicon::is_failure(&first.word));
    let noted = note
        && measured
        && statement.has_value(ValueType::Weekday)
        && !statement.has_value(ValueType::TimeOfDay)
        && !tokens.iter().any(|token| token.verb || token.class == TokenClass::Quantifier);
    let past_occasion = statement.tense == Tense::Past
        && timed.iter().any(|kind| statement.has_value(*kind))
        && !tokens.iter().any(|token| matches!(&*token.word, "born" | "since"));
    (past_event
        || had
        || past_occasion
        || reading
        || was
        || auxiliary
        || noted
        || failed
        || perfect
        || occasion
        || logged
        || notes_occasion(tokens)
        || stamped
        || dated)
        && !statement.changed
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

/// Returns true for a verb in the present that is no activity itself: "session cookies expire".
fn has_present_verb(tokens: &[Token]) -> bool {
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

fn has_verb_copula(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| {
        token.class == TokenClass::Copula && token.word.chars().all(char::is_alphabetic)
    })
}

/// Returns true for a German participle with a separable prefix: "ausgegeben", "eingekauft".
fn is_separable_participle(token: &Token) -> bool {
    const PREFIXES: [&str; 10] =
        ["aus", "an", "ab", "auf", "ein", "mit", "vor", "um", "nach", "zurück"];
    let prefixed = |prefix: &&str| {
        token
            .word
            .strip_prefix(*prefix)
            .is_some_and(|rest| rest.starts_with("ge") && rest.len() > 5)
    };
    let ends = token.word.ends_with('t') || token.word.ends_with("en");
    token.class == TokenClass::Content && !token.capital && ends && PREFIXES.iter().any(prefixed)
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

/// Returns true for "j'ai dormi", "he corrido", "跑了".
fn has_perfect_auxiliary(tokens: &[Token]) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    let ends = |word: &str, endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    (0..tokens.len()).any(|at| match word(at) {
        // "has a limit" is English.
        "a" if tokens[at].class == TokenClass::Dropped => false,
        "ai" | "avons" | "a" | "ont" => {
            let next = word(at + 1);
            // "a lieu" tells when something takes place.
            next.len() > 2 && next != "lieu" && ends(next, &["é", "i", "u", "is", "it", "ert"])
        }
        "suis" | "sommes" => ends(word(at + 1), &["llé", "llée", "llés", "rti", "enu", "tré"]),
        "habe" | "haben" | "hat" => ends_in_participle(&tokens[at + 1..]),
        "he" | "hemos" | "ha" | "han" => ends(word(at + 1), &["ado", "ido", "cho", "sto"]),
        "了" => at > 0 && at + 1 < tokens.len() && tokens[at - 1].class == TokenClass::Content,
        _ => false,
    })
}

/// Returns true if a German clause ends in a participle: "habe den Vertrag verloren".
fn ends_in_participle(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|last| {
        let verb = last.word.ends_with('t') || last.word.ends_with("en");
        let present = lexicon::is_foreign_present(&last.word);
        last.class == TokenClass::Content && !last.capital && verb && !present
    })
}

/// Returns true for what people do again and again: "ran 5 km", "took the pill", "had lunch".
fn tells_routine(tokens: &[Token]) -> bool {
    word_had_meal(tokens)
        || tokens.iter().take(3).any(|token| lexicon::is_routine_past(&token.word))
}

/// Returns true for "Read 30 pages": how much was read is told afterwards.
fn logs_reading(tokens: &[Token]) -> bool {
    let counted = |token: &Token| token.value_type() == Some(ValueType::Quantity);
    tokens.first().is_some_and(|first| first.word == "read") && tokens.get(1).is_some_and(counted)
}

/// Returns true for "had lunch", "had a call".
fn word_had_meal(tokens: &[Token]) -> bool {
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

fn names_activity(tokens: &[Token]) -> bool {
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
