//! Values that exclude each other in two statements about the same thing, however they are worded.
//! The names and content words that both share say whether it is the same thing.

use super::choices;
use super::frame::{FramePart, FrameWord, StatementFrame};
use super::lexicon;
use super::statement::{Statement, StatementKind};
use super::typed_values::{have_codes_of_one_shape, values_differ};
use super::value_nouns;
use super::values::{self, ValueType};
use super::verb_classes;

/// Number of words that the later statement may have for itself beyond those in common.
const OWN_WORDS_MAX: usize = 3;

/// Disagreement of two statements about the same thing.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueConflict {
    /// True if neither statement has a word that the other lacks, apart from the values.
    pub whole: bool,
    /// True if the values have one type or class, so that they are no names or places.
    pub typed: bool,
}

/// Returns true if each statement is about something that the other does not mention.
pub(super) fn have_other_topics(earlier: &Statement, later: &Statement) -> bool {
    let (left, right) = StatementFrame::read_both(earlier, later);
    let topics = FrameDifference::of(&left, &right);
    let subject = |words: &[&FrameWord<'_>]| {
        words.iter().any(|word| matches!(word.part, FramePart::Subject | FramePart::Name))
    };
    subject(&topics.left) && subject(&topics.right)
}

/// Returns true if the subjects of two statements have different names: "hotel in Vienna", "hotel
/// in Prague".
pub(super) fn have_other_subjects(earlier: &Statement, later: &Statement) -> bool {
    let (left, right) = StatementFrame::read_both(earlier, later);
    let named = |words: &[&FrameWord<'_>]| {
        words.iter().any(|word| word.leads && word.part == FramePart::Name && !word.agent)
    };
    let topics = FrameDifference::of(&left, &right);
    !topics.held && named(&topics.left) && named(&topics.right)
}

/// Words of two frames that the other one lacks.
pub(super) struct FrameDifference<'f, 's> {
    frames: (&'f StatementFrame<'s>, &'f StatementFrame<'s>),
    shared: usize,
    /// Number of the shared words that are the same in both.
    repeated: usize,
    left: Vec<&'f FrameWord<'s>>,
    right: Vec<&'f FrameWord<'s>>,
    attribute: bool,
    /// True if both subjects are nothing but names.
    held: bool,
}

