//! Undoing a decision: both sides are restored.

use crate::fixture::{House, agent, fields, owner, refused};
use engine::profile::ProfilePatch;
use engine::recall::Recall;
use engine::remember::Remember;
use engine::review::{FlagMemory, ResolveReview};
use model::{
    ErrorCode, Link, Memory, MemoryId, OwnerId, Resolution, ReviewId, ReviewState, Status,
};
use serde_json::json;

/// Returns everything that must be restored: a memory and its links, without the times of change.
async fn side(house: &House, id: MemoryId) -> (Memory, Vec<Link>) {
    let memory = Memory { updated_at: house.now(), ..house.memory(id).await };
    let links = house.store.links(&OwnerId::me(), id).await.unwrap();
    let links = links
        .outgoing
        .into_iter()
        .chain(links.incoming)
        .map(|link| Link { created_at: house.now(), ..link });
    (memory, links.collect())
}

async fn contradiction(house: &House) -> (ReviewId, MemoryId, MemoryId) {
    let told = async |who: &str, text: &str| {
        house.engine.memories().remember(&agent(who), &Remember::text(text)).await.unwrap()
    };
    let older = told("codex", "I live in Berlin.").await;
    let newer = told("cursor", "I live in Munich.").await;
    let reviews = house
        .engine
        .reviews()
        .list(&owner(), &engine::review::ListReviews::default())
        .await
        .unwrap();
    (reviews.items[0].item.id, newer.id.unwrap(), older.id.unwrap())
}

async fn decide(house: &House, review: ReviewId, resolution: Resolution) {
    house.engine.reviews().resolve(&owner(), &ResolveReview { review, resolution }).await.unwrap();
}

#[tokio::test]
async fn whatever_was_decided_both_sides_come_back_as_they_were() {
    for resolution in Resolution::ALL {
        let house = House::new().await;
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
                .recall(&owner(), &Recall::query("live"))
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
async fn flags_wait_again_when_the_decision_on_them_is_undone() {
    let house = House::new().await;
    let memory = house.add("codex", "The kiln is blue.", |_| {}).await;
    let flag = |reason: &str| FlagMemory { memory, reason: reason.into() };
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
async fn the_profile_says_again_what_it_said() {
    let house = House::new().await;
    let patch = |value| ProfilePatch { patch: fields(value), reason: None };
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
async fn what_went_on_since_is_not_undone_behind_anybodys_back() {
    let house = House::new().await;
    let (review, newer, _) = contradiction(&house).await;
    refused(house.engine.reviews().undo(&owner(), review).await, ErrorCode::Conflict);
    decide(&house, review, Resolution::Reject).await;
    refused(house.engine.reviews().undo(&agent("codex"), review).await, ErrorCode::ConsentRequired);
    house.write("codex", vec![store::Change::Forget { memories: vec![newer] }]).await;
    refused(house.engine.reviews().undo(&owner(), review).await, ErrorCode::NotFound);
}
