//! Converts the published model files into the form that the code reads in place: weights as int8
//! panels, the vocabulary as a hash table. Done at build time so that a process starts without
//! parsing anything and all processes share one copy of the pages.

#[path = "src/bundled/layout.rs"]
mod layout;
#[path = "build/panels.rs"]
mod panels;
#[path = "build/safetensors.rs"]
mod safetensors;
#[path = "build/vocabulary.rs"]
mod vocabulary;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use layout::{LAYERS, NETWORKS, PAIR_FEATURES, PAIR_HIDDEN, RELATIONS, TOKEN_ROLES, WIDTH, WINDOW};
use safetensors::Tensors;
use sha2::{Digest, Sha256};

const WEIGHTS: &str = "model/quipu-embed-2.safetensors";
const PAIR_WEIGHTS: &str = "model/quipu-compare-1.safetensors";
const VOCABULARY: &str = "model/vocab.txt";

/// Part of the model's id. Must be changed whenever the code changes the vector of a text, so that
/// stored vectors are computed again.
const PREPROCESSING: &str = "NFKD, unspaced runs, windows of 128, int8 activations; 2";

fn main() -> Result<(), Box<dyn Error>> {
    for input in [WEIGHTS, PAIR_WEIGHTS, VOCABULARY, "build.rs", "build", "src/bundled/layout.rs"] {
        println!("cargo::rerun-if-changed={input}");
    }
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let (weights, entries) = (fs::read(WEIGHTS)?, fs::read_to_string(VOCABULARY)?);
    let digest = Sha256::new()
        .chain_update(&weights)
        .chain_update(&entries)
        .chain_update(PREPROCESSING)
        .finalize();
    let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    println!("cargo::rustc-env=QUIPU_EMBED_DIGEST={digest}");

    let tensors = Tensors::parse(&weights)?;
    write_tables(&out, &tensors, entries.lines().count())?;
    let pair_weights = fs::read(PAIR_WEIGHTS)?;
    let pair_tensors = Tensors::parse(&pair_weights)?;
    write_pair_head(&out, &pair_tensors)?;
    let networks = [&tensors, &pair_tensors];
    write_norms(&out, networks)?;
    let (panels, columns) = panels::pack(networks)?;
    fs::write(out.join("panels.bin"), panels)?;
    fs::write(out.join("columns.bin"), columns)?;
    let (slots, offsets) = vocabulary::pack(&entries)?;
    fs::write(out.join("slots.bin"), slots)?;
    fs::write(out.join("offsets.bin"), offsets)?;
    Ok(())
}

/// Writes the token embeddings as published: int8 with one scale per row.
fn write_tables(out: &Path, tensors: &Tensors, entries: usize) -> Result<(), Box<dyn Error>> {
    fs::write(out.join("table.bin"), tensors.raw("table", "I8", &[entries, WIDTH])?)?;
    fs::write(out.join("scales.bin"), tensors.raw("table_scale", "F32", &[entries])?)?;
    fs::write(out.join("positions.bin"), bytes(&tensors.floats("pos", &[WINDOW, WIDTH])?))?;
    Ok(())
}

/// Writes what the cross-encoder adds to its layers: a row for each role of a token, and the
/// weights that turn a pair into relations.
fn write_pair_head(out: &Path, tensors: &Tensors) -> Result<(), Box<dyn Error>> {
    let mut head = tensors.floats("role", &[TOKEN_ROLES, WIDTH])?;
    head.extend(tensors.floats("head.hidden.weight", &[PAIR_HIDDEN, PAIR_FEATURES])?);
    head.extend(tensors.floats("head.hidden.bias", &[PAIR_HIDDEN])?);
    head.extend(tensors.floats("head.output.weight", &[RELATIONS, PAIR_HIDDEN])?);
    head.extend(tensors.floats("head.output.bias", &[RELATIONS])?);
    Ok(fs::write(out.join("pair_head.bin"), bytes(&head))?)
}

/// Writes four rows per layer: gain and shift before attention, gain and shift before the
/// feed-forward network.
fn write_norms(out: &Path, networks: [&Tensors; NETWORKS]) -> Result<(), Box<dyn Error>> {
    let mut norms = Vec::new();
    for (tensors, layer) in networks.iter().flat_map(|one| (0..LAYERS).map(move |at| (one, at))) {
        for part in ["norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"] {
            norms.extend(tensors.floats(&format!("layers.{layer}.{part}"), &[WIDTH])?);
        }
    }
    Ok(fs::write(out.join("norms.bin"), bytes(&norms))?)
}

fn bytes(floats: &[f32]) -> Vec<u8> {
    floats.iter().flat_map(|float| float.to_le_bytes()).collect()
}
