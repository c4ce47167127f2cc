//! A value that the later statement names again beside another one of its kind: "Hannah moved away,
//! so Kasper walks the dog", "we buy packaging from GreenBox, Kartonex was too slow". Whatever the
//! words are by which the old one is put aside, it has a clause of its own or stands behind a word
//! that leads away from it, and the clause of the new one shares something with what was said of
//! the old one.

use super::choices;
use super::decide::{StatementPair, is_topic};
use super::holder::have_other_holders;
use super::lexicon;
use super::statement::{StatementKind, Tense};
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

/// Number of letters in common by which a noun and a verb have one root: "babysitter", "babysits".
const ROOT_LETTERS_MIN: usize = 5;
/// Maximum number of nouns that the clause of the new value has for itself.
const OWN_NOUNS_MAX: usize = 1;

impl StatementPair<'_> {
    /// Returns true if the later statement puts the old value aside and names another one.
    pub fn is_displaced(&self) -> bool {
        // "On-call this week: Dmitri" holds for a while.
        let holds = self.earlier.tense == Tense::Present && self.earlier.has_copula();
        let event = self.earlier.kind == StatementKind::Event && !holds;
        let stated = !event && self.earlier.negations == 0;
        let open = !self.later.question && !self.is_planned();
        stated
            && open
            && !self.later.tokens.iter().any(|token| lexicon::is_hedge(&token.word))
            && !have_other_holders(self.earlier, self.later)
            && (0..self.later.tokens.len()).any(|at| self.is_displaced_at(at))
    }

    /// Returns true if the later statement tells what somebody wants to do.
    fn is_planned(&self) -> bool {
        let plans = |token: &Token| matches!(&*token.word, "going" | "plan" | "plans" | "planning");
        self.later.tokens.iter().any(|token| token.class == TokenClass::Modal && plans(token))
    }

    /// Returns true if the word at an index is the old value, and another part of the statement
    /// names the new one.
    fn is_displaced_at(&self, at: usize) -> bool {
        let tokens = &self.later.tokens;
        if !self.is_old(&tokens[at]) {
            return false;
        }
        let own = clause(tokens, at);
        let denied = tokens[own.start..at].iter().any(|it| it.class == TokenClass::Negation);
        let led = leads_away(tokens, at);
        let acts = tokens[own.clone()].iter().any(is_predicate);
        let alone = acts && !tokens[own.clone()].iter().any(|it| self.is_shared(it, &tokens[at]));
        let new =
            |new: &usize| self.is_new(&tokens[*new], &tokens[at]) && !is_modifier(tokens, *new);
        (0..tokens.len()).filter(new).any(|new| {
            let other = clause(tokens, new);
            let apart = other != own && alone && self.repeats_rest(other, at);
            let behind = denied && new > at + 1 || led && new.abs_diff(at) > 1;
            apart || behind && self.repeats_rest(0..tokens.len(), at)
        })
    }

    fn is_later_german(&self) -> bool {
        self.later.tokens.iter().any(|token| lexicon::is_german(&token.word))
    }

    /// Returns true for a name, an identifier or a choice of the earlier statement.
    fn is_old(&self, token: &Token) -> bool {
        let chosen = |one: &Token| choices::is_choice(&one.key) && !one.verb;
        self.left.iter().any(|one| {
            let alike = is_named(one) && is_named(token) || chosen(one) && chosen(token);
            one.key == token.key && alike
        })
    }

    /// Returns true for a name of the same kind that the earlier statement lacks.
    fn is_new(&self, token: &Token, old: &Token) -> bool {
        let code = |one: &Token| one.value_type().is_some();
        // German nouns are capitalised, and names have no article.
        let alike = match choices::is_choice(&old.key) && !is_named(old) {
            true => choices::same_choice(&token.key, &old.key),
            false => is_named(token) && !token.verb && (code(old) || !code(token)),
        };
        alike
            && !(self.is_later_german() && token.determined)
            && self.left.iter().all(|one| one.topic != token.topic)
    }

    /// Returns true for a word of both statements other than the old value.
    fn is_shared(&self, token: &Token, old: &Token) -> bool {
        let named = token.is_name() && !self.later.changed && !self.is_later_german();
        is_topic(token)
            && token.topic != old.topic
            && !named
            && self.left.iter().any(|one| one.topic == token.topic || have_one_root(one, token))
    }

    /// Returns true if a clause repeats something of the earlier statement, and adds hardly
    /// anything to it.
    fn repeats_rest(&self, clause: std::ops::Range<usize>, old: usize) -> bool {
        let tokens = &self.later.tokens;
        let shared = |token: &&Token| self.is_shared(token, &tokens[old]);
        let own = |token: &&Token| {
            let noun = is_topic(token) && !is_named(token) && !token.verb;
            noun && token.value_type().is_none()
                && !shared(token)
                && !lexicon::is_filler(&token.word)
        };
        tokens[clause.clone()].iter().any(|token| shared(&token))
            && tokens[clause].iter().filter(own).count() <= OWN_NOUNS_MAX
    }
}

