//! Every JSON example of the two documents, verbatim, with its obvious meaning.

use super::{each, facts, new_fixture};
use serde_json::json;

#[tokio::test]
async fn an_empty_context_load() {
    let fixture = new_fixture().await;
    let answer = fixture.call("recall", json!({})).await;
    for field in
        ["profile", "tables", "collections", "topEntities", "recentMemories", "hints", "access"]
    {
        assert!(answer.get(field).is_some(), "{field}");
    }
    assert!(answer["hints"]["suggestedTools"][0].as_str().unwrap().starts_with("memorize"));
}

#[tokio::test]
async fn a_federated_search_with_a_topic() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "memorize",
            json!({"text": "I love spicy ramen", "storage": "memory", "collection": "journal"}),
        )
        .await;
    fixture
        .call(
            "memorize",
            json!({
                "text": "The car needs new tyres",
                "storage": "memory",
                "collection": "journal",
            }),
        )
        .await;
    let answer = fixture.call("recall", json!({"topic": "food preferences"})).await;
    assert_eq!(facts(&answer)[0], "I love spicy ramen");
}

#[tokio::test]
async fn a_search_in_a_specific_collection() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "memorize",
            json!({
                "text": "Drank coffee by the river",
                "storage": "memory",
                "collection": "journal",
            }),
        )
        .await;
    fixture
        .call(
            "memorize",
            json!({
                "text": "Coffee beans cost 12 euros",
                "storage": "memory",
                "collection": "shopping",
            }),
        )
        .await;
    let answer = fixture
        .call(
            "recall",
            json!({"mode": "memory", "memory": {"collection": "journal", "query": "coffee"}}),
        )
        .await;
    assert_eq!(each(&answer["results"], "text"), ["Drank coffee by the river"]);
}

#[tokio::test]
async fn a_pattern_query_in_plain_words() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "memorize",
            json!({"text": "I love sushi", "storage": "memory", "collection": "journal"}),
        )
        .await;
    let graph = json!({"queryType": "pattern", "pattern": "what food do I like?"});
    let answer = fixture.call("recall", json!({"mode": "graph", "graph": graph})).await;
    assert_eq!(each(&answer["result"]["entities"], "name"), ["sushi"]);
}

#[tokio::test]
async fn sandboxed_sql_runs_as_it_is_written() {
    let fixture = new_fixture().await;
    for (food, calories) in [("pizza", 800), ("salad", 200), ("ramen", 650)] {
        let data = json!({"food": food, "calories": calories});
        fixture
            .call(
                "memorize",
                json!({"text": format!("Ate {food}"), "category": "meals", "data": data}),
            )
            .await;
    }
    let sql = "SELECT * FROM meals WHERE calories > 500 LIMIT 10";
    let answer =
        fixture.call("recall", json!({"mode": "table", "table": "meals", "sql": sql})).await;
    let mut foods = each(&answer["records"], "food");
    foods.sort_unstable();
    assert_eq!((foods, answer["recordCount"].as_i64()), (vec!["pizza", "ramen"], Some(2)));
}

#[tokio::test]
async fn a_structured_record_is_a_row_and_a_memory() {
    let fixture = new_fixture().await;
    let given = json!({
        "text": "Finished reading Dune",
        "category": "books",
        "data": {"title": "Dune", "rating": 5},
    });
    let answer = fixture.call("memorize", given).await;
    assert_eq!((answer["table"].as_str(), answer["recordId"].as_i64()), (Some("books"), Some(1)));
    assert_eq!(
        (answer["sourceRef"].as_str(), answer["writeStatus"].as_str()),
        (Some("books:1"), Some("accepted"))
    );
    let rows = fixture.call("recall", json!({"mode": "table", "table": "books"})).await;
    assert_eq!(
        (rows["records"][0]["title"].as_str(), rows["records"][0]["rating"].as_i64()),
        (Some("Dune"), Some(5))
    );
    for topic in ["books read", "books I have read", "books read / reading history"] {
        let found = fixture.call("recall", json!({"topic": topic})).await;
        assert!(facts(&found)[0].contains("Dune"), "{topic}: {found}");
    }
}

#[tokio::test]
async fn a_journal_entry_without_a_row() {
    let fixture = new_fixture().await;
    let text = "Had a wonderful sunset walk today";
    let answer = fixture
        .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
        .await;
    assert_eq!(
        (answer["success"].as_bool(), answer["collection"].as_str()),
        (Some(true), Some("journal"))
    );
    assert_eq!(answer["sourceRef"], format!("vectors/journal#{}", answer["vectorId"]));
    assert_eq!(fixture.call("list_tables", json!({})).await["tables"], json!([]));
}

#[tokio::test]
async fn a_profile_update_merges_deeply() {
    let fixture = new_fixture().await;
    fixture
        .call("update_profile", json!({"data": {"name": "Ada", "preferences": {"theme": "dark"}}}))
        .await;
    let given = json!({
        "text": "I am vegetarian",
        "category": "profile",
        "data": {"dietary": ["vegetarian"]},
    });
    let answer = fixture.call("memorize", given).await;
    assert_eq!(answer["profile"]["changedFields"], json!(["dietary"]));
    assert_eq!(answer["sourceRef"], "profile:v2");
    let expected =
        json!({"name": "Ada", "preferences": {"theme": "dark"}, "dietary": ["vegetarian"]});
    assert_eq!(answer["profile"]["data"], expected);
}

#[tokio::test]
async fn contradictions_are_listed_and_resolved() {
    let fixture = new_fixture().await;
    assert_eq!(fixture.call("review", json!({"action": "list"})).await["contradictionCount"], 0);
    for text in ["I eat meat", "I do not eat meat"] {
        fixture
            .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
            .await;
    }
    let list = fixture.call("review", json!({"action": "list"})).await;
    let id = list["contradictions"][0]["id"].clone();
    let given = json!({"action": "resolve", "metaId": id, "resolution": "confirm"});
    let answer = fixture.call("review", given).await;
    assert_eq!((answer["success"].as_bool(), &answer["metaId"]), (Some(true), &id));
}

#[tokio::test]
async fn the_older_documents_calls() {
    let fixture = new_fixture().await;
    let context = fixture.call("get_user_context", json!({})).await;
    assert_eq!(context["profile"], json!(null));
    let patch = json!({"preferences": {"dietary": ["vegetarian"]}});
    let given = json!({"data": patch, "reason": "user mentioned new dietary preference"});
    let updated = fixture.call("update_profile", given).await;
    assert_eq!(updated["profile"]["data"], patch);
    let data = json!({"food": "pizza", "calories": 800, "date": "2026-02-12"});
    let added = fixture.call("add_record", json!({"tableName": "meals", "data": data})).await;
    assert_eq!(added["sourceRef"], "meals:1");
    let rows = fixture.call("query_table", json!({"tableName": "meals"})).await;
    assert_eq!(
        (rows["records"][0]["food"].as_str(), rows["records"][0]["calories"].as_i64()),
        (Some("pizza"), Some(800))
    );
}
