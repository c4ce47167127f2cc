//! Computes the table of near words from the vectors that the bundled model gives to the words of
//! its vocabulary. Takes a few minutes: `cargo run --release -p quipu-engine --example near_words >
//! near_words.txt`; the file belongs into `crates/search-recall`.

use embed::{BundledEmbedder, EmbedError, Embedder};
use index::QueryTerms;
use recall::NEAR_COSINE_MIN;
use std::collections::BTreeMap;
use std::io::Write;
use words::is_stop_word;

const VOCABULARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../search-embed/model/vocab.txt");
/// Number of entries at the beginning of the vocabulary that are English; pieces of other languages
/// follow.
const ENGLISH_ENTRIES: usize = 37_624;
/// Largest number of near words of a word.
const NEAR_WORDS_MAX: usize = 6;
/// Number of words embedded in one call.
const AT_ONCE: usize = 64;

/// Vector of a word.
type WordVector = [f32; 256];

/// A stem of the index, with the vectors of all words that have it.
struct Stem {
    text: String,
    meanings: Vec<WordVector>,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stems = stems(&std::fs::read_to_string(VOCABULARY)?)?;
    let mut table = std::io::stdout().lock();
    for stem in &stems {
        let near: String =
            nearest(stem, &stems).map(|(word, cosine)| format!(" {word}:{cosine}")).collect();
        if !near.is_empty() {
            writeln!(table, "{}{near}", stem.text)?;
        }
    }
    Ok(())
}

/// Returns the stems of all whole words of the vocabulary except stop words, in order.
fn stems(vocabulary: &str) -> Result<Vec<Stem>, EmbedError> {
    let is_word =
        |piece: &&str| piece.len() > 2 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
    let words: Vec<&str> = vocabulary.lines().take(ENGLISH_ENTRIES).filter(is_word).collect();
    let model = BundledEmbedder::new();
    let mut stems: BTreeMap<String, Vec<WordVector>> = BTreeMap::new();
    for some in words.chunks(AT_ONCE) {
        for (word, embedding) in some.iter().zip(model.embed(some)?) {
            let meaning = WordVector::try_from(embedding.mean()).ok();
            if let Some((stem, meaning)) = stem(word).zip(meaning) {
                stems.entry(stem).or_default().push(meaning);
            }
        }
    }
    Ok(stems.into_iter().map(|(text, meanings)| Stem { text, meanings }).collect())
}

/// Returns the stem of a word; `None` for stop words.
fn stem(word: &str) -> Option<String> {
    let [term] = <[_; 1]>::try_from(QueryTerms::parse(word).terms).ok()?;
    let says_little = is_stop_word(word) || is_stop_word(&term.text);
    (!says_little).then_some(term.text)
}

/// Returns the nearest other stems, with the greatest cosine among their words in hundredths.
fn nearest<'a>(stem: &Stem, all: &'a [Stem]) -> impl Iterator<Item = (&'a str, f32)> {
    let others = all.iter().filter(|other| other.text != stem.text);
    let mut near: Vec<(&str, f32)> = others
        .map(|other| (other.text.as_str(), closest(stem, other)))
        .filter(|(_, cosine)| *cosine > NEAR_COSINE_MIN)
        .collect();
    near.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    let near = near
        .into_iter()
        .take(NEAR_WORDS_MAX)
        .map(|(word, cosine)| (word, (cosine * 100.0).round()));
    near.filter(|(_, hundredths)| hundredths / 100.0 > NEAR_COSINE_MIN)
}

fn closest(one: &Stem, other: &Stem) -> f32 {
    let pairs = one
        .meanings
        .iter()
        .flat_map(|one| other.meanings.iter().map(move |other| cosine(one, other)));
    pairs.fold(-1.0, f32::max)
}

// Sixteen sums at once, which the compiler turns into SIMD instructions.
fn cosine(one: &WordVector, other: &WordVector) -> f32 {
    let mut sums = [0.0; 16];
    for at in (0..one.len()).step_by(16) {
        for lane in 0..16 {
            sums[lane] += one[at + lane] * other[at + lane];
        }
    }
    sums.iter().sum()
}
