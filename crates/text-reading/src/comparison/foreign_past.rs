//! Past forms of other languages than English: "j'ai dormi", "he corrido", "20 Euro ausgegeben".

use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};

/// Returns true for a past form of another language than English: "he corrido", "20 Euro
/// ausgegeben".
pub(super) fn has_foreign_perfect(statement: &Statement) -> bool {
    let tokens = &statement.tokens;
    let passive = tokens.iter().any(|token| matches!(&*token.word, "wird" | "werden"));
    let perfect = (0..tokens.len()).any(|at| is_foreign_perfect(tokens, at));
    // Without a copula a participle is the only verb.
    let spent = !statement.has_copula() && tokens.last().is_some_and(is_separable_participle);
    (perfect || spent) && !passive || has_perfect_auxiliary(tokens)
}

fn is_foreign_perfect(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let before = at.checked_sub(1).map(|before| &tokens[before]);
    // "par salarié" and "mon kiné" are nouns, "est fixé à" tells of the present.
    let present = before.is_some_and(|it| {
        matches!(it.class, TokenClass::Preposition | TokenClass::Copula) || it.word == "par"
    });
    // So does "ist für den 8. April geplant".
    let stative = lexicon::is_stative_participle(&token.word)
        && tokens.iter().any(|token| matches!(&*token.word, "ist" | "sind"));
    token.class == TokenClass::Content
        && lexicon::is_foreign_past(&token.word)
        && !token.determined
        && !present
        && !stative
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
            next == "eu"
                || next.len() > 2
                    && next != "lieu"
                    && ends(next, &["é", "i", "u", "is", "it", "ert"])
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
