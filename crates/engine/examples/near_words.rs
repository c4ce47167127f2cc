//! Writes the table of words that say nearly the same, from the vectors that the bundled model gives to the words of its
//! vocabulary. Takes about a minute: `cargo run --release -p quipu-engine --example near_words >
//! crates/recall/near_words.txt`.

use embed::{Bundled, Embedder, Vector};
use index::QueryTerms;
use index::tokens::is_stop_word;
use recall::{NEAR_FROM, near_words};
use std::collections::BTreeMap;
use std::io::Write;

const VOCABULARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../embed/model/vocab.txt");
/// How many near words a word has at most.
const KEPT: usize = 6;
/// How many words the model is given at once.
const AT_ONCE: usize = 64;

/// The vectors of all words that the index takes for the same, under what it takes them for.
type Stems = BTreeMap<String, Vec<Vector>>;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stems = stems(&std::fs::read_to_string(VOCABULARY)?)?;
    let mut table = std::io::stdout().lock();
    let mut changed = 0;
    for (stem, vectors) in &stems {
        let near = nearest(stem, vectors, &stems);
        changed += usize::from(near_words(stem).map(|(word, _)| word).ne(near.iter().map(|(word, _)| *word)));
        let near: String = near.iter().map(|(word, cosine)| format!(" {word}:{cosine}")).collect();
        if !near.is_empty() {
            writeln!(table, "{stem}{near}")?;
        }
    }
    eprintln!("{} words; {changed} have other near words than in the table of this build", stems.len());
    Ok(())
}

/// The words that the model knows as one piece, without those that say little.
fn stems(vocabulary: &str) -> Result<Stems, embed::EmbedError> {
    let is_word = |piece: &&str| piece.len() > 2 && piece.bytes().all(|byte| byte.is_ascii_lowercase());
    let words: Vec<&str> = vocabulary.lines().filter(is_word).collect();
    let model = Bundled::new();
    let mut stems = Stems::new();
    for some in words.chunks(AT_ONCE) {
        for (word, embedding) in some.iter().zip(model.embed(some)?) {
            if let Some(stem) = stem(word) {
                stems.entry(stem).or_default().push(embedding.mean());
            }
        }
    }
    Ok(stems)
}

/// What the index takes a word for.
fn stem(word: &str) -> Option<String> {
    let [term] = <[_; 1]>::try_from(QueryTerms::of(word).terms).ok()?;
    let says_little = is_stop_word(word) || is_stop_word(&term.text);
    (!says_little).then_some(term.text)
}

/// The nearest of the others, with the greatest cosine between words of both in hundredths.
fn nearest<'a>(stem: &str, vectors: &[Vector], stems: &'a Stems) -> Vec<(&'a str, u32)> {
    let others = stems.iter().filter(|(other, _)| *other != stem);
    let mut near: Vec<(&str, f32)> = others
        .map(|(other, theirs)| (other.as_str(), closest(vectors, theirs)))
        .filter(|(_, cosine)| *cosine > NEAR_FROM)
        .collect();
    near.sort_by(|one, other| other.1.total_cmp(&one.1).then(one.0.cmp(other.0)));
    let hundredths = |(word, cosine): (_, f32)| (word, (cosine * 100.0).round() as u32);
    let near = near.into_iter().take(KEPT).map(hundredths);
    near.filter(|(_, cosine)| *cosine as f32 / 100.0 > NEAR_FROM).collect()
}

fn closest(ours: &[Vector], theirs: &[Vector]) -> f32 {
    let pairs = ours.iter().flat_map(|one| theirs.iter().map(move |other| cosine(one, other)));
    pairs.fold(-1.0, f32::max)
}

/// In sixteen sums at once, which the compiler turns into wide instructions.
fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0.0; 16];
    for (one, other) in one.chunks_exact(16).zip(other.chunks_exact(16)) {
        sums.iter_mut().zip(one.iter().zip(other)).for_each(|(sum, (one, other))| *sum += one * other);
    }
    sums.iter().sum()
}
