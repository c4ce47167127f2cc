//! Early embedding: a text is embedded before it is screened only by an embedder on this machine,
//! and the stored vector is always that of the stored text.

use crate::fixture::{House, agent, secret};
use embed::{EmbedError, Embedder, Embedding};
use engine::remember::Remember;
use engine::{Engine, OnSecret};
use model::{OwnerId, VectorModel, limits};
use std::sync::{Arc, Mutex};

/// An embedder that records its input; the vector depends on the length of the text.
struct Hearing {
    model: VectorModel,
    here: bool,
    heard: Mutex<Vec<String>>,
}

impl Hearing {
    fn new(here: bool) -> Arc<Self> {
        let model = VectorModel { id: "hearing".into(), dimensions: 2 };
        Arc::new(Self { model, here, heard: Mutex::default() })
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

impl Embedder for Hearing {
    fn model(&self) -> &VectorModel {
        &self.model
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Embedding>, EmbedError> {
        self.heard.lock().unwrap().extend(texts.iter().map(|text| (*text).to_owned()));
        let vector = |text: &&str| {
            let (sin, cos) = (text.len() as f32 / 100.0).sin_cos();
            Embedding { windows: vec![vec![sin, cos]] }
        };
        Ok(texts.iter().map(vector).collect())
    }

    fn stays_here(&self) -> bool {
        self.here
    }
}

async fn house(here: bool) -> (House, Engine, Arc<Hearing>) {
    let (house, hearing) = (House::new().await, Hearing::new(here));
    let engine = house.twin_on_secret(Arc::clone(&hearing) as _, OnSecret::Redact);
    (house, engine, hearing)
}

#[tokio::test]
async fn a_text_that_is_kept_as_it_came_is_embedded_once() {
    for here in [true, false] {
        let (_house, engine, hearing) = house(here).await;
        engine
            .memories()
            .remember(&agent("codex"), &Remember::text("The lamp is green"))
            .await
            .unwrap();
        assert_eq!(hearing.heard(), ["The lamp is green"], "here: {here}");
    }
}

#[tokio::test]
async fn an_embedder_elsewhere_never_hears_what_is_left_out() {
    let (_house, engine, hearing) = house(false).await;
    let told = format!("The key of the lamp is {}", secret());
    engine.memories().remember(&agent("codex"), &Remember::text(told)).await.unwrap();
    let heard = hearing.heard();
    assert_eq!(heard.len(), 1);
    assert!(!heard[0].contains(&secret()), "{heard:?}");
}

#[tokio::test]
async fn what_was_changed_on_its_way_in_has_the_vector_of_what_is_kept() {
    let (house, engine, hearing) = house(true).await;
    let told = format!("The key of the lamp is {}", secret());
    let made = engine.memories().remember(&agent("codex"), &Remember::text(told)).await.unwrap();
    let heard = hearing.heard();
    assert_eq!(heard.len(), 2, "once as it was sent, once as it is stored");
    let kept = house.store.vector(&OwnerId::me(), made.id.unwrap()).await.unwrap().unwrap();
    let expected = hearing.embed(&[&heard[1]]).unwrap()[0].stored(hearing.model());
    assert_eq!(kept, expected);
}

#[tokio::test]
async fn a_text_past_the_limit_is_refused_before_it_is_embedded() {
    let (_house, engine, hearing) = house(true).await;
    let long = "lamp ".repeat(limits::TEXT_BYTES / 4);
    engine.memories().remember(&agent("codex"), &Remember::text(long)).await.unwrap_err();
    assert!(hearing.heard().is_empty());
}
