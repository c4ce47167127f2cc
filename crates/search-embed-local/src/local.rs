//! The embedder itself. Opening one only reads what identifies its vectors; the weights are loaded
//! with the first text, since most commands never embed anything.

use crate::bert::BertEncoder;
use crate::model_files::{LocalError, ModelFiles};
use crate::pooling::Pooling;
use crate::window_tokenizer::WindowTokenizer;
use candle_core::{Device, Tensor};
use embed::{
    CALIBRATION_ANSWERS, CALIBRATION_QUESTIONS, Calibration, EmbedError, Embedder, Embedding,
    Vector, normalise,
};
use model::VectorModel;
use sha2::{Digest, Sha256};
use std::path::PathBuf;
use std::sync::OnceLock;

/// Maximum number of texts per call.
const TEXTS_MAX: usize = 1_024;
/// Number of windows that go through the layers together. Bounds the memory for activations.
const BATCH_WINDOWS: usize = 16;

/// Configuration of a local model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalSettings {
    /// Directory of the model files.
    pub directory: PathBuf,
    /// Pooling for a model whose files do not specify one; mean by default.
    pub pooling: Option<Pooling>,
    /// Prefix before a question; by default the one in the model files.
    pub query_prefix: Option<String>,
    /// Prefix before a stored text; by default the one in the model files.
    pub document_prefix: Option<String>,
}

/// Embedder that runs a model from a directory.
pub struct LocalEmbedder {
    files: ModelFiles,
    pooling: Pooling,
    query_prefix: String,
    document_prefix: String,
    model: VectorModel,
    /// A failure is cached too: loading is not tried again by this process.
    loaded: OnceLock<Result<LoadedModel, String>>,
    calibration: OnceLock<Calibration>,
}

struct LoadedModel {
    bert: BertEncoder,
    tokenizer: WindowTokenizer,
}

impl LocalEmbedder {
    /// Opens the model in a directory without loading its weights.
    ///
    /// # Errors
    /// Returns an error if the directory does not contain a supported model.
    pub fn open(settings: &LocalSettings) -> Result<Self, LocalError> {
        let files = ModelFiles::open(&settings.directory)?;
        let pooling = files.pooling.or(settings.pooling).unwrap_or(Pooling::Mean);
        let prefix = |configured: &Option<String>, names: &[&str]| {
            configured.clone().unwrap_or_else(|| files.prompt(names))
        };
        let query_prefix = prefix(&settings.query_prefix, &["query"]);
        let document_prefix = prefix(&settings.document_prefix, &["document", "passage"]);
        let id = model_id(&files, pooling, &document_prefix);
        let model = VectorModel { id, dimensions: files.config.hidden_size };
        let (loaded, calibration) = (OnceLock::new(), OnceLock::new());
        Ok(Self { files, pooling, query_prefix, document_prefix, model, loaded, calibration })
    }

    fn loaded(&self) -> Result<&LoadedModel, EmbedError> {
        let loaded = self.loaded.get_or_init(|| self.load());
        loaded.as_ref().map_err(|reason| self.unavailable(reason))
    }

    fn load(&self) -> Result<LoadedModel, String> {
        let tokenizer = WindowTokenizer::open(&self.files).map_err(|error| error.to_string())?;
        let weights = self.files.weights().map_err(|error| error.to_string())?;
        let bert = BertEncoder::load(weights, &self.files.config).map_err(|error| {
            format!("its weights do not match its config.json: {error}; download the model again")
        })?;
        Ok(LoadedModel { bert, tokenizer })
    }

