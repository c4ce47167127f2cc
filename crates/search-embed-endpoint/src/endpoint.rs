//! The embedder itself: splits texts into windows, batches them into requests and checks the
//! responses against the dimensions found when the endpoint was first probed.

use crate::answer::Answer;
use crate::asking::{Asking, today};
use crate::fault::Fault;
use crate::ledger::Known;
use crate::texts::windows;
use crate::{Settings, SettingsError, Spending};
use embed::{
    CALIBRATION_ANSWERS, CALIBRATION_QUESTIONS, Calibration, EmbedError, Embedder, Embedding,
    Vector, normalise,
};
use model::VectorModel;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Maximum number of texts per call.
const TEXTS_MAX: usize = 1_024;
/// Text that tells an endpoint that rejects one text from an endpoint that rejects everything.
const HARMLESS: &str = "hello";

/// Embedder that calls an endpoint.
#[derive(Debug)]
pub struct Endpoint {
    settings: Settings,
    asking: Asking,
    /// Model with unknown dimensions, until the endpoint was probed.
    unknown: VectorModel,
    learned: OnceLock<Learned>,
    /// Held during the probe, so that concurrent callers do not each send one.
    introducing: Mutex<()>,
}

/// Dimensions and calibration found by the probe.
#[derive(Debug)]
struct Learned {
    model: VectorModel,
    calibration: Calibration,
}

impl Endpoint {
    /// Creates the embedder without contacting the endpoint, so this succeeds while it is down.
    ///
    /// # Errors
    /// Returns an error if the settings are invalid.
    pub fn new(settings: Settings) -> Result<Self, SettingsError> {
        let (url, unknown) = settings.checked()?;
        let asking = Asking::new(url, &settings);
        let endpoint = Self {
            settings,
            asking,
            unknown,
            learned: OnceLock::new(),
            introducing: Mutex::default(),
        };
        if let Some(known) = endpoint.asking.ledger.known(&endpoint.unknown.id) {
            endpoint.learn(known);
        }
        Ok(endpoint)
    }

    /// Returns today's usage and the budget.
    pub fn spending(&self) -> Spending {
        self.asking.ledger.spending(&today())
    }

    fn learn(&self, known: Known) {
        let model = VectorModel { id: self.unknown.id.clone(), dimensions: known.dimensions };
        // An earlier call may have set it already, to the same value.
        let _ = self.learned.set(Learned { model, calibration: known.calibration() });
    }

    /// Probes the endpoint for dimensions and calibration unless that has been done.
    fn introduced(&self) -> Result<&Learned, Fault> {
        let _guard = self.introducing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.learned.get().is_none() {
            let known = self.introduce()?;
            self.asking.ledger.learn(&self.unknown.id, known);
            self.learn(known);
        }
        self.learned.get().ok_or_else(|| Fault::passing("it has not been probed yet"))
    }

    fn introduce(&self) -> Result<Known, Fault> {
        let prefixed = |prefix: &str, text: &&str| format!("{prefix}{text}");
        let questions =
            CALIBRATION_QUESTIONS.iter().map(|text| prefixed(&self.settings.query_prefix, text));
        let answers =
            CALIBRATION_ANSWERS.iter().map(|text| prefixed(&self.settings.document_prefix, text));
        let all: Vec<String> = questions.chain(answers).collect();
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let mut vectors: Vec<Vector> = Vec::new();
        for some in all.chunks(self.settings.batch) {
            vectors.extend(self.asking.ask(some)?.vectors);
        }
        let dimensions = vectors.first().map_or(0, Vec::len);
        let expected = self.settings.dimensions.unwrap_or(dimensions);
        if vectors.iter().any(|vector| vector.len() != expected) {
            return Err(Fault::Lasting(format!(
                "its vectors have {dimensions} dimensions where {expected} were requested; change \
                 `dimensions`"
            )));
        }
        vectors.iter_mut().for_each(|vector| normalise(vector));
        let (questions, answers) = vectors.split_at(CALIBRATION_QUESTIONS.len());
        Ok(Known::new(dimensions, Calibration::of(questions, answers)))
    }

    /// Returns the vectors of inputs that are ready to be sent.
    fn vectors(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
        let vectors = self.introduced().and_then(|learned| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut vectors = Vec::with_capacity(texts.len());
            for some in texts.chunks(self.settings.batch) {
                vectors.extend(self.request(some, learned.model.dimensions)?);
            }
            Ok(vectors)
        });
        vectors.map_err(|fault| EmbedError::unavailable(&self.unknown, fault.why()))
    }

    /// Returns the vectors of one batch. A single text that the endpoint rejects must not block the
    /// others: the batch is bisected, and the rejected text gets a zero vector and is found by its
    /// words alone.
    fn request(&self, texts: &[&str], dimensions: usize) -> Result<Vec<Vector>, Fault> {
        match self.asking.ask(texts) {
            Ok(answer) => expected(answer, dimensions),
            Err(Fault::Texts(_)) if texts.len() > 1 => {
                let (one, other) = texts.split_at(texts.len() / 2);
                let mut vectors = self.request(one, dimensions)?;
                vectors.extend(self.request(other, dimensions)?);
                Ok(vectors)
            }
            Err(Fault::Texts(why)) => {
                self.asking.ask(&[HARMLESS])?;
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

fn expected(answer: Answer, dimensions: usize) -> Result<Vec<Vector>, Fault> {
    if answer.dimensions() != dimensions {
        return Err(Fault::Lasting(format!(
            "its vectors have {} dimensions and had {dimensions} before; if the endpoint now \
             serves another model, set `revision` to a new value, and everything is embedded again",
            answer.dimensions()
        )));
    }
    let mut vectors = answer.vectors;
    vectors.iter_mut().for_each(|vector| normalise(vector));
    Ok(vectors)
}

impl Embedder for Endpoint {
    fn model(&self) -> &VectorModel {
        self.learned.get().map_or(&self.unknown, |learned| &learned.model)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        if texts.len() > TEXTS_MAX {
            return Err(EmbedError::TooManyTexts { count: texts.len(), limit: TEXTS_MAX });
        }
        self.embedded(texts, &self.settings.document_prefix)
    }

    fn embed_question(&self, question: &str) -> Result<Embedding, EmbedError> {
        let embedding = self.embedded(&[question], &self.settings.query_prefix)?.pop();
        embedding.ok_or_else(|| EmbedError::unavailable(&self.unknown, "it returned no vector"))
    }

    fn calibration(&self) -> Calibration {
        self.learned.get().map_or(Calibration::BUNDLED, |learned| learned.calibration)
    }
}

impl Endpoint {
    fn embedded(&self, texts: &[&str], prefix: &str) -> Result<Vec<Embedding>, EmbedError> {
        let cut: Vec<Vec<&str>> =
            texts.iter().map(|text| windows(text, self.settings.window_chars)).collect();
        let inputs: Vec<String> =
            cut.iter().flatten().map(|window| format!("{prefix}{window}")).collect();
        let mut vectors = self.vectors(&inputs)?.into_iter();
        Ok(cut
            .iter()
            .map(|windows| Embedding { windows: vectors.by_ref().take(windows.len()).collect() })
            .collect())
    }
}
