//! Sketches of texts: the content words as hashed bits, read in a tenth of the time that parsing
//! takes. Texts whose sketches are apart have too little in common to say the same or to change
//! each other, so that most texts of a list are never parsed.

use super::{ParsedText, lexicon};
use crate::sentences::sentences;
use crate::terms::{light_stem, normalized_words};
use std::cell::OnceCell;

/// Number of words of a text that are read; longer texts are compared for equality only.
const WORDS_MAX: usize = 1_000;

/// Number of content words up to which a text is short.
const SHORT_WORDS: u32 = 12;

/// Number of content words up to which a sentence is brief.
const BRIEF_WORDS: u32 = 3;

/// Number of letters by which a word is recognised.
const OPENING_LETTERS: usize = 6;

/// One hashed bit for each word. There are enough bits that two texts of two hundred words share
/// few by chance: what shares too many is parsed, and that is most of what comparing costs.
#[derive(Debug, Default, Clone)]
pub(super) struct TopicBits([u64; 16]);

impl TopicBits {
    fn add(&mut self, key: &str) {
        // FNV-1a, whose upper bits are well mixed.
        let hash = key.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        self.0[(hash >> 60) as usize] |= 1 << (hash >> 54 & 63);
    }

    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|bits| bits.count_ones()).sum()
    }

    pub(super) fn shared(&self, other: &Self) -> u32 {
        self.0.iter().zip(other.0).map(|(one, other)| (one & other).count_ones()).sum()
    }
}

impl<'k> FromIterator<&'k str> for TopicBits {
    fn from_iter<I: IntoIterator<Item = &'k str>>(keys: I) -> Self {
        let mut bits = Self::default();
        keys.into_iter().for_each(|key| bits.add(key));
        bits
    }
}

/// The content words of a text, for ruling out others that have too few of them.
#[derive(Debug, Clone)]
struct TextSketch {
    words: TopicBits,
}

impl TextSketch {
    fn new(text: &str) -> Self {
        let mut words = TopicBits::default();
        for word in normalized_words(text).take(WORDS_MAX) {
            // Characters of scripts without spaces are words of their own, as in a statement.
            if word.term.contains(super::tokens::is_unsegmented) {
                let mut buffer = [0; 4];
                word.term.chars().for_each(|c| words.add(c.encode_utf8(&mut buffer)));
            // "Own" is a verb in a statement.
            } else if !words::is_function_word(&word.term) || word.term == "own" {
                words.add(opening(lexicon::synonym_key(light_stem(&word.term))));
            }
        }
        Self { words }
    }

    /// Returns false if two texts have too few words in common to be about the same. Less strict
    /// than [`ParsedText::shares_topic`], since values count as words here.
    fn is_near(&self, other: &Self) -> bool {
        let shorter = self.words.count().min(other.words.count());
        // The more words there are, the less one of them decides, and the more are shared by
        // chance.
        let shared = self.words.shared(&other.words);
        match shorter {
            ..=5 => shared * 5 >= shorter,
            6..=SHORT_WORDS => shared * 3 >= shorter,
            _ => shared * 5 >= shorter * 2,
        }
    }

    /// Returns true if one of two sentences has few words.
    fn is_brief_beside(&self, other: &Self) -> bool {
        self.words.count().min(other.words.count()) <= BRIEF_WORDS
    }

    fn may_repeat(&self, other: &Self) -> bool {
        let longer = self.words.count().max(other.words.count());
        // In a short text, one word in another spelling is much of it.
        let share = if longer > SHORT_WORDS { 2 } else { 4 };
        self.words.shared(&other.words) * share >= longer
    }
}

/// A text that is parsed once it comes near another one.
#[derive(Debug)]
pub struct LazyText<'t> {
    text: &'t str,
    sketch: TextSketch,
    sentences: OnceCell<Vec<TextSketch>>,
    parsed: OnceCell<ParsedText<'t>>,
}

impl<'t> LazyText<'t> {
    /// Reads the words of a text, and nothing else yet.
    #[must_use]
    pub fn new(text: &'t str) -> Self {
        Self {
            text,
            sketch: TextSketch::new(text),
            sentences: OnceCell::new(),
            parsed: OnceCell::new(),
        }
    }

