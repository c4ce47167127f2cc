//! An embedder that is unavailable, comes back, or knows its dimensions only after its first
//! answer.

use crate::fixture::{EngineFixture, agent};
use embed::{BundledEmbedder, Calibration, EmbedError, Embedder, Embedding};
use engine::forget::ForgetRequest;
use engine::recall::{RecallRequest, RecallResults};
use engine::reembed::ReembedOutcome;
use engine::remember::RememberRequest;
use model::{OwnerId, VectorModel};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

const DIMENSIONS: usize = 4;

/// An embedder on another machine.
struct RemoteEmbedder {
    unknown: VectorModel,
    known: OnceLock<VectorModel>,
    available: AtomicBool,
    calibration: Calibration,
}

impl RemoteEmbedder {
    fn new(there: bool) -> Arc<Self> {
        Arc::new(Self {
            unknown: VectorModel { id: "distant".into(), dimensions: 0 },
            known: OnceLock::new(),
            available: AtomicBool::new(there),
            calibration: Calibration { unrelated: 0.8, related: 0.9 },
        })
    }
}

impl Embedder for RemoteEmbedder {
    fn model(&self) -> &VectorModel {
        self.known.get().unwrap_or(&self.unknown)
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        if !self.available.load(Ordering::SeqCst) {
            return Err(EmbedError::unavailable(&self.unknown, "nobody answers"));
        }
        self.known.get_or_init(|| VectorModel { dimensions: DIMENSIONS, ..self.unknown.clone() });
        Ok(texts.iter().map(|_| Embedding { windows: vec![vec![0.5; DIMENSIONS]] }).collect())
    }

    fn calibration(&self) -> Calibration {
        self.calibration
    }
}

fn meaning(recalled: &RecallResults) -> Option<f32> {
    recalled.hits[0].parts.iter().find(|(name, _)| *name == "meaning").map(|(_, value)| *value)
}

fn explained() -> RecallRequest {
    RecallRequest { explain: true, ..RecallRequest::query("which lamp is green") }
}

#[tokio::test]
async fn a_memory_is_stored_without_the_embedder_and_embedded_later() {
    let fixture = EngineFixture::new().await;
    let distant = RemoteEmbedder::new(false);
    let engine = fixture.reopen_with(Arc::clone(&distant) as Arc<dyn Embedder>);
    engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The lamp is green"))
        .await
        .unwrap();
    let found = engine.memories().recall(&agent("a"), &explained()).await.unwrap();
    assert_eq!((found.hits.len(), found.embedder.as_deref(), meaning(&found)), (1, None, None));
    assert!(found.words_only_reason.unwrap().contains("nobody answers"));
    let stopped = engine.admin().reembed(&agent("a"), 10).await.unwrap();
    assert!(matches!(stopped, ReembedOutcome::Stopped(why) if why.contains("nobody answers")));

    distant.available.store(true, Ordering::SeqCst);
    assert_eq!(engine.admin().reembed(&agent("a"), 10).await.unwrap(), ReembedOutcome::Embedded(1));
    let found = engine.memories().recall(&agent("a"), &explained()).await.unwrap();
    assert_eq!((found.embedder.as_deref(), found.words_only_reason), (Some("distant"), None));
    assert!(found.hits[0].parts.iter().any(|(name, _)| *name == "meaning"));
}

#[tokio::test]
async fn a_view_built_before_the_dimensions_were_known_is_rebuilt_with_the_vectors() {
    let fixture = EngineFixture::new().await;
    let first = fixture.reopen_with(RemoteEmbedder::new(true));
    first
        .memories()
        .remember(&agent("a"), &RememberRequest::text("The lamp is green"))
        .await
        .unwrap();
    let distant = RemoteEmbedder::new(false);
    let second = fixture.reopen_with(Arc::clone(&distant) as Arc<dyn Embedder>);
    assert_eq!(meaning(&second.memories().recall(&agent("b"), &explained()).await.unwrap()), None);
    distant.available.store(true, Ordering::SeqCst);
    assert!(meaning(&second.memories().recall(&agent("b"), &explained()).await.unwrap()).is_some());
}

