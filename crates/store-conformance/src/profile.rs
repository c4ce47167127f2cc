//! The profile: merged by RFC 7396, every version stored, none created when nothing changes.

use super::build::{fields, moment, provenance};
use super::fixture::{Fixture, whole};
use model::{Page, ProfileVersion};
use serde_json::{Value, json};
use store::{Change, Made};

async fn patch(at: &Fixture, seconds: i64, value: Value) -> Made {
    let change = Change::PatchProfile {
        patch: fields(value),
        reason: Some(format!("at {seconds}")),
        provenance: provenance("ada", moment(seconds)),
    };
    at.make_at(seconds, change).await
}

pub async fn there_is_no_profile_at_first(at: &Fixture) {
    assert_eq!(at.store.profile(&at.owner).await.unwrap(), None);
    assert_eq!(at.store.profile_history(&at.owner, whole()).await.unwrap().total, 0);
}

pub async fn a_patch_makes_a_version_that_names_what_changed(at: &Fixture) {
    assert_eq!(
        patch(at, 1, json!({"name": "Ada", "work": {"role": "dev", "city": "Bonn"}})).await,
        Made::Profile(1)
    );
    assert_eq!(
        patch(at, 2, json!({"work": {"role": "lead", "city": null}})).await,
        Made::Profile(2)
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

pub async fn nothing_changed_makes_no_version(at: &Fixture) {
    patch(at, 1, json!({"name": "Ada"})).await;
    assert_eq!(patch(at, 2, json!({"name": "Ada", "age": null})).await, Made::Profile(1));
    assert_eq!(at.store.profile(&at.owner).await.unwrap().unwrap().reason.as_deref(), Some("at 1"));
    assert_eq!(at.store.profile_history(&at.owner, whole()).await.unwrap().total, 1);
}

pub async fn every_version_is_kept_newest_first(at: &Fixture) {
    for n in 1..=4 {
        patch(at, n, json!({"n": n})).await;
    }
    let page = at.store.profile_history(&at.owner, Page { limit: 2, offset: 1 }).await.unwrap();
    let versions: Vec<(u32, &Value)> =
        page.items.iter().map(|version| (version.version, &version.data["n"])).collect();
    assert_eq!(versions, [(3, &json!(3)), (2, &json!(2))]);
    assert_eq!(page.total, 4);
}

pub async fn an_erased_field_is_in_no_version_and_in_no_reason(at: &Fixture) {
    patch(at, 1, json!({"name": "Ada", "diet": {"kind": "vegan", "since": 2020}})).await;
    patch(at, 2, json!({"city": "Bonn"})).await;
    patch(at, 3, json!({"diet": {"kind": "vegetarian"}})).await;
    let result = at.make_at(4, Change::EraseProfile { fields: vec!["diet.kind".into()] }).await;
    let Made::Forgotten(receipt) = result else { panic!("expected a receipt, got {result:?}") };
    assert_eq!(receipt.removed_from("profile versions"), 3);
    let versions = at.store.profile_history(&at.owner, whole()).await.unwrap().items;
    let reasons: Vec<(u32, Option<&str>)> =
        versions.iter().map(|version| (version.version, version.reason.as_deref())).collect();
    assert_eq!(reasons, [(3, None), (2, Some("at 2")), (1, None)]);
    for version in &versions {
        assert!(!format!("{:?}", version.data).contains("veg"), "{:?}", version.data);
        assert_eq!(version.data["diet"]["since"], 2020);
    }
}
