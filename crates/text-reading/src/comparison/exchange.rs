//! Words of two statements that stand in each other's place: whether they are the same in other
//! words, values of one type, or what only one thing can be.

use super::choices;
use super::decide::{StatementPair, is_light};
use super::lexicon;
use super::regions::is_region;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::value_nouns;
use super::values::ValueType;

/// Part of a statement in which words were exchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SentencePart {
    Subject,
    Verb,
    Value,
}

/// Words that stand in each other's place.
pub(super) struct Exchange<'p> {
    pub left: &'p [&'p Token],
    pub right: &'p [&'p Token],
    pub place: SentencePart,
    pub before: Option<&'p Token>,
    /// Index of the first exchanged word.
    pub at: usize,
    /// True if a content word of both statements follows at once.
    pub after: bool,
}

impl Exchange<'_> {
    pub fn is_substitution(&self) -> bool {
        !self.left.is_empty() && !self.right.is_empty()
    }

    pub fn is_synonym(&self) -> bool {
        let keys = |tokens: &[&Token]| -> Vec<String> {
            let heavy = tokens.iter().filter(|token| !is_light(token));
            heavy.map(|token| lexicon::synonym_key(&token.key).to_owned()).collect()
        };
        self.is_substitution() && keys(self.left) == keys(self.right)
    }

    pub fn is_synonym_or_light(&self) -> bool {
        let light = |tokens: &[&Token]| tokens.iter().all(|token| is_light(token));
        self.is_synonym() || light(self.left) && light(self.right)
    }

    /// Returns true if both sides have a value of the same type and unit, and nothing else differs.
    pub fn is_typed(&self) -> bool {
        let value = |tokens: &[&Token]| -> Option<(ValueType, String)> {
            let token = tokens.iter().find(|token| token.value_type().is_some())?;
            let unit = token.key.split_once(' ').map_or("", |(_, unit)| unit);
            Some((token.value_type()?, unit.to_owned()))
        };
        let alike = |one: &(ValueType, String), other: &(ValueType, String)| {
            one.0 == other.0 && super::values::are_comparable_units(&one.1, &other.1)
        };
        let words = |tokens: &[&Token]| {
            tokens.iter().filter(|token| token.class == TokenClass::Content).count()
        };
        // "12 Rowan Close" is one value; "5 mg amlodipine" is a value of something.
        let named = |tokens: &[&Token]| {
            tokens.iter().all(|token| token.class != TokenClass::Content || token.is_name())
        };
        // "For adults 5 euros" and "for children 3 euros" are two prices.
        let purpose = self.before.is_some_and(|token| is_purpose_word(&token.word));
        let counted =
            !purpose && value(self.left).is_some_and(|(kind, _)| kind == ValueType::Quantity);
        let mixed = words(self.left) > 0
            && words(self.right) > 0
            && !(counted && named(self.left) && named(self.right));
        let when = |kind: &Option<(ValueType, String)>| {
            matches!(kind, Some((ValueType::Weekday | ValueType::Frequency, _)))
        };
        let (one, other) = (value(self.left), value(self.right));
        self.is_substitution()
            && !mixed
            && (one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| alike(one, other))
                || when(&one) && when(&other))
    }

    /// Returns true if one side says for what its value holds: "is 10 MB", "for business accounts
    /// is 100 MB".
    pub fn adds_purpose(&self) -> bool {
        let purpose = |tokens: &[&Token]| {
            tokens
                .windows(2)
                .any(|two| is_purpose_word(&two[0].word) && two[1].class == TokenClass::Content)
        };
        purpose(self.left) != purpose(self.right)
    }

    /// Returns true for one or two words on each side.
    pub fn is_short(&self) -> bool {
        const WORDS_MAX: usize = 2;
        self.left.len() <= WORDS_MAX && self.right.len() <= WORDS_MAX
    }

    /// Returns true if both have values, and of different types: "4:45 pm", "quarterly".
    pub fn has_unlike_types(&self) -> bool {
        let kind = |tokens: &[&Token]| tokens.iter().find_map(|token| token.value_type());
        let day =
            |kind| matches!(kind, ValueType::Weekday | ValueType::Frequency | ValueType::Date);
        kind(self.left)
            .zip(kind(self.right))
            .is_some_and(|(one, other)| one != other && !(day(one) && day(other)))
    }

    pub fn is_refinement(&self) -> bool {
        let first = |tokens: &[&Token]| {
            let value = tokens.iter().find(|token| token.value_type().is_some());
            value.map(|token| token.key.clone())
        };
        match (first(self.left), first(self.right)) {
            (Some(one), Some(other)) => super::values::refines(&one, &other),
            _ => false,
        }
    }

    /// Returns true if one word stands against the same in another spelling: "vendor", "vender",
    /// "Zieliński", "Zielinski".
    pub fn is_respelled(&self) -> bool {
        const LETTERS_MIN: usize = 6;
        let ([one], [other]) = (self.left, self.right) else { return false };
        let plain = |token: &Token| {
            token.class == TokenClass::Content && token.word.chars().count() >= LETTERS_MIN
        };
        plain(one) && plain(other) && differ_in_one_letter(&one.word, &other.word)
    }

    /// Returns true for "Berlin" and "Germany", which do not exclude each other.
    pub fn is_region_and_place(&self) -> bool {
        let region = |tokens: &[&Token]| tokens.iter().any(|token| is_region(&token.word));
        let named = |tokens: &[&Token]| tokens.iter().any(|token| token.is_name());
        self.is_substitution()
            && named(self.left)
            && named(self.right)
            && region(self.left) != region(self.right)
    }

    /// Returns true for "always" and "sometimes", "all" and "most".
    pub fn is_quantifier(&self) -> bool {
        let quantifier = |token: &&Token| {
            token.class == TokenClass::Quantifier
                || token.value_type() == Some(ValueType::Frequency)
        };
        // "most of my cousins", "two of my cousins".
        let counted =
            |token: &&Token| quantifier(token) || token.value_type() == Some(ValueType::Quantity);
        let mut all = self.left.iter().chain(self.right);
        self.is_substitution() && all.clone().all(counted) && all.any(quantifier)
    }

    /// Returns true if both are numbers of something: "two reviewers", "three reviewers".
    pub fn is_count(&self) -> bool {
        let number = |tokens: &[&Token]| {
            tokens.iter().all(|token| token.value_type() == Some(ValueType::Quantity))
        };
        self.is_substitution() && number(self.left) && number(self.right)
    }

    /// Returns true if both values are numbers without a unit.
    pub fn is_bare_number(&self) -> bool {
        let bare = |tokens: &[&Token]| {
            let number = |token: &&Token| token.value_type() == Some(ValueType::Quantity);
            matches!(tokens, [one] if number(one) && !one.key.contains(' '))
        };
        bare(self.left) && bare(self.right)
    }

    /// Returns true if a number or an identifier behind a noun at the beginning of a statement
    /// names one of several: "room 12 seats eight", "payment note 2: …", "server web01 has …".
    pub fn is_label(&self, statement: &Statement) -> bool {
        let unsegmented = |token: &&Token| token.word.contains(super::tokens::is_unsegmented);
        let labels = (self.is_bare_number() || self.is_identifier())
            && !statement.tokens.iter().any(|token| unsegmented(&token));
        let (Some(number), true) = (self.left.first(), labels) else {
            return false;
        };
        let mut after = statement.tokens.iter().skip_while(|token| token.start <= number.start);
        let next = after.next();
        let heads = next.is_some_and(|next| next.word == ":");
        let mut before = statement.tokens.iter().take_while(|token| token.start < number.start);
        let noun = before.clone().last().is_some_and(|token| {
            let has = matches!(&*token.word, "has" | "have" | "had" | "hat" | "tiene" | "tienen");
            let verb = has || token.verb;
            // "max 3 tablets" and "line length 88" are values.
            let measured = value_nouns::is_measure_noun(&token.key);
            heads || token.class == TokenClass::Content && !verb && !measured
        });
        let opens = before.all(|token| {
            matches!(token.class, TokenClass::Content | TokenClass::Dropped | TokenClass::Weak)
        });
        noun && opens && next.is_some()
    }

    /// Returns true if both are numbers of different things: "42 people", "3 meeting rooms".
    pub fn counts_others(&self) -> bool {
        let counts = |tokens: &[&Token]| {
            let number = |token: &&Token| token.value_type() == Some(ValueType::Quantity);
            tokens.len() > 1
                && tokens.first().is_some_and(number)
                && !tokens.iter().any(|token| token.is_name())
        };
        counts(self.left) && counts(self.right)
    }

    /// Returns true for an "I" that one statement leaves out.
    pub fn is_speaker(&self) -> bool {
        let mut all = self.left.iter().chain(self.right);
        !self.is_substitution() && all.all(|token| matches!(&*token.key, "self" | "we"))
    }

    /// Returns true for a "new" that one statement leaves out.
    pub fn is_newness(&self) -> bool {
        let mut all = self.left.iter().chain(self.right);
        !self.is_substitution() && all.all(|token| lexicon::is_new(&token.word))
    }

    /// Returns true if both are choices of one closed class.
    pub fn is_choice(&self) -> bool {
        let chosen = |one: &&Token| {
            self.right.iter().any(|other| choices::same_choice(&one.key, &other.key))
        };
        let words = |tokens: &[&Token]| {
            tokens.iter().filter(|token| token.class == TokenClass::Content).count()
        };
        // "Coffee black", "tea with milk" are two choices of two things.
        (words(self.left) == 1 || words(self.right) == 1) && self.left.iter().any(chosen)
    }

    /// Returns true if one identifier stands in the place of another.
    fn is_identifier(&self) -> bool {
        let is = |token: &&Token| token.value_type() == Some(ValueType::Identifier);
        matches!((self.left, self.right), ([one], [other]) if is(one) && is(other))
    }

    /// Returns true if the words stand behind a noun that is no attribute: "chapter 3".
    pub fn follows_plain_noun(&self) -> bool {
        self.before.is_some_and(|token| {
            token.class == TokenClass::Content
                && !lexicon::is_single_valued(&token.key)
                && !token.verb
        })
    }

    pub fn has_names(&self) -> bool {
        // Technical names are written in small letters and joined by a dash.
        let named = |tokens: &[&Token]| {
            tokens.iter().all(|token| token.is_name() || token.word.contains('-'))
        };
        named(self.left) && named(self.right)
    }

    /// Returns true if the words say for what or when something holds, behind its value.
    pub fn is_qualifier(&self, pair: &StatementPair<'_>) -> bool {
        let marks = self.before.is_some_and(|token| {
            matches!(
                &*token.word,
                "for" | "during" | "when" | "if" | "while" | "für" | "para" | "pour" | "of"
            )
        });
        marks && self.at > pair.earlier.subject + 2 && !self.is_typed()
    }

    /// Returns true if one side is what the subject is, and the other what it does: "is allergic to
    /// shellfish", "works at the hospital". Who "works as" something is that.
    pub fn is_act_beside_state(&self) -> bool {
        let acts = |tokens: &[&Token]| {
            tokens.first().is_some_and(|it| it.verb && !it.capital && it.word.ends_with('s'))
                && !tokens.iter().any(|it| it.word == "as")
        };
        acts(self.left) != acts(self.right) && !self.is_typed()
    }
}

/// Returns true if two words of one length differ in one letter that is not at their beginning, or
/// have two neighbours in another order.
fn differ_in_one_letter(one: &str, other: &str) -> bool {
    let letters = |word: &str| word.chars().collect::<Vec<char>>();
    let (one, other) = (letters(one), letters(other));
    let differ: Vec<usize> =
        (0..one.len().min(other.len())).filter(|at| one[*at] != other[*at]).collect();
    let swapped = matches!(differ[..], [first, second]
        if second == first + 1 && one[first] == other[second] && one[second] == other[first]);
    one.len() == other.len() && one.first() == other.first() && (differ.len() == 1 || swapped)
}

/// Returns true for words before what something is for.
pub(super) fn is_purpose_word(word: &str) -> bool {
    matches!(word, "for" | "as" | "für" | "als" | "para" | "como" | "pour" | "comme")
}
