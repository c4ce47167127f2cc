//! The parts of a statement that say what it is about: its subject, the attribute it speaks of, the
//! verbs of its predicate, and the names and values it gives. Adverbials of time, reasons, and
//! whoever made a change are left out, since they do not tell one subject from another.

use super::attribute_families::{FamilySet, families_of, measure, measures_of};
use super::change_verbs;
use super::foreign_words::is_foreign_filler;
use super::lexicon;
use super::statement::Statement;
use super::tokens::{Token, TokenClass};
use super::values::ValueType;
use super::verb_classes;

/// Part of a word in its statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FramePart {
    Subject,
    Attribute,
    Verb,
    Name,
    Value(ValueType),
}

/// A word that counts, with its part and the key by which it is recognised in other wordings.
#[derive(Debug)]
pub(super) struct FrameWord<'s> {
    pub token: &'s Token,
    pub part: FramePart,
    pub key: &'s str,
    /// Attributes that it may name beside the values of its statement.
    pub families: FamilySet,
    /// True if it names who made a change: "the landlord put …", "finance approved …".
    pub agent: bool,
    /// True if it stands before the predicate.
    pub leads: bool,
    /// True if it says of what something holds: "for Python".
    pub purpose: bool,
    /// Preposition before it.
    pub preposition: Option<&'s str>,
    /// Key of the word of the frame that follows.
    pub next: Option<&'s str>,
    /// Key of the noun before, when both make one noun: "release" of "release party".
    pub modifier: Option<&'s str>,
    /// Keys of the nouns that it counts, when it is a number without a unit.
    pub counts: Vec<&'s str>,
    /// Key of the noun behind, when both make one noun: "office" of "Paris office".
    pub head: Option<&'s str>,
}

impl FrameWord<'_> {
    /// Returns true for a name, or a word that may be one, that is no owner.
    pub fn is_holder(&self) -> bool {
        let opens = self.part == FramePart::Subject && self.token.opens;
        (self.part == FramePart::Name || opens) && !self.token.possessive
    }

    /// Returns the preposition that leads to a name of which there is one: "through Amex".
    pub fn leading_preposition(&self) -> Option<&str> {
        let single = |it: &&str| matches!(*it, "through" | "via" | "with" | "in" | "by" | "at");
        self.preposition.filter(single).filter(|_| self.is_holder())
    }
}

/// The words of a statement by their parts.
#[derive(Debug)]
pub(super) struct StatementFrame<'s> {
    pub words: Vec<FrameWord<'s>>,
    german: bool,
}

impl<'s> StatementFrame<'s> {
    /// Reads the frame of a statement.
    fn read(statement: &'s Statement) -> Self {
        let tokens = &statement.tokens[..reason_start(&statement.tokens)];
        let (agents, leading) = (agent_length(tokens), leading_length(statement, tokens));
        let german = tokens.iter().any(|token| lexicon::is_german(&token.word));
        let measured = tokens.iter().any(is_measure);
        let words = tokens.iter().enumerate().filter_map(|(at, token)| {
            let leads = at < leading;
            // Beside a number an identifier says where it holds: "is 200 on db-1".
            let placed = measured && token.value_type() == Some(ValueType::Identifier);
            let part = part_of(tokens, at, leads || placed)?;
            let part = match part {
                // "A Motorola", but German nouns are capitalised too.
                FramePart::Subject if token.is_name() && !german && !heads_noun(tokens, at) => {
                    FramePart::Name
                }
                part => part,
            };
            // German nouns are capitalised, so nothing else is one.
            let noun = !german || token.capital || token.opens || token.determined;
            let purpose = is_purpose(tokens, at);
            let part = match part {
                FramePart::Subject if !noun || is_verb_of_value(tokens, at) => FramePart::Verb,
                // "for Python" says of what something holds.
                FramePart::Name if purpose => FramePart::Subject,
                FramePart::Value(_) if is_number_of(tokens, at, leads) => FramePart::Name,
                // "Friday lunch" is another meal than "Monday lunch".
                FramePart::Value(_) if leads && is_modifier(tokens, at) => FramePart::Name,
                part => part,
            };
            // "Runs on Node" tells of no manager.
            let runs =
                part == FramePart::Verb && token.key == "run" && is_before_preposition(tokens, at);
            let key = if runs { token.key.as_str() } else { token.topic.as_str() };
            let agent = at < agents;
            let (next, modifier, head) = (None, None, None);
            let counts = counted_nouns(tokens, at);
            let preposition = preposition_of(tokens, at);
            Some(FrameWord {
                token,
                part,
                key,
                families: 0,
                agent,
                leads,
                purpose,
                preposition,
                next,
                modifier,
                head,
                counts,
            })
        });
        let mut words: Vec<FrameWord<'s>> = words.collect();
        for at in 1..words.len() {
            let (one, other) = (words[at - 1].key, words[at].key);
            words[at - 1].next = Some(other);
            if is_one_noun(&words[at - 1], &words[at]) {
                words[at].modifier = Some(one);
                words[at - 1].head = Some(other);
            }
        }
        Self { words, german }
    }

