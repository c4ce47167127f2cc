//! Statements that say who or which one something is: "my doctor is Dr. Kim", "the database is
//! Postgres". Whatever else is said of it later ("my doctor raised the dose to 10 mg", "the
//! database moved to port 5433") leaves that as it is, however much it tells of a change.

use super::change_verbs;
use super::decide::{StatementPair, is_topic};
use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;

impl StatementPair<'_> {
    /// Returns true if the earlier statement names somebody or something, or gives it a value, and
    /// the later one tells something else of it.
    pub fn keeps_identity(&self) -> bool {
        let Some((noun, predicate)) = split(self.earlier) else { return false };
        let said = &self.later.tokens;
        let Some(at) = said.iter().position(|token| token.key == noun.key) else { return false };
        // Who names the old one may say that it was replaced.
        if self.names_old_value() || said[..at].iter().any(ends_subject) {
            return false;
        }
        let later = &said[at + 1..];
        has_other_type(predicate, later)
            || GivenName::read(noun, predicate)
                .is_some_and(|identity| !identity.is_given_by(later) || identity.acts(later))
    }
}

impl StatementPair<'_> {
    /// Returns true if somebody whom both statements name at their beginning changes something in
    /// the later one that the earlier one does not mention: "Jonas looks after the servers", "Jonas
    /// moved the DNS to Cloudflare".
    pub fn changes_other_object(&self) -> bool {
        let said = &self.later.tokens;
        let Some(verb) = said.iter().position(|one| change_verbs::tells_of_change(&one.word))
        else {
            return false;
        };
        let subject = &self.left[..self.earlier.subject.min(self.left.len())];
        let agent = |token: &Token| {
            token.is_name() && subject.iter().any(|one| one.key == token.key && !one.possessive)
        };
        let object = said[verb + 1..].iter().take_while(|one| one.class != TokenClass::Preposition);
        let object: Vec<&Token> = object.filter(|token| is_topic(token) && !token.verb).collect();
        let unknown = |token: &&Token| self.left.iter().all(|one| one.topic != token.topic);
        let leads_to = said[verb + 1..].iter().any(|one| one.class == TokenClass::Preposition);
        !said[..verb].iter().any(ends_subject)
            && said[..verb].iter().any(agent)
            && leads_to
            && object.iter().any(|token| is_plain_noun(token))
            && object.iter().all(unknown)
    }
}

/// Splits a statement into the noun before its copula and what follows.
fn split(statement: &Statement) -> Option<(&Token, &[Token])> {
    let tokens = &statement.tokens;
    let copula = tokens.iter().position(|token| token.class == TokenClass::Copula)?;
    // The "log level in production" is a level.
    let leads = |token: &Token| token.class == TokenClass::Preposition;
    let end = tokens[..copula].iter().position(leads).unwrap_or(copula);
    let noun = tokens[..end].iter().rev().find(|token| is_topic(token))?;
    let is_common = (!noun.is_name() || noun.determined) && noun.value_type().is_none();
    is_common.then_some((noun, &tokens[copula + 1..]))
}

/// Returns true for a word that no longer belongs to the subject of a statement.
fn ends_subject(token: &Token) -> bool {
    use TokenClass::{Change, Copula, Modal, PastCopula, Preposition};
    token.verb || matches!(token.class, Change | Copula | PastCopula | Modal | Preposition)
}

/// Returns true if the value of one predicate is an amount or a frequency, and that of the other
/// has another type: "is nightly", "takes 40 minutes".
fn has_other_type(earlier: &[Token], later: &[Token]) -> bool {
    let mut types = earlier.iter().filter_map(Token::value_type);
    let is_measured = |kind: &ValueType| matches!(kind, ValueType::Quantity | ValueType::Frequency);
    let Some(kind) = types.next().filter(is_measured) else { return false };
    let mut others = later.iter().filter_map(Token::value_type).peekable();
    // "Every Thursday" is no other type than "every second Friday".
    let is_other = |other: ValueType| other != kind && other != ValueType::Weekday;
    types.next().is_none() && others.peek().is_some() && others.all(is_other)
}

/// A noun and the name that stands for it.
struct GivenName<'s> {
    noun: &'s Token,
    /// True if the name is that of a host, a branch or the like.
    identifier: bool,
}

impl<'s> GivenName<'s> {
    /// Reads "NOUN is NAME".
    fn read(noun: &'s Token, predicate: &[Token]) -> Option<Self> {
        let value: Vec<&Token> = predicate.iter().filter(|token| is_topic(token)).collect();
        let identifier = |token: &Token| token.value_type() == Some(ValueType::Identifier);
        // The number of "Pixel 7" is part of its name.
        let named = |(at, token): (usize, &&Token)| {
            let numbers = at > 0 && token.value_type() == Some(ValueType::Quantity);
            token.is_name() || identifier(token) || numbers
        };
        // "The panel is at /admin" says where it is.
        let leads = |token: &Token| token.class == TokenClass::Preposition;
        let is_name = !predicate.first().is_none_or(leads)
            && !value.is_empty()
            && value.iter().enumerate().all(named);
        let identifier = value.iter().any(|token| identifier(token));
        is_name.then_some(Self { noun, identifier })
    }

