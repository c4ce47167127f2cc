//! Documented fields of every result, and warnings about arguments that a call does not use.

use super::{each, facts, new_fixture};
use crate::fixture::DialectFixture;
use engine::Caller;
use engine::profile::PatchProfileRequest;
use model::{ErrorCode, MemoryId, OwnerId};
use serde_json::{Value, json};

async fn save(fixture: &DialectFixture, text: &str) -> Value {
    fixture
        .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
        .await
}

/// Asserts that each of these fields is present.
#[track_caller]
fn assert_has_fields(value: &Value, fields: &[&str]) {
    for field in fields {
        assert!(value.get(field).is_some(), "{field} in {value}");
    }
}

#[tokio::test]
async fn every_part_of_the_context_has_its_fields() {
    let fixture = new_fixture().await;
    fixture.call("add_record", json!({"tableName": "meals", "data": {"food": "figs"}})).await;
    save(&fixture, "I run with Bo Larsen").await;
    let context = fixture.call("recall", json!({})).await;
    assert_has_fields(&context["tables"][0], &["name", "description", "recordCount"]);
    assert_has_fields(&context["collections"][0], &["name", "description", "entryCount"]);
    assert_has_fields(
        &context["topEntities"][0],
        &["type", "name", "properties", "confidence", "mentionCount", "sourceRef"],
    );
    assert_has_fields(
        &context["hints"],
        &["hasStructuredData", "hasMemories", "hasGraphData", "suggestedTools"],
    );
    assert_eq!(context.get("retrievalPlan"), None, "a plan is for a topic");
    let plan =
        fixture.call("recall", json!({"mode": "context", "topic": "meals"})).await["retrievalPlan"]
            .clone();
    assert_has_fields(&plan, &["intent", "scoredSources", "recommendedCalls"]);
    assert_eq!(plan["scoredSources"][0]["source"], "tables/meals");
    for call in plan["recommendedCalls"].as_array().unwrap() {
        fixture.call(call["tool"].as_str().unwrap(), call["args"].clone()).await;
    }
}

#[tokio::test]
async fn the_context_has_the_ten_newest_memories_and_twenty_entities() {
    let fixture = new_fixture().await;
    let names =
        ["Ada", "Bo", "Cleo", "Dora", "Ezra", "Finn", "Gus", "Hal", "Ida", "Jon", "Kai", "Lea"];
    for name in names {
        save(&fixture, &format!("{name} knows {name}berg")).await;
        fixture.clock.advance(60);
    }
    let context = fixture.call("recall", json!({})).await;
    let texts = each(&context["recentMemories"], "text");
    assert_eq!((texts.len(), texts[0]), (10, "Lea knows Leaberg"));
    assert_eq!(context["topEntities"].as_array().unwrap().len(), 20);
}

#[tokio::test]
async fn a_topic_without_matches_shows_the_newest_memories() {
    let fixture = new_fixture().await;
    for text in ["The boiler is serviced in October", "The fence was painted green"] {
        save(&fixture, text).await;
        fixture.clock.advance(60);
    }
    let context = fixture.call("recall", json!({"mode": "context", "topic": "blorptang"})).await;
    assert_eq!(each(&context["recentMemories"], "text")[0], "The fence was painted green");
}

#[tokio::test]
async fn knowledge_has_its_fields_and_counts_only_what_was_searched() {
    let fixture = new_fixture().await;
    fixture.call("update_profile", json!({"data": {"favorite_food": "ramen"}})).await;
    let answer = fixture.call("recall", json!({"topic": "ramen", "budget": "small"})).await;
    assert_has_fields(
        &answer["intent"],
        &["primary", "expandedTerms", "entityTypeHints", "relationHints"],
    );
    assert_has_fields(
        &answer["coverageDetails"],
        &["score", "plannedSources", "queriedSources", "missingSources"],
    );
    assert_has_fields(&answer["_meta"], &["intent", "seedTerms", "profilePathsMatched"]);
    assert_eq!(answer["_meta"]["profilePathsMatched"], json!(["favorite_food"]));
    assert_eq!(answer["sourcesQueried"], json!(["profile", "tables", "vectors", "graph"]));
}