    /// Reads the frames of two statements. A word that both have names nothing else.
    pub fn read_both(earlier: &'s Statement, later: &'s Statement) -> (Self, Self) {
        let (mut left, mut right) = (Self::read(earlier), Self::read(later));
        let keys = |frame: &Self| -> Vec<&'s str> { frame.words.iter().map(|it| it.key).collect() };
        let (left_keys, right_keys) = (keys(&left), keys(&right));
        let known = |words: &mut [FrameWord<'s>], keys: &[&str]| {
            for word in words.iter_mut().filter(|word| keys.contains(&word.key)) {
                word.families = 0;
            }
        };
        left.join_numbers(&right_keys);
        right.join_numbers(&left_keys);
        known(&mut left.words, &right_keys);
        known(&mut right.words, &left_keys);
        (left, right)
    }

    /// Takes a number beside a name that the other frame lacks for a part of it: "Pixel 7", "12
    /// Mill Lane".
    fn join_numbers(&mut self, others: &[&str]) {
        let name = |word: &FrameWord<'_>| {
            word.part == FramePart::Name && !word.token.possessive && !others.contains(&word.key)
        };
        for at in 0..self.words.len() {
            let number = &self.words[at];
            let bare = number.part == FramePart::Value(ValueType::Quantity)
                && !number.token.key.contains(' ');
            let joined = |one: &FrameWord<'_>, other: &FrameWord<'_>| {
                one.token.end + 1 == other.token.start && one.leads == other.leads
            };
            let before = at.checked_sub(1).map(|before| &self.words[before]);
            let before = before.is_some_and(|before| name(before) && joined(before, number));
            let after = self.words.get(at + 1);
            let after = after.is_some_and(|after| name(after) && joined(number, after));
            if bare && (before || after) {
                self.words[at].part = FramePart::Name;
            }
        }
        find_families(&mut self.words);
    }

    /// Returns true if nothing but names stands before the predicate.
    pub fn is_led_by_name(&self) -> bool {
        let mut leading = self.words.iter().filter(|word| word.leads).peekable();
        // "Icons come from …": a noun in the plural and its verb.
        let verb = self.words.iter().find(|word| !word.leads && word.part == FramePart::Verb);
        let plural = |word: &FrameWord<'_>| {
            let plain = verb.is_some_and(|verb| lexicon::is_plain_verb(&verb.token.word));
            plain && !word.token.capital && word.token.word.ends_with('s')
        };
        leading.peek().is_some() && leading.all(|word| word.is_holder() && !plural(word))
    }

    /// Returns true if it names who set the value: "finance approved 15k".
    pub fn is_set_by_somebody(&self) -> bool {
        self.words.iter().any(|word| word.agent)
    }

    /// Returns true if a word with this key or of the same attribute occurs.
    pub fn has(&self, other: &FrameWord<'_>) -> bool {
        self.repeats(other) || self.words.iter().any(|word| word.families & other.families != 0)
    }

    /// Returns true if a noun with this key or of the same attribute occurs.
    pub fn has_noun(&self, other: &FrameWord<'_>) -> bool {
        self.words.iter().any(|word| {
            let same = word.key == other.key || word.families & other.families != 0;
            same && word.part != FramePart::Verb
        })
    }

    /// Returns true if a word with this key occurs.
    fn repeats(&self, other: &FrameWord<'_>) -> bool {
        let key = other.key;
        self.words.iter().any(|word| {
            word.key == key
                || self.german && (is_compound(word.key, key) || is_compound(&word.token.key, key))
        })
    }

    /// Iterates over the words that the other frame lacks.
    pub fn only<'f>(&'f self, other: &'f Self) -> impl Iterator<Item = &'f FrameWord<'s>> {
        self.words.iter().filter(|word| !other.has(word))
    }

    /// Counts the words of the subject, the attribute, names and full verbs that both have.
    pub fn shared(&self, other: &Self) -> usize {
        self.subject_words().filter(|word| other.has(word)).count()
    }

    /// Counts those that both have in the same words.
    pub fn repeated(&self, other: &Self) -> usize {
        self.subject_words().filter(|word| other.repeats(word)).count()
    }

    fn subject_words(&self) -> impl Iterator<Item = &FrameWord<'s>> {
        self.words.iter().filter(|word| !matches!(word.part, FramePart::Value(_)))
    }
}

