//! The files of a model's directory: which there are, what they say, and the digest that its
//! vectors are known by. Opening reads the small files whole and the weights only here and there;
//! the weights are read when first used.

use crate::Pooling;
use crate::shape::Shape;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The weights.
pub(crate) const WEIGHTS: &str = "model.safetensors";
/// The tokenizer, whole.
pub(crate) const TOKENIZER: &str = "tokenizer.json";
/// The pieces of a WordPiece tokenizer, for models that come without `tokenizer.json`.
pub(crate) const VOCABULARY: &str = "vocab.txt";
/// No small file is longer than this.
const SMALL_BYTES: u64 = 64 << 20;
/// No weights are longer than this.
const WEIGHT_BYTES: u64 = 8 << 30;
/// How many places of the weights go into the digest, and how much of each.
const SAMPLES: u64 = 64;
const SAMPLE_BYTES: u64 = 4096;

/// Why a directory is no model that can be used. Each says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// A file is not there or cannot be read.
    #[error(
        "{path}: {cause}; `directory` must name a folder with config.json, model.safetensors and \
             tokenizer.json or vocab.txt"
    )]
    File {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        cause: String,
    },
    /// A file says something else than it should.
    #[error("{path} is not as it should be: {cause}; fetch the model anew")]
    Content {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        cause: String,
    },
    /// The model is of a kind that is not understood.
    #[error("{0}; BERT, RoBERTa and XLM-RoBERTa models with mean or cls pooling are understood")]
    Unsupported(String),
}

/// What the small files say.
#[derive(Debug)]
pub(crate) struct Files {
    pub directory: PathBuf,
    pub shape: Shape,
    pub pooling: Option<Pooling>,
    /// How many tokens share one vector.
    pub window_tokens: usize,
    /// What the model wants before a text, by what the text is for.
    pub prompts: BTreeMap<String, String>,
    /// A digest of everything that vectors follow from.
    pub digest: String,
}

#[derive(Deserialize, Default)]
struct SentenceBert {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize, Default)]
struct Prompts {
    #[serde(default)]
    prompts: BTreeMap<String, Option<String>>,
}

#[derive(Deserialize)]
struct Module {
    r#type: String,
}

impl Files {
    /// Reads a directory.
    pub fn open(directory: &Path) -> Result<Self, LocalError> {
        let at = |name: &str| directory.join(name);
        let shape: Shape = needed(&at("config.json"))?;
        shape.check().map_err(LocalError::Unsupported)?;
        let modules: Vec<Module> = optional(&at("modules.json"))?.unwrap_or_default();
        let understood = ["Transformer", "Pooling", "Normalize"];
        if let Some(other) = modules
            .iter()
            .find(|module| !understood.iter().any(|known| module.r#type.ends_with(known)))
        {
            return Err(LocalError::Unsupported(format!(
                "the model has a module {}",
                other.r#type
            )));
        }
        let sentences: SentenceBert =
            optional(&at("sentence_bert_config.json"))?.unwrap_or_default();
        let prompts: Prompts =
            optional(&at("config_sentence_transformers.json"))?.unwrap_or_default();
        let window_tokens = sentences.max_seq_length.unwrap_or(usize::MAX).min(shape.positions());
        Ok(Self {
            pooling: optional::<crate::pooling::Told>(&at("1_Pooling/config.json"))?
                .map(|told| told.pooling())
                .transpose()
                .map_err(LocalError::Unsupported)?,
            window_tokens,
            prompts: prompts
                .prompts
                .into_iter()
                .filter_map(|(name, text)| Some((name, text?)))
                .collect(),
            digest: digest(directory)?,
            directory: directory.to_owned(),
            shape,
        })
    }

    /// What the model wants before a text that is for one of these.
    pub fn prompt(&self, names: &[&str]) -> String {
        names.iter().find_map(|name| self.prompts.get(*name)).cloned().unwrap_or_default()
    }

    /// The weights, whole.
    pub fn weights(&self) -> Result<Vec<u8>, LocalError> {
        read(&self.directory.join(WEIGHTS), WEIGHT_BYTES)
    }
}

/// A digest of the tokenizer, the configuration, and the weights here and there: reading a gigabyte
/// at every start to know that nothing changed would cost more than it is worth.
fn digest(directory: &Path) -> Result<String, LocalError> {
    let mut hasher = Sha256::new();
    let tokenizer = if directory.join(TOKENIZER).exists() { TOKENIZER } else { VOCABULARY };
    for name in ["config.json", tokenizer] {
        hasher.update(read(&directory.join(name), SMALL_BYTES)?);
    }
    let path = directory.join(WEIGHTS);
    let sampled = File::open(&path).and_then(|file| sample(file, &mut hasher));
    sampled.map_err(|error| unreadable(&path, &error))?;
    Ok(hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect())
}

fn sample(mut file: File, hasher: &mut Sha256) -> std::io::Result<()> {
    let length = file.metadata()?.len();
    hasher.update(length.to_le_bytes());
    let step = (length / SAMPLES).max(SAMPLE_BYTES);
    let mut at = 0;
    while at < length {
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::new();
        file.by_ref().take(SAMPLE_BYTES).read_to_end(&mut bytes)?;
        hasher.update(&bytes);
        at += step;
    }
    Ok(())
}

fn needed<T: DeserializeOwned>(path: &Path) -> Result<T, LocalError> {
    let text = read(path, SMALL_BYTES)?;
    serde_json::from_slice(&text).map_err(|error| content(path, &error))
}

fn optional<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LocalError> {
    if path.exists() { needed(path).map(Some) } else { Ok(None) }
}

/// A file of at most so many bytes.
pub(crate) fn read(path: &Path, bytes_max: u64) -> Result<Vec<u8>, LocalError> {
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let length = file.metadata().map_err(|error| unreadable(path, &error))?.len();
    if length > bytes_max {
        return Err(content(path, &format!("it has {length} bytes; at most {bytes_max} are read")));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// A small file that must be there.
pub(crate) fn small(path: &Path) -> Result<Vec<u8>, LocalError> {
    read(path, SMALL_BYTES)
}

fn unreadable(path: &Path, error: &std::io::Error) -> LocalError {
    LocalError::File { path: path.to_owned(), cause: error.to_string() }
}

/// A file that says something wrong.
pub(crate) fn content(path: &Path, cause: &impl std::fmt::Display) -> LocalError {
    LocalError::Content { path: path.to_owned(), cause: cause.to_string() }
}
