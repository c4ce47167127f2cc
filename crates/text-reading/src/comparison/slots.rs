//! Slots: subject, attribute and value of a statement whose attribute has one value at a time. Two
//! wordings of one attribute ("my manager is …", "I report to …") fill the same slot.

use super::change_verbs;
use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A filled slot.
#[derive(Debug)]
pub(super) struct Slot {
    pub attribute: &'static str,
    /// Keys of the words that say whose attribute it is.
    pub subject: BTreeSet<String>,
    /// Indexes into the statement's tokens.
    pub value: Vec<usize>,
}

/// One wording of an attribute.
struct Wording {
    attribute: &'static str,
    /// Words in a row; a value follows them, or for a noun a copula and the value.
    words: &'static [&'static str],
    form: WordingForm,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum WordingForm {
    /// A verb: subject before it, value behind.
    Verb,
    /// A noun: "my … is VALUE", "VALUE is my …", "…: VALUE".
    Noun,
}

impl Slot {
    /// Reads the slot that a statement fills, if it fills one.
    pub fn read(statement: &Statement) -> Option<Self> {
        let mut worded = WORDINGS.iter().zip(WORDING_KEYS.iter());
        let worded =
            worded.find_map(|(wording, keys)| Self::read_wording(statement, wording, keys));
        worded.or_else(|| Self::read_move(statement))
    }

    /// Reads the new home of whoever moved: "moved to Porto", "nach Dresden gezogen", "搬到苏州".
    fn read_move(statement: &Statement) -> Option<Self> {
        let tokens = &statement.tokens;
        let verb = tokens.iter().position(|token| lexicon::is_move(&token.word))?;
        let leads = |token: &Token| {
            matches!(&*token.word, "to" | "in" | "nach" | "a" | "à" | "en" | "al" | "到" | "para")
        };
        let is_place = |token: &Token| {
            token.is_name()
                || token.class == TokenClass::Content
                    && (is_unsegmented_word(token) || is_street(&token.word))
        };
        // "moved to" is read as one word.
        let at = (0..tokens.len()).find(|at| {
            // "a la avenida".
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let article = before.is_some_and(|it| it.class == TokenClass::Dropped && !leads(it));
            let before = at.checked_sub(1 + usize::from(article));
            let led = before.is_some_and(|before| leads(&tokens[before])) || *at == verb + 1;
            led && is_place(&tokens[*at])
        })?;
        let end = (at..tokens.len()).find(|at| !is_place(&tokens[*at])).unwrap_or(tokens.len());
        // "I moved my savings to Nationwide" tells of no home.
        let moves = |token: &Token| {
            let plain = token.class == TokenClass::Content && !token.is_name();
            plain && !is_unsegmented_word(token) && !is_street(&token.word)
        };
        if tokens[(verb + 1).min(at)..at].iter().any(moves) {
            return None;
        }
        // "从成都搬到杭州" names the old home as well.
        let from = |at: &usize| matches!(&*tokens[*at].word, "from" | "von" | "aus" | "de" | "从");
        let subject = (0..verb.min(at)).take_while(|at| !from(at));
        let subject: Vec<usize> = subject.filter(|at| !leads(&tokens[*at])).collect();
        Self::build(&MOVE, tokens, &subject, at..end)
    }

    fn read_wording(statement: &Statement, wording: &Wording, keys: &[String]) -> Option<Self> {
        let tokens = &statement.tokens;
        let at = find_words(tokens, keys, wording.words)?;
        let end = at + wording.words.len();
        match wording.form {
            WordingForm::Verb => {
                Self::build(wording, tokens, &(0..at).collect::<Vec<_>>(), end..tokens.len())
            }
            WordingForm::Noun => Self::read_noun(wording, tokens, at, end),
        }
    }

    fn read_noun(wording: &Wording, tokens: &[Token], at: usize, end: usize) -> Option<Self> {
        // "The dentist moved to Baker Street", "the doctor raised the dose": nobody else.
        let is_person = wording.words.iter().any(|word| lexicon::is_role(&lexicon::key_of(word)));
        let is_act =
            |word: &str| lexicon::is_move(word) || is_person && change_verbs::tells_of_change(word);
        let is_copula = |token: &Token| {
            matches!(token.class, TokenClass::Copula | TokenClass::PastCopula)
                || token.class == TokenClass::Change && !is_act(&token.word)
        };
        let joined = tokens[end..].iter().position(is_copula);
        if let Some(copula) = joined {
            let value = end + copula + 1;
            let subject: Vec<usize> = (0..at).chain(end..end + copula).collect();
            return Self::build(wording, tokens, &subject, value..tokens.len());
        }
        // "Sofia is my manager": the value stands in front.
        let joins =
            |token: &Token| matches!(token.class, TokenClass::Copula | TokenClass::PastCopula);
        let before = &tokens[..at];
        let copula = before.iter().position(joins).or_else(|| before.iter().position(is_copula))?;
        // "It can be merged into the main branch" gives the branch no value.
        let within = |token: &Token| token.class == TokenClass::Preposition || token.verb;
        if tokens[copula + 1..at].iter().any(within) {
            return None;
        }
        // "Seit Mai ist Herr Yilmaz mein Vorgesetzter": an adverbial stands in front.
        let named = |some: &[Token]| some.iter().rposition(Token::is_name);
        if let Some(last) = named(&tokens[copula + 1..at])
            && tokens[..copula].iter().all(|token| token.class != TokenClass::Content)
        {
            let name_end = copula + 2 + last;
            let subject: Vec<usize> = (name_end..at).chain(end..tokens.len()).collect();
            return Self::build(wording, tokens, &subject, copula + 1..name_end);
        }
        let subject: Vec<usize> = (copula + 1..at).chain(end..tokens.len()).collect();
        Self::build(wording, tokens, &subject, 0..copula)
    }

