//! The profile speaks only as it stands: each value is a fact with its own subject, remade with
//! every change, and the graph follows.

use crate::fixture::{EngineFixture, agent, fields, owner, refused};
use engine::correct::CorrectRequest;
use engine::entities::GraphPatternRequest;
use engine::forget::ForgetRequest;
use engine::profile::{PatchProfileRequest, ProfileCheck};
use engine::recall::RecallRequest;
use engine::remember::{RememberRequest, RememberStatus};
use engine::review::{DecisionScope, FlagMemoryRequest, ResolveReviewRequest};
use model::{ErrorCode, MemoryId, OwnerId, Page, Resolution, Status};
use serde_json::{Value, json};
use store::MemoryQuery;

async fn patch(fixture: &EngineFixture, value: Value) {
    fixture.clock.advance(60);
    let input = PatchProfileRequest { patch: fields(value), reason: None };
    fixture.engine.profile().patch(&agent("codex"), &input).await.unwrap();
}

/// Returns the texts of the active memories of the profile, which must say what the profile says.
async fn said(fixture: &EngineFixture) -> Vec<String> {
    let check = fixture.engine.profile().check(&owner()).await.unwrap();
    assert_eq!(check, ProfileCheck::default(), "the memories say what the profile says");
    let query = MemoryQuery {
        collection: Some("profile".into()),
        statuses: vec![Status::Active],
        ..MemoryQuery::default()
    };
    let listed = fixture.store.list_memories(&OwnerId::me(), &query, Page::first(1_000)).await;
    let mut texts: Vec<String> =
        listed.unwrap().items.into_iter().map(|memory| memory.text).collect();
    texts.sort_unstable();
    texts
}

async fn recalled(fixture: &EngineFixture, question: &str) -> Vec<String> {
    let input = RecallRequest::query(question);
    let found = fixture.engine.memories().recall(&agent("b"), &input).await.unwrap();
    found.hits.into_iter().map(|hit| hit.memory.text).collect()
}

async fn id_of(fixture: &EngineFixture, text: &str) -> MemoryId {
    let input = RecallRequest::query(text);
    let found = fixture.engine.memories().recall(&agent("b"), &input).await.unwrap();
    let hit = found.hits.iter().find(|hit| hit.memory.text == text);
    hit.unwrap_or_else(|| panic!("{text} is recalled")).memory.id
}

async fn answers(fixture: &EngineFixture, question: &str) -> Vec<String> {
    let pattern = GraphPatternRequest::from_question(question).unwrap();
    let found = fixture.engine.graph().graph_pattern(&agent("codex"), &pattern).await.unwrap();
    found.entities.into_iter().map(|entity| entity.name).collect()
}

fn family() -> Value {
    json!({"family": [
        {"name": "Ravi", "relation": "son", "birthday": "3 May", "allergies": ["cats"]},
        {"name": "Leela", "relation": "daughter", "birthday": "9 June", "allergies": ["peanuts"]}
    ]})
}

#[tokio::test]
async fn a_changed_part_of_an_object_leaves_nothing_of_the_old_one() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, json!({"location": {"city": "Lisbon", "country": "Portugal"}})).await;
    patch(&fixture, json!({"location": {"city": "Porto"}})).await;
    assert_eq!(said(&fixture).await, ["location city: Porto", "location country: Portugal"]);
    assert!(recalled(&fixture, "which city").await.iter().all(|text| !text.contains("Lisbon")));
}

#[tokio::test]
async fn facts_stay_with_the_member_they_are_about() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, family()).await;
    let found = recalled(&fixture, "Leela allergies").await;
    assert_eq!(found[0], "Leela (family): allergies: peanuts");
    assert!(
        !said(&fixture).await.iter().any(|text| text.contains("Ravi") && text.contains("peanuts"))
    );
    let mut younger = family();
    younger["family"].as_array_mut().unwrap().remove(0);
    patch(&fixture, younger).await;
    assert!(said(&fixture).await.iter().all(|text| !text.contains("Ravi")));
}

#[tokio::test]
async fn the_graph_has_the_new_employer_and_not_the_old_one() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, json!({"work": {"company": "Acme", "title": "Engineer"}})).await;
    assert_eq!(answers(&fixture, "where do I work?").await, ["Acme"]);
    patch(&fixture, json!({"work": {"company": "Globex"}})).await;
    assert_eq!(answers(&fixture, "where do I work?").await, ["Globex"]);
    fixture.engine.profile().restore(&agent("codex"), 1).await.unwrap();
    assert_eq!(answers(&fixture, "where do I work?").await, ["Acme"]);
    patch(&fixture, json!({"work": null})).await;
    assert_eq!(answers(&fixture, "where do I work?").await, [""; 0]);
}

