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
async fn side(fixture: &EngineFixture, id: MemoryId) -> (Memory, Vec<Link>) {
    let memory = Memory { updated_at: fixture.now(), ..fixture.memory(id).await };
    let links = fixture.store.links(&OwnerId::me(), id).await.unwrap();
    let links = links
        .outgoing
        .into_iter()
        .chain(links.incoming)
        .map(|link| Link { created_at: fixture.now(), ..link });
    (memory, links.collect())
}

async fn contradiction(fixture: &EngineFixture) -> (ReviewId, MemoryId, MemoryId) {
    let told = async |who: &str, text: &str| {
        fixture.engine.memories().remember(&agent(who), &RememberRequest::text(text)).await.unwrap()
    };
    let older = told("codex", "We live in the old mill.").await;
    let newer = told("cursor", "We do not live in the old mill.").await;
    let reviews = fixture
        .engine
        .reviews()
        .list(&owner(), &engine::review::ListReviewsRequest::default())
        .await
        .unwrap();
    (reviews.items[0].item.id, newer.id.unwrap(), older.id.unwrap())
}

async fn decide(fixture: &EngineFixture, review: ReviewId, resolution: Resolution) {
    fixture
        .engine
        .reviews()
        .resolve(&owner(), &ResolveReviewRequest::new(review, resolution))
        .await
        .unwrap();
}

#[tokio::test]
async fn undoing_any_decision_restores_both_sides() {
    for resolution in Resolution::ALL {
        let fixture = EngineFixture::new().await;
        let (review, newer, older) = contradiction(&fixture).await;
        let before = (side(&fixture, newer).await, side(&fixture, older).await);
        decide(&fixture, review, resolution).await;
        assert_ne!(
            (side(&fixture, newer).await, side(&fixture, older).await),
            before,
            "{resolution:?}"
        );
        let view = fixture.engine.reviews().undo(&owner(), review).await.unwrap();
        assert_eq!(
            (side(&fixture, newer).await, side(&fixture, older).await),
            before,
            "{resolution:?}"
        );
        assert_eq!(view.item.state, ReviewState::Open);
        assert_eq!(
            fixture
                .engine
                .memories()
                .recall(&owner(), &RecallRequest::query("live"))
                .await
                .unwrap()
                .hits
                .len(),
            2
        );
        decide(&fixture, review, resolution).await;
    }
}

#[tokio::test]
async fn undoing_a_decision_reopens_the_flags() {
    let fixture = EngineFixture::new().await;
    let memory = fixture.add("codex", "The kiln is blue.", |_| {}).await;
    let flag = |reason: &str| FlagMemoryRequest { memory, reason: reason.into() };
    let first = fixture.engine.reviews().flag(&owner(), &flag("it is green")).await.unwrap().review;
    let second = fixture.engine.reviews().flag(&owner(), &flag("it is red")).await.unwrap().review;
    decide(&fixture, first, Resolution::Confirm).await;
    assert_eq!(fixture.memory(memory).await.status, Status::Rejected);
    fixture.engine.reviews().undo(&owner(), first).await.unwrap();
    let back = fixture.memory(memory).await;
    assert_eq!((back.status, back.flags, back.ended_at), (Status::Active, 2, None));
    assert_eq!(
        fixture.engine.reviews().get(&owner(), second).await.unwrap().item.state,
        ReviewState::Open
    );
}

#[tokio::test]
async fn undoing_a_decision_restores_the_profile() {
    let fixture = EngineFixture::new().await;
    let patch = |value| PatchProfileRequest { patch: fields(value), reason: None };
    fixture
        .engine
        .profile()
        .patch(&owner(), &patch(json!({ "name": "Ada", "diet": "vegan" })))
        .await
        .unwrap();
    let proposed = fixture
        .engine
        .profile()
        .patch(&agent("codex"), &patch(json!({ "name": "Eve" })))
        .await
        .unwrap();
    let review = proposed.review.unwrap();
    decide(&fixture, review, Resolution::Confirm).await;
    fixture.engine.reviews().undo(&owner(), review).await.unwrap();
    let profile = fixture.engine.profile().get(&owner()).await.unwrap().unwrap();
    assert_eq!(profile.data, fields(json!({ "name": "Ada", "diet": "vegan" })));
    decide(&fixture, review, Resolution::Confirm).await;
    fixture.engine.profile().patch(&owner(), &patch(json!({ "name": "Zoe" }))).await.unwrap();
    refused(fixture.engine.reviews().undo(&owner(), review).await, ErrorCode::Conflict);
}

#[tokio::test]
async fn a_decision_is_not_undone_after_a_side_has_changed() {
    let fixture = EngineFixture::new().await;
    let (review, newer, _) = contradiction(&fixture).await;
    refused(fixture.engine.reviews().undo(&owner(), review).await, ErrorCode::Conflict);
    decide(&fixture, review, Resolution::Reject).await;
    refused(
        fixture.engine.reviews().undo(&agent("codex"), review).await,
        ErrorCode::ConsentRequired,
    );
    fixture.write("codex", vec![store::Change::Forget { memories: vec![newer] }]).await;
    refused(fixture.engine.reviews().undo(&owner(), review).await, ErrorCode::NotFound);
}
