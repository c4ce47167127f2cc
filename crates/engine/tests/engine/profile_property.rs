//! The property of the profile: after any sequence of changes, what is recalled of it is what it
//! says.

use crate::fixture::{EngineFixture, agent, fields, owner};
use engine::profile::{PatchProfileRequest, ProfileCheck};
use engine::recall::{MemoryHit, RecallRequest};
use model::{JsonMap, OwnerId, Page, Status};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use store::MemoryQuery;

/// Environment variable that sets the number of cases and makes them random in each run.
const CASES_VARIABLE: &str = "QUIPU_PROPERTY_CASES";

/// A change of the profile.
#[derive(Debug, Clone)]
enum ProfileStep {
    Patch(Value),
    Replace(Value),
    Restore(u32),
    Erase(&'static str),
}

const ERASED: [&str; 5] = ["city", "work.company", "family[0].age", "family[1]", "family[0].name"];

fn steps() -> impl Strategy<Value = Vec<ProfileStep>> {
    let step = prop_oneof![
        6 => documents(true).prop_map(ProfileStep::Patch),
        2 => documents(false).prop_map(ProfileStep::Replace),
        1 => (1_u32..6).prop_map(ProfileStep::Restore),
        1 => select(ERASED.to_vec()).prop_map(ProfileStep::Erase),
    ];
    vec(step, 1..8)
}

/// Generates documents of few fields and values, so that the same come again. In a patch, a field
/// may be null.
fn documents(patch: bool) -> impl Strategy<Value = Value> {
    let text = move || {
        let words = vec![json!("Porto"), json!("Lisbon"), json!("Acme"), json!(7), json!(true)];
        let words = words.into_iter().chain(patch.then_some(Value::Null)).collect::<Vec<_>>();
        select(words)
    };
    let list =
        || vec(select(vec!["English", "Tamil", "German"]), 0..3).prop_map(|list| json!(list));
    let work = (option::of(text()), option::of(text()))
        .prop_map(|(company, title)| object([("company", company), ("title", title)]));
    let member = (option::of(select(vec!["Leela", "Ravi", "Mia"])), 1..4, option::of(list()))
        .prop_map(|(name, age, allergies)| {
            object([
                ("name", name.map(Value::from)),
                ("age", Some(json!(age))),
                ("allergies", allergies),
            ])
        });
    let family = vec(member, 0..3).prop_map(Value::Array);
    (option::of(text()), option::of(list()), option::of(work), option::of(family)).prop_map(
        |(city, languages, work, family)| {
            object([("city", city), ("languages", languages), ("work", work), ("family", family)])
        },
    )
}

fn object<const N: usize>(members: [(&str, Option<Value>); N]) -> Value {
    let present = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(present.collect())
}

/// The texts that a profile of these fields must be recalled with, independent of the engine.
fn expected(profile: &JsonMap) -> Vec<String> {
    let mut texts = Vec::new();
    let mut add = |words: String, value: Option<&Value>| match value {
        None | Some(Value::Null) => {}
        Some(Value::Array(items)) if items.is_empty() => {}
        Some(Value::Array(items)) => {
            let items: Vec<&str> = items.iter().map(|item| item.as_str().unwrap()).collect();
            texts.push(format!("{words}: {}", items.join(", ")));
        }
        Some(Value::String(text)) => texts.push(format!("{words}: {text}")),
        Some(other) => texts.push(format!("{words}: {other}")),
    };
    add("city".into(), profile.get("city"));
    add("languages".into(), profile.get("languages"));
    let work = profile.get("work");
    add("work company".into(), work.and_then(|work| work.get("company")));
    add("work title".into(), work.and_then(|work| work.get("title")));
    let family = profile.get("family").and_then(Value::as_array).cloned().unwrap_or_default();
    for (at, member) in family.iter().enumerate() {
        add("family name".into(), member.get("name"));
        let about = match member.get("name") {
            Some(name) => format!("{} (family):", name.as_str().unwrap()),
            None if family.len() > 1 => format!("family {}", at + 1),
            None => "family".to_owned(),
        };
        add(format!("{about} age"), member.get("age"));
        add(format!("{about} allergies"), member.get("allergies"));
    }
    texts.sort_unstable();
    texts
}

async fn apply(fixture: &EngineFixture, step: &ProfileStep) {
    fixture.clock.advance(60);
    let (profile, caller) = (fixture.engine.profile(), agent("codex"));
    // A step that changes nothing, or names a version that does not exist, is refused.
    match step {
        ProfileStep::Patch(value) => {
            let input = PatchProfileRequest { patch: fields(value.clone()), reason: None };
            _ = profile.patch(&caller, &input).await;
        }
        ProfileStep::Replace(value) => {
            _ = profile.replace(&caller, &fields(value.clone()), None).await;
        }
        ProfileStep::Restore(version) => _ = profile.restore(&caller, *version).await,
        ProfileStep::Erase(field) => {
            _ = profile.erase(&caller, &[(*field).to_owned()]).await;
        }
    }
}

async fn compare(fixture: &EngineFixture) -> Result<(), TestCaseError> {
    let profile = fixture.engine.profile().get(&owner()).await.unwrap();
    let expected = expected(&profile.map(|version| version.data).unwrap_or_default());
    let query = MemoryQuery {
        collection: Some("profile".into()),
        statuses: vec![Status::Active],
        ..MemoryQuery::default()
    };
    let listed = fixture.store.list_memories(&OwnerId::me(), &query, Page::first(1_000)).await;
    let items = listed.unwrap().items;
    let mut said: Vec<String> = items.iter().map(|memory| memory.text.clone()).collect();
    said.sort_unstable();
    prop_assert_eq!(&said, &expected);
    let check = fixture.engine.profile().check(&owner()).await.unwrap();
    prop_assert_eq!(check, ProfileCheck::default());
    for memory in items.iter().take(3) {
        let text = memory.text.as_str();
        let input = RecallRequest { limit: Some(50), ..RecallRequest::query(text) };
        let found = fixture.engine.memories().recall(&agent("b"), &input).await.unwrap();
        // One that reads almost like another is folded into it.
        let shown =
            |hit: &MemoryHit| hit.memory.text == text || hit.repetitions.contains(&memory.id);
        prop_assert!(found.hits.iter().any(shown), "{} is recalled", text);
        let stale = found.hits.iter().find(|hit| !expected.contains(&hit.memory.text));
        prop_assert!(stale.is_none(), "{:?} is not said", stale.map(|hit| &hit.memory.text));
    }
    Ok(())
}

#[test]
fn after_any_changes_recall_says_what_the_profile_says() {
    let config = |cases| Config { cases, failure_persistence: None, ..Config::default() };
    let wanted = std::env::var(CASES_VARIABLE).ok().and_then(|number| number.parse().ok());
    let mut runner = match wanted {
        Some(cases) => TestRunner::new(config(cases)),
        None => {
            TestRunner::new_with_rng(config(40), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        }
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let result = runner.run(&steps(), |steps| {
        runtime.block_on(async {
            let fixture = EngineFixture::new().await;
            for step in &steps {
                apply(&fixture, step).await;
                compare(&fixture).await?;
            }
            Ok(())
        })
    });
    if let Err(difference) = result {
        panic!("{difference}");
    }
}
