//! Similarity search, with a minimum that is comparable across questions.

use crate::fixture::{EngineFixture, agent, of_kind, refused};
use engine::remember::RememberRequest;
use engine::similar::{SimilarRequest, SimilarityTarget};
use model::ErrorCode;

fn similar_to(text: &str, min: f32) -> SimilarRequest {
    let (to, kinds) = (SimilarityTarget::Text(text.into()), Vec::new());
    SimilarRequest { to, kinds, min, limit: 10, sources_only: false }
}

async fn remember(fixture: &EngineFixture, text: &str) {
    fixture.engine.memories().remember(&agent("a"), &RememberRequest::text(text)).await.unwrap();
}

#[tokio::test]
async fn the_same_words_are_fully_similar_and_other_words_are_not() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, "The staging server is in Berlin").await;
    remember(&fixture, "Bananas are yellow").await;
    let alike = fixture
        .engine
        .memories()
        .similar(&agent("a"), &similar_to("the staging server is in Berlin", 0.9))
        .await
        .unwrap();
    assert_eq!(alike.len(), 1);
    assert!(alike[0].similarity > 0.99, "{}", alike[0].similarity);
    assert_eq!(alike[0].shared, ["staging", "server", "berlin"]);
    assert!(
        fixture
            .engine
            .memories()
            .similar(&agent("a"), &similar_to("quarterly taxes", 0.5))
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn kinds_and_limit_restrict_the_results() {
    let fixture = EngineFixture::new().await;
    for number in 0..5 {
        fixture.add("a", &format!("server {number} in Berlin"), of_kind("fact")).await;
    }
    fixture.add("a", "the server in Berlin is slow", of_kind("decision")).await;
    let narrowed =
        SimilarRequest { kinds: vec!["decision".into()], ..similar_to("server in Berlin", 0.0) };
    assert_eq!(fixture.engine.memories().similar(&agent("a"), &narrowed).await.unwrap().len(), 1);
    let few = SimilarRequest { limit: 2, ..similar_to("server in Berlin", 0.0) };
    assert_eq!(fixture.engine.memories().similar(&agent("a"), &few).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_vector_needs_the_dimensions_of_the_memory() {
    let fixture = EngineFixture::new().await;
    remember(&fixture, "The sky is blue").await;
    let by = |vector: Vec<f32>| SimilarRequest {
        to: SimilarityTarget::Vector(vector),
        ..similar_to("", 0.0)
    };
    let message = refused(
        fixture.engine.memories().similar(&agent("a"), &by(vec![1.0])).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains(&fixture.engine.memories().dimensions().to_string()), "{message}");
    let zeros = by(vec![0.0; fixture.engine.memories().dimensions()]);
    refused(
        fixture.engine.memories().similar(&agent("a"), &zeros).await,
        ErrorCode::InvalidArgument,
    );
    let some = by(vec![1.0; fixture.engine.memories().dimensions()]);
    assert_eq!(fixture.engine.memories().similar(&agent("a"), &some).await.unwrap().len(), 1);
}