/// Finds the attributes that words may name beside the values of their statement.
fn find_families(words: &mut [FrameWord<'_>]) {
    let measures = words.iter().fold(0, |all, word| match word.part {
        FramePart::Value(_) if !word.counts.is_empty() => all | measure::AMOUNT,
        FramePart::Value(kind) => all | measures_of(kind, &word.token.key),
        _ => all,
    });
    let measures = if measures == 0 { measure::NAME } else { measures };
    for word in words.iter_mut().filter(|word| !matches!(word.part, FramePart::Value(_))) {
        word.families = families_of(&word.token.key, measures);
    }
}

/// Returns true if two words stand side by side and neither is a verb, a value or an owner.
fn is_one_noun(one: &FrameWord<'_>, other: &FrameWord<'_>) -> bool {
    let noun = |word: &FrameWord<'_>| !matches!(word.part, FramePart::Verb | FramePart::Value(_));
    let joined = one.token.end + 1 == other.token.start;
    joined && noun(one) && noun(other) && !one.token.possessive
}

fn is_before_preposition(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| next.class == TokenClass::Preposition)
}

/// Returns true for a name that says which of several: "the Dublin team".
fn heads_noun(tokens: &[Token], at: usize) -> bool {
    tokens.get(at + 1).is_some_and(|next| {
        let joined = tokens[at].end + 1 == next.start;
        let noun = !next.verb || next.word.ends_with("ing");
        joined && next.class == TokenClass::Content && !next.capital && noun
    })
}

/// Returns true for what stands behind "for".
fn is_purpose(tokens: &[Token], at: usize) -> bool {
    let before = said_before(tokens, at);
    before.is_some_and(|token| matches!(&*token.word, "for" | "für" | "para" | "pour"))
}

/// Returns the preposition before a word.
fn preposition_of(tokens: &[Token], at: usize) -> Option<&str> {
    let before = said_before(tokens, at)?;
    (before.class == TokenClass::Preposition).then_some(&*before.word)
}

/// Returns the word before another, articles left out.
fn said_before(tokens: &[Token], at: usize) -> Option<&Token> {
    tokens[..at].iter().rev().find(|token| token.class != TokenClass::Dropped)
}

/// Returns true for a number that tells one thing from others of its kind, beside the value: "room
/// 201 has 12 seats".
fn is_number_of(tokens: &[Token], at: usize, leads: bool) -> bool {
    let bare =
        |token: &Token| token.value_type() == Some(ValueType::Quantity) && !token.key.contains(' ');
    let noun = at.checked_sub(1).is_some_and(|before| {
        let before = &tokens[before];
        let attribute = lexicon::is_attribute(&before.key) && !leads;
        before.class == TokenClass::Content && !attribute && !before.verb
    });
    noun && bare(&tokens[at]) && tokens[at + 1..].iter().any(is_measure)
}

/// Returns true for a day that stands as the first part of a noun.
fn is_modifier(tokens: &[Token], at: usize) -> bool {
    let day = matches!(tokens[at].value_type(), Some(ValueType::Weekday | ValueType::Date));
    day && tokens.get(at + 1).is_some_and(|next| next.class == TokenClass::Content && !next.verb)
}