    fn embed_with_prefix(
        &self,
        prefix: &str,
        texts: &[&str],
    ) -> Result<Vec<Embedding>, EmbedError> {
        let loaded = self.loaded()?;
        let cut = texts.iter().map(|text| loaded.tokenizer.windows(prefix, text));
        let cut: Vec<Vec<Vec<u32>>> =
            cut.collect::<Result<_, _>>().map_err(|error| self.unavailable(&error))?;
        let windows: Vec<&[u32]> = cut.iter().flatten().map(Vec::as_slice).collect();
        let mut vectors = Vec::with_capacity(windows.len());
        for some in windows.chunks(BATCH_WINDOWS) {
            let batch = self
                .embed_windows(&loaded.bert, some)
                .map_err(|error| self.unavailable(&error.to_string()))?;
            vectors.extend(batch);
        }
        let mut vectors = vectors.into_iter();
        Ok(cut
            .iter()
            .map(|windows| Embedding { windows: vectors.by_ref().take(windows.len()).collect() })
            .collect())
    }

    /// Computes the unit vector of each window.
    fn embed_windows(
        &self,
        bert: &BertEncoder,
        windows: &[&[u32]],
    ) -> candle_core::Result<Vec<Vector>> {
        let longest = windows.iter().map(|window| window.len()).max().unwrap_or(0);
        let padding = self.files.config.pad_token_id;
        let mut ids = Vec::with_capacity(windows.len() * longest);
        let mut mask = Vec::with_capacity(windows.len() * longest);
        // Padded to the longest window of the batch; the mask keeps the padding out of attention
        // and pooling.
        for window in windows {
            ids.extend_from_slice(window);
            ids.resize(ids.len() + longest - window.len(), padding);
            mask.extend((0..longest).map(|at| if at < window.len() { 1.0_f32 } else { 0.0 }));
        }
        let shape = (windows.len(), longest);
        let ids = Tensor::from_vec(ids, shape, &Device::Cpu)?;
        let mask = Tensor::from_vec(mask, shape, &Device::Cpu)?;
        let mut vectors =
            self.pooling.pool(&bert.forward(&ids, &mask)?, &mask)?.to_vec2::<f32>()?;
        vectors.iter_mut().for_each(|vector| normalise(vector));
        Ok(vectors)
    }

    fn calibrate(&self) -> Result<Calibration, EmbedError> {
        let embed_all = |prefix: &str, texts: &[&str]| -> Result<Vec<Vector>, EmbedError> {
            Ok(self.embed_with_prefix(prefix, texts)?.iter().map(Embedding::mean).collect())
        };
        let questions = embed_all(&self.query_prefix, &CALIBRATION_QUESTIONS)?;
        Ok(Calibration::measure(
            &questions,
            &embed_all(&self.document_prefix, &CALIBRATION_ANSWERS)?,
        ))
    }

    fn unavailable(&self, reason: &str) -> EmbedError {
        EmbedError::unavailable(&self.model, reason)
    }
}

/// Returns the model id: everything that influences the vectors. It includes the `Debug` form of
/// [`Pooling`], whose variants must therefore keep their names.
fn model_id(files: &ModelFiles, pooling: Pooling, document_prefix: &str) -> String {
    let name = files.directory.file_name().unwrap_or_default().to_string_lossy();
    let suffix =
        Sha256::digest(format!("{pooling:?} {} {document_prefix}", files.window_tokens).as_bytes());
    let suffix: String = suffix.iter().take(2).map(|byte| format!("{byte:02x}")).collect();
    format!("{name}@{}{suffix}", files.digest)
}

impl Embedder for LocalEmbedder {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        if texts.len() > TEXTS_MAX {
            return Err(EmbedError::TooManyTexts { count: texts.len(), limit: TEXTS_MAX });
        }
        self.embed_with_prefix(&self.document_prefix, texts)
    }

    fn embed_question(&self, question: &str) -> Result<Embedding, EmbedError> {
        // Calibrated here, on a blocking thread, and not in `calibration`, which the ranking calls.
        if self.calibration.get().is_none() {
            let _ = self.calibration.set(self.calibrate()?);
        }
        let embedding = self.embed_with_prefix(&self.query_prefix, &[question])?.pop();
        embedding.ok_or_else(|| self.unavailable("it returned no vector"))
    }

    fn is_local(&self) -> bool {
        true
    }

    fn calibration(&self) -> Calibration {
        self.calibration.get().copied().unwrap_or(Calibration::BUNDLED)
    }
}