    /// Returns true if a predicate has a name that may take the place of the earlier one.
    fn is_given_by(&self, predicate: &[Token]) -> bool {
        let is_named = predicate.iter().any(|token| match self.identifier {
            true => token.value_type() == Some(ValueType::Identifier),
            false => token.is_name(),
        });
        // Products are often written small: "the database is now mysql".
        let joined = || {
            let mut said = predicate.iter().filter(|token| token.counts());
            let copula = |token: &&Token| token.class == TokenClass::Copula;
            said.by_ref().any(|token| copula(&token))
                && said.all(|token| is_plain_noun(token) || token.class == TokenClass::Change)
        };
        is_named || !self.is_person() && joined()
    }

    /// Returns true if the noun does something, to something else or by itself: "raised the rent",
    /// "now works from Berlin". In "was moved to", "switched to" something becomes of it.
    fn acts(&self, predicate: &[Token]) -> bool {
        let is_verb = |token: &Token| {
            token.verb
                || change_verbs::is_change_verb(&token.word)
                || change_verbs::is_leading_verb(&token.word)
        };
        let Some(at) = predicate.iter().position(is_verb) else { return false };
        let copula =
            |token: &Token| matches!(token.class, TokenClass::Copula | TokenClass::PastCopula);
        if predicate.iter().any(copula) {
            return false;
        }
        let changes = change_verbs::tells_of_change(&predicate[at].word);
        !changes && !self.identifier || self.is_person() || has_object(&predicate[at + 1..])
    }

    fn is_person(&self) -> bool {
        lexicon::is_role(&self.noun.key) || lexicon::is_relative_person(&self.noun.key)
    }
}

/// Returns true if a common noun stands before the first preposition: "the review to Friday".
fn has_object(tokens: &[Token]) -> bool {
    let mut before = tokens.iter().take_while(|token| token.class != TokenClass::Preposition);
    before.any(|token| is_plain_noun(token) && is_topic(token))
}

fn is_plain_noun(token: &Token) -> bool {
    token.class == TokenClass::Content && !token.is_name() && !token.verb
}

#[cfg(test)]
mod tests {
    use super::super::{StatementRelation as R, compare};

    #[test]
    fn what_somebody_does_leaves_who_it_is() {
        for (earlier, later) in [
            ("My doctor is Mr. Ruiz.", "Doctor raised my amlodipine to 10 mg."),
            ("Mi médico es el doctor Ruiz.", "Doctor raised my amlodipine to 10 mg."),
            ("Our landlord is Mr. Petersen.", "The landlord raised the rent to 900 euros."),
            ("My manager is Sofia.", "My manager changed the deadline to 12 May."),
            ("The tech lead is Omar.", "The tech lead switched the build from Make to Bazel."),
            ("My wife is Eva.", "My wife switched to an iPhone."),
            ("My boss is Eva.", "My boss now works from Berlin."),
            ("Mein Arzt ist Dr. Weber.", "Mein Arzt hat die Dosis auf 10 mg erhöht."),
            ("Mi jefe es Carlos.", "Mi jefe cambió la reunión al viernes."),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn another_attribute_of_a_thing_leaves_its_name() {
        for (earlier, later) in [
            ("The database is Postgres.", "The database moved to port 5433."),
            ("The database is Postgres.", "The database was upgraded to version 17."),
            ("My phone is a Pixel 7.", "My phone now has 256 GB."),
            ("My car is a Volvo.", "My car is now at 90,000 km."),
            ("My bank is DKB.", "My bank raised the fee to 4 euros."),
            ("The primary database is db1.", "The primary database was moved to Frankfurt."),
            ("The backup job is nightly.", "The backup job now takes 40 minutes."),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn what_somebody_changes_leaves_what_else_is_known_of_them() {
        for (earlier, later) in [
            ("Jonas Weber looks after the servers.", "Jonas Weber moved the DNS to Cloudflare."),
            ("Ana works at Siemens.", "Ana changed the deadline to 12 May."),
            ("Mia leads the search team.", "Mia switched the build from Make to Bazel."),
        ] {
            assert_ne!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }

    #[test]
    fn another_name_for_the_same_noun_is_a_change() {
        for (earlier, later) in [
            ("My doctor is Dr. Lee.", "My doctor is now Dr. Cho."),
            ("The frontend is React.", "The frontend moved to Svelte."),
            ("The staging server is db-stg-02.", "The staging server moved to db-stg-05."),
            ("The queue is RabbitMQ.", "The queue was switched to NATS."),
            ("The venue is the Astoria.", "The venue changed to the Hilton."),
            ("Der Chef ist Herr Lang.", "Der Chef ist jetzt Frau Kurz."),
            ("Theme for the docs site is Furo", "Theme for the docs site is Material"),
        ] {
            assert_eq!(compare(earlier, later).relation, R::ChangedValue, "{earlier} / {later}");
        }
    }
}
