//! One value that takes the place of another: the later statement says that the old one ended, and
//! names another beside it. "I sold the Clio, I drive a Dacia", "Nadia broke up with Florian and is
//! now with Matteo".

use super::conflict::is_asserted;
use super::decide::{StatementPair, is_topic};
use super::holder::have_other_holders;
use super::statement::{Statement, StatementKind, Tense};
use super::tokens::{Token, TokenClass};
use super::verb_classes;
use crate::word_list::WordList;

/// Number of words behind a verb of ending among which its object is named.
const OBJECT_WORDS: usize = 5;

impl Statement {
    /// Returns the first word of what was put out of its place: "Golf" of "traded the Golf for a
    /// Leaf".
    pub fn replaced(&self) -> Option<&Token> {
        let verb =
            self.tokens.iter().position(|token| verb_classes::is_replacement(&token.word))?;
        let noun = |token: &&Token| token.class == TokenClass::Content && !token.possessive;
        self.tokens[verb + 1..].iter().find(noun)
    }
}

impl StatementPair<'_> {
    /// Returns true if the later statement ends the value of the earlier one and names another.
    pub fn is_succeeded(&self) -> bool {
        let stated = self.earlier.kind != StatementKind::Event && self.earlier.negations == 0;
        if !stated || self.later.question || self.later.tense == Tense::Future {
            return false;
        }
        if have_other_holders(self.earlier, self.later) || is_guess(self.later) {
            return false;
        }
        let tokens = &self.later.tokens;
        (0..tokens.len()).any(|at| {
            ends_value(tokens, at)
                && self.ended_value(at).is_some_and(|old| self.names_successor(at, old))
        })
    }

    /// Returns the index of the value of the earlier statement that a verb of ending is about.
    fn ended_value(&self, verb: usize) -> Option<usize> {
        let tokens = &self.later.tokens;
        let value = &self.left[self.earlier.subject.min(self.left.len())..];
        let old = |at: &usize| {
            let token = &tokens[*at];
            let noun = is_topic(token) && !token.verb;
            noun && value.iter().any(|one| one.key == token.key && one.class == token.class)
        };
        let (first, last) = clause_around(tokens, verb);
        (verb + 1..last.min(verb + 1 + OBJECT_WORDS))
            .find(old)
            .or_else(|| (first..verb).rev().find(old))
    }

    /// Returns true if another clause names something like the old value that the earlier statement
    /// does not have.
    fn names_successor(&self, verb: usize, old: usize) -> bool {
        let tokens = &self.later.tokens;
        let (first, last) = clause_around(tokens, verb);
        let known = |token: &Token| self.left.iter().any(|one| one.topic == token.topic);
        // "The service" may be any.
        let unlike = |token: &Token| token.topic != tokens[old].topic && is_topic(token);
        let common = tokens.iter().any(|it| unlike(it) && known(it));
        let named = tokens[old].is_name() || tokens[old].value_type().is_some();
        let new = |token: &Token| {
            let like = !named || token.is_name() || token.opens || token.value_type().is_some();
            let code = token.class == TokenClass::Content && !token.verb && !token.determined;
            is_topic(token) && !token.verb && (like || code && is_led(tokens, token))
        };
        if !named && !common {
            return false;
        }
        let outside = |at: &usize| *at < first || *at >= last;
        let mut others = (0..tokens.len()).filter(outside).map(|at| &tokens[at]);
        others.any(|token| new(token) && !known(token))
    }
}

/// Returns true for a word behind the preposition that leads to a tool or a place.
fn is_led(tokens: &[Token], token: &Token) -> bool {
    let mut before = tokens.iter().rev().skip_while(|one| one.start >= token.start);
    let leads = |one: &Token| matches!(&*one.word, "with" | "in" | "on" | "to" | "at" | "by");
    before.next().is_some_and(leads)
}

fn is_guess(statement: &Statement) -> bool {
    statement.kind != StatementKind::Event && !is_asserted(statement)
}

/// Returns where the clause of a word begins and ends: at a comma, an "and" or a word of time.
pub(super) fn clause_around(tokens: &[Token], at: usize) -> (usize, usize) {
    let breaks = |at: usize| {
        let apart = tokens[at].start > tokens[at - 1].end + 1;
        apart || matches!(&*tokens[at].word, "and" | "und" | "y" | "et" | "e" | "since" | "for")
    };
    let first = (1..=at).rev().find(|at| breaks(*at)).unwrap_or(0);
    let last = (at + 1..tokens.len()).find(|at| breaks(*at)).unwrap_or(tokens.len());
    (first, last)
}

/// Returns true for a verb by which something ends for its object or its subject.
fn ends_value(tokens: &[Token], at: usize) -> bool {
    let word = |at: usize| tokens.get(at).map_or("", |token| &*token.word);
    let copula = |at: usize| {
        tokens.get(at).is_some_and(|it| {
            matches!(it.class, TokenClass::Copula | TokenClass::PastCopula | TokenClass::Dropped)
        })
    };
    let out = at > 0
        && copula(at - 1)
        && word(at + 1) != "of"
        && matches!(word(at), "out" | "history" | "over" | "dead");
    let particle = matches!(
        (word(at), word(at + 1)),
        ("broke", "up") | ("gave" | "given", "up") | ("stepped", "down") | ("got", "rid")
    );
    ENDING_VERBS.contains(word(at)) || out || particle
}

#[rustfmt::skip]
static ENDING_VERBS: WordList = WordList::new(&[
    "abandonado", "abandoned", "abandonné", "abandonó", "aufgegeben", "cancelado", "canceled",
    "cancelled", "canceló", "dejado", "dejamos", "dejé", "dejó", "departed", "deprecated",
    "discontinued", "ditched", "dropped", "dumped", "finished", "gekündigt", "gone", "hörte",
    "kündigte", "lasciato", "left", "quit", "quitté", "removed", "replaced", "resigned", "retired",
    "résilié", "scrapped", "sold", "stopped", "terminated", "vendido", "vendimos", "vendió",
    "vendu", "venduto", "vendí", "verkauft", "verlassen",
]);

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn an_old_value_that_ended_beside_a_new_one_is_a_change() {
        for (earlier, later) in [
            ("I'm reading Dune.", "I finished Dune, now I'm on Hyperion."),
            ("The press office is run by Oona.", "Oona left, the press office is run by Timo."),
            ("Ma voiture est une Clio.", "J'ai vendu la Clio, je roule en Dacia Spring."),
        ] {
            assert_eq!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
        let other = compare("Nadia owns the billing service.", "The gondola is out of service.");
        assert_ne!(other.relation, R::ChangedValue);
    }
}