    /// Returns the parsed text.
    pub fn parsed(&self) -> &ParsedText<'t> {
        self.parsed.get_or_init(|| ParsedText::new(self.text))
    }

    /// Returns false if two texts have too few words in common to be about the same.
    #[must_use]
    pub fn is_near(&self, other: &LazyText<'_>) -> bool {
        self.sketch.is_near(&other.sketch)
    }

    /// Returns false if no sentence of one text has enough words in common with one of the other to
    /// be about the same. A long note may change one sentence of another; and a sentence of few
    /// words may do so without any of its words: "Greta is my boss", "I now report to Hussein".
    #[must_use]
    pub fn has_near_sentence(&self, other: &LazyText<'_>) -> bool {
        let is_near =
            |one: &TextSketch, two: &TextSketch| one.is_brief_beside(two) || one.is_near(two);
        let comes_near = |one: &TextSketch| other.sentences().iter().any(|two| is_near(one, two));
        self.sentences().iter().any(comes_near)
    }

    fn sentences(&self) -> &[TextSketch] {
        self.sentences.get_or_init(|| {
            let read = |range| TextSketch::new(&self.text[range]);
            let read: Vec<TextSketch> =
                sentences(self.text).take(super::SENTENCES_MAX).map(read).collect();
            if read.is_empty() { vec![self.sketch.clone()] } else { read }
        })
    }

    /// Returns true if two texts have a content word or a value in common.
    pub(super) fn shares_word(&self, other: &LazyText<'_>) -> bool {
        self.sketch.words.shared(&other.sketch.words) > 0
    }

    /// Returns true if two texts have at least half of their words in common, so that what differs
    /// stands in the same place of both.
    pub(super) fn is_closely_worded(&self, other: &LazyText<'_>) -> bool {
        let (one, two) = (&self.sketch.words, &other.sketch.words);
        one.shared(two) * 2 >= one.count().max(two.count())
    }

    /// Returns false if two texts have too few words in common to say the same.
    #[must_use]
    pub fn may_repeat(&self, other: &LazyText<'_>) -> bool {
        self.sketch.may_repeat(&other.sketch)
    }
}

/// Returns the first letters of a word, which most of its forms have in common.
fn opening(term: &str) -> &str {
    let end = term.char_indices().nth(OPENING_LETTERS).map_or(term.len(), |(end, _)| end);
    &term[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
        let pairs = include_str!("../../tests/corpus/pairs_tuning.tsv");
        pairs.lines().skip(1).map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (fields[4], fields[5])
        })
    }

    #[test]
    fn every_pair_of_the_corpus_that_changes_or_repeats_has_a_near_sentence() {
        use super::super::StatementRelation as R;
        let mut held_back = Vec::new();
        for (one, other) in pairs() {
            let relation = ParsedText::new(other).compare_with_earlier(one).relation;
            let concerns = !matches!(relation, R::Unrelated | R::OtherEvent);
            let near = LazyText::new(one).has_near_sentence(&LazyText::new(other));
            if concerns && !near {
                held_back.push((relation, one, other));
            }
        }
        assert!(held_back.is_empty(), "{held_back:#?}");
    }

    #[test]
    fn one_sentence_of_a_long_note_is_enough_to_come_near() {
        let clay = "Clay comes on Tuesdays by ferry from the northern quarry. ";
        let bees = "Ana keeps four hives of bees in the garden of her aunt. ";
        let note = |end: &str, filler: &str| format!("{}{end}", filler.repeat(8));
        let one = note("The old gateway of Berlin listens on port 8080.", clay);
        let other = note("The old gateway of Berlin listens on port 9090.", bees);
        assert!(LazyText::new(&one).has_near_sentence(&LazyText::new(&other)));
        let apart = note("Winter boots stand behind the kitchen door.", bees);
        assert!(!LazyText::new(&one).has_near_sentence(&LazyText::new(&apart)));
    }

    #[test]
    fn only_texts_with_common_words_are_near() {
        let near = |one, other| TextSketch::new(one).is_near(&TextSketch::new(other));
        assert!(near("The dentist is Dr. Lee.", "Our dentist is now Dr. Okafor."));
        assert!(near("我的猫叫咪咪", "我的猫叫小白"));
        assert!(!near("The ferry leaves at nine.", "Ana prefers tabs over spaces."));
        assert!(near("", "Anything at all"), "a text without words is left to the comparison");
    }

    /// Sketches may let pairs through, but never hold back one that the comparison would look at.
    #[test]
    fn no_pair_of_the_corpus_is_held_back_that_shares_its_topic() {
        for (one, other) in pairs() {
            let shares = ParsedText::new(other).shares_topic(&ParsedText::new(one));
            let near = TextSketch::new(one).is_near(&TextSketch::new(other));
            assert!(near || !shares, "{one} / {other}");
            let same = ParsedText::new(other).compare_with_earlier(one).is_same();
            let may_repeat = TextSketch::new(one).may_repeat(&TextSketch::new(other));
            assert!(may_repeat || !same, "{one} / {other}");
        }
    }
}
