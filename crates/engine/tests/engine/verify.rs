//! Verification: verified, partial, contradicted or ungrounded claims.

use crate::fixture::{House, agent, refused};
use engine::correct::Correct;
use engine::remember::Remember;
use engine::verify::{Verdict, Verification};
use model::ErrorCode;

async fn house() -> House {
    let house = House::new().await;
    for text in [
        "The team uses PostgreSQL 16 for billing",
        "The user prefers dark mode in every editor",
        "Anna leads the payments project",
    ] {
        house.engine.memories().remember(&agent("a"), &Remember::text(text)).await.unwrap();
    }
    house
}

async fn verify(house: &House, claim: &str) -> Verification {
    house.engine.memories().verify(&agent("b"), claim).await.unwrap()
}

#[tokio::test]
async fn a_claim_that_a_memory_covers_is_verified() {
    let found = verify(&house().await, "The team uses PostgreSQL for billing").await;
    assert_eq!(found.verdict, Verdict::Verified, "{found:?}");
    assert!(found.missing.is_empty());
    assert!(found.confidence > 0.5);
}

#[tokio::test]
async fn one_shared_word_verifies_nothing() {
    let found = verify(&house().await, "The user has a purple elephant named Bob").await;
    assert_eq!(found.verdict, Verdict::Ungrounded, "{found:?}");
}

#[tokio::test]
async fn a_denial_of_what_is_known_is_contradicted() {
    let found = verify(&house().await, "The team does not use PostgreSQL for billing").await;
    assert_eq!(found.verdict, Verdict::Contradicted, "{found:?}");
    assert!(found.evidence[0].against.is_some());
}

#[tokio::test]
async fn half_of_a_claim_is_partial_and_says_what_is_missing() {
    let found =
        verify(&house().await, "Anna leads the payments project from Lisbon since March").await;
    assert_eq!(found.verdict, Verdict::Partial, "{found:?}");
    assert!(found.missing.contains(&"lisbon".to_owned()), "{:?}", found.missing);
}

#[tokio::test]
async fn a_wrong_number_is_not_verified() {
    let found = verify(&house().await, "The team uses PostgreSQL 12 for billing").await;
    assert_ne!(found.verdict, Verdict::Verified, "{found:?}");
}

#[tokio::test]
async fn a_superseded_memory_backs_nothing() {
    let house = House::new().await;
    let old = house
        .engine
        .memories()
        .remember(&agent("a"), &Remember::text("Releases happen on Friday"))
        .await
        .unwrap()
        .id
        .unwrap();
    house
        .engine
        .memories()
        .correct(&agent("a"), &Correct::new(old, "Releases happen on Tuesday"))
        .await
        .unwrap();
    let found = verify(&house, "Releases happen on Friday").await;
    assert_ne!(found.verdict, Verdict::Verified, "{found:?}");
    assert!(found.evidence.iter().all(|piece| piece.memory.id != old));
}

#[tokio::test]
async fn an_empty_claim_is_refused() {
    refused(
        house().await.engine.memories().verify(&agent("b"), "  ").await,
        ErrorCode::InvalidArgument,
    );
}
