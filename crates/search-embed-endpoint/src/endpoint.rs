//! The embedder itself: splits texts into windows, batches them into requests and checks the
//! responses against the dimensions found when the endpoint was first probed.

use crate::fault::RequestFault;
use crate::response::EndpointResponse;
use crate::retrying_client::{RetryingClient, today};
use crate::text_windows::split_into_windows;
use crate::usage_file::ModelProbe;
use crate::{EndpointSettings, SettingsError, Spending};
use embed::{
    CALIBRATION_ANSWERS, CALIBRATION_QUESTIONS, Calibration, EmbedError, Embedder, Embedding,
    Vector, normalise,
};
use model::VectorModel;
use parking_lot::Mutex;
use std::sync::OnceLock;

/// Maximum number of texts per call.
const TEXTS_MAX: usize = 1_024;
/// Text that tells an endpoint that rejects one text from an endpoint that rejects everything.
const PROBE_TEXT: &str = "hello";

/// Embedder that calls an endpoint.
#[derive(Debug)]
pub struct EndpointEmbedder {
    settings: EndpointSettings,
    client: RetryingClient,
    /// Model with unknown dimensions, until the endpoint was probed.
    unprobed_model: VectorModel,
    probed: OnceLock<ProbedModel>,
    /// Held during the probe, so that concurrent callers do not each send one.
    probing: Mutex<()>,
}

/// Dimensions and calibration found by the probe.
#[derive(Debug)]
struct ProbedModel {
    model: VectorModel,
    calibration: Calibration,
}

impl EndpointEmbedder {
    /// Creates the embedder without contacting the endpoint, so this succeeds while it is down.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid.
    pub fn new(settings: EndpointSettings) -> Result<Self, SettingsError> {
        let (url, unprobed_model) = settings.validate()?;
        let client = RetryingClient::new(url, &settings);
        let endpoint = Self {
            settings,
            client,
            unprobed_model,
            probed: OnceLock::new(),
            probing: Mutex::default(),
        };
        if let Some(probe) = endpoint.client.usage.model_probe(&endpoint.unprobed_model.id) {
            endpoint.set_probed(probe);
        }
        Ok(endpoint)
    }

    /// Returns today's usage and the budget.
    pub fn spending(&self) -> Spending {
        self.client.usage.spending(&today())
    }

    fn set_probed(&self, probe: ModelProbe) {
        let model =
            VectorModel { id: self.unprobed_model.id.clone(), dimensions: probe.dimensions };
        // An earlier call may have set it already, to the same value.
        let _ = self.probed.set(ProbedModel { model, calibration: probe.calibration() });
    }

    /// Probes the endpoint for dimensions and calibration unless that has been done.
    fn ensure_probed(&self) -> Result<&ProbedModel, RequestFault> {
        let _guard = self.probing.lock();
        if self.probed.get().is_none() {
            let probe = self.probe()?;
            self.client.usage.save_model_probe(&self.unprobed_model.id, probe);
            self.set_probed(probe);
        }
        self.probed.get().ok_or_else(|| RequestFault::transient("it has not been probed yet"))
    }

    fn probe(&self) -> Result<ModelProbe, RequestFault> {
        let prefixed = |prefix: &str, text: &&str| format!("{prefix}{text}");
        let questions =
            CALIBRATION_QUESTIONS.iter().map(|text| prefixed(&self.settings.query_prefix, text));
        let answers =
            CALIBRATION_ANSWERS.iter().map(|text| prefixed(&self.settings.document_prefix, text));
        let all: Vec<String> = questions.chain(answers).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let mut vectors: Vec<Vector> = Vec::new();
        for some in all.chunks(self.settings.batch) {
            vectors.extend(self.client.request(some)?.vectors);
        }
        let dimensions = vectors.first().map_or(0, Vec::len);
        let expected = self.settings.dimensions.unwrap_or(dimensions);
        if vectors.iter().any(|vector| vector.len() != expected) {
            return Err(RequestFault::Permanent(format!(
                "its vectors have {dimensions} dimensions where {expected} were requested; change \
                 `dimensions`"
            )));
        }
        vectors.iter_mut().for_each(|vector| normalise(vector));
        let (questions, answers) = vectors.split_at(CALIBRATION_QUESTIONS.len());
        Ok(ModelProbe::new(dimensions, Calibration::measure(questions, answers)))
    }

