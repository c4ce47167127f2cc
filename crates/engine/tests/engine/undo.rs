//! Undoing a decision: both sides are restored.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use engine::remember::RememberRequest;
use engine::review::{FlagMemoryRequest, ResolveReviewRequest};
use model::{
    ErrorCode, Link, Memory, MemoryId, OwnerId, Resolution, ReviewId, ReviewState, Status,
};
use serde_json::json;

/// Returns everything that must be restored: a memory and its links, without the times of change.
async fn side(house: &EngineFixture, id: MemoryId) -> (Memory, Vec<Link>) {
    let memory = Memory { updated_at: house.now(), ..house.memory(id).await };
    let links = house.store.links(&OwnerId::me(), id).await.unwrap();
    let links = links
        .outgoing
        .into_iter()
        .chain(links.incoming)
        .map(|link| Link { created_at: house.now(), ..link });
    (memory, links.collect())
}

async fn contradiction(house: &EngineFixture) -> (ReviewId, MemoryId, MemoryId) {
    let told = async |who: &str, text: &str| {
        house.engine.memories().remember(&agent(who), &RememberRequest::text(text)).await.unwrap()
    };
    let older = told("codex", "I live in Berlin.").await;
    let newer = told("cursor", "I live in Munich.").await;
    let reviews = house
        .engine
        .reviews()
        .list(&owner(), &engine::review::ListReviewsRequest::default())
        .await
        .unwrap();
    (reviews.items[0].item.id, newer.id.unwrap(), older.id.unwrap())
}

async fn decide(house: &EngineFixture, review: ReviewId, resolution: Resolution) {
    house
        .engine
        .reviews()
        .resolve(&owner(), &ResolveReviewRequest { review, resolution })
        .await
        .unwrap();
}

#[tokio::test]
async fn undoing_any_decision_restores_both_sides() {
    for resolution in Resolution::ALL {
        let house = EngineFixture::new().await;
        let (review, newer, older) = contradiction(&house).await;
        let before = (side(&house, newer).await, side(&house, older).await);
        decide(&house, review, resolution).await;
        assert_ne!(
            (side(&house, newer).await, side(&house, older).await),
            before,
            "{resolution:?}"
        );
        let view = house.engine.reviews().undo(&owner(), review).await.unwrap();
        assert_eq!(
            (side(&house, newer).await, side(&house, older).await),
            before,
            "{resolution:?}"
        );
        assert_eq!(view.item.state, ReviewState::Open);
        assert_eq!(
            house
                .engine
                .memories()
                .recall(&owner(), &RecallRequest::query("live"))
                .await
                .unwrap()
                .hits
                .len(),
            2
        );
        decide(&house, review, resolution).await;
    }
}

#[tokio::test]
async fn undoing_a_decision_reopens_the_flags() {
    let house = EngineFixture::new().await;
    let memory = house.add("codex", "The kiln is blue.", |_| {}).await;
    let flag = |reason: &str| FlagMemoryRequest { memory, reason: reason.into() };
    let first = house.engine.reviews().flag(&owner(), &flag("it is green")).await.unwrap().review;
    let second = house.engine.reviews().flag(&owner(), &flag("it is red")).await.unwrap().review;
    decide(&house, first, Resolution::Confirm).await;
    assert_eq!(house.memory(memory).await.status, Status::Rejected);
    house.engine.reviews().undo(&owner(), first).await.unwrap();
    let back = house.memory(memory).await;
    assert_eq!((back.status, back.flags, back.ended_at), (Status::Active, 2, None));
    assert_eq!(
        house.engine.reviews().get(&owner(), second).await.unwrap().item.state,
        ReviewState::Open
    );
}

#[tokio::test]
async fn undoing_a_decision_restores_the_profile() {
    let house = EngineFixture::new().await;
    let patch = |value| PatchProfileRequest { patch: fields(value), reason: None };
    house
        .engine
        .profile()
        .patch(&owner(), &patch(json!({ "name": "Ada", "diet": "vegan" })))
        .await
        .unwrap();
    let proposed = house
        .engine
        .profile()
        .patch(&agent("codex"), &patch(json!({ "name": "Eve" })))
        .await
        .unwrap();
    let review = proposed.review.unwrap();
    decide(&house, review, Resolution::Confirm).await;
    house.engine.reviews().undo(&owner(), review).await.unwrap();
    let profile = house.engine.profile().get(&owner()).await.unwrap().unwrap();
    assert_eq!(profile.data, fields(json!({ "name": "Ada", "diet": "vegan" })));
    decide(&house, review, Resolution::Confirm).await;
    house.engine.profile().patch(&owner(), &patch(json!({ "name": "Zoe" }))).await.unwrap();
    refused(house.engine.reviews().undo(&owner(), review).await, ErrorCode::Conflict);
}

#[tokio::test]
async fn a_decision_is_not_undone_after_a_side_has_changed() {
    let house = EngineFixture::new().await;
    let (review, newer, _) = contradiction(&house).await;
    refused(house.engine.reviews().undo(&owner(), review).await, ErrorCode::Conflict);
    decide(&house, review, Resolution::Reject).await;
    refused(house.engine.reviews().undo(&agent("codex"), review).await, ErrorCode::ConsentRequired);
    house.write("codex", vec![store::Change::Forget { memories: vec![newer] }]).await;
    refused(house.engine.reviews().undo(&owner(), review).await, ErrorCode::NotFound);
}