#[tokio::test]
async fn every_way_to_change_the_profile_remakes_its_memories() {
    let fixture = EngineFixture::new().await;
    let profile = fixture.engine.profile();
    patch(&fixture, family()).await;
    let wanted = fields(json!({"diet": "vegan", "family": [{"name": "Leela", "age": 7}]}));
    profile.replace(&agent("codex"), &wanted, None).await.unwrap();
    assert_eq!(
        said(&fixture).await,
        ["Leela (family): age: 7", "diet: vegan", "family name: Leela"]
    );
    profile.restore(&agent("codex"), 1).await.unwrap();
    assert_eq!(said(&fixture).await.len(), 8);
    profile.erase(&agent("codex"), &["family[0]".to_owned()]).await.unwrap();
    assert_eq!(said(&fixture).await.len(), 4);
    let input = RememberRequest {
        profile: Some(fields(json!({"family": null, "diet": "none"}))),
        ..RememberRequest::default()
    };
    fixture.engine.memories().remember(&agent("codex"), &input).await.unwrap();
    assert_eq!(said(&fixture).await, ["diet: none"]);
}

#[tokio::test]
async fn a_proposal_changes_the_memories_when_it_is_confirmed_and_when_that_is_undone() {
    let fixture = EngineFixture::new().await;
    let typed = PatchProfileRequest { patch: fields(json!({"city": "Lisbon"})), reason: None };
    fixture.engine.profile().patch(&owner(), &typed).await.unwrap();
    let told = PatchProfileRequest { patch: fields(json!({"city": "Porto"})), reason: None };
    let done = fixture.engine.profile().patch(&agent("codex"), &told).await.unwrap();
    assert_eq!(said(&fixture).await, ["city: Lisbon"]);
    let review = done.review.unwrap();
    let decide = ResolveReviewRequest {
        review,
        resolution: Resolution::Confirm,
        scope: DecisionScope::Item,
    };
    fixture.engine.reviews().resolve(&owner(), &decide).await.unwrap();
    assert_eq!(said(&fixture).await, ["city: Porto"]);
    fixture.engine.reviews().undo(&owner(), review).await.unwrap();
    assert_eq!(said(&fixture).await, ["city: Lisbon"]);
}

#[tokio::test]
async fn a_confirmed_flag_takes_the_value_out_of_the_profile_and_undoing_it_brings_it_back() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, family()).await;
    let before = said(&fixture).await;
    let memory = id_of(&fixture, "Leela (family): allergies: peanuts").await;
    let flag = FlagMemoryRequest { memory, reason: "outgrown".into() };
    let review = fixture.engine.reviews().flag(&agent("codex"), &flag).await.unwrap().review;
    let decide = ResolveReviewRequest {
        review,
        resolution: Resolution::Confirm,
        scope: DecisionScope::Item,
    };
    fixture.engine.reviews().resolve(&owner(), &decide).await.unwrap();
    let profile = fixture.engine.profile().get(&owner()).await.unwrap().unwrap().data;
    assert_eq!(profile["family"][1].get("allergies"), None);
    assert_eq!(profile["family"][0]["allergies"], json!(["cats"]));
    assert_eq!(said(&fixture).await.len(), before.len() - 1);
    fixture.engine.reviews().undo(&owner(), review).await.unwrap();
    assert_eq!(said(&fixture).await, before);
    assert_eq!(fixture.memory(memory).await.status, Status::Active);
}

#[tokio::test]
async fn correcting_the_memory_of_a_value_changes_the_profile() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, family()).await;
    let memory = id_of(&fixture, "Leela (family): allergies: peanuts").await;
    let text = "Leela (family): allergies: peanuts, shrimp";
    let correct = CorrectRequest::new(memory, text);
    let done = fixture.engine.memories().correct(&agent("codex"), &correct).await.unwrap();
    assert_eq!((done.status, done.superseded), (RememberStatus::Created, vec![memory]));
    assert_eq!(fixture.memory(done.id.unwrap()).await.text, text);
    let profile = fixture.engine.profile().get(&owner()).await.unwrap().unwrap().data;
    assert_eq!(profile["family"][1]["allergies"], json!(["peanuts", "shrimp"]));
    said(&fixture).await;
    let vague = CorrectRequest::new(memory, "She is fine now");
    let refusal = refused(
        fixture.engine.memories().correct(&agent("codex"), &vague).await,
        ErrorCode::InvalidArgument,
    );
    assert!(refusal.contains("family[1].allergies"), "{refusal}");
    let other = RememberRequest {
        supersedes: vec![done.id.unwrap()],
        ..RememberRequest::text("Leela has no allergies")
    };
    refused(
        fixture.engine.memories().remember(&agent("codex"), &other).await,
        ErrorCode::InvalidArgument,
    );
}