impl<'f, 's> FrameDifference<'f, 's> {
    /// Compares two frames.
    pub fn of(left: &'f StatementFrame<'s>, right: &'f StatementFrame<'s>) -> Self {
        let frames = (left, right);
        let (shared, repeated) = (left.shared(right), left.repeated(right));
        // "Kafka runs on five brokers" tells of no manager.
        let common =
            |word: &&FrameWord<'_>| word.part == FramePart::Attribute && right.has_noun(word);
        // "Ana runs the shop" names who holds a role; "I run with Ana" does not.
        let leads =
            |frame: &StatementFrame<'_>| frame.words.iter().any(|it| it.leads && it.is_holder());
        let held_by = leads(left) || leads(right);
        let noun = |word: &FrameWord<'_>| held_by || !word.token.verb;
        // "Is dating Joel", "her boyfriend is Hamza": beside names no verb is enough.
        let valued = |frame: &StatementFrame<'_>| {
            frame.words.iter().any(|word| matches!(word.part, FramePart::Value(_)))
        };
        let named = !valued(left) && !valued(right);
        let worded = |word: &FrameWord<'_>| {
            let noun = |it: &FrameWord<'_>| it.part != FramePart::Verb;
            let same = |other: &FrameWord<'_>| other.families & word.families != 0 && noun(other);
            named && noun(word) && right.words.iter().any(same)
        };
        let attribute = left.words.iter().filter(common).any(noun) || left.words.iter().any(worded);
        let held = left.is_led_by_name() && right.is_led_by_name();
        let (left, right) = (left.only(right).collect(), right.only(left).collect());
        Self { frames, shared, repeated, left, right, attribute, held }
    }

    /// Finds what two statements say differently of the same thing: values of one type, choices of
    /// one class, or names where only one can stand. A correction may repeat the old value.
    pub fn conflict(&self, corrected: bool, told: bool) -> Option<ValueConflict> {
        if values_differ(self.frames, corrected, told) || self.choices_differ() {
            return self.of_values(told).map(|found| ValueConflict { typed: true, ..found });
        }
        self.of_names(told).or_else(|| self.of_places()).or_else(|| self.of_kinds(told))
    }

    /// Returns the conflict of two kinds of one thing: "is in the Maple room", "we're moving it to
    /// the Birch room".
    fn of_kinds(&self, told: bool) -> Option<ValueConflict> {
        let (earlier, later) = self.frames;
        let kinds = |word: &&FrameWord<'s>| {
            let others = || earlier.words.iter().filter(|one| one.key == word.key && !one.leads);
            let old = others().find_map(|one| one.modifier.filter(|it| Some(*it) != word.modifier));
            word.modifier.filter(|_| !word.leads).zip(old)
        };
        let (new, old) = later.words.iter().find_map(|word| kinds(&word))?;
        let left = self.apart(&self.left, &self.right, |word| word.key == old);
        let right = self.apart(&self.right, &self.left, |word| word.key == new);
        let same = left.is_empty() || right.is_empty();
        let alone = |key: &str, words: &[&FrameWord<'_>]| words.iter().any(|it| it.key == key);
        let exchanged = alone(old, &self.left) && alone(new, &self.right);
        (told && same && exchanged && self.shared >= 2)
            .then_some(ValueConflict { whole: false, typed: false })
    }

    /// Returns the conflict of two places of one thing: "is locked in the cellar", "I keep it in
    /// the garage".
    fn of_places(&self) -> Option<ValueConflict> {
        // "In the desk drawer" is one place.
        let led =
            |word: &FrameWord<'_>| word.preposition.is_some_and(lexicon::is_place_preposition);
        let place = |word: &&&FrameWord<'_>| {
            let noun = matches!(word.part, FramePart::Subject | FramePart::Attribute);
            noun && !word.leads && (led(word) || word.modifier.is_some())
        };
        let placed = |words: &[&FrameWord<'_>]| {
            let others = |word: &FrameWord<'_>| match word.part {
                FramePart::Verb => !verb_classes::is_placing_verb(&word.token.key),
                _ => true,
            };
            words.iter().any(|word| place(&word) && led(word))
                && !words.iter().any(|word| !place(&word) && others(word))
        };
        let full = |word: &&FrameWord<'_>| {
            word.part == FramePart::Verb && !verb_classes::is_placing_verb(&word.token.key)
        };
        let kept = !self.frames.0.words.iter().any(|word| full(&word));
        // Somebody may be in sales and in hospital.
        let thing = self.frames.0.words.iter().any(|word| {
            let noun = matches!(word.part, FramePart::Subject | FramePart::Attribute);
            noun && !word.token.opens && self.frames.1.has(word)
        });
        let found = thing && kept && placed(&self.left) && placed(&self.right);
        found.then_some(ValueConflict { whole: false, typed: false })
    }

    /// Returns true if both have values of one type and unit, and share none.
    pub fn values_differ(&self, corrected: bool) -> bool {
        values_differ(self.frames, corrected, true)
    }

    /// Returns true if both say for what they hold, and differ in it.
    pub fn purposes_differ(&self) -> bool {
        let purpose = |words: &[&FrameWord<'_>]| words.iter().any(|word| word.purpose);
        purpose(&self.left) && purpose(&self.right)
    }

    /// Returns true if each side has another choice of one closed class: "INFO", "WARN".
    fn choices_differ(&self) -> bool {
        self.left.iter().any(|one| self.has_choice(one, &self.right))
    }

    fn has_choice(&self, one: &FrameWord<'_>, others: &[&FrameWord<'_>]) -> bool {
        let chosen = |word: &FrameWord<'_>| !word.leads;
        others.iter().any(|other| {
            (chosen(one) || chosen(other)) && choices::same_choice(&one.token.key, &other.token.key)
        })
    }

    /// Returns the words of one side that could tell its subject from the other's.
    fn apart<'a>(
        &self,
        these: &'a [&'f FrameWord<'s>],
        those: &[&FrameWord<'_>],
        is_value: impl Fn(&FrameWord<'_>) -> bool,
    ) -> Vec<&'a FrameWord<'s>> {
        let typing = those.iter().any(|other| self.is_typing(other));
        let counts = |word: &&&&'f FrameWord<'s>| {
            let named = !self.is_type_noun(word) || typing;
            !word.agent
                && !self.is_counted(word)
                && named
                && !matches!(word.part, FramePart::Value(_) | FramePart::Verb)
                && !is_value(word)
                && !self.has_choice(word, those)
        };
        these.iter().filter(|word| counts(&word)).copied().collect()
    }

    /// Returns true for a noun that may stand against a noun of type: "max" and "min" are two.
    fn is_typing(&self, word: &FrameWord<'_>) -> bool {
        let noun = word.part != FramePart::Verb && !word.agent;
        noun && !self.is_counted(word)
            && (word.part == FramePart::Attribute || self.is_type_noun(word))
    }

    /// Returns true for the noun behind a number.
    fn is_counted(&self, word: &FrameWord<'_>) -> bool {
        let words = || self.frames.0.words.iter().chain(&self.frames.1.words);
        words().any(|value| {
            value.counts.first().is_some_and(|noun| *noun == word.key)
                && value.token.end + 1 == word.token.start
        })
    }

    /// Returns true for a noun that only names the type of a value, or what a number counts.
    pub fn is_type_noun(&self, word: &FrameWord<'_>) -> bool {
        let words = || self.frames.0.words.iter().chain(&self.frames.1.words);
        let named = |value: &FrameWord<'_>| {
            let FramePart::Value(kind) = value.part else { return false };
            let unit = value.token.key.split_once(' ').map_or("", |(_, unit)| unit);
            value_nouns::names_type(&word.token.key, kind, unit)
        };
        words().any(named) || self.is_counted(word)
    }

    /// Returns true if one holder leads both statements with the verb of a role: "Ana owns …" says
    /// nothing of what else she owns.
    fn is_same_holder(&self) -> bool {
        let (left, right) = self.frames;
        let leads = |word: &FrameWord<'_>| word.leads && word.is_holder();
        let verb = |word: &FrameWord<'_>| lexicon::is_role_verb(&word.token.key) && !word.leads;
        left.words.iter().any(|word| {
            leads(word) && right.words.iter().any(|other| leads(other) && other.key == word.key)
        }) && left.words.iter().any(verb)
            && right.words.iter().any(verb)
    }

    /// Returns true if a noun in common is part of another noun on one side: "release party",
    /// "Paris office".
    fn is_other_noun(&self) -> bool {
        let alone = |key: &str| self.left.iter().chain(&self.right).any(|word| word.key == key);
        let part = |word: &FrameWord<'_>| {
            let subject = word.part != FramePart::Attribute;
            let head = word.modifier.is_some_and(|key| !alone(key)) && subject;
            head || word.head.is_some_and(|key| !alone(key)) && subject
        };
        let counts = |word: &FrameWord<'_>| !word.agent && !self.is_type_noun(word);
        self.left.iter().chain(&self.right).any(|word| counts(word) && part(word))
    }

    /// Returns true if an attribute in common is only the first part of a noun on one side: "the
    /// mobile app" is no mobile.
    fn is_part_of_attribute(&self) -> bool {
        let attribute = |key: &str| {
            let mut words = self.frames.0.words.iter().chain(&self.frames.1.words);
            words.any(|word| word.key == key && word.part == FramePart::Attribute)
        };
        self.left.iter().chain(&self.right).any(|word| {
            let plain = word.part == FramePart::Subject && !word.agent && !word.is_holder();
            plain && word.modifier.is_some_and(attribute)
        })
    }

    /// Returns true if each side has a full verb of its own: "opens at 8", "closes at 20".
    pub fn verbs_differ(&self) -> bool {
        let verbs = |words: &[&'f FrameWord<'s>]| -> Vec<&'f FrameWord<'s>> {
            let verb = |word: &&&FrameWord<'_>| word.part == FramePart::Verb && !word.agent;
            words.iter().filter(verb).copied().collect()
        };
        let (left, right) = (verbs(&self.left), verbs(&self.right));
        // "Costs 30 euros", "we pay 35 euros for".
        let paid =
            |word: &FrameWord<'_>| self.is_about_money() && value_nouns::is_money_verb(word.key);
        let full = |word: &&FrameWord<'_>| !lexicon::is_light_verb(word.key) && !paid(word);
        !left.is_empty() && !right.is_empty() && left.iter().chain(&right).any(full)
    }

    /// Returns true if the later statement names a choice and hardly anything else, and the earlier
    /// one no value.
    fn is_bare_choice(&self, right: &[&FrameWord<'_>]) -> bool {
        let valued = |frame: &StatementFrame<'_>| {
            frame.words.iter().any(|word| matches!(word.part, FramePart::Value(_)))
        };
        right.is_empty() || right.len() == 1 && !valued(self.frames.0) && !valued(self.frames.1)
    }

    /// Returns true if the later statement has nothing but one amount with a unit, and the earlier
    /// one no noun besides its own.
    fn is_bare_amount(&self) -> bool {
        let (earlier, later) = self.frames;
        let amount = |word: &FrameWord<'_>| {
            matches!(word.part, FramePart::Value(ValueType::Quantity))
                && word.token.key.contains(' ')
        };
        let typing = |word: &FrameWord<'_>| {
            word.part == FramePart::Verb || amount(word) || self.is_type_noun(word)
        };
        let mut told = later.words.iter().filter(|word| !word.agent);
        let bare = told.next().is_some_and(amount) && told.next().is_none();
        bare && earlier.words.iter().all(typing)
    }

    fn is_about_money(&self) -> bool {
        let money = |frame: &StatementFrame<'_>| {
            frame.words.iter().any(|word| {
                let unit = word.token.key.split_once(' ').map_or("", |(_, unit)| unit);
                matches!(word.part, FramePart::Value(ValueType::Quantity))
                    && values::is_currency(unit)
            })
        };
        money(self.frames.0) && money(self.frames.1)
    }

    /// Returns the conflict of two typed values.
    fn of_values(&self, told: bool) -> Option<ValueConflict> {
        let left = self.apart(&self.left, &self.right, |_| false);
        let right = self.apart(&self.right, &self.left, |_| false);
        // Hosts, paths and numbers of one shape name one thing more often than not.
        let shaped = have_codes_of_one_shape(self.frames.0, self.frames.1);
        let told = told || shaped;
        let same = !are_apart(&left, &right, self.shared) && (told || !self.is_other_noun());
        let near = left.len() <= self.shared + 1 && right.len() <= self.shared + OWN_WORDS_MAX;
        let plain =
            same && near && (told || !self.verbs_differ() && self.is_anchored(&left, &right));
        // After a word of change the words in common have to outnumber the others.
        let names =
            |words: &[&FrameWord<'_>]| words.iter().any(|word| word.part == FramePart::Name);
        let retold = told
            && self.shared > left.len().max(1)
            && self.shared >= right.len()
            && !(names(&left) && names(&right));
        // "vegan now": a choice of one class needs no other word in common.
        let chosen =
            told && self.choices_differ() && left.is_empty() && self.is_bare_choice(&right);
        // So does "I'm down to 78 kilos" behind "I weigh 82 kilos".
        let chosen = chosen || told && self.shared == 0 && self.is_bare_amount();
        if !chosen && !self.shares_subject() || !self.is_told_alike(&left, &right) {
            return None;
        }
        (self.shared >= 1 && (plain || retold) || chosen).then(|| self.found(&left, &right))
    }

    /// Returns true unless both only name one attribute in other words, and one of them says more:
    /// "the suitcase weighs 18 kg", "the scale says 78 kg".
    fn is_told_alike(&self, left: &[&FrameWord<'_>], right: &[&FrameWord<'_>]) -> bool {
        let own = |word: &FrameWord<'_>| !value_nouns::is_anybody(&word.token.key);
        let apart = left.iter().chain(right).any(|word| own(word));
        let acts = |words: &[&FrameWord<'_>]| {
            let verb = |word: &FrameWord<'_>| word.part == FramePart::Verb && !word.agent;
            words.iter().any(|word| verb(word) && !verb_classes::says_little(word.key))
        };
        // A name on each side of the predicate is a subject with its value.
        let owned = |words: &[&FrameWord<'_>]| {
            let named = |leads: bool| words.iter().any(|it| it.is_holder() && it.leads == leads);
            named(true) && named(false)
        };
        let alike = |words: &[&FrameWord<'_>]| !acts(words) && !owned(words);
        self.repeated > 0 || self.shared == 0 || !apart && alike(&self.left) && alike(&self.right)
    }

    /// Returns true if both share more than light verbs and nouns that only name a type.
    fn shares_subject(&self) -> bool {
        let (left, right) = self.frames;
        left.words.iter().any(|word| {
            let value = matches!(word.part, FramePart::Value(_));
            // "Releases go out" says what "we ship" does.
            let noun = right
                .words
                .iter()
                .any(|other| other.key == word.key && other.part != FramePart::Verb);
            let verb = word.part == FramePart::Verb && lexicon::is_light_verb(word.key) && !noun;
            let bare = matches!(&*word.token.word, "minimum" | "maximum" | "max" | "min" | "limit");
            !value && !verb && !bare && right.has(word)
        })
    }

    /// Returns true if two words in common, or nothing else, say what both are about.
    fn is_anchored(&self, left: &[&FrameWord<'_>], right: &[&FrameWord<'_>]) -> bool {
        let own = |word: &&FrameWord<'_>| {
            let anybody = value_nouns::is_anybody(&word.token.key) && !word.leads;
            !anybody && !value_nouns::is_anything(&word.token.word)
        };
        self.shared >= 2 || !left.iter().chain(right).any(own)
    }

    fn found(&self, left: &[&FrameWord<'_>], right: &[&FrameWord<'_>]) -> ValueConflict {
        let whole = left.is_empty() && right.is_empty() && self.repeated >= 2;
        ValueConflict { whole, typed: false }
    }

    /// Returns true if the same preposition leads to a name of each side: "booked through Amex",
    /// "we book through Navan".
    fn are_led_alike(&self) -> bool {
        let verb = |word: &FrameWord<'_>| word.token.verb && self.frames.1.has(word);
        // "Coffee with Nina" names no verb that could have one means.
        self.frames.0.words.iter().any(verb)
            && self.left.iter().any(|one| {
                let led = one.leading_preposition();
                led.is_some() && self.right.iter().any(|other| other.leading_preposition() == led)
            })
    }

    /// Returns the conflict of two names in the place of one value.
    fn of_names(&self, told: bool) -> Option<ValueConflict> {
        let name = |word: &FrameWord<'_>| word.is_holder();
        let named = |words: &[&FrameWord<'_>]| words.iter().any(|word| name(word));
        let led = self.are_led_alike();
        if self.is_same_holder() && !told || !self.shares_subject() {
            return None;
        }
        if !named(&self.left) || !named(&self.right) || !(told || self.attribute || led) {
            return None;
        }
        // A name on each side of the predicate is a subject with its value.
        let at = |words: &[&FrameWord<'_>], leads: bool| {
            words.iter().any(|word| name(word) && word.leads == leads)
        };
        let subjects = at(&self.left, true) && at(&self.right, true);
        let held = self.held && !at(&self.left, false) && !at(&self.right, false);
        if subjects && !held {
            return None;
        }
        let left = self.apart(&self.left, &self.right, name);
        let right = self.apart(&self.right, &self.left, name);
        let same = !are_apart(&left, &right, self.shared);
        let near = left.len() <= self.shared && right.len() <= self.shared + OWN_WORDS_MAX;
        let alone = left.is_empty() && right.is_empty() && !self.verbs_differ();
        let by_role = told || self.attribute;
        if !by_role && (!alone || self.shared < 2) {
            return None;
        }
        let anchored = told || self.is_anchored(&left, &right);
        let anchored =
            anchored && self.is_told_alike(&left, &right) && !self.is_part_of_attribute();
        (self.shared >= 1 && same && near && anchored).then(|| self.found(&left, &right))
    }
}

/// Returns true if the words of each side alone tell of different things. An attribute of one side
/// and a word of the other may be two wordings of one, when enough else is in common.
fn are_apart(left: &[&FrameWord<'_>], right: &[&FrameWord<'_>], shared: usize) -> bool {
    let attributes =
        |words: &[&FrameWord<'_>]| words.iter().all(|word| word.part == FramePart::Attribute);
    // "car insurance" and "home insurance" are two.
    let modifies = left
        .iter()
        .any(|one| one.next.is_some() && right.iter().any(|other| other.next == one.next));
    let purpose = left.iter().chain(right).any(|word| word.purpose);
    let worded = attributes(left) != attributes(right)
        && left.len().min(right.len()) == 1
        && !modifies
        && !purpose;
    !(left.is_empty() || right.is_empty() || worded && shared >= 2)
}

/// Returns true if a statement is certain enough to replace another: no guess, no report of
/// somebody's opinion, no single occasion.
pub(super) fn is_asserted(statement: &Statement) -> bool {
    statement.kind != StatementKind::Event
        && !statement.question
        && !statement.tokens.iter().any(|token| lexicon::is_hedge(&token.word))
}