#[tokio::test]
async fn questions_and_criteria_show_entities_in_the_same_form() {
    let fixture = new_fixture().await;
    save(&fixture, "I love sushi").await;
    let ask = async |pattern: Value| {
        let graph = json!({"queryType": "pattern", "pattern": pattern});
        fixture.call("recall", json!({"mode": "graph", "graph": graph})).await["result"].clone()
    };
    let (words, criteria) =
        (ask(json!("what food do I like?")).await, ask(json!({"entityName": "sushi"})).await);
    assert_eq!(words["entities"], criteria["entities"]);
    assert_has_fields(
        &words["entities"][0],
        &[
            "id",
            "type",
            "name",
            "properties",
            "confidence",
            "mentionCount",
            "firstSeen",
            "lastSeen",
            "sourceRef",
        ],
    );
}

#[tokio::test]
async fn saving_leaves_no_nodes_of_its_own_in_the_graph() {
    let fixture = new_fixture().await;
    for text in ["The rain stopped at noon", "The rain began again at one"] {
        save(&fixture, text).await;
    }
    assert_eq!(fixture.call("recall", json!({})).await["topEntities"], json!([]));
}

#[tokio::test]
async fn memories_of_one_session_are_linked_in_order() {
    let fixture = new_fixture().await;
    let mut caller = fixture.caller("claude");
    caller.environment.session = Some("today".into());
    for text in ["Packed for the trip", "Missed the train"] {
        let given = json!({"collection": "journal", "text": text});
        fixture.try_call_as(&caller, "save_memory", given).await.unwrap();
    }
    let whole = fixture.engine.memories().get_details(&caller, MemoryId(1)).await.unwrap();
    let next: Vec<(MemoryId, &str)> =
        whole.links.outgoing.iter().map(|link| (link.target, link.kind.name())).collect();
    assert_eq!(next, [(MemoryId(2), "temporal_next")]);
}

#[tokio::test]
async fn rows_are_events_and_contradict_nothing() {
    let fixture = new_fixture().await;
    fixture.call("memorize", json!({"text": "I ate 500 kcal"})).await;
    let answer = fixture.call("memorize", json!({"text": "I ate 800 kcal"})).await;
    assert_eq!((&answer["recordId"], &answer["contradictions"]), (&json!(2), &json!(null)));
    assert_eq!(fixture.call("review", json!({"action": "list"})).await["contradictionCount"], 0);
}

#[tokio::test]
async fn unused_arguments_are_reported() {
    let fixture = new_fixture().await;
    fixture.call("add_record", json!({"tableName": "meals", "data": {"food": "figs"}})).await;
    for (given, named) in [
        (json!({"topic": "figs", "table": "meals", "sql": "SELECT 1"}), "table, sql"),
        (
            json!({"mode": "context", "memory": {"collection": "a", "query": "b"}, "limit": 3}),
            "memory, limit",
        ),
        (json!({"mode": "table", "table": "meals", "topic": "figs"}), "topic"),
    ] {
        let answer = fixture.call("recall", given.clone()).await;
        let warning =
            answer["_meta"]["warnings"][0].as_str().unwrap_or_else(|| panic!("{given}: {answer}"));
        assert!(
            warning.starts_with("not used in mode") && warning.contains(named),
            "{given}: {warning}"
        );
    }
    let fine = fixture.call("recall", json!({"mode": "table", "table": "meals", "limit": 1})).await;
    assert_eq!(fine.get("_meta"), None);
    let row = json!({
        "text": "Ate nuts",
        "category": "meals",
        "collection": "journal",
        "metadata": {"a": 1},
    });
    let answer = fixture.call("memorize", row).await;
    assert!(answer["warnings"][0].as_str().unwrap().contains("collection, metadata"), "{answer}");
    let free = json!({
        "text": "Ate nuts",
        "storage": "memory",
        "collection": "journal",
        "metadata": {"a": 1},
    });
    assert_eq!(fixture.call("memorize", free).await.get("warnings"), None);
}

#[tokio::test]
async fn a_dry_run_never_saves() {
    let fixture = new_fixture().await;
    let failure =
        fixture.call_refused("memorize", json!({"text": "I live in Bonn", "dryRun": true})).await;
    assert_eq!(failure.code, ErrorCode::InvalidArgument);
    assert_eq!(facts(&fixture.call("recall", json!({"topic": "Bonn"})).await), [""; 0]);
}

#[tokio::test]
async fn all_sentences_about_the_owner_are_stored() {
    let fixture = new_fixture().await;
    for text in ["I am vegetarian", "I live in Bonn", "i am vegetarian"] {
        fixture.call("memorize", json!({"text": text, "category": "profile"})).await;
    }
    assert_eq!(
        fixture.call("recall", json!({})).await["profile"],
        json!({"text": "I am vegetarian\nI live in Bonn"})
    );
    for topic in ["vegetarian", "Bonn"] {
        assert!(
            facts(&fixture.call("recall", json!({"topic": topic})).await)[0].contains(topic),
            "{topic}"
        );
    }
    let empty = json!({"text": "I am Ada", "category": "profile", "data": {}});
    let profile = fixture.call("memorize", empty).await["profile"]["data"].clone();
    assert!(
        profile["text"].as_str().unwrap().ends_with("I am Ada"),
        "no fields are no data: {profile}"
    );
}