#[tokio::test]
async fn the_memory_of_a_value_is_retired_and_brought_back_by_the_profile_alone() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, json!({"city": "Lisbon"})).await;
    let old = id_of(&fixture, "city: Lisbon").await;
    let memories = fixture.engine.memories();
    let message =
        refused(memories.retire(&agent("codex"), &[old]).await, ErrorCode::InvalidArgument);
    assert!(message.contains("the field city of the profile"), "{message}");
    patch(&fixture, json!({"city": null})).await;
    assert_eq!(fixture.memory(old).await.status, Status::Retired);
    refused(memories.unretire(&agent("codex"), &[old]).await, ErrorCode::InvalidArgument);
    said(&fixture).await;
}

#[tokio::test]
async fn forgetting_what_is_said_of_a_member_erases_it_in_every_version_and_nothing_else() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, family()).await;
    let mut turned = family();
    turned["family"].as_array_mut().unwrap().reverse();
    patch(&fixture, turned).await;
    let memory = id_of(&fixture, "Leela (family): allergies: peanuts").await;
    let forget = ForgetRequest { memories: vec![memory], ..ForgetRequest::default() };
    fixture.engine.memories().forget(&agent("codex"), &forget).await.unwrap();
    let history = fixture.engine.profile().history(&owner(), Page::first(9)).await.unwrap().items;
    assert_eq!(history.len(), 2);
    for version in history {
        let text = Value::Object(version.data).to_string();
        assert!(!text.contains("peanuts") && text.contains("cats"), "{text}");
    }
    assert_eq!(said(&fixture).await.len(), 7);
}

#[tokio::test]
async fn erasing_a_name_leaves_it_in_no_memory() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, family()).await;
    let erase = ["family[1].name".to_owned()];
    fixture.engine.profile().erase(&agent("codex"), &erase).await.unwrap();
    let texts = said(&fixture).await;
    assert!(texts.iter().all(|text| !text.contains("Leela")), "{texts:?}");
    assert!(texts.iter().any(|text| text.ends_with("allergies: peanuts")), "{texts:?}");
    let all = MemoryQuery::default();
    let every =
        fixture.store.list_memories(&OwnerId::me(), &all, Page::first(1_000)).await.unwrap();
    assert!(every.items.iter().all(|memory| !memory.text.contains("Leela")));
}

#[tokio::test]
async fn values_past_the_limit_are_named_in_the_answer() {
    let fixture = EngineFixture::new().await;
    let many: Vec<Value> = (0..1_003).map(|n| json!({ "n": n })).collect();
    let input = PatchProfileRequest { patch: fields(json!({ "list": many })), reason: None };
    let done = fixture.engine.profile().patch(&agent("codex"), &input).await.unwrap();
    assert!(done.notes.iter().any(|note| note.contains("1003 values")), "{:?}", done.notes);
    let check = fixture.engine.profile().check(&owner()).await.unwrap();
    assert!(check.is_consistent() && check.omitted == 3, "{check:?}");
}

#[tokio::test]
async fn the_first_change_in_an_old_store_remakes_all_values() {
    let fixture = EngineFixture::new().await;
    patch(&fixture, json!({"location": {"city": "Porto"}, "diet": "vegan"})).await;
    // As an earlier version wrote it: one memory for the whole object, and one that stayed behind.
    let stale = async |text: &str, field: &str| {
        let metadata = fields(json!({ "profile_field": field }));
        fixture
            .add("codex", text, |add| {
                (add.memory.collection, add.memory.metadata) = ("profile".into(), metadata);
            })
            .await
    };
    let whole = stale("location: city Lisbon", "location").await;
    let lost = id_of(&fixture, "diet: vegan").await;
    let change =
        store::Change::SetStatus { memory: store::Ref::Id(lost), status: Status::Superseded };
    fixture.write("codex", vec![change]).await;
    let check = fixture.engine.profile().check(&owner()).await.unwrap();
    assert_eq!((check.stale, check.missing), (vec![whole], vec!["diet".to_owned()]));
    patch(&fixture, json!({"name": "Priya"})).await;
    assert_eq!(said(&fixture).await, ["diet: vegan", "location city: Porto", "name: Priya"]);
}

#[tokio::test]
async fn racing_changes_of_the_profile_leave_the_memories_of_the_last() {
    let fixture = EngineFixture::new().await;
    let (engine, mut writers) = (fixture.engine.clone(), tokio::task::JoinSet::new());
    for n in 0..8 {
        let engine = engine.clone();
        writers.spawn(async move {
            let patch = fields(json!({"city": format!("city {n}"), format!("field_{n}"): n}));
            let input = PatchProfileRequest { patch, reason: None };
            engine.profile().patch(&agent(&format!("agent {n}")), &input).await.is_ok()
        });
    }
    let done = writers.join_all().await;
    let written = done.iter().filter(|done| **done).count();
    assert!(written > 0 && said(&fixture).await.len() == written + 1);
}
