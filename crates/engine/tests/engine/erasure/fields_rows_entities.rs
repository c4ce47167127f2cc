//! Profile fields, rows and entities of others go only with the owner's consent.

use super::{forget, open_items, resolve};
use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::Caller;
use engine::entities::{EntityRef, PutEntityRequest};
use engine::profile::PatchProfileRequest;
use engine::remember::{NewRow, RememberRequest};
use engine::tables::UpdateRowRequest;
use model::{ErrorCode, OwnerId, Page, RecordId, Resolution};
use serde_json::{Value, json};
use store::Change;

fn patch(value: Value) -> PatchProfileRequest {
    PatchProfileRequest { patch: fields(value), reason: None }
}

#[tokio::test]
async fn a_profile_field_of_others_is_removed_only_with_the_owners_consent() {
    let fixture = EngineFixture::new().await;
    let profile = fixture.engine.profile();
    let claude = agent("claude");
    let first = patch(json!({"diet": "vegan", "work": {"city": "Bonn"}}));
    profile.patch(&claude, &first).await.unwrap();
    profile.patch(&owner(), &patch(json!({"work": {"role": "dev"}}))).await.unwrap();
    profile.patch(&claude, &patch(json!({"work": {"city": "Kiel"}}))).await.unwrap();
    let own = profile.patch(&agent("codex"), &patch(json!({"pet": "cat"}))).await.unwrap();
    assert_eq!(own.changed, ["pet"]);
    let nulls = patch(json!({"diet": null, "work": null, "pet": null}));
    let done = profile.patch(&agent("codex"), &nulls).await.unwrap();
    assert_eq!(done.changed, ["pet"]);
    assert_eq!(done.withheld, ["diet", "work"]);
    let emptied = patch(json!({"work": "none"}));
    let done = profile.patch(&claude, &emptied).await.unwrap();
    assert_eq!(done.withheld, ["work"], "a part of it is the owner's");
    let standing = profile.get(&owner()).await.unwrap().unwrap().data;
    assert_eq!(
        Value::Object(standing),
        json!({"diet": "vegan", "work": {"role": "dev", "city": "Kiel"}})
    );
}

#[tokio::test]
async fn erasing_a_profile_field_becomes_a_proposal_that_erases_every_version() {
    let fixture = EngineFixture::new().await;
    let profile = fixture.engine.profile();
    profile.patch(&owner(), &patch(json!({"diet": "canary"}))).await.unwrap();
    let field = ["diet".to_owned()];
    let done = profile.erase(&agent("codex"), &field).await.unwrap();
    let review = done.proposal.unwrap().review;
    assert!(profile.get(&owner()).await.unwrap().unwrap().data.contains_key("diet"));
    let shown = open_items(&fixture).await.remove(0).erasure.unwrap();
    assert_eq!(shown.others, ["profile field diet: canary"]);
    let decided = resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    let receipt = decided.erasure.unwrap().receipt.unwrap();
    assert_eq!(receipt.removed_from("memories"), 1);
    let history = profile.history(&owner(), Page::first(9)).await.unwrap();
    assert!(!format!("{:?}", history.items).contains("canary"));
    let missing = ["nothing".to_owned()];
    refused(profile.erase(&agent("codex"), &missing).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_profile_field_that_changed_since_is_skipped() {
    let fixture = EngineFixture::new().await;
    let profile = fixture.engine.profile();
    profile.patch(&owner(), &patch(json!({"diet": "vegan"}))).await.unwrap();
    let field = ["diet".to_owned()];
    let review = profile.erase(&agent("codex"), &field).await.unwrap().proposal.unwrap().review;
    fixture.clock.advance(60);
    profile.patch(&owner(), &patch(json!({"diet": "vegetarian"}))).await.unwrap();
    let decided = resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    let told = decided.erasure.unwrap().skipped.join("; ");
    assert!(told.contains("profile field diet changed since"), "{told}");
    assert_eq!(profile.get(&owner()).await.unwrap().unwrap().data["diet"], "vegetarian");
}

#[tokio::test]
async fn forgetting_an_own_sentence_does_not_take_the_owners_field_along() {
    let fixture = EngineFixture::new().await;
    let profile = fixture.engine.profile();
    profile.patch(&owner(), &patch(json!({"diet": "vegan"}))).await.unwrap();
    let sentence = RememberRequest {
        collection: Some("profile".into()),
        metadata: fields(json!({"profile_field": "diet"})),
        ..RememberRequest::text("The owner eats no cheese")
    };
    let codex = agent("codex");
    let id = fixture.engine.memories().remember(&codex, &sentence).await.unwrap().id.unwrap();
    assert!(forget(&fixture, &codex, &[id]).await.proposal.is_some());
    assert_eq!(profile.get(&owner()).await.unwrap().unwrap().data["diet"], "vegan");
}

async fn add_meal(fixture: &EngineFixture, caller: &Caller, food: &str) -> model::RecordId {
    let row =
        NewRow { table: "meals".into(), description: None, data: fields(json!({"food": food})) };
    let input = RememberRequest { row: Some(row), ..RememberRequest::default() };
    fixture.engine.memories().remember(caller, &input).await.unwrap().row.unwrap().1
}

#[tokio::test]
async fn a_row_of_others_is_deleted_only_with_the_owners_consent() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let own = add_meal(&fixture, &codex, "eel").await;
    let typed = add_meal(&fixture, &owner(), "rice").await;
    let tables = fixture.engine.tables();
    assert_eq!(tables.delete_row(&codex, "meals", own).await.unwrap().proposal, None);
    let waiting = tables.delete_row(&codex, "meals", typed).await.unwrap();
    assert_eq!(waiting.retired, []);
    let there =
        async |id| fixture.store.record(&OwnerId::me(), "meals", id).await.unwrap().is_some();
    assert!(there(typed).await && !there(own).await);
    let shown = open_items(&fixture).await.remove(0).erasure.unwrap();
    assert_eq!(shown.others, ["row 2 of meals: meals: food: rice"]);
    let review = waiting.proposal.unwrap().review;
    let decided = resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    assert_eq!(decided.erasure.unwrap().receipt.unwrap().removed_from("records"), 1);
    assert!(!there(typed).await);
}

#[tokio::test]
async fn a_row_that_the_owner_changed_is_the_owners() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let row = add_meal(&fixture, &codex, "eel").await;
    fixture.clock.advance(60);
    let patch = fields(json!({"food": "eel soup"}));
    let update = UpdateRowRequest { table: "meals".into(), row, patch, text: None };
    fixture.engine.tables().update_row(&owner(), &update).await.unwrap();
    let waiting = fixture.engine.tables().delete_row(&codex, "meals", row).await.unwrap();
    assert!(waiting.proposal.is_some());
}

