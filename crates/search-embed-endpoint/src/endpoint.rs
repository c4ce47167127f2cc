//! The embedder itself: texts cut into windows, windows put into requests, answers held against
//! what the endpoint showed of itself when it was first asked.

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

/// The most texts in one call.
const TEXTS_MAX: usize = 1_024;
/// What an endpoint is asked to find out whether it refuses a text or everything.
const HARMLESS: &str = "hello";

/// An embedder that asks an endpoint.
#[derive(Debug)]
pub struct Endpoint {
    settings: Settings,
    asking: Asking,
    /// The model while nobody knows how long its vectors are.
    unknown: VectorModel,
    learned: OnceLock<Learned>,
    /// Held while the endpoint is asked for the first time, so that it is asked once.
    introducing: Mutex<()>,
}

/// What the endpoint showed of itself.
#[derive(Debug)]
struct Learned {
    model: VectorModel,
    calibration: Calibration,
}

impl Endpoint {
    /// An endpoint. Nobody asks it anything yet, so this succeeds while it is away.
    ///
    /// # Errors
    /// When the settings cannot be right.
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

    /// What was asked today, and what may be.
    pub fn spending(&self) -> Spending {
        self.asking.ledger.spending(&today())
    }

    fn learn(&self, known: Known) {
        let model = VectorModel { id: self.unknown.id.clone(), dimensions: known.dimensions };
        // Whoever was first learned the same.
        let _ = self.learned.set(Learned { model, calibration: known.calibration() });
    }

    /// Makes sure that the endpoint has shown how long its vectors are and what its cosines mean.
    fn introduced(&self) -> Result<&Learned, Fault> {
        let _one_at_a_time = self.introducing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.learned.get().is_none() {
            let known = self.introduce()?;
            self.asking.ledger.learn(&self.unknown.id, known);
            self.learn(known);
        }
        self.learned.get().ok_or_else(|| Fault::passing("nothing is known of it yet"))
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
                "its vectors have {dimensions} numbers where {expected} were asked for; change `dimensions`"
            )));
        }
        vectors.iter_mut().for_each(|vector| normalise(vector));
        let (questions, answers) = vectors.split_at(CALIBRATION_QUESTIONS.len());
        Ok(Known::new(dimensions, Calibration::of(questions, answers)))
    }

    /// The vectors of texts that are ready to be sent.
    fn vectors(&self, texts: &[String]) -> Result<Vec<Vector>, EmbedError> {
        let made = self.introduced().and_then(|learned| {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let mut made = Vec::with_capacity(texts.len());
            for some in texts.chunks(self.settings.batch) {
                made.extend(self.request(some, learned.model.dimensions)?);
            }
            Ok(made)
        });
        made.map_err(|fault| EmbedError::unavailable(&self.unknown, fault.why()))
    }

    /// The vectors of one request. One text that the endpoint does not take must not keep the
    /// others from theirs: it gets the vector that is like nothing, and is found by its words.
    fn request(&self, texts: &[&str], dimensions: usize) -> Result<Vec<Vector>, Fault> {
        match self.asking.ask(texts) {
            Ok(answer) => expected(answer, dimensions),
            Err(Fault::Texts(_)) if texts.len() > 1 => {
                let (one, other) = texts.split_at(texts.len() / 2);
                let mut made = self.request(one, dimensions)?;
                made.extend(self.request(other, dimensions)?);
                Ok(made)
            }
            Err(Fault::Texts(why)) => {
                self.asking.ask(&[HARMLESS])?;
                tracing::warn!(
                    bytes = texts[0].len(),
                    why,
                    "the endpoint takes other texts but not this one"
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
            "its vectors have {} numbers and had {dimensions} before; if another model answers there now, set \
             `revision` to anything new, and everything is embedded anew",
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
        let made = self.embedded(&[question], &self.settings.query_prefix)?.pop();
        made.ok_or_else(|| EmbedError::unavailable(&self.unknown, "it gave no vector for a text"))
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
