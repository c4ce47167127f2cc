//! The profile: merged, versioned, and never overwritten by a weaker source.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::profile::PatchProfileRequest;
use engine::recall::RecallRequest;
use model::{ErrorCode, Page};
use serde_json::json;

fn patch(value: serde_json::Value) -> PatchProfileRequest {
    PatchProfileRequest { patch: fields(value), reason: Some("said so".into()) }
}

#[tokio::test]
async fn a_patch_is_merged_and_every_version_is_stored() {
    let fixture = EngineFixture::new().await;
    fixture
        .engine
        .profile()
        .patch(&agent("a"), &patch(json!({"diet": "vegetarian", "work": {"role": "dev"}})))
        .await
        .unwrap();
    let done = fixture
        .engine
        .profile()
        .patch(&agent("a"), &patch(json!({"work": {"city": "Bonn"}, "diet": null})))
        .await
        .unwrap();
    assert_eq!((done.version, done.changed), (2, vec!["diet".to_owned(), "work.city".to_owned()]));
    let profile = fixture.engine.profile().get(&agent("a")).await.unwrap().unwrap();
    assert_eq!(
        serde_json::Value::Object(profile.data),
        json!({"work": {"role": "dev", "city": "Bonn"}})
    );
    assert_eq!(
        fixture.engine.profile().history(&agent("a"), Page::first(10)).await.unwrap().items.len(),
        2
    );
}

#[tokio::test]
async fn a_patch_without_a_change_creates_no_version() {
    let fixture = EngineFixture::new().await;
    fixture.engine.profile().patch(&agent("a"), &patch(json!({"name": "Ada"}))).await.unwrap();
    let again =
        fixture.engine.profile().patch(&agent("a"), &patch(json!({"name": "Ada"}))).await.unwrap();
    assert_eq!((again.version, again.changed), (1, vec![]));
}

#[tokio::test]
async fn an_agent_never_overwrites_what_the_owner_typed() {
    let fixture = EngineFixture::new().await;
    fixture.engine.profile().patch(&owner(), &patch(json!({"name": "Ada"}))).await.unwrap();
    let done = fixture
        .engine
        .profile()
        .patch(&agent("a"), &patch(json!({"name": "Eve", "city": "Bonn"})))
        .await
        .unwrap();
    assert_eq!(done.withheld, ["name"]);
    assert_eq!(done.changed, ["city"]);
    assert!(done.review.is_some());
    let profile = fixture.engine.profile().get(&agent("a")).await.unwrap().unwrap();
    assert_eq!(serde_json::Value::Object(profile.data), json!({"name": "Ada", "city": "Bonn"}));
}

#[tokio::test]
async fn recall_finds_the_newest_values_of_the_profile() {
    let fixture = EngineFixture::new().await;
    fixture
        .engine
        .profile()
        .patch(&agent("a"), &patch(json!({"favourite_food": "ramen"})))
        .await
        .unwrap();
    fixture
        .engine
        .profile()
        .patch(&agent("a"), &patch(json!({"favourite_food": "pierogi"})))
        .await
        .unwrap();
    let found = fixture
        .engine
        .memories()
        .recall(&agent("b"), &RecallRequest::query("favourite food"))
        .await
        .unwrap();
    let texts: Vec<&str> = found.hits.iter().map(|hit| hit.memory.text.as_str()).collect();
    assert_eq!(texts, ["favourite food: pierogi"]);
    fixture
        .engine
        .profile()
        .patch(&agent("a"), &patch(json!({"favourite_food": null})))
        .await
        .unwrap();
    assert!(
        fixture
            .engine
            .memories()
            .recall(&agent("b"), &RecallRequest::query("favourite food"))
            .await
            .unwrap()
            .hits
            .is_empty()
    );
}

#[tokio::test]
async fn an_empty_patch_is_refused_with_an_example() {
    let fixture = EngineFixture::new().await;
    let message = refused(
        fixture.engine.profile().patch(&agent("a"), &patch(json!({}))).await,
        ErrorCode::InvalidArgument,
    );
    assert!(message.contains("vegetarian"), "{message}");
}