    fn build(
        wording: &Wording,
        tokens: &[Token],
        subject: &[usize],
        value: std::ops::Range<usize>,
    ) -> Option<Self> {
        let named = |at: &&usize| tokens[**at].counts() && tokens[**at].class != TokenClass::Modal;
        let subject: BTreeSet<String> = subject
            .iter()
            .filter(named)
            .filter(|at| tokens[**at].class != TokenClass::Preposition)
            .map(|at| tokens[*at].key.clone())
            .collect();
        let value: Vec<usize> = value.filter(|at| tokens[*at].counts()).collect();
        (!value.is_empty()).then_some(Self { attribute: wording.attribute, subject, value })
    }

    /// Returns true if both slots are of one attribute. A home is an address as well, when both
    /// have a number.
    pub fn is_of_attribute(&self, own: &Statement, other: &Self, others: &Statement) -> bool {
        let street = |slot: &Self, statement: &Statement| {
            let value = || slot.value.iter().map(|at| &statement.tokens[*at]);
            matches!(slot.attribute, "home" | "address")
                && value().any(|token| token.value_type() == Some(ValueType::Quantity))
                && value().any(Token::is_name)
        };
        self.attribute == other.attribute || street(self, own) && street(other, others)
    }

    /// Returns true if both slots belong to the same subject. Of two that belong to the owner, one
    /// may have a word more: "my line manager".
    pub fn same_subject(&self, other: &Self) -> bool {
        let named = |keys: &BTreeSet<String>| -> BTreeSet<String> {
            let others = keys.iter().filter(|key| !is_speaker(key));
            others.map(|key| lexicon::synonym_key(key).to_owned()).collect()
        };
        let owned =
            |keys: &BTreeSet<String>| keys.is_empty() || keys.iter().any(|key| is_speaker(key));
        let (left, right) = (named(&self.subject), named(&other.subject));
        let near = left.is_subset(&right) && right.len() <= left.len() + 1
            || right.is_subset(&left) && left.len() <= right.len() + 1;
        left == right || owned(&self.subject) && owned(&other.subject) && near
    }

    /// Returns the keys of the value up to the first adjunct.
    pub fn value_keys<'s>(&self, statement: &'s Statement) -> Vec<&'s str> {
        let tokens = self.value.iter().map(|at| &statement.tokens[*at]);
        let mut keys = Vec::new();
        for token in tokens {
            let adjunct = matches!(token.class, TokenClass::Preposition | TokenClass::Quantifier);
            if adjunct && !keys.is_empty() {
                break;
            }
            if !adjunct {
                keys.push(token.key.as_str());
            }
        }
        keys
    }
}

/// Returns true for the noun before the name of a street.
fn is_street(word: &str) -> bool {
    matches!(word, "calle" | "avenida" | "plaza" | "paseo" | "rue" | "avenue" | "boulevard")
        || matches!(word, "via" | "viale" | "piazza" | "rua" | "praça" | "street" | "road")
}

fn is_unsegmented_word(token: &Token) -> bool {
    token.word.contains(super::tokens::is_unsegmented) && token.word != "住"
}

fn is_speaker(key: &str) -> bool {
    matches!(key, "self" | "we")
}

/// Returns the index of the first of these keys in a row.
fn find_words(tokens: &[Token], keys: &[String], words: &[&str]) -> Option<usize> {
    // "My dentist's practice" tells of the practice.
    let fits = |(token, (key, word)): (&Token, (&String, &&str))| {
        // "A call with Nexa" names nothing.
        let participle = !word.ends_with("ed") || token.word.ends_with("ed");
        // French "du" has the stem of "due".
        token.key == *key
            && participle
            && is_common(token)
            && !token.possessive
            && token.word != "du"
    };
    let pairs = || keys.iter().zip(words);
    tokens.windows(keys.len()).position(|some| some.iter().zip(pairs()).all(fits))
}

/// Returns true for a word that is no name. German nouns have a capital behind an article too.
fn is_common(token: &Token) -> bool {
    !token.capital || token.determined
}

