//! Verification: verified, partial, contradicted or ungrounded claims.

use crate::fixture::{EngineFixture, agent, refused};
use engine::correct::CorrectRequest;
use engine::remember::RememberRequest;
use engine::verify::{ClaimVerdict, Verification};
use model::ErrorCode;

async fn filled_fixture() -> EngineFixture {
    let fixture = EngineFixture::new().await;
    for text in [
        "The team uses PostgreSQL 16 for billing",
        "The user prefers dark mode in every editor",
        "Anna leads the payments project",
    ] {
        fixture
            .engine
            .memories()
            .remember(&agent("a"), &RememberRequest::text(text))
            .await
            .unwrap();
    }
    fixture
}

async fn verify(fixture: &EngineFixture, claim: &str) -> Verification {
    fixture.engine.memories().verify(&agent("b"), claim).await.unwrap()
}

#[tokio::test]
async fn a_claim_that_a_memory_covers_is_verified() {
    let found = verify(&filled_fixture().await, "The team uses PostgreSQL for billing").await;
    assert_eq!(found.verdict, ClaimVerdict::Verified, "{found:?}");
    assert!(found.missing.is_empty());
    assert!(found.confidence > 0.5);
}

#[tokio::test]
async fn one_shared_word_verifies_nothing() {
    let found = verify(&filled_fixture().await, "The user has a purple elephant named Bob").await;
    assert_eq!(found.verdict, ClaimVerdict::Ungrounded, "{found:?}");
}

#[tokio::test]
async fn the_negation_of_a_memory_is_contradicted() {
    let found =
        verify(&filled_fixture().await, "The team does not use PostgreSQL for billing").await;
    assert_eq!(found.verdict, ClaimVerdict::Contradicted, "{found:?}");
    assert!(found.evidence[0].against.is_some());
}

#[tokio::test]
async fn a_half_covered_claim_is_partial_with_the_missing_words() {
    let found =
        verify(&filled_fixture().await, "Anna leads the payments project from Lisbon since March")
            .await;
    assert_eq!(found.verdict, ClaimVerdict::Partial, "{found:?}");
    assert!(found.missing.contains(&"lisbon".to_owned()), "{:?}", found.missing);
}

#[tokio::test]
async fn a_wrong_number_is_not_verified() {
    let found = verify(&filled_fixture().await, "The team uses PostgreSQL 12 for billing").await;
    assert_ne!(found.verdict, ClaimVerdict::Verified, "{found:?}");
}

#[tokio::test]
async fn a_superseded_memory_backs_nothing() {
    let fixture = EngineFixture::new().await;
    let old = fixture
        .engine
        .memories()
        .remember(&agent("a"), &RememberRequest::text("Releases happen on Friday"))
        .await
        .unwrap()
        .id
        .unwrap();
    fixture
        .engine
        .memories()
        .correct(&agent("a"), &CorrectRequest::new(old, "Releases happen on Tuesday"))
        .await
        .unwrap();
    let found = verify(&fixture, "Releases happen on Friday").await;
    assert_ne!(found.verdict, ClaimVerdict::Verified, "{found:?}");
    assert!(found.evidence.iter().all(|piece| piece.memory.id != old));
}

#[tokio::test]
async fn an_empty_claim_is_refused() {
    refused(
        filled_fixture().await.engine.memories().verify(&agent("b"), "  ").await,
        ErrorCode::InvalidArgument,
    );
}
