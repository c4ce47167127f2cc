//! Early embedding: a text is embedded before it is screened only by an embedder on this machine,
//! and the stored vector is always that of the stored text.

use crate::fixture::{EngineFixture, agent, secret};
use embed::{EmbedError, Embedder, Embedding};
use engine::remember::RememberRequest;
use engine::{Engine, SecretPolicy};
use model::{OwnerId, VectorModel, limits};
use parking_lot::Mutex;
use std::sync::Arc;

/// An embedder that records its input; the vector depends on the length of the text.
struct RecordingEmbedder {
    model: VectorModel,
    local: bool,
    texts: Mutex<Vec<String>>,
}

impl RecordingEmbedder {
    fn new(here: bool) -> Arc<Self> {
        let model = VectorModel { id: "hearing".into(), dimensions: 2 };
        Arc::new(Self { model, local: here, texts: Mutex::default() })
    }

    fn texts(&self) -> Vec<String> {
        self.texts.lock().clone()
    }
}

impl Embedder for RecordingEmbedder {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        self.texts.lock().extend(texts.iter().map(|text| (*text).to_owned()));
        let vector = |text: &&str| {
            let (sin, cos) = (text.len() as f32 / 100.0).sin_cos();
            Embedding { windows: vec![vec![sin, cos]] }
        };
        Ok(texts.iter().map(vector).collect())
    }

    fn is_local(&self) -> bool {
        self.local
    }
}

async fn fixture_with(here: bool) -> (EngineFixture, Engine, Arc<RecordingEmbedder>) {
    let (fixture, hearing) = (EngineFixture::new().await, RecordingEmbedder::new(here));
    let engine = fixture.twin_on_secret(Arc::clone(&hearing) as _, SecretPolicy::Redact);
    (fixture, engine, hearing)
}

#[tokio::test]
async fn an_unchanged_text_is_embedded_once() {
    for here in [true, false] {
        let (_house, engine, hearing) = fixture_with(here).await;
        engine
            .memories()
            .remember(&agent("codex"), &RememberRequest::text("The lamp is green"))
            .await
            .unwrap();
        assert_eq!(hearing.texts(), ["The lamp is green"], "here: {here}");
    }
}

#[tokio::test]
async fn a_remote_embedder_never_gets_what_screening_removes() {
    let (_house, engine, hearing) = fixture_with(false).await;
    let told = format!("The key of the lamp is {}", secret());
    engine.memories().remember(&agent("codex"), &RememberRequest::text(told)).await.unwrap();
    let heard = hearing.texts();
    assert_eq!(heard.len(), 1);
    assert!(!heard[0].contains(&secret()), "{heard:?}");
}

#[tokio::test]
async fn a_screened_text_has_the_vector_of_the_stored_text() {
    let (fixture, engine, hearing) = fixture_with(true).await;
    let told = format!("The key of the lamp is {}", secret());
    let made =
        engine.memories().remember(&agent("codex"), &RememberRequest::text(told)).await.unwrap();
    let heard = hearing.texts();
    assert_eq!(heard.len(), 2, "once as it was sent, once as it is stored");
    let kept = fixture.store.vector(&OwnerId::me(), made.id.unwrap()).await.unwrap().unwrap();
    let expected = hearing.embed(&[&heard[1]]).unwrap()[0].to_stored(hearing.model());
    assert_eq!(kept, expected);
}

#[tokio::test]
async fn a_text_past_the_limit_is_refused_before_it_is_embedded() {
    let (_house, engine, hearing) = fixture_with(true).await;
    let long = "lamp ".repeat(limits::TEXT_BYTES / 4);
    engine.memories().remember(&agent("codex"), &RememberRequest::text(long)).await.unwrap_err();
    assert!(hearing.texts().is_empty());
}