/// Returns the keys of the nouns that a number without a unit counts: "12 newsletter subscribers".
fn counted_nouns(tokens: &[Token], at: usize) -> Vec<&str> {
    const NOUN_WORDS: usize = 2;
    let number = tokens[at].value_type() == Some(ValueType::Quantity);
    if !number || tokens[at].key.contains(' ') {
        return Vec::new();
    }
    // What follows a number at once is a noun: "3 meeting rooms".
    let noun = |(nth, token): &(usize, &Token)| {
        token.class == TokenClass::Content && (*nth == 0 || !is_predicate(token))
    };
    let after = tokens[at + 1..].iter().take(NOUN_WORDS).enumerate().take_while(noun);
    after.map(|(_, token)| token.topic.as_str()).collect()
}

fn is_measure(token: &Token) -> bool {
    token.value_type().is_some_and(|kind| kind != ValueType::Identifier)
}

/// Counts the tokens before the predicate, or before the last sign that assigns a value.
fn leading_length(statement: &Statement, tokens: &[Token]) -> usize {
    let sign = |token: &Token| matches!(&*token.word, ":" | "=" | "→" | ">" | "：");
    let assigned = tokens.iter().rposition(sign).unwrap_or(0);
    // "Send invoices to …" asks for something.
    let first = tokens.iter().find(|token| token.class != TokenClass::Dropped);
    if !statement.has_copula()
        && first.is_some_and(|token| token.opens && lexicon::is_plain_verb(&token.word))
        // "Return train from Prague leaves at …" has its verb behind.
        && !tokens.iter().skip(1).any(is_third_person)
    {
        return assigned;
    }
    let counted = tokens.iter().enumerate().filter(|(_, token)| token.counts());
    let predicate = counted.map(|(at, _)| at).nth(statement.subject).unwrap_or(tokens.len());
    predicate.max(assigned)
}

/// Returns true for a verb that ends like one behind a singular subject.
fn is_third_person(token: &Token) -> bool {
    token.class == TokenClass::Content
        && token.verb
        && token.word.ends_with('s')
        && !token.determined
        && !token.capital
        && verb_classes::is_finite_only(&token.word)
}

fn part_of(tokens: &[Token], at: usize, leads: bool) -> Option<FramePart> {
    let token = &tokens[at];
    if is_adverbial(tokens, at) {
        return None;
    }
    match token.class {
        TokenClass::Value(ValueType::Identifier) if token.capital => Some(FramePart::Name),
        // An identifier before the predicate names what is spoken of.
        TokenClass::Value(ValueType::Identifier) if leads => Some(FramePart::Name),
        TokenClass::Value(kind) => Some(FramePart::Value(kind)),
        TokenClass::Content if lexicon::is_pronoun_key(&token.key) => None,
        TokenClass::Content if lexicon::is_filler(&token.word) => None,
        TokenClass::Content if is_foreign_filler(&token.word) && !token.capital => None,
        // "Backups run at 2 am" tells of no role.
        TokenClass::Content if !leads && is_intransitive(tokens, at) => Some(FramePart::Verb),
        TokenClass::Content if lexicon::is_attribute(&token.key) => Some(FramePart::Attribute),
        TokenClass::Content if token.is_name() && !token.determined => Some(FramePart::Name),
        TokenClass::Content if !leads && is_predicate(token) => Some(FramePart::Verb),
        TokenClass::Content => Some(FramePart::Subject),
        _ => None,
    }
}

/// Returns true for the last of several words before a preposition and a value, in a statement
/// without another predicate: "the flight lands at 10:45".
fn is_verb_of_value(tokens: &[Token], at: usize) -> bool {
    let is =
        |at: usize, class: TokenClass| tokens.get(at).is_some_and(|token| token.class == class);
    let valued = |at: usize| tokens.get(at).is_some_and(|token| token.value_type().is_some());
    let follows = valued(at + 1) || is(at + 1, TokenClass::Preposition) && valued(at + 2);
    let third_person = tokens[at].word.ends_with('s') && !tokens[at].determined;
    at > 0 && third_person && is(at - 1, TokenClass::Content) && follows
}

