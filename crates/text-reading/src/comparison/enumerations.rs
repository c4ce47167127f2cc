//! Statements that list the same things in another order: "we own two bikes and a canoe", "we own a
//! canoe and two bikes". No roles are swapped by it.

use super::decide::StatementPair;
use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

/// Maximum number of words of a thing that an article or a number leads to.
const ITEM_WORDS_MAX: usize = 2;
/// Number of things from which commas alone make an enumeration.
const COMMA_ITEMS_MIN: usize = 3;

impl StatementPair<'_> {
    /// Returns true if only the order of enumerated things differs, and tells nothing.
    pub fn is_relisted(&self) -> bool {
        if self.earlier.tense != self.later.tense || self.left.iter().any(|it| names_order(it)) {
            return false;
        }
        let (left, right) = (OrderedKeys::of(self.earlier), OrderedKeys::of(self.later));
        left.has_enumeration && left == right
    }
}

/// Keys of a statement in their order, those of enumerated things sorted among themselves.
#[derive(Default, PartialEq)]
struct OrderedKeys {
    keys: Vec<String>,
    has_enumeration: bool,
}

impl OrderedKeys {
    fn of(statement: &Statement) -> Self {
        let mut tokens: Vec<&Token> = statement.tokens.iter().collect();
        // Two words around "and" may have been put into another order.
        tokens.sort_by_key(|token| token.start);
        let mut read = Self::default();
        let mut at = 0;
        while at < tokens.len() {
            match enumeration(&tokens, at) {
                Some((mut items, end)) => {
                    items.sort_unstable();
                    read.keys.append(&mut items);
                    read.has_enumeration = true;
                    at = end;
                }
                None => {
                    let told = tokens[at].counts() && tokens[at].class != TokenClass::Weak;
                    read.keys.extend(told.then(|| tokens[at].key.clone()));
                    at += 1;
                }
            }
        }
        read
    }
}

/// Returns the things of an enumeration that begins at an index, and the index behind it.
fn enumeration(tokens: &[&Token], at: usize) -> Option<(Vec<String>, usize)> {
    let (first, mut end) = item(tokens, at)?;
    let (mut items, mut joined) = (vec![first], false);
    while let Some((next, conjunction)) = separator(tokens, end)
        && let Some((item, behind)) = item(tokens, next)
    {
        items.push(item);
        joined |= conjunction;
        end = behind;
    }
    let several = items.len() >= COMMA_ITEMS_MIN || joined && items.len() > 1;
    // "Coffee and green tea": the last thing has a word more.
    let whole = tokens.get(end).is_none_or(|next| !is_thing(next) || has_gap(tokens, end));
    (several && whole).then_some((items, end))
}

/// Returns a thing with its number as one key, and the index behind it.
fn item(tokens: &[&Token], at: usize) -> Option<(String, usize)> {
    let first = tokens.get(at)?;
    let article = first.class == TokenClass::Dropped && lexicon::is_article(&first.word);
    let number = first.value_type() == Some(ValueType::Quantity);
    let begin = if article || number { at + 1 } else { at };
    let most = if article || number { ITEM_WORDS_MAX } else { 1 };
    let follows = |index: &usize| {
        tokens.get(*index).is_some_and(|it| is_thing(it))
            && (*index == begin || !has_gap(tokens, *index))
    };
    let end = begin + (begin..begin + most).take_while(follows).count();
    let words = tokens[at..end].iter().filter(|token| token.counts());
    let key = words.map(|token| &*token.key).collect::<Vec<_>>().join(" ");
    (end > begin).then_some((key, end))
}

/// Returns the index behind a comma or a conjunction, and whether there is a conjunction.
fn separator(tokens: &[&Token], at: usize) -> Option<(usize, bool)> {
    let conjunction = tokens.get(at).is_some_and(|token| is_conjunction(&token.word));
    let separated = conjunction || at < tokens.len() && has_gap(tokens, at);
    separated.then_some((at + usize::from(conjunction), conjunction))
}

/// Returns true if punctuation stands before a token.
fn has_gap(tokens: &[&Token], at: usize) -> bool {
    at > 0 && tokens[at].start > tokens[at - 1].end + 1
}

/// Returns true for a noun, a name or an identifier. The order of verbs is that of what happens.
fn is_thing(token: &Token) -> bool {
    let code = token.value_type() == Some(ValueType::Identifier);
    code || token.class == TokenClass::Content
        && (token.capital || !token.verb)
        && !is_conjunction(&token.word)
}

/// Returns true for a word that says that the order counts.
fn names_order(token: &Token) -> bool {
    matches!(
        &*token.word,
        "order"
            | "sequence"
            | "priority"
            | "priorities"
            | "ranking"
            | "top"
            | "steps"
            | "first"
            | "then"
            | "before"
            | "after"
            | "reihenfolge"
            | "orden"
            | "ordre"
            | "序"
    )
}

fn is_conjunction(word: &str) -> bool {
    matches!(word, "and" | "or" | "und" | "oder" | "y" | "o" | "et" | "ou" | "&" | "和" | "或")
}

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn things_in_another_order_are_not_reversed() {
        for (earlier, later) in [
            ("We own two bikes and a canoe.", "We own a canoe and two bikes."),
            (
                "The environment variables are HOST, PORT and TOKEN.",
                "Environment variables: TOKEN, HOST, PORT.",
            ),
            ("Las claves son HOST, PUERTO y CLAVE.", "Las claves son CLAVE, HOST y PUERTO."),
            ("Anna hat einen Hund und zwei Katzen.", "Anna hat zwei Katzen und einen Hund."),
            (
                "Le menu a une soupe, un plat et un dessert.",
                "Le menu a un plat, une soupe et un dessert.",
            ),
        ] {
            let relation = compare(earlier, later).relation;
            assert!(
                matches!(relation, R::Same | R::Paraphrase),
                "{relation:?} {earlier} / {later}"
            );
        }
    }

    #[test]
    fn other_roles_numbers_and_steps_are_no_enumeration() {
        for (earlier, later) in [
            ("Ana lent Bob 50 euros.", "Bob lent Ana 50 euros."),
            ("Ana and Bob taught Carl and Dora.", "Carl and Dora taught Ana and Bob."),
            ("It takes two approvals and three tests.", "It takes three approvals and two tests."),
            (
                "The train goes from Bern to Lyon and Nice.",
                "The train goes from Lyon to Bern and Nice.",
            ),
        ] {
            let relation = compare(earlier, later).relation;
            assert!(
                !matches!(relation, R::Same | R::Paraphrase),
                "{relation:?} {earlier} / {later}"
            );
        }
    }
}
