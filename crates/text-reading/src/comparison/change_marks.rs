//! Words of a statement that tell of a change: verbs that lead to a new value, or a new attribute.
//! A word that only looks like one loses its mark.

use super::change_verbs;
use super::choices;
use super::lexicon;
use super::statement::is_pronoun;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

/// Number of words behind a verb among which a word leads to its new value.
const LEAD_WORDS: usize = 7;

/// Marks past forms that lead to a new value as words of change, and takes the mark from those that
/// only tell what somebody wants: "climbed to 78%", "wants to become a pilot".
pub(super) fn mark_changes(tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let before = at.checked_sub(1).map_or("", |before| &*tokens[before].word);
        let obliged = before == "to" && is_obliged(&tokens[..at - 1]);
        let wished = tokens[at].class == TokenClass::Change && before == "to" && !obliged
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
        let granted = || is_granted(&tokens[at..]);
        let leads = || {
            let after = tokens[at + 1..].iter().take(LEAD_WORDS);
            after.clone().any(|token| {
                token.word == "up" && token.class == TokenClass::Quantifier
                    || matches!(
                        &*token.word,
                        "to" | "as"
                            | "into"
                            | "under"
                            | "until"
                            | "auf"
                            | "à"
                            | "al"
                            | "bis"
                            | "hasta"
                    )
                    || token.word == "a" && token.class == TokenClass::Preposition
            })
        };
        if is_reached(tokens, at) || granted() || is_coloured(&tokens[at..]) {
            tokens[at].class = TokenClass::Change;
        } else if wished && tokens[at].class != TokenClass::Dropped {
            tokens[at].class = TokenClass::Content;
        } else if tokens[at].class == TokenClass::Content
            && (change_verbs::is_leading_verb(&tokens[at].word)
                || obliged && change_verbs::is_plain_change(&tokens[at].word))
            && !tokens[at].determined
            && leads()
        {
            tokens[at].class = TokenClass::Change;
        }
    }
}

/// Returns true for a verb of giving with a day or a time as its object: "gave me a Thursday slot",
/// "gave them until 31 March".
fn is_granted(tokens: &[Token]) -> bool {
    const OBJECT_WORDS: usize = 6;
    let gives = tokens.first().is_some_and(|first| {
        matches!(&*first.word, "gave" | "given" | "offered" | "assigned" | "granted" | "got")
    });
    let timed = |token: &Token| {
        use ValueType::{Date, TimeOfDay, Weekday};
        matches!(token.value_type(), Some(Date | TimeOfDay | Weekday))
    };
    // "Gave me a book on Friday" tells of an occasion.
    let object = |two: &[Token]| match two[0].class {
        TokenClass::Preposition => two[0].word == "until",
        _ => two[0].class == TokenClass::Dropped,
    };
    gives && tokens.windows(2).skip(1).take(OBJECT_WORDS).any(|two| object(two) && timed(&two[1]))
}

/// Returns true for a verb of painting with the new colour at its end: "painted the walls green".
fn is_coloured(tokens: &[Token]) -> bool {
    const OBJECT_WORDS: usize = 7;
    let paints = tokens.first().is_some_and(|first| {
        matches!(
            &*first.word,
            "painted" | "repainted" | "dyed" | "gestrichen" | "pintado" | "peint"
        )
    });
    let ends = |at: usize| tokens.get(at + 1).is_none_or(|next| next.class != TokenClass::Content);
    let colour = |at: &usize| choices::is_choice(&tokens[*at].key) && ends(*at);
    paints && (2..tokens.len().min(OBJECT_WORDS)).any(|at| colour(&at))
}

/// Returns true for "had to", "decided to": what follows was done.
fn is_obliged(tokens: &[Token]) -> bool {
    tokens.last().is_some_and(|last| {
        matches!(&*last.word, "had" | "decided" | "agreed" | "managed" | "chose")
    })
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
    // "Got overtime up to 150%".
    let brought = tokens[..at].iter().any(|it| matches!(&*it.word, "got" | "brought" | "get"));
    let joined = brought || before.is_none_or(|class| class == TokenClass::Copula);
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

/// Returns true for "a new number", "neue Adresse": the attribute has another value from now on.
pub(super) fn names_new_attribute(tokens: &[Token]) -> bool {
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
    change_verbs::is_change_verb(&verb.word)
        && verb.word.ends_with("ed")
        && verb.class == TokenClass::Change
        && by_somebody
        && !swallows
        && tokens.get(at + 1).is_some_and(|next| {
            matches!(next.class, TokenClass::Content | TokenClass::Dropped | TokenClass::Weak)
                || next.value_type() == Some(ValueType::Quantity)
        })
        && !tokens[at + 1..].iter().any(|token| names_value(token) && !is_dated(tokens, token))
}

/// Returns true for the preposition before a day or a stretch of time: "on Saturday", "in 6
/// minutes".
fn is_dated(tokens: &[Token], preposition: &Token) -> bool {
    let mut after = tokens.iter().skip_while(|token| token.start <= preposition.start);
    let timed = |next: &Token| match next.value_type() {
        Some(ValueType::Date | ValueType::Weekday) => true,
        Some(ValueType::Quantity) => preposition.word == "in" && next.key.ends_with(" s"),
        _ => false,
    };
    matches!(&*preposition.word, "on" | "in") && after.next().is_some_and(timed)
}

/// Returns false for words that only place a statement in the present: "today", "since".
pub(super) fn tells_change(token: &Token) -> bool {
    !matches!(&*token.word, "today" | "since" | "seit" | "actually" | "still" | "moment")
}