/// Returns true if one of two words is a part of the other: "Miete", "Monatsmiete".
fn is_compound(one: &str, other: &str) -> bool {
    const LETTERS_MIN: usize = 5;
    let within = |part: &str, whole: &str| {
        part.len() >= LETTERS_MIN && (whole.starts_with(part) || whole.ends_with(part))
    };
    within(one, other) || within(other, one)
}

/// Returns true for a verb before a preposition or a value.
fn is_intransitive(tokens: &[Token], at: usize) -> bool {
    is_predicate(&tokens[at])
        && !lexicon::is_single_valued(&tokens[at].key)
        && tokens.get(at + 1).is_some_and(|next| {
            next.value_type().is_some()
                || matches!(&*next.word, "at" | "on" | "in" | "for" | "with" | "within" | "after")
        })
}

/// Returns true for a verb that stands where a noun cannot.
fn is_predicate(token: &Token) -> bool {
    let verb = token.verb || lexicon::is_participle(&token.word);
    verb && !token.determined && !token.capital
}

/// Returns true for words that say when something began or holds: "since March", "last month".
fn is_adverbial(tokens: &[Token], at: usize) -> bool {
    let word =
        |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| &*token.word);
    let (this, before) = (&*tokens[at].word, word(at.checked_sub(1)));
    let period = lexicon::is_period(this);
    let day = matches!(tokens[at].value_type(), Some(ValueType::Date | ValueType::Weekday));
    let relative = lexicon::is_relative(before) && (period || day);
    let opens = lexicon::is_relative(this)
        && tokens.get(at + 1).is_some_and(|next| {
            lexicon::is_period(&next.word) || next.value_type() == Some(ValueType::Weekday)
        });
    let dated = matches!(
        tokens[at].value_type(),
        Some(ValueType::Date | ValueType::Weekday | ValueType::Quantity)
    );
    let begins = dated && lexicon::opens_period(before);
    relative || opens || begins
}

/// Returns the index from which a statement only gives a reason.
fn reason_start(tokens: &[Token]) -> usize {
    let reason = |at: &usize| {
        let next = tokens.get(at + 1).map_or("", |next| &*next.word);
        // "Since she started school", but "since March".
        let clause = matches!(
            (&*tokens[*at].word, next),
            ("since", "i" | "we" | "he" | "she" | "they" | "the" | "my" | "our")
                | ("desde" | "depuis", "que" | "qu")
                | ("now", "that")
        );
        if *at > 2 && clause {
            return true;
        }
        // "Due to the storm", but "due 1 June".
        let due = tokens[*at].word == "due" && next != "to";
        *at > 2 && lexicon::opens_reason(&tokens[*at].word) && !due
    };
    (0..tokens.len()).find(reason).unwrap_or(tokens.len())
}

/// Counts the tokens before a verb that makes somebody change something: "the doctor raised my …".
fn agent_length(tokens: &[Token]) -> usize {
    const AGENT_TOKENS_MAX: usize = 4;
    let sets = |token: &Token| {
        let leads = token.class == TokenClass::Change && change_verbs::is_leading_verb(&token.word);
        (leads || change_verbs::is_setting_verb(&token.word)) && !token.determined
    };
    let Some(verb) = tokens.iter().take(AGENT_TOKENS_MAX + 1).position(sets) else { return 0 };
    // "Amber Foods wants delivery on Tuesdays" tells of Amber Foods.
    let wants = matches!(&*tokens[verb].word, "wants" | "gives" | "puts" | "says" | "sets");
    if wants && tokens[..verb].iter().any(|token| token.capital) {
        return 0;
    }
    // Without an object the subject is what changed: "rent went up to 1350".
    let object = tokens.get(verb + 1).is_some_and(|next| {
        let particle = matches!(&*next.word, "back" | "forward" | "up" | "down" | "out");
        matches!(next.class, TokenClass::Content | TokenClass::Weak | TokenClass::Dropped)
            && !particle
            || next.value_type().is_some()
    });
    let passive = tokens[..verb].iter().any(|token| {
        matches!(token.class, TokenClass::Copula | TokenClass::PastCopula)
            || matches!(&*token.word, "got" | "gets")
    });
    if object && !passive { verb + 1 } else { 0 }
}
