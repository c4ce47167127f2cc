//! Compares a real model with the numpy implementation that the tests use, text by text.
//!
//! `python3 tests/local/make_tiny.py MODEL < texts > vectors.json`, then
//! `cargo run --release --features candle --example agree -- MODEL texts vectors.json`.

extern crate quipu_embed_local as embed_local;

use embed::Embedder;
use embed_local::{LocalEmbedder, LocalSettings};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, texts, vectors] = arguments.try_into().map_err(|_| {
        "three arguments: the model directory, a file with one text per line, and a file with \
         their vectors as a JSON list"
    })?;
    let settings = LocalSettings {
        directory: directory.into(),
        pooling: None,
        query_prefix: None,
        document_prefix: None,
    };
    let local = LocalEmbedder::open(&settings)?;
    let vectors: Vec<Vec<f32>> = serde_json::from_str(&std::fs::read_to_string(vectors)?)?;
    for (text, expected) in std::fs::read_to_string(texts)?.lines().zip(&vectors) {
        let vector = local.embed(&[text])?.remove(0).windows.remove(0);
        let cosine: f32 = vector.iter().zip(expected).map(|(one, other)| one * other).sum();
        println!("{cosine:.6}  {text}");
    }
    local.embed_question("what do the cosines mean?")?;
    println!("{:?} {:?}", local.model(), local.calibration());
    Ok(())
}
