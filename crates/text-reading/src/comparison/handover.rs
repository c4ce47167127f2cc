//! Another holder of a role or a task: the later statement says that the old one handed it over or
//! stepped aside, or that a new one was found. "Pooja took over on-call from Erik", "Bianca
//! retired, so Jo does my hair now", "I've changed dentists, I see Dr. Mena".

use super::change_verbs;
use super::decide::{StatementPair, is_topic};
use super::holder::have_other_holders;
use super::lexicon;
use super::statement::StatementKind;
use super::succession::clause_around;
use super::tokens::{Token, TokenClass};
use crate::word_list::WordList;

/// Number of words within which the verb of a new holder stands.
const VERB_WORDS: usize = 3;
/// Number of words between a verb of change or "new" and the role that it is about.
const ROLE_WORDS: usize = 4;

impl StatementPair<'_> {
    /// Returns true if the later statement tells that somebody else holds what the earlier one
    /// gives to a name.
    pub fn has_new_holder(&self) -> bool {
        let stated = self.earlier.kind != StatementKind::Event && self.earlier.negations == 0;
        let open = !self.later.question && !have_other_holders(self.earlier, self.later);
        stated
            && open
            && !self.later.tokens.iter().any(|token| lexicon::is_hedge(&token.word))
            && (self.is_handed_over() || self.steps_aside() || self.is_exchanged_holder())
    }

    /// Returns true for a verb of taking over with the old holder behind it and a new one before.
    fn is_handed_over(&self) -> bool {
        let tokens = &self.later.tokens;
        let old = |at: usize| at > 0 && gives_up(tokens, at - 1) && self.is_old_name(&tokens[at]);
        let Some(old) = (0..tokens.len()).find(|at| old(*at)) else { return false };
        let verb = tokens.iter().any(|token| {
            HANDOVER_VERBS.contains(&token.word)
                || token.class == TokenClass::Change && matches!(&*token.word, "took" | "taken")
        });
        verb && tokens[..old].iter().any(|token| self.is_new_name(token))
            && self.shares_beside(&tokens[old])
    }

    /// Returns true if a clause about the old holder is followed by one about another, who does the
    /// same.
    fn steps_aside(&self) -> bool {
        let tokens = &self.later.tokens;
        let Some(first) = tokens.iter().position(is_topic) else { return false };
        if !self.is_old_name(&tokens[first]) {
            return false;
        }
        let (_, end) = clause_around(tokens, first);
        let clause = &tokens[end.min(tokens.len())..];
        let said = clause
            .iter()
            .position(|token| is_topic(token) || token.class == TokenClass::Copula || token.verb);
        // "Tomás speaks Portuguese, Spanish and some German": a list has no verb of its own.
        let acts = |at: usize| {
            let verb = |token: &Token| {
                token.verb || token.class == TokenClass::Copula || is_doing(&token.word)
            };
            clause.iter().skip(at + 1).take(VERB_WORDS).any(verb)
        };
        let subject = said.is_some_and(|at| self.is_new_name(&clause[at]) && acts(at));
        // "Hannah can't babysit, Freya does it."
        let instead = clause.windows(2).any(|two| is_doing(&two[0].word) && two[1].word == "it");
        // Who holds a role is said with "is"; what somebody does may go on beside a change.
        let told = clause.iter().any(|token| token.class == TokenClass::Change);
        let changed = told && self.earlier.has_copula();
        subject && (instead || changed || self.shares_beside(&tokens[first]))
    }

    /// Returns true if a verb of change or "new" stands before the role in common, and another name
    /// is given.
    fn is_exchanged_holder(&self) -> bool {
        let tokens = &self.later.tokens;
        let role = |token: &Token| is_topic(token) && !token.is_name() && !token.verb;
        // The words before the old name say what it is the name of.
        let name = self.left.iter().position(|token| token.is_name());
        let subject = &self.left[..name.unwrap_or(0)];
        let known = |token: &Token| subject.iter().any(|one| !one.verb && one.topic == token.topic);
        let exchanged = |at: usize| {
            let near = &tokens[at.saturating_sub(ROLE_WORDS)..tokens.len().min(at + 2)];
            let changes = |token: &Token| {
                lexicon::is_new(&token.word)
                    || token.class == TokenClass::Change && is_exchange(&token.word)
            };
            // "The office manager" is no project manager.
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let alone = before.is_none_or(|before| {
                before.class != TokenClass::Content
                    || lexicon::is_new(&before.word)
                    || known(before)
            });
            alone && role(&tokens[at]) && known(&tokens[at]) && near.iter().any(changes)
        };
        let Some(at) = (0..tokens.len()).find(|at| exchanged(*at)) else { return false };
        let said = |token: &Token| tokens.iter().any(|one| one.topic == token.topic);
        let whole = subject.iter().filter(|token| role(token)).all(|token| said(token));
        let new = tokens[at + 1..].iter().any(|token| self.is_new_name(token));
        whole && new && self.later.negations == 0
    }

    /// Returns true for a name that the earlier statement gives.
    fn is_old_name(&self, token: &Token) -> bool {
        // What opens both statements may be any word.
        let known = |one: &&Token| {
            one.is_name() && (token.is_name() || token.opens) || one.opens && token.is_name()
        };
        !token.possessive && self.left.iter().any(|one| one.key == token.key && known(one))
    }

    /// Returns true for a name that the earlier statement lacks.
    fn is_new_name(&self, token: &Token) -> bool {
        (token.is_name() || token.opens)
            && is_topic(token)
            && !token.possessive
            && !token.verb
            && self.left.iter().all(|one| one.topic != token.topic)
    }

    /// Returns true if both statements share something besides a name.
    fn shares_beside(&self, name: &Token) -> bool {
        self.right.iter().any(|token| {
            is_topic(token)
                && token.topic != name.topic
                && !token.is_name()
                && self
                    .left
                    .iter()
                    .any(|one| one.topic == token.topic || have_one_root(&one.word, &token.word))
        })
    }
}

