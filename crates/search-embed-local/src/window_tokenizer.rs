//! Tokenises texts into windows that the model can read at once. The tokeniser is the model's own,
//! with truncation and padding switched off, so that a long text gets several windows instead of
//! losing its end.

use crate::model_files::{
    LocalError, ModelFiles, TOKENIZER, VOCABULARY, invalid_content, read_small,
};
use serde::Deserialize;
use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{Model, Tokenizer};

/// Maximum number of windows per text. Each counts half as much as the one before it, so a ninth
/// would not matter.
const WINDOWS_MAX: usize = 8;

/// A tokeniser with the special tokens around each window.
pub(crate) struct WindowTokenizer {
    tokenizer: Tokenizer,
    prefix_ids: Vec<u32>,
    suffix_ids: Vec<u32>,
    window_tokens: usize,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    do_lower_case: Option<bool>,
}

impl WindowTokenizer {
    /// Opens the tokeniser of a model.
    pub fn open(files: &ModelFiles) -> Result<Self, LocalError> {
        let path = files.directory.join(TOKENIZER);
        let failed = |error: &dyn std::fmt::Display| invalid_content(&path, &error.to_string());
        let mut tokenizer = if path.exists() {
            Tokenizer::from_bytes(read_small(&path)?).map_err(|error| failed(&error))?
        } else {
            from_vocabulary(files)?
        };
        tokenizer.with_padding(None).with_truncation(None).map_err(|error| failed(&error))?;
        // The tokens of the empty text are the special tokens of every window: the first one opens
        // it, the others close it.
        let around = tokenizer.encode("", true).map_err(|error| failed(&error))?.get_ids().to_vec();
        let (prefix_ids, suffix_ids) = around.split_at(around.len().min(1));
        let (prefix_ids, suffix_ids) = (prefix_ids.to_vec(), suffix_ids.to_vec());
        Ok(Self { tokenizer, prefix_ids, suffix_ids, window_tokens: files.window_tokens })
    }

    /// Splits a text into at least one window, each of which starts with the prefix.
    pub fn windows(&self, prefix: &str, text: &str) -> Result<Vec<Vec<u32>>, String> {
        let prefix = self.token_ids(prefix.trim_end())?;
        let ids = self.token_ids(text)?;
        let around = self.prefix_ids.len() + self.suffix_ids.len() + prefix.len();
        let content_tokens = self.window_tokens.saturating_sub(around).max(1);
        let wrap =
            |inner: &[u32]| [&self.prefix_ids[..], &prefix, inner, &self.suffix_ids].concat();
        if ids.is_empty() {
            return Ok(vec![wrap(&[])]);
        }
        Ok(ids.chunks(content_tokens).take(WINDOWS_MAX).map(wrap).collect())
    }

    fn token_ids(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoded = self.tokenizer.encode_fast(text, false).map_err(|error| error.to_string())?;
        Ok(encoded.get_ids().to_vec())
    }
}

/// Builds the standard BERT tokeniser from a vocabulary alone.
fn from_vocabulary(files: &ModelFiles) -> Result<Tokenizer, LocalError> {
    let path = files.directory.join(VOCABULARY);
    let failed = |error: &dyn std::fmt::Display| invalid_content(&path, &error.to_string());
    let vocabulary = WordPiece::read_bytes(&read_small(&path)?).map_err(|error| failed(&error))?;
    let pieces = WordPiece::builder().vocab(vocabulary).build().map_err(|error| failed(&error))?;
    let special = |token: &str| {
        let id = pieces.token_to_id(token).ok_or_else(|| failed(&format!("it lacks {token}")))?;
        Ok((token.to_owned(), id))
    };
    let (cls, sep) = (special("[CLS]")?, special("[SEP]")?);
    let lowercase = match read_small(&files.directory.join("tokenizer_config.json")) {
        Ok(text) => serde_json::from_slice::<TokenizerConfig>(&text)
            .ok()
            .and_then(|config| config.do_lower_case),
        Err(_) => None,
    };
    let mut tokenizer = Tokenizer::new(pieces);
    let normalizer = BertNormalizer::new(true, true, None, lowercase.unwrap_or(true));
    tokenizer.with_normalizer(Some(normalizer)).map_err(|error| failed(&error))?;
    tokenizer
        .with_pre_tokenizer(Some(BertPreTokenizer))
        .with_post_processor(Some(BertProcessing::new(sep, cls)));
    Ok(tokenizer)
}
