//! The profile: merged by RFC 7396, every version stored, none created when nothing changes.

use super::builders::{fields, moment, provenance};
use super::fixture::{StoreFixture, full_page};
use model::{NewReview, Page, ProfileVersion, ReviewKind};
use serde_json::{Value, json};
use store::{Change, ChangeResult, ReviewQuery};

async fn patch(at: &StoreFixture, seconds: i64, value: Value) -> ChangeResult {
    let change = Change::PatchProfile {
        patch: fields(value),
        reason: Some(format!("at {seconds}")),
        provenance: provenance("ada", moment(seconds)),
    };
    at.apply_at(seconds, change).await
}

pub async fn there_is_no_profile_at_first(at: &StoreFixture) {
    assert_eq!(at.store.profile(&at.owner).await.unwrap(), None);
    assert_eq!(at.store.profile_history(&at.owner, full_page()).await.unwrap().total, 0);
}

pub async fn a_patch_creates_a_version_that_names_what_changed(at: &StoreFixture) {
    assert_eq!(
        patch(at, 1, json!({"name": "Ada", "work": {"role": "dev", "city": "Bonn"}})).await,
        ChangeResult::Profile(1)
    );
    assert_eq!(
        patch(at, 2, json!({"work": {"role": "lead", "city": null}})).await,
        ChangeResult::Profile(2)
    );
    let expected = ProfileVersion {
        version: 2,
        data: fields(json!({"name": "Ada", "work": {"role": "lead"}})),
        changed: vec!["work.city".into(), "work.role".into()],
        reason: Some("at 2".into()),
        provenance: provenance("ada", moment(2)),
    };
    assert_eq!(at.store.profile(&at.owner).await.unwrap(), Some(expected));
}

pub async fn a_patch_that_changes_nothing_creates_no_version(at: &StoreFixture) {
    patch(at, 1, json!({"name": "Ada"})).await;
    assert_eq!(patch(at, 2, json!({"name": "Ada", "age": null})).await, ChangeResult::Profile(1));
    assert_eq!(at.store.profile(&at.owner).await.unwrap().unwrap().reason.as_deref(), Some("at 1"));
    assert_eq!(at.store.profile_history(&at.owner, full_page()).await.unwrap().total, 1);
}

pub async fn every_version_is_stored_newest_first(at: &StoreFixture) {
    for n in 1..=4 {
        patch(at, n, json!({"n": n})).await;
    }
    let page = at.store.profile_history(&at.owner, Page { limit: 2, offset: 1 }).await.unwrap();
    let versions: Vec<(u32, &Value)> =
        page.items.iter().map(|version| (version.version, &version.data["n"])).collect();
    assert_eq!(versions, [(3, &json!(3)), (2, &json!(2))]);
    assert_eq!(page.total, 4);
}

pub async fn an_erased_field_is_in_no_proposal(at: &StoreFixture) {
    let propose = |patch: Value| Change::RaiseReview {
        item: NewReview {
            kind: ReviewKind::Proposal,
            reason: "wants to change fields".into(),
            details: fields(json!({ "profile": patch })),
        },
        subject: None,
        against: None,
    };
    let both = json!({"diet": {"kind": "vegan"}, "city": "Bonn"});
    at.write(vec![propose(json!({"diet": {"kind": "vegan"}})), propose(both)]).await;
    let result = at.apply_at(4, Change::EraseProfile { fields: vec!["diet.kind".into()] }).await;
    let ChangeResult::Forgotten(receipt) = result else {
        panic!("expected a receipt, got {result:?}")
    };
    assert_eq!(receipt.removed_from("proposals"), 2);
    let left = at.store.reviews(&at.owner, &ReviewQuery::default(), full_page()).await.unwrap();
    assert_eq!(left.items.len(), 1, "one proposed nothing else");
    assert_eq!(left.items[0].details["profile"], json!({"diet": {}, "city": "Bonn"}));
}

pub async fn an_erased_field_is_in_no_version_and_in_no_reason(at: &StoreFixture) {
    patch(at, 1, json!({"name": "Ada", "diet": {"kind": "vegan", "since": 2020}})).await;
    patch(at, 2, json!({"city": "Bonn"})).await;
    patch(at, 3, json!({"diet": {"kind": "vegetarian"}})).await;
    let result = at.apply_at(4, Change::EraseProfile { fields: vec!["diet.kind".into()] }).await;
    let ChangeResult::Forgotten(receipt) = result else {
        panic!("expected a receipt, got {result:?}")
    };
    assert_eq!(receipt.removed_from("profile versions"), 3);
    let versions = at.store.profile_history(&at.owner, full_page()).await.unwrap().items;
    let reasons: Vec<(u32, Option<&str>)> =
        versions.iter().map(|version| (version.version, version.reason.as_deref())).collect();
    assert_eq!(reasons, [(3, None), (2, Some("at 2")), (1, None)]);
    for version in &versions {
        assert!(!format!("{:?}", version.data).contains("veg"), "{:?}", version.data);
        assert_eq!(version.data["diet"]["since"], 2020);
    }
}