#[tokio::test]
async fn an_empty_profile_field_is_not_a_fact() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "update_profile",
            json!({"data": {"pets": ["Momo"], "notes": "", "work": {"role": null}}}),
        )
        .await;
    fixture.call("update_profile", json!({"data": {"pets": []}})).await;
    for topic in ["pets", "Momo", "notes", "work"] {
        assert_eq!(
            facts(&fixture.call("recall", json!({"topic": topic})).await),
            [""; 0],
            "{topic}"
        );
    }
}

#[tokio::test]
async fn a_pending_change_shows_the_current_and_the_proposed_value() {
    let fixture = new_fixture().await;
    let owner = Caller::person(OwnerId::me());
    let patch = json!({"name": "Ada", "work": {"city": "Bonn", "role": "potter"}})
        .as_object()
        .unwrap()
        .clone();
    fixture
        .engine
        .profile()
        .patch(&owner, &PatchProfileRequest { patch, reason: None })
        .await
        .unwrap();
    fixture.call("update_profile", json!({"data": {"work": {"city": "Kiel"}}})).await;
    let entry =
        fixture.call("review", json!({"action": "list"})).await["contradictions"][0].clone();
    let sides = &entry["contradictions"][0];
    assert_eq!(
        (&entry["sourceType"], &entry["sourceRef"]),
        (&json!("profile"), &json!("profile:work.city"))
    );
    assert_eq!(
        (&sides["field"], &sides["oldValue"], &sides["newValue"]),
        (&json!("work.city"), &json!({"work.city": "Bonn"}), &json!({"work.city": "Kiel"}))
    );
    let decide = json!({"action": "resolve", "metaId": entry["id"], "resolution": "confirm"});
    let decided = fixture.try_call_as(&owner, "review", decide).await.unwrap();
    assert_eq!(decided["message"], "the profile was changed as proposed");
    assert_eq!(fixture.call("recall", json!({})).await["profile"]["work"]["city"], "Kiel");
}

#[tokio::test]
async fn an_agent_cannot_rename_the_owner_to_a_relative() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "update_profile",
            json!({"data": {"family": [{"name": "Mia Lovelace", "relation": "daughter"}]}}),
        )
        .await;
    let answer = fixture
        .call(
            "memorize",
            json!({"text": "She is Mia", "category": "profile", "data": {"name": "Mia"}}),
        )
        .await;
    assert_eq!(
        (&answer["withheldFields"], &answer["writeStatus"]),
        (&json!(["name"]), &json!("pending_review"))
    );
    assert_eq!(answer["profile"]["data"].get("name"), None);
    let fine = fixture.call("update_profile", json!({"data": {"name": "Ada"}})).await;
    assert_eq!(fine["profile"]["data"]["name"], "Ada");
}

#[tokio::test]
async fn a_decision_on_a_flag_says_what_happened_to_the_memory() {
    let fixture = new_fixture().await;
    for (resolution, expected, left) in [
        ("confirm", "the flag is confirmed", vec![]),
        ("reject", "the flag is dismissed", vec!["The kiln of reject fires on Mondays"]),
    ] {
        let text = format!("The kiln of {resolution} fires on Mondays");
        let id = save(&fixture, &text).await["vectorId"].as_i64().unwrap();
        let flag = engine::review::FlagMemoryRequest {
            memory: MemoryId(id),
            reason: "it is Fridays".into(),
        };
        fixture.engine.reviews().flag(&fixture.caller("claude"), &flag).await.unwrap();
        let entry =
            fixture.call("review", json!({"action": "list"})).await["contradictions"][0].clone();
        assert_eq!(
            (&entry["kind"], &entry["sourceRef"]),
            (&json!("flag"), &json!(format!("vectors/journal#{id}")))
        );
        let decide = json!({"action": "resolve", "metaId": entry["id"], "resolution": resolution});
        let message = fixture.call("review", decide).await["message"].clone();
        assert!(message.as_str().unwrap().starts_with(expected), "{message}");
        assert_eq!(
            facts(&fixture.call("recall", json!({"topic": format!("kiln of {resolution}")})).await),
            left
        );
    }
}
