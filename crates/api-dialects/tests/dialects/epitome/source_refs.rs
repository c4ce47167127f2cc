//! Round trip of `sourceRef`: each one corrects or forgets exactly what it names, whatever its
//! collection or field is called, and one that names nothing is refused and deletes nothing.

use super::{facts, new_fixture};
use crate::fixture::DialectFixture;
use model::ErrorCode;
use serde_json::{Value, json};

async fn save(fixture: &DialectFixture, collection: &str, text: &str) -> String {
    let given = json!({"text": text, "storage": "memory", "collection": collection});
    fixture.call("memorize", given).await["sourceRef"].as_str().unwrap().to_owned()
}

async fn facts_about(fixture: &DialectFixture, topic: &str) -> Vec<String> {
    let answer = fixture.call("recall", json!({"topic": topic})).await;
    facts(&answer).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_source_ref_may_contain_a_collection_name_of_several_words() {
    let fixture = new_fixture().await;
    for collection in ["travel journal", "a/b", "notes #1", "日記"] {
        let source =
            save(&fixture, collection, &format!("The ferry of {collection} leaves at eight")).await;
        assert_eq!(source, format!("vectors/{collection}#{}", source.rsplit('#').next().unwrap()));
        let corrected = fixture
            .call(
                "memorize",
                json!({
                    "text": format!("The ferry of {collection} leaves at nine"),
                    "sourceRef": source,
                }),
            )
            .await;
        assert_eq!(corrected["collection"], collection);
        let newer = corrected["sourceRef"].clone();
        let gone = fixture.call("memorize", json!({"text": newer, "action": "delete"})).await;
        assert_eq!(
            gone["sourceRefs"].as_array().unwrap().len(),
            2,
            "with the version before it: {gone}"
        );
        assert_eq!(facts_about(&fixture, "ferry").await, [""; 0], "{collection}");
    }
}

#[tokio::test]
async fn a_source_ref_may_contain_a_field_name_of_several_words() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "update_profile",
            json!({"data": {"favourite tea": "sencha", "pets": {"first cat": "Momo"}}}),
        )
        .await;
    let fact = fixture.call("recall", json!({"topic": "favourite tea"})).await["facts"][0].clone();
    assert_eq!(fact["sourceRef"], "profile:favourite tea");
    let corrected =
        fixture.call("memorize", json!({"text": "gyokuro", "sourceRef": fact["sourceRef"]})).await;
    assert_eq!(corrected["profile"]["data"]["favourite tea"], "gyokuro");
    fixture.call("memorize", json!({"text": "profile:pets.first cat", "action": "delete"})).await;
    assert_eq!(fixture.call("recall", json!({})).await["profile"]["pets"], json!({}));
}

#[tokio::test]
async fn a_source_ref_with_another_collection_is_not_found() {
    let fixture = new_fixture().await;
    let source = save(&fixture, "journal", "The shed is green").await;
    let wrong = source.replace("journal", "ideas");
    for given in [
        json!({"text": wrong, "action": "delete"}),
        json!({"text": wrong, "action": "delete", "dryRun": true}),
        json!({"text": "The shed is red", "sourceRef": wrong}),
    ] {
        let failure = fixture.call_refused("memorize", given).await;
        assert_eq!(failure.code, ErrorCode::NotFound, "{failure}");
    }
    assert_eq!(facts_about(&fixture, "shed").await, ["The shed is green"]);
}

#[tokio::test]
async fn a_dry_run_shows_what_would_be_deleted_and_refuses_unknown_references() {
    let fixture = new_fixture().await;
    fixture.call("update_profile", json!({"data": {"work": {"company": "Acme"}}})).await;
    fixture.call("add_record", json!({"tableName": "meals", "data": {"food": "figs"}})).await;
    let journal = save(&fixture, "journal", "I run with Bo Larsen").await;
    let pattern = json!({"queryType": "pattern", "pattern": {"entityName": "Bo Larsen"}});
    let bo =
        fixture.call("query_graph", pattern).await["result"]["entities"][0]["sourceRef"].clone();
    let dry = async |text: &Value| {
        fixture
            .try_call(
                "claude",
                "memorize",
                json!({"text": text, "action": "delete", "dryRun": true}),
            )
            .await
    };
    for (text, shown) in [
        (json!(journal), "I run with Bo Larsen"),
        (json!("meals:1"), "figs"),
        (json!("profile:work.company"), "work.company: Acme"),
        (bo, "Bo Larsen"),
    ] {
        let answer = dry(&text).await.unwrap();
        assert_eq!(answer["deleted"], 0);
        assert!(
            answer["candidates"][0]["text"].as_str().unwrap().contains(shown),
            "{text}: {answer}"
        );
    }
    for lost in [
        "vectors/journal#99",
        "meals:99",
        "books:1",
        "profile:shoe_size",
        "profile:work.role",
        "entity:99",
    ] {
        assert_eq!(dry(&json!(lost)).await.unwrap_err().code, ErrorCode::NotFound, "{lost}");
    }
    assert_eq!(
        fixture.call("recall", json!({})).await["profile"],
        json!({"work": {"company": "Acme"}})
    );
}

#[tokio::test]
async fn a_forgotten_source_ref_is_not_found() {
    let fixture = new_fixture().await;
    let source = save(&fixture, "journal", "The shed is green").await;
    fixture.call("memorize", json!({"text": source, "action": "delete"})).await;
    for given in [
        json!({"text": source, "action": "delete"}),
        json!({"text": "The shed is red", "sourceRef": source}),
    ] {
        assert_eq!(fixture.call_refused("memorize", given).await.code, ErrorCode::NotFound);
    }
}

#[tokio::test]
async fn a_text_without_data_rewords_a_row_and_adds_no_column() {
    let fixture = new_fixture().await;
    let given = json!({"text": "Ate figs", "category": "meals", "data": {"food": "figs"}});
    fixture.call("memorize", given).await;
    let answer =
        fixture.call("memorize", json!({"text": "Ate figs at noon", "sourceRef": "meals:1"})).await;
    assert!(answer["message"].as_str().unwrap().contains("text of the row is updated"), "{answer}");
    let rows = fixture.call("recall", json!({"mode": "table", "table": "meals"})).await;
    assert_eq!(
        (&rows["records"][0]["food"], rows["records"][0].get("text")),
        (&json!("figs"), None)
    );
    assert_eq!(facts_about(&fixture, "figs").await, ["Ate figs at noon"]);
    fixture.call("memorize", json!({"text": "A plain note"})).await;
    fixture.call("memorize", json!({"text": "A plainer note", "sourceRef": "memories:1"})).await;
    let rows = fixture.call("recall", json!({"mode": "table", "table": "memories"})).await;
    assert_eq!(
        rows["records"][0]["text"], "A plainer note",
        "a row that is a text says the new one"
    );
}

#[tokio::test]
async fn deleting_an_edge_or_a_version_says_what_to_reference_instead() {
    let fixture = new_fixture().await;
    fixture.call("update_profile", json!({"data": {"name": "Ada"}})).await;
    for (source, instead) in [("edge:1", "memory"), ("profile:v1", "profile:<field>")] {
        let failure =
            fixture.call_refused("memorize", json!({"text": source, "action": "delete"})).await;
        assert!(failure.message.contains(instead), "{failure}");
    }
}