    /// Returns the vectors of inputs that are ready to be sent.
    fn embed_inputs(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
        let vectors = self.ensure_probed().and_then(|probed| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut vectors = Vec::with_capacity(texts.len());
            for some in texts.chunks(self.settings.batch) {
                vectors.extend(self.embed_batch(some, probed.model.dimensions)?);
            }
            Ok(vectors)
        });
        vectors.map_err(|fault| EmbedError::unavailable(&self.unprobed_model, fault.reason()))
    }

    /// Returns the vectors of one batch. A single text that the endpoint rejects must not block the
    /// others: the batch is bisected, and the rejected text gets a zero vector and is found by its
    /// words alone.
    fn embed_batch(&self, texts: &[&str], dimensions: usize) -> Result<Vec<Vector>, RequestFault> {
        match self.client.request(texts) {
            Ok(answer) => checked_vectors(answer, dimensions),
            Err(RequestFault::RejectedTexts(_)) if texts.len() > 1 => {
                let (one, other) = texts.split_at(texts.len() / 2);
                let mut vectors = self.embed_batch(one, dimensions)?;
                vectors.extend(self.embed_batch(other, dimensions)?);
                Ok(vectors)
            }
            Err(RequestFault::RejectedTexts(why)) => {
                self.client.request(&[PROBE_TEXT])?;
                tracing::warn!(
                    bytes = texts[0].len(),
                    why,
                    "the endpoint rejects this text but accepts others"
                );
                Ok(vec![vec![0.0; dimensions]])
            }
            Err(fault) => Err(fault),
        }
    }
}

fn checked_vectors(
    answer: EndpointResponse,
    dimensions: usize,
) -> Result<Vec<Vector>, RequestFault> {
    if answer.dimensions() != dimensions {
        return Err(RequestFault::Permanent(format!(
            "its vectors have {} dimensions and had {dimensions} before; if the endpoint now \
             serves another model, set `revision` to a new value, and everything is embedded again",
            answer.dimensions()
        )));
    }
    let mut vectors = answer.vectors;
    vectors.iter_mut().for_each(|vector| normalise(vector));
    Ok(vectors)
}

impl Embedder for EndpointEmbedder {
    fn model(&self) -> &VectorModel {
        self.probed.get().map_or(&self.unprobed_model, |probed| &probed.model)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        if texts.len() > TEXTS_MAX {
            return Err(EmbedError::TooManyTexts { count: texts.len(), limit: TEXTS_MAX });
        }
        self.embed_with_prefix(texts, &self.settings.document_prefix)
    }

    fn embed_question(&self, question: &str) -> Result<Embedding, EmbedError> {
        let embedding = self.embed_with_prefix(&[question], &self.settings.query_prefix)?.pop();
        embedding
            .ok_or_else(|| EmbedError::unavailable(&self.unprobed_model, "it returned no vector"))
    }

    fn calibration(&self) -> Calibration {
        self.probed.get().map_or(Calibration::BUNDLED, |probed| probed.calibration)
    }
}

impl EndpointEmbedder {
    fn embed_with_prefix(
        &self,
        texts: &[&str],
        prefix: &str,
    ) -> Result<Vec<Embedding>, EmbedError> {
        let cut: Vec<Vec<&str>> =
            texts.iter().map(|text| split_into_windows(text, self.settings.window_chars)).collect();
        let inputs: Vec<String> =
            cut.iter().flatten().map(|window| format!("{prefix}{window}")).collect();
        let mut vectors = self.embed_inputs(&inputs)?.into_iter();
        Ok(cut
            .iter()
            .map(|windows| Embedding { windows: vectors.by_ref().take(windows.len()).collect() })
            .collect())
    }
}