const MOVE: Wording = verb("home", &[]);

const fn verb(attribute: &'static str, words: &'static [&'static str]) -> Wording {
    Wording { attribute, words, form: WordingForm::Verb }
}

const fn noun(attribute: &'static str, words: &'static [&'static str]) -> Wording {
    Wording { attribute, words, form: WordingForm::Noun }
}

/// Keys of the words of each wording.
static WORDING_KEYS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let keys = |wording: &Wording| wording.words.iter().map(|word| lexicon::key_of(word)).collect();
    WORDINGS.iter().map(keys).collect()
});

#[rustfmt::skip]
const WORDINGS: &[Wording] = &[
    verb("manager", &["report", "to"]), verb("manager", &["answer", "to"]),
    noun("manager", &["vorgesetzter"]), noun("manager", &["vorgesetzte"]),
    verb("manager", &["managed", "by"]),
    noun("manager", &["manager"]), noun("manager", &["boss"]), noun("manager", &["supervisor"]),
    noun("manager", &["team", "lead"]),
    verb("home", &["live", "in"]), verb("home", &["live", "at"]), verb("home", &["reside", "in"]),
    verb("home", &["move", "to"]),
    verb("home", &["living", "in"]), verb("home", &["based", "in"]), noun("home", &["home"]),
    noun("home", &["hometown"]), noun("home", &["city"]), verb("home", &["relocated", "to"]),
    verb("home", &["wohne", "in"]), verb("home", &["wohnt", "in"]), verb("home", &["lebe", "in"]),
    verb("home", &["lebt", "in"]), verb("home", &["wohnen", "in"]), verb("home", &["vivo", "en"]),
    verb("home", &["vive", "en"]), verb("home", &["vivimos", "en"]), verb("home", &["habite", "à"]),
    verb("home", &["habitons", "à"]), verb("home", &["vis", "à"]), verb("home", &["住", "在"]),
    noun("manager", &["chef"]), noun("manager", &["chefin"]), noun("manager", &["jefe"]),
    noun("manager", &["jefa"]), noun("doctor", &["hausarzt"]), noun("doctor", &["hausärztin"]),
    noun("doctor", &["arzt"]), noun("doctor", &["médico"]), noun("doctor", &["médecin"]),
    noun("dentist", &["zahnarzt"]), noun("dentist", &["zahnärztin"]),
    noun("dentist", &["dentista"]), noun("dentist", &["dentiste"]),
    verb("employer", &["work", "at"]), verb("employer", &["work", "for"]),
    verb("employer", &["employed", "by"]), verb("employer", &["employed", "at"]),
    verb("employer", &["joined"]), noun("employer", &["employer"]), noun("employer", &["company"]),
    verb("spouse", &["married", "to"]), noun("spouse", &["wife"]), noun("spouse", &["husband"]),
    noun("spouse", &["spouse"]), noun("spouse", &["partner"]),
    verb("port", &["listen", "on", "port"]), verb("port", &["run", "on", "port"]),
    verb("port", &["listen", "on"]), verb("port", &["bind", "to"]), noun("port", &["port"]),
    verb("owner", &["owned", "by"]), verb("owner", &["maintained", "by"]),
    noun("owner", &["owner"]), noun("owner", &["maintainer"]),
    noun("birthday", &["birthday"]), verb("birthday", &["born", "on"]),
    noun("birthday", &["birthdate"]),
    noun("deadline", &["deadline"]), verb("deadline", &["due", "on"]), verb("deadline", &["due"]),
    verb("deadline", &["due", "by"]),
    noun("blood type", &["blood", "type"]), noun("blood type", &["blood", "group"]),
    noun("database", &["database"]), noun("version", &["version"]),
    verb("host", &["hosted", "on"]), verb("host", &["hosted", "at"]), noun("host", &["host"]),
    verb("language", &["written", "in"]), noun("language", &["language"]),
    noun("dentist", &["dentist"]), noun("doctor", &["doctor"]), noun("doctor", &["gp"]),
    noun("teacher", &["teacher"]), verb("teacher", &["taught", "by"]),
    noun("timeout", &["timeout"]), verb("timeout", &["time", "out", "after"]),
    noun("retention", &["retention"]), verb("retention", &["kept", "for"]),
    verb("retention", &["retained", "for"]),
    noun("branch", &["default", "branch"]), noun("branch", &["main", "branch"]),
    noun("email", &["email"]), noun("phone", &["phone"]), noun("phone", &["phone", "number"]),
    noun("address", &["address"]), noun("address", &["adresse"]),
    noun("address", &["dirección"]), noun("address", &["indirizzo"]), noun("name", &["name"]),
    verb("name", &["called"]),
    verb("name", &["named"]), noun("car", &["car"]), verb("car", &["drive"]),
    noun("editor", &["editor"]), noun("age", &["age"]), noun("weight", &["weight"]),
    noun("salary", &["salary"]), noun("price", &["price"]), verb("price", &["cost"]),
];
