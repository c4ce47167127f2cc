//! Words that stand in each other's place and say where something is, of what kind it is, or what
//! is done with it: of these only one holds at a time.

use super::choices;
use super::decide::StatementPair;
use super::exchange::Exchange;
use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::value_nouns;
use super::values::ValueType;
use super::verb_classes;

impl Exchange<'_> {
    /// Returns true if only one side is a value. A path and the name of a place are alike.
    pub fn is_unlike(&self, pair: &StatementPair<'_>) -> bool {
        let is_value = |tokens: &[&Token]| tokens.iter().any(|token| token.value_type().is_some());
        let identifier = |token: &Token| token.value_type() == Some(ValueType::Identifier);
        let named =
            |tokens: &[&Token]| tokens.iter().any(|token| token.is_name() || identifier(token));
        // "Logs are written to stdout" names a place like a path does.
        let path = |tokens: &[&Token]| matches!(tokens, [one] if identifier(one));
        is_value(self.left) != is_value(self.right)
            && !(named(self.left) && named(self.right))
            && !((path(self.left) || path(self.right)) && self.is_placed(pair))
    }

    /// Returns true if one side is a time and the other something else: "is on 12 April" and "was
    /// moved to the Birch room" are two attributes.
    pub fn is_time_beside_other(&self) -> bool {
        let timed = |tokens: &[&Token]| {
            tokens.iter().any(|token| {
                matches!(
                    token.value_type(),
                    Some(ValueType::Date | ValueType::TimeOfDay | ValueType::Weekday)
                )
            })
        };
        let period = |token: &&Token| lexicon::is_period(&token.word);
        timed(self.left) != timed(self.right) && !self.left.iter().chain(self.right).any(period)
    }

    /// Returns true if another participle follows the copula in each: "is rebuilt every night",
    /// "is compacted every Sunday".
    pub fn tells_other_acts(&self, pair: &StatementPair<'_>) -> bool {
        let act = |tokens: &[&Token]| {
            tokens.first().is_some_and(|token| {
                let participle = lexicon::is_participle(&token.word) || token.word.ends_with("ed");
                participle && !token.capital
            }) && tokens.iter().any(|token| token.value_type().is_some())
        };
        pair.is_passive() && act(self.left) && act(self.right)
    }

    /// Returns true for the one place, means or maker that a participle or a verb of staying
    /// leads to: "is held in the canteen", "are signed with RS256", "lives with my aunt".
    pub fn is_placed(&self, pair: &StatementPair<'_>) -> bool {
        // "belongs to team Falcon": the noun before a name is part of it.
        let label = self.has_names()
            && self.before.is_some_and(|noun| noun.class == TokenClass::Content && !noun.verb);
        let at = self.at - usize::from(label);
        let Some(before) = at.checked_sub(1).map(|at| pair.left[at]) else { return false };
        let Some(verb) = at.checked_sub(2).map(|at| pair.left[at]) else { return false };
        let leads = matches!(
            &*before.word,
            "in" | "at" | "on" | "by" | "with" | "from" | "under" | "via" | "to" | "as"
        );
        let passive =
            pair.is_passive() && (lexicon::is_participle(&verb.word) || verb.word.ends_with("ed"));
        let goes = verb.key == "go" && !lexicon::is_pronoun_key(&pair.left[0].key);
        // One may run with several people.
        let tool = verb_classes::is_tool_verb(&verb.key) && self.has_names();
        let company = before.word == "with" && !matches!(&*verb.key, "bank" | "liv") && !tool;
        let stays = (lexicon::is_staying_verb(&verb.key) || goes || tool) && !company;
        let within = self.left.iter().chain(self.right).all(|token| {
            token.class == TokenClass::Content && !token.verb || token.value_type().is_some()
        });
        // "at Lena's place".
        let owned = self.left.iter().chain(self.right).all(|token| token.possessive);
        let rest = pair.left.len() - self.at - self.left.len();
        let ends = rest == 0 || rest == 1 && owned;
        leads && (passive || stays) && within && ends && pair.shared_topic() >= 1
    }

    /// Returns true if two nouns say of what kind something is: "is an electrician", "is a
    /// paramedic".
    pub fn is_predicate_noun(&self, pair: &StatementPair<'_>) -> bool {
        let nouns = |tokens: &[&Token]| {
            // A nurse may be a vegetarian.
            let chosen = matches!(tokens, [one] if choices::is_choice(&one.key));
            let noun = |token: &&Token| token.class == TokenClass::Content && !token.possessive;
            !chosen && tokens.iter().all(noun)
        };
        names_kind(pair.earlier, self.left)
            && names_kind(pair.later, self.right)
            && nouns(self.left)
            && nouns(self.right)
            && self.ends_both(pair)
    }

    /// Returns true if one side is the kind of something and the other its place: "is a Pixel 6",
    /// "moved to the kitchen".
    pub fn is_kind_beside_place(&self, pair: &StatementPair<'_>) -> bool {
        let leads = |token: &&&Token| token.class == TokenClass::Preposition && token.word == "to";
        names_kind(pair.earlier, self.left) && self.right.first().filter(leads).is_some()
    }

    /// Returns true if a copula joins one subject with two places: "is under the pot", "is in the
    /// shed".
    pub fn is_location(&self, pair: &StatementPair<'_>) -> bool {
        let located = |statement: &Statement, tokens: &[&Token]| {
            let Some(first) = tokens.first() else { return false };
            let joins = |token: &&Token| {
                let stays = token.verb && lexicon::is_staying_verb(&token.key);
                token.class == TokenClass::Copula || stays && !token.determined
            };
            let mut after = statement.tokens.iter().skip_while(|token| !joins(token)).skip(1);
            let place = after.find(|token| token.counts());
            place.is_some_and(|place| {
                let next = statement
                    .tokens
                    .iter()
                    .find(|token| token.start > place.start && token.counts())
                    .is_some_and(|next| next.start == first.start);
                // One may run with several people.
                let company = place.word == "with" && !statement.has_copula();
                lexicon::is_place_preposition(&place.word)
                    && !company
                    && (place.start == first.start || next)
            })
        };
        let names = |tokens: &[&Token]| tokens.iter().any(|token| token.is_name());
        // Somebody may be in sales and in hospital.
        let subject = pair.left.iter().take(pair.earlier.subject);
        let thing = subject.clone().any(|token| {
            token.class == TokenClass::Content && !token.capital && !token.opens && !token.verb
        });
        let joined = pair.earlier.has_copula() && pair.later.has_copula();
        let alike = names(self.left) == names(self.right) && thing || !joined;
        let plain = |tokens: &[&Token]| {
            let noun = |token: &&&Token| token.class == TokenClass::Content && !token.verb;
            tokens.iter().all(|token| token.value_type().is_none())
                && tokens.iter().filter(noun).count() > 0
        };
        located(pair.earlier, self.left)
            && located(pair.later, self.right)
            && plain(self.left)
            && plain(self.right)
            && alike
            && self.ends_both(pair)
            && pair.shared_topic() >= 1
    }

    /// Returns true if the words behind a copula were exchanged, and the subject before it ends in
    /// an attribute of a language without spaces: "项目负责人是刘洋".
    pub fn is_unsegmented_attribute(&self, pair: &StatementPair<'_>) -> bool {
        let attribute = |statement: &Statement| {
            let joint = |token: &Token| token.class == TokenClass::Copula;
            let copula = statement.tokens.iter().position(joint).unwrap_or(0);
            let subject: String =
                statement.tokens[..copula].iter().map(|token| token.word.as_str()).collect();
            value_nouns::ends_in_attribute(&subject)
        };
        self.at == pair.earlier.subject
            && self.ends_both(pair)
            && attribute(pair.earlier)
            && attribute(pair.later)
    }

    /// Returns true if nothing follows the exchanged words.
    pub fn ends_both(&self, pair: &StatementPair<'_>) -> bool {
        let last = |tokens: &[&Token], all: &[&Token]| {
            tokens.last().zip(all.last()).is_some_and(|(one, other)| one.start == other.start)
        };
        last(self.left, &pair.left) && last(self.right, &pair.right)
    }
}

/// Returns true if an indefinite article behind a copula leads to these words.
fn names_kind(statement: &Statement, tokens: &[&Token]) -> bool {
    let Some(first) = tokens.first() else { return false };
    let mut before = statement.tokens.iter().rev().skip_while(|it| it.start >= first.start);
    let article = before.next().is_some_and(|it| {
        it.class == TokenClass::Dropped && lexicon::is_indefinite_article(&it.word)
    });
    article && before.next().is_some_and(|it| it.class == TokenClass::Copula)
}

impl StatementPair<'_> {
    /// Returns true if a participle follows the copula in both: "are read from", "is held in".
    pub fn is_passive(&self) -> bool {
        let passive = |statement: &Statement| {
            statement.tokens.windows(2).any(|two| {
                let participle =
                    lexicon::is_participle(&two[1].word) || two[1].word.ends_with("ed");
                two[0].class == TokenClass::Copula && participle && !two[1].capital
            })
        };
        passive(self.earlier) && passive(self.later)
    }
}
