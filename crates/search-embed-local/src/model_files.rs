//! Files of a model directory: configuration, and the digest that identifies the vectors. Opening
//! reads the small files completely and samples the weights; the weights are read when first used.

use crate::Pooling;
use crate::model_config::BertConfig;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// File of the weights.
pub(crate) const WEIGHTS: &str = "model.safetensors";
/// File of the complete tokeniser.
pub(crate) const TOKENIZER: &str = "tokenizer.json";
/// Vocabulary of a WordPiece tokeniser, for models without `tokenizer.json`.
pub(crate) const VOCABULARY: &str = "vocab.txt";
/// Maximum size of a configuration or tokeniser file.
const SMALL_FILE_BYTES_MAX: u64 = 64 << 20;
/// Maximum size of the weights.
const WEIGHT_BYTES_MAX: u64 = 8 << 30;
/// Number of samples of the weights in the digest.
const SAMPLES: u64 = 64;
const SAMPLE_BYTES: u64 = 4096;

/// Reason why a directory cannot be used as a model, with advice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// A file is missing or cannot be read.
    #[error(
        "{path}: {cause}; `directory` must name a folder with config.json, model.safetensors and \
             tokenizer.json or vocab.txt"
    )]
    File { path: PathBuf, cause: String },
    /// A file has unexpected content.
    #[error("{path} has unexpected content: {cause}; download the model again")]
    Content { path: PathBuf, cause: String },
    /// The model is of an unsupported kind.
    #[error("{0}; BERT, RoBERTa and XLM-RoBERTa models with mean or cls pooling are supported")]
    Unsupported(String),
}

/// Configuration of a model.
#[derive(Debug)]
pub(crate) struct ModelFiles {
    pub directory: PathBuf,
    pub config: BertConfig,
    pub pooling: Option<Pooling>,
    /// Maximum number of tokens per vector.
    pub window_tokens: usize,
    /// Prefixes that the model expects, by purpose of the text.
    pub prompts: BTreeMap<String, String>,
    /// Digest of everything that influences the vectors.
    pub digest: String,
}

#[derive(Deserialize, Default)]
struct SentenceBertConfig {
    max_seq_length: Option<usize>,
}

#[derive(Deserialize, Default)]
struct PromptConfig {
    #[serde(default)]
    prompts: BTreeMap<String, Option<String>>,
}

#[derive(Deserialize)]
struct ModuleConfig {
    r#type: String,
}

impl ModelFiles {
    /// Reads the configuration of a model directory.
    pub fn open(directory: &Path) -> Result<Self, LocalError> {
        let at = |name: &str| directory.join(name);
        let config: BertConfig = read_json(&at("config.json"))?;
        config.validate().map_err(LocalError::Unsupported)?;
        let modules: Vec<ModuleConfig> =
            read_json_if_exists(&at("modules.json"))?.unwrap_or_default();
        let supported = ["Transformer", "Pooling", "Normalize"];
        // Any other module, such as a dense layer, would change the vectors; ignoring it would give
        // wrong ones without notice.
        if let Some(other) = modules
            .iter()
            .find(|module| !supported.iter().any(|known| module.r#type.ends_with(known)))
        {
            return Err(LocalError::Unsupported(format!(
                "the model has an unsupported module {}",
                other.r#type
            )));
        }
        let sentences: SentenceBertConfig =
            read_json_if_exists(&at("sentence_bert_config.json"))?.unwrap_or_default();
        let prompts: PromptConfig =
            read_json_if_exists(&at("config_sentence_transformers.json"))?.unwrap_or_default();
        let window_tokens =
            sentences.max_seq_length.unwrap_or(usize::MAX).min(config.position_count());
        Ok(Self {
            pooling: read_json_if_exists::<crate::pooling::PoolingModuleConfig>(&at(
                "1_Pooling/config.json",
            ))?
            .map(|config| config.pooling())
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
            config,
        })
    }

    /// Returns the prefix for the first of these purposes that the model names.
    pub fn prompt(&self, names: &[&str]) -> String {
        names.iter().find_map(|name| self.prompts.get(*name)).cloned().unwrap_or_default()
    }

    /// Reads the complete weights.
    pub fn weights(&self) -> Result<Vec<u8>, LocalError> {
        read_bounded(&self.directory.join(WEIGHTS), WEIGHT_BYTES_MAX)
    }
}

/// Computes a digest of tokeniser, configuration and samples of the weights: reading a gigabyte at
/// every start only to see that nothing changed would cost more than it is worth.
fn digest(directory: &Path) -> Result<String, LocalError> {
    let mut hasher = Sha256::new();
    let tokenizer = if directory.join(TOKENIZER).exists() { TOKENIZER } else { VOCABULARY };
    for name in ["config.json", tokenizer] {
        hasher.update(read_bounded(&directory.join(name), SMALL_FILE_BYTES_MAX)?);
    }
    let path = directory.join(WEIGHTS);
    let sampled = File::open(&path).and_then(|file| hash_samples(file, &mut hasher));
    sampled.map_err(|error| unreadable(&path, &error))?;
    Ok(hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect())
}

fn hash_samples(mut file: File, hasher: &mut Sha256) -> std::io::Result<()> {
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

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, LocalError> {
    let text = read_bounded(path, SMALL_FILE_BYTES_MAX)?;
    serde_json::from_slice(&text).map_err(|error| invalid_content(path, &error))
}

fn read_json_if_exists<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, LocalError> {
    if path.exists() { read_json(path).map(Some) } else { Ok(None) }
}

/// Reads a file of at most `bytes_max` bytes.
pub(crate) fn read_bounded(path: &Path, bytes_max: u64) -> Result<Vec<u8>, LocalError> {
    let mut file = File::open(path).map_err(|error| unreadable(path, &error))?;
    let length = file.metadata().map_err(|error| unreadable(path, &error))?.len();
    if length > bytes_max {
        return Err(invalid_content(
            path,
            &format!("it has {length} bytes; the limit is {bytes_max}"),
        ));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    file.read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    Ok(bytes)
}

/// Reads a small file.
pub(crate) fn read_small(path: &Path) -> Result<Vec<u8>, LocalError> {
    read_bounded(path, SMALL_FILE_BYTES_MAX)
}

fn unreadable(path: &Path, error: &std::io::Error) -> LocalError {
    LocalError::File { path: path.to_owned(), cause: error.to_string() }
}

/// Creates the error for unexpected content.
pub(crate) fn invalid_content(path: &Path, cause: &impl std::fmt::Display) -> LocalError {
    LocalError::Content { path: path.to_owned(), cause: cause.to_string() }
}