/// Returns true for a name or an identifier that is no owner.
fn is_named(token: &Token) -> bool {
    let code = token.value_type() == Some(ValueType::Identifier);
    (token.is_name() || token.opens && token.class == TokenClass::Content || code)
        && !token.possessive
        && !lexicon::is_pronoun_key(&token.key)
}

/// Returns true for a name that only tells which thing is meant: "the Porto opening".
fn is_modifier(tokens: &[Token], at: usize) -> bool {
    let noun = |next: &Token| {
        let close = next.start == tokens[at].end + 1;
        let named = !next.verb || next.word.ends_with("ing");
        close && named && next.class == TokenClass::Content && !next.capital
    };
    tokens[at].determined && tokens.get(at + 1).is_some_and(noun)
}

/// Returns true for a word that says something of its subject.
fn is_predicate(token: &Token) -> bool {
    let joins = matches!(token.class, TokenClass::Copula | TokenClass::PastCopula);
    let past = lexicon::is_past_form(&token.word) || lexicon::is_foreign_past(&token.word);
    let verb = token.verb || past;
    joins && token.word.starts_with(char::is_alphabetic)
        || verb && !token.determined && !token.capital
        || matches!(token.class, TokenClass::Change | TokenClass::Modal)
        || matches!(
            &*token.word,
            "has" | "have" | "had" | "hat" | "a" | "ha" | "hemos" | "han" | "avons"
        )
}

/// Returns true if a word before a name says that it was left: "from", "out of".
fn leads_away(tokens: &[Token], at: usize) -> bool {
    let changes = |token: &Token| token.class == TokenClass::Change;
    let left_out = |token: &&Token| matches!(token.class, TokenClass::Dropped | TokenClass::Weak);
    let before = tokens[..at].iter().rev().find(|token| !left_out(token));
    let leaves = before.is_some_and(|token| {
        matches!(
            &*token.word,
            "from" | "von" | "van" | "de" | "desde" | "da" | "than" | "out" | "with"
        )
    });
    let taken = before.is_some_and(|token| matches!(&*token.word, "out" | "off"));
    taken || leaves && tokens.iter().any(changes)
}

/// Returns the tokens of the clause around an index.
fn clause(tokens: &[Token], at: usize) -> std::ops::Range<usize> {
    let opens = |at: usize| {
        let before = &tokens[at - 1];
        // "Mr. Adeyemi".
        let titled = before.class == TokenClass::Dropped && before.capital;
        let gap = tokens[at].start > before.end + 1 && !titled;
        gap || matches!(
            &*tokens[at].word,
            "and"
                | "und"
                | "y"
                | "et"
                | "e"
                | "since"
                | "so"
                | "but"
                | "because"
                | "as"
                | "now"
                | "while"
                | "weil"
                | "da"
                | "porque"
                | "car"
                | "sondern"
                | "sino"
                | "mais"
        )
    };
    let first = (1..=at).rev().find(|at| opens(*at)).unwrap_or(0);
    let last = (at + 1..tokens.len()).find(|at| opens(*at)).unwrap_or(tokens.len());
    first..last
}

fn have_one_root(one: &Token, other: &Token) -> bool {
    let same = one.word.chars().zip(other.word.chars()).take_while(|(one, other)| one == other);
    same.count() >= ROOT_LETTERS_MIN
}

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn an_old_value_put_aside_beside_a_new_one_is_a_change() {
        for (earlier, later) in [
            ("Noor cuts my hair.", "Noor went on parental leave, Pilar cuts my hair."),
            (
                "We buy packaging from Kartonex.",
                "Packaging comes from GreenBox, Kartonex was slow.",
            ),
            (
                "The docs are hosted on Netlify.",
                "We pulled the docs off Netlify, they're on Vercel.",
            ),
            (
                "El despliegue se hace con Ansible.",
                "Ya no desplegamos con Ansible, sino con ArgoCD.",
            ),
        ] {
            assert_eq!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn two_names_that_share_nothing_else_are_no_change() {
        for (earlier, later) in [
            ("Noor cuts my hair.", "Noor went on holiday with Pilar."),
            ("The payroll contact is Desmond.", "Desmond left early, and Yusra locked the office."),
            ("I live in Portugal.", "I live in Lisbon, Portugal."),
            ("Vera is responsible for travel.", "Vera fell ill, so Otto walks her dog."),
            (
                "Yuki and Priya test every release on the studio's tablet before it goes out.",
                "Yuki approved the dark theme of the app; it ships with the Porto opening.",
            ),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }
}