#[tokio::test]
async fn an_entity_goes_with_its_agent_only_when_nobody_else_speaks_of_it() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let say = async |caller: &Caller, text: &str| {
        fixture.engine.memories().remember(caller, &RememberRequest::text(text)).await.unwrap();
    };
    say(&codex, "Ada Lovelace works at Acme").await;
    say(&codex, "Grace Hopper works at Navy").await;
    say(&owner(), "Grace Hopper likes clocks").await;
    let graph = fixture.engine.graph();
    let named = |name: &str| EntityRef::Name(name.into());
    let (ada, grace) = (named("Ada Lovelace"), named("Grace Hopper"));
    assert_eq!(graph.delete_entity(&codex, &ada).await.unwrap().proposal, None);
    refused(graph.entity(&codex, &ada).await, ErrorCode::NotFound);
    let waiting = graph.delete_entity(&codex, &grace).await.unwrap();
    assert!(graph.entity(&codex, &grace).await.is_ok());
    let shown = open_items(&fixture).await.remove(0).erasure.unwrap();
    assert!(shown.others[0].contains("Grace Hopper"), "{:?}", shown.others);
    let review = waiting.proposal.unwrap().review;
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    refused(graph.entity(&codex, &grace).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn an_entity_that_was_stated_directly_is_merged_only_with_the_owners_consent() {
    let fixture = EngineFixture::new().await;
    let codex = agent("codex");
    let graph = fixture.engine.graph();
    for name in ["payer", "payor"] {
        let put = PutEntityRequest { name: name.into(), ..PutEntityRequest::default() };
        graph.put_entity(&codex, &put).await.unwrap();
    }
    let named = |name: &str| EntityRef::Name(name.into());
    let (from, into) = (named("payor"), named("payer"));
    let waiting = graph.merge_entities(&codex, &from, &into).await.unwrap();
    let id = async |name: &EntityRef| graph.entity(&codex, name).await.unwrap().entity.id;
    assert_ne!(id(&from).await, id(&into).await);
    let review = waiting.proposal.unwrap().review;
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    assert_eq!(id(&from).await, id(&into).await, "the name is an alias now");
    fixture.engine.reviews().undo(&owner(), review).await.unwrap();
    assert_ne!(id(&from).await, id(&into).await, "undoing the decision parts them");
    resolve(&fixture, &owner(), review, Resolution::Confirm).await.unwrap();
    assert_eq!(id(&from).await, id(&into).await, "and it can be decided again");
}

#[tokio::test]
async fn the_same_proposed_change_of_the_profile_is_shown_once() {
    let fixture = EngineFixture::new().await;
    let profile = fixture.engine.profile();
    profile.patch(&owner(), &patch(json!({"name": "Ada"}))).await.unwrap();
    let rename = patch(json!({"name": "Eve"}));
    let first = profile.patch(&agent("codex"), &rename).await.unwrap().review;
    assert_eq!(profile.patch(&agent("codex"), &rename).await.unwrap().review, first);
    let other = profile.patch(&agent("codex"), &patch(json!({"name": "Zoe"}))).await.unwrap();
    assert_ne!(other.review, first);
    assert_eq!(open_items(&fixture).await.len(), 2);
}

#[tokio::test]
async fn a_field_without_history_is_removed_only_by_the_owner() {
    let fixture = EngineFixture::new().await;
    let data = fields(json!({"food": "eel", "salt": 1}));
    let imported =
        Change::AddRecord { table: "meals".into(), description: None, data, memory: None };
    fixture.write("codex", vec![imported]).await;
    let update = async |caller: &Caller, patch: Value| {
        let (row, patch) = (RecordId(1), fields(patch));
        let request = UpdateRowRequest { table: "meals".into(), row, patch, text: None };
        fixture.engine.tables().update_row(caller, &request).await
    };
    let answer = update(&agent("claude"), json!({"salt": null})).await;
    assert!(refused(answer, ErrorCode::ConsentRequired).contains("`salt`"));
    update(&agent("claude"), json!({"salt": 2})).await.unwrap();
    let changed = update(&owner(), json!({"salt": null})).await.unwrap();
    assert_eq!(Value::Object(changed.record.data), json!({"food": "eel"}));
}