#[tokio::test]
async fn cosines_are_calibrated_by_the_embedder() {
    let fixture = EngineFixture::new().await;
    let plain = Calibration::BUNDLED;
    let (high, low) = (Calibration { unrelated: 0.99, related: 1.2 }, plain);
    let mut told = Vec::new();
    for calibration in [high, low] {
        let distant = Arc::new(RemoteEmbedder {
            calibration,
            ..Arc::into_inner(RemoteEmbedder::new(true)).unwrap()
        });
        let engine = fixture.reopen_with(distant);
        engine
            .memories()
            .remember(&agent("a"), &RememberRequest::text("The lamp is green"))
            .await
            .unwrap();
        told.push(
            meaning(&engine.memories().recall(&agent("a"), &explained()).await.unwrap()).unwrap(),
        );
    }
    // Every vector is the same here: for the first embedder that means unrelated, for the second
    // equal.
    assert!(told[0] < 0.3 * told[1], "{told:?}");
}

#[tokio::test]
async fn every_passage_has_a_vector_and_forgetting_removes_all_of_them() {
    let fixture = EngineFixture::new().await;
    let engine = fixture.reopen_with(RemoteEmbedder::new(true));
    let vectors = async |id| {
        let stored = fixture.store.vector(&OwnerId::me(), id).await.unwrap();
        stored.map_or(0, |stored| stored.data.len() / (4 + DIMENSIONS))
    };
    let remembered = async |text: &str| {
        engine
            .memories()
            .remember(&agent("a"), &RememberRequest::text(text))
            .await
            .unwrap()
            .id
            .unwrap()
    };
    let one = remembered("The lamp in the hall is green").await;
    assert_eq!(vectors(one).await, 1);
    let two = remembered("The lamp in the attic is blue. It came from the market in Ghent.").await;
    assert_eq!(vectors(two).await, 3, "the whole text and its two sentences");
    let wish = remembered("Always name the shop when I ask about lamps").await;
    assert_eq!(vectors(wish).await, 2, "the whole text, and the occasion of the wish");
    let input = ForgetRequest { memories: vec![two], ..ForgetRequest::default() };
    engine.memories().forget(&agent("a"), &input).await.unwrap();
    assert_eq!((vectors(one).await, vectors(two).await), (1, 0));
}

/// The bundled embedder under the name of a former one: as many dimensions, another model.
struct FormerEmbedder {
    model: VectorModel,
    bundled: BundledEmbedder,
}

impl Embedder for FormerEmbedder {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        self.bundled.embed(texts)
    }
}

#[tokio::test]
async fn vectors_of_the_former_bundled_model_are_never_compared_and_are_made_again() {
    let fixture = EngineFixture::new().await;
    let former = FormerEmbedder {
        model: VectorModel { id: "quipu-embed-1@9fe0b2e4f983fb59".into(), dimensions: 256 },
        bundled: BundledEmbedder::new(),
    };
    let before = fixture.reopen_with(Arc::new(former));
    let note = RememberRequest::text("The lamp is green");
    before.memories().remember(&agent("a"), &note).await.unwrap();
    assert!(meaning(&before.memories().recall(&agent("a"), &explained()).await.unwrap()).is_some());

    let now = fixture.reopen_with(Arc::new(BundledEmbedder::new()));
    let found = now.memories().recall(&agent("a"), &explained()).await.unwrap();
    assert_eq!((found.hits.len(), meaning(&found)), (1, None), "found by its words alone");
    let progress = now.admin().embedding_progress(&agent("a")).await.unwrap();
    assert!(progress.model.starts_with("quipu-embed-2@") && !progress.is_complete());
    assert_eq!((progress.done, progress.total), (0, 1));

    assert_eq!(now.admin().reembed(&agent("a"), 10).await.unwrap(), ReembedOutcome::Embedded(1));
    assert!(now.admin().embedding_progress(&agent("a")).await.unwrap().is_complete());
    assert!(meaning(&now.memories().recall(&agent("a"), &explained()).await.unwrap()).is_some());
}
