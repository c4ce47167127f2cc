//! Synthetic texts for benchmarks: about 40 words in three sentences, from a vocabulary with few
//! common and many rare words.

/// A xorshift random number generator, the same in every run.
#[derive(Debug)]
pub struct Xorshift(u64);

impl Xorshift {
    /// Creates a generator from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// Returns a number below `sides`.
    pub fn below(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % sides
    }

    /// Returns a rank in a vocabulary of `size` words; small ranks are frequent, as in Zipf's law.
    fn rank(&mut self, size: usize) -> usize {
        let unit = self.below(1 << 24) as f64 / f64::from(1 << 24);
        ((size as f64).powf(unit) - 1.0) as usize
    }
}

const COMMON: [&str; 24] = [
    "the", "a", "to", "of", "and", "we", "in", "for", "is", "on", "that", "with", "it", "as",
    "was", "be", "by", "this", "when", "from", "at", "not", "so", "after",
];
const SYLLABLES: [&str; 20] = [
    "da", "ta", "lo", "re", "mi", "ser", "ver", "con", "ker", "nel", "pro", "to", "col", "ra",
    "fi", "le", "sy", "stem", "cas", "he",
];

fn word(rank: usize) -> String {
    if let Some(common) = COMMON.get(rank) {
        return (*common).to_owned();
    }
    let mut rest = rank;
    let mut word = String::new();
    while rest > 0 {
        word.push_str(SYLLABLES[rest % SYLLABLES.len()]);
        rest /= SYLLABLES.len();
    }
    word
}

/// Number of words of a sentence.
pub(super) const SENTENCE_WORDS: usize = 14;

/// Returns a text of about `words` words, in sentences.
pub fn text(rng: &mut Xorshift, words: usize) -> String {
    let drawn: Vec<String> = (0..words).map(|_| word(rng.rank(50_000))).collect();
    let sentences: Vec<String> = drawn.chunks(SENTENCE_WORDS).map(sentence).collect();
    sentences.join(" ")
}

fn sentence(words: &[String]) -> String {
    let mut sentence = words.join(" ");
    sentence.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
    sentence.push('.');
    sentence
}

/// Returns a question with stop words and a few rarer words.
pub fn question(rng: &mut Xorshift) -> String {
    let rare: Vec<String> = (0..4).map(|_| word(24 + rng.rank(20_000))).collect();
    format!("when was the {} of the {} and {} in {}", rare[0], rare[1], rare[2], rare[3])
}