/// Returns true for two nouns of one root: "Projektleiterin", "Projektleitung".
fn have_one_root(one: &str, other: &str) -> bool {
    const LETTERS_MIN: usize = 8;
    let same = one.chars().zip(other.chars()).take_while(|(one, other)| one == other);
    same.count() >= LETTERS_MIN
}

/// Returns true for a word that leads to whoever gave something up.
fn gives_up(tokens: &[Token], at: usize) -> bool {
    let token = &tokens[at];
    let leads = matches!(&*token.word, "from" | "for" | "with" | "von" | "de" | "à" | "a");
    // Titles are left out: "von Herrn Thiel".
    let titled =
        token.class == TokenClass::Dropped && at > 0 && tokens[at].start > tokens[at - 1].end;
    leads || HANDOVER_VERBS.contains(&token.word) || titled && gives_up(tokens, at - 1)
}

/// Returns true for verbs that stand for any task.
fn is_doing(word: &str) -> bool {
    matches!(word, "does" | "do" | "took" | "taken" | "macht" | "hace" | "fait")
}

/// Returns true for verbs of taking one thing for another.
fn is_exchange(word: &str) -> bool {
    let exchanges = ["chang", "switch", "swap", "replac", "cambi", "wechsel", "gewechsel"];
    change_verbs::is_change_verb(word) && exchanges.iter().any(|stem| word.starts_with(stem))
}

/// Verbs between a new holder and an old one.
#[rustfmt::skip]
static HANDOVER_VERBS: WordList = WordList::new(&[
    "abgelöst", "asume", "asumido", "asumió", "assumed", "assumes", "inherited", "inherits", "löst",
    "picked", "relevado", "relieved", "relieves", "remplace", "remplacé", "replaced", "replaces",
    "reprend", "repris", "succeeded", "succeeds", "succède", "succédé", "supplanted", "sustituido",
    "sustituye", "swapped", "takes", "übernahm", "übernehmen", "übernimmt", "übernommen",
]);

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn another_holder_of_the_same_task_is_a_change() {
        for (earlier, later) in [
            ("Bug #4411 is assigned to Shreya.", "Kofi picked up bug #4411 from Shreya."),
            ("My hairdresser is Bianca.", "Bianca retired, so Jo does my hair now."),
            ("The babysitter is Hannah.", "Hannah can't babysit any more, Freya does it."),
            ("Mi dentista es la doctora Rey.", "He cambiado de dentista, voy con el doctor Mena."),
        ] {
            assert_eq!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn a_holder_of_something_else_is_no_change() {
        for (earlier, later) in [
            ("Erik is on call this quarter.", "Pooja borrowed a charger from Erik."),
            ("The office manager is Ines.", "We have a new project manager, Tom."),
            ("My hairdresser is Bianca.", "Bianca has a cold, and Jo feeds the cat."),
            (
                "Marta Kowalska runs the kilns; Tomás Oliveira is her deputy.",
                "Tomás Oliveira speaks Portuguese, Spanish and some German.",
            ),
            (
                "Yuki Tanaka designs the booking app and works with Jonas Weber.",
                "Jonas Weber moved the DNS of the shop to Cloudflare.",
            ),
            (
                "Jonas Weber looks after the servers at Hetzner and the NAS in the cellar.",
                "Jonas Weber moved the DNS of the shop to Cloudflare.",
            ),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }
}
