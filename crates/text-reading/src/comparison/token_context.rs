//! Context of a token, as its neighbours give it: articles, titles, pronouns before a verb; and
//! words that may stand in two orders.

use super::lexicon;
use super::tokens::{Token, TokenClass};

/// Marks what stands after an article or a possessive: it is a noun.
pub(super) fn mark_determined(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let before = &tokens[at - 1];
        let article = before.class == TokenClass::Dropped && lexicon::is_article(&before.word);
        // "Mein neuer Vorgesetzter".
        let described = before.determined && lexicon::is_filler(&before.word);
        tokens[at].determined = article || before.possessive || described;
    }
}

/// Leaves out the title before a name: "la doctora Ferrer" is "Dr. Ferrer".
pub(super) fn drop_titles(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        let titled = matches!(
            &*tokens[at - 1].word,
            "doctor" | "doctora" | "docteur" | "professor" | "profesor" | "mme" | "madame"
        );
        if titled && tokens[at].is_name() {
            tokens[at - 1].class = TokenClass::Dropped;
        }
    }
}

/// Gives verbs with a particle the key of the verb that means the same: "get up" is "wake".
pub(super) fn read_phrasal_verbs(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        if tokens[at - 1].key == "get" && tokens[at].word == "up" {
            lexicon::key_of("wake").clone_into(&mut tokens[at - 1].key);
        }
        // "PR".
        if matches!(&*tokens[at - 1].word, "pull" | "merge") && tokens[at].key == "request" {
            tokens[at].class = TokenClass::Dropped;
        }
    }
}

/// Puts the two words around "and" and "or" in one order: "Ana and Bob" is "Bob and Ana".
pub(super) fn sort_conjunctions(tokens: &mut [Token]) {
    for at in 1..tokens.len().saturating_sub(1) {
        let joins = matches!(&*tokens[at].word, "and" | "or" | "und" | "oder" | "y" | "et" | "&");
        let plain =
            |token: &Token| token.class == TokenClass::Content || token.value_type().is_some();
        let ends = at + 2 == tokens.len() || !plain(&tokens[at + 2]);
        let begins = at == 1 || !plain(&tokens[at - 2]);
        if joins
            && plain(&tokens[at - 1])
            && plain(&tokens[at + 1])
            && tokens[at - 1].key > tokens[at + 1].key
            && (ends || begins)
        {
            tokens.swap(at - 1, at + 1);
        }
    }
}

/// Puts "Ana, my sister" into the order of "my sister Ana".
pub(super) fn order_appositions(tokens: &mut [Token]) {
    for at in 0..tokens.len().saturating_sub(2) {
        let (name, owner, noun) = (&tokens[at], &tokens[at + 1], &tokens[at + 2]);
        let named = name.is_name() || name.opens;
        let owned = owner.class == TokenClass::Weak && noun.class == TokenClass::Content;
        if named && name.class == TokenClass::Content && owned && !noun.is_name() {
            tokens.swap(at, at + 2);
        }
    }
}

/// Reads "prefer tea to coffee" as "over", and leaves out the "to" before a verb.
pub(super) fn read_to(tokens: &mut [Token]) {
    let prefers = tokens.iter().any(|token| token.key == "prefer");
    for at in 0..tokens.len() {
        let verb = tokens.get(at + 1).is_some_and(|next| {
            next.class == TokenClass::Content && lexicon::is_plain_verb(&next.word)
        });
        let token = &mut tokens[at];
        if token.word == "to" && token.class == TokenClass::Preposition {
            if prefers {
                "over".clone_into(&mut token.key);
            } else if verb {
                token.class = TokenClass::Dropped;
            }
        }
    }
}

/// Marks what stands behind "we" or "they" as a verb, known or not: "we celebrate our anniversary".
pub(super) fn mark_verbs_behind_pronouns(tokens: &mut [Token], english: bool) {
    for at in 1..tokens.len() {
        let subject = matches!(&*tokens[at - 1].word, "i" | "we" | "they" | "he" | "she" | "you");
        let word = tokens[at].class == TokenClass::Content && !tokens[at].capital;
        tokens[at].verb |= english && subject && word && !tokens[at].word.ends_with("ly");
    }
}

/// Marks what stands behind a reflexive pronoun or as a participle behind a copula as a verb, in
/// other languages than English: "se escriben en", "est prévue le".
pub(super) fn mark_foreign_verbs(tokens: &mut [Token], english: bool) {
    for at in 1..tokens.len() {
        let (before, after) = tokens.split_at_mut(at);
        let (before, token) = (&before[at - 1], &mut after[0]);
        let plain = token.class == TokenClass::Content && !token.capital;
        let reflexive = matches!(&*before.word, "se" | "s'");
        let ends = ["é", "ée", "és", "ées", "ue", "ido", "ida", "ado", "ada", "ato", "ata"];
        let participle = before.class == TokenClass::Copula
            && before.word.starts_with(char::is_alphabetic)
            && ends.iter().any(|end| token.word.ends_with(end));
        token.verb |= !english && plain && (reflexive || participle);
    }
}

/// Marks a word as the verb of a statement that has no other: the first one behind a noun that no
/// article or preposition leads to, before a phrase or a value. "The key hangs in the shed", "la
/// sauvegarde démarre à 4 h".
// No list has all verbs, and without its verb a statement has no end of its subject.
pub(super) fn mark_verb_by_position(tokens: &mut [Token], english: bool) {
    if tokens.iter().any(is_predicate) {
        return;
    }
    let verb = (1..tokens.len().saturating_sub(1)).find(|at| stands_as_verb(tokens, *at, english));
    if let Some(at) = verb {
        tokens[at].verb = true;
    }
}

/// Returns true for a word that says something of its subject, as far as the lists know.
fn is_predicate(token: &Token) -> bool {
    use TokenClass::{Change, Copula, Modal, PastCopula};
    let verb = token.verb && !token.determined && !token.capital;
    matches!(token.class, Change | Copula | PastCopula | Modal)
        || token.class == TokenClass::Content && (verb || lexicon::is_past_form(&token.word))
}

fn stands_as_verb(tokens: &[Token], at: usize, english: bool) -> bool {
    let (before, token, next) = (&tokens[at - 1], &tokens[at], &tokens[at + 1]);
    let plain = token.class == TokenClass::Content && !token.capital && !token.determined;
    // "Me gusta mucho el jazz".
    let degree = matches!(
        &*token.word,
        "mucho" | "nada" | "poco" | "mejor" | "beaucoup" | "mieux" | "rien" | "sehr" | "viel"
    );
    let ends = !english
        || token.word.ends_with('s')
            && !["ss", "us", "is"].iter().any(|it| token.word.ends_with(it));
    let subject = matches!(before.class, TokenClass::Content | TokenClass::Value(_));
    let joined = before.end + 1 == token.start && token.end + 1 == next.start;
    let phrase = matches!(next.class, TokenClass::Preposition | TokenClass::Weak)
        || lexicon::is_article(&next.word)
        || next.value_type().is_some();
    plain
        && !degree
        && ends
        && subject
        && joined
        && phrase
        && !before.possessive
        && token.word.len() > 3
}
