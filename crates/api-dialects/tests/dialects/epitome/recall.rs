//! `recall`: modes, shorthands, defaults and bounds.

use super::{each, facts, new_fixture};
use crate::fixture::DialectFixture;
use crate::tool_listing::estimate_tokens;
use model::ErrorCode;
use serde_json::{Value, json};

async fn meals(fixture: &DialectFixture) {
    for (food, calories) in [("pizza", 800), ("salad", 200), ("ramen", 650)] {
        fixture
            .call(
                "add_record",
                json!({"tableName": "meals", "data": {"food": food, "calories": calories}}),
            )
            .await;
    }
}

async fn journal(fixture: &DialectFixture, text: &str) -> String {
    let given = json!({"text": text, "storage": "memory", "collection": "journal"});
    fixture.call("memorize", given).await["sourceRef"].as_str().unwrap().to_owned()
}

#[track_caller]
fn foods(answer: &Value) -> Vec<&str> {
    let mut foods = each(&answer["records"], "food");
    foods.sort_unstable();
    foods
}

#[tokio::test]
async fn no_mode_is_context_without_a_topic_and_knowledge_with_one() {
    let fixture = new_fixture().await;
    for nothing in [json!({}), json!({"topic": ""}), json!({"topic": "  "}), json!({"topic": null})]
    {
        assert!(fixture.call("recall", nothing).await.get("recentMemories").is_some());
    }
    assert_eq!(fixture.call("recall", json!({"topic": "tea"})).await["budget"], "medium");
    assert_eq!(
        fixture
            .call(
                "recall",
                json!({
                    "mode": "context",
                    "topic": "tea",
                })
            )
            .await["retrievalPlan"]["intent"],
        "general"
    );
    assert_eq!(
        fixture
            .call("recall", json!({"mode": "knowledge", "topic": "tea", "budget": "deep"}))
            .await["budget"],
        "deep"
    );
}

#[tokio::test]
async fn the_context_shows_every_kind_of_data() {
    let fixture = new_fixture().await;
    meals(&fixture).await;
    fixture.call("update_profile", json!({"data": {"name": "Ada"}})).await;
    journal(&fixture, "I run with Bo Larsen").await;
    let answer = fixture.call("recall", json!({})).await;
    assert_eq!(answer["profile"], json!({"name": "Ada"}));
    assert_eq!(answer["tables"], json!([{"name": "meals", "description": null, "recordCount": 3}]));
    assert!(each(&answer["collections"], "name").contains(&"journal"));
    let bo = answer["topEntities"]
        .as_array()
        .unwrap()
        .iter()
        .find(|entity| entity["name"] == "Bo Larsen")
        .unwrap();
    assert_eq!((bo["type"].as_str(), bo["mentionCount"].as_i64()), (Some("person"), Some(1)));
    assert_eq!(answer["recentMemories"][0]["text"], "I run with Bo Larsen");
    for field in ["collection", "text", "metadata", "confidence", "status", "createdAt"] {
        assert!(answer["recentMemories"][0].get(field).is_some(), "{field}");
    }
    assert_eq!(
        answer["access"],
        json!({
            "profile": "granted",
            "tables": "granted",
            "vectors": "granted",
            "graph": "granted",
            "deniedSections": [],
        })
    );
    assert_eq!(answer["hints"]["hasStructuredData"], true);
    assert_eq!(answer["hints"]["suggestedTools"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn the_context_costs_at_most_two_thousand_tokens_however_much_there_is() {
    let fixture = new_fixture().await;
    let long = "word ".repeat(1_000);
    let profile: Value = (0..60)
        .map(|n| (format!("field {n}"), format!("{n} {}", "long ".repeat(30)).into()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    fixture.call("update_profile", json!({"data": profile})).await;
    for n in 0..12 {
        let metadata = json!({"source": "x".repeat(400)});
        let given = json!({
            "collection": format!("collection {n}"),
            "text": format!("Entry {n}: {long}"),
            "metadata": metadata,
        });
        fixture.call("save_memory", given).await;
        fixture
            .call(
                "add_record",
                json!({
                    "tableName": format!("table {n}"),
                    "data": {"n": n},
                    "tableDescription": "long ".repeat(300),
                }),
            )
            .await;
        journal(&fixture, &format!("I met Person{n} Withalongname{n} at Company{n} Incorporated"))
            .await;
    }
    for given in [
        json!({}),
        json!({"mode": "context", "topic": "entry"}),
        json!({"mode": "context", "topic": "entry ".repeat(500)}),
        json!({
            "mode": "context",
            "topic": "entry",
            "table": "table 1",
            "sql": "SELECT 1",
            "filters": {},
            "limit": 5,
        }),
    ] {
        let answer = fixture.call("recall", given).await;
        let cost = estimate_tokens(&answer.to_string());
        assert!(cost <= 2_000, "{cost} tokens");
        assert!(answer["hints"]["leftOut"].is_object(), "what does not fit is reported");
        for section in ["tables", "collections", "recentMemories"] {
            assert!(!answer[section].as_array().unwrap().is_empty(), "{section} has a share");
        }
    }
}

#[tokio::test]
async fn a_topic_ranks_the_memories_of_the_context() {
    let fixture = new_fixture().await;
    journal(&fixture, "My dentist is Dr. Keller").await;
    for n in 0..12 {
        journal(&fixture, &format!("Watered plant number {n}")).await;
    }
    let answer = fixture.call("recall", json!({"mode": "context", "topic": "dentist"})).await;
    assert_eq!(answer["recentMemories"][0]["text"], "My dentist is Dr. Keller");
    assert_eq!(
        answer["retrievalPlan"]["recommendedCalls"][0]["args"],
        json!({"topic": "dentist", "budget": "medium"})
    );
}

#[tokio::test]
async fn each_fact_comes_with_its_source() {
    let fixture = new_fixture().await;
    meals(&fixture).await;
    fixture.call("update_profile", json!({"data": {"favorite_food": "ramen"}})).await;
    journal(&fixture, "The ramen bar on Elm Street is the best").await;
    let answer = fixture.call("recall", json!({"topic": "ramen"})).await;
    for field in [
        "topic",
        "intent",
        "budget",
        "facts",
        "sourcesQueried",
        "coverage",
        "coverageDetails",
        "warnings",
        "timingMs",
        "_meta",
    ] {
        assert!(answer.get(field).is_some(), "{field}");
    }
    let mut sorts = each(&answer["facts"], "sourceType");
    sorts.sort_unstable();
    // Other meals are close in meaning, and come after the one that was asked for.
    sorts.dedup();
    assert_eq!(sorts, ["profile", "table", "vector"]);
    for fact in answer["facts"].as_array().unwrap() {
        for field in ["fact", "sourceType", "sourceRef", "confidence", "timestamp", "id"] {
            assert!(fact.get(field).is_some(), "{field} in {fact}");
        }
    }
    let row = answer["facts"]
        .as_array()
        .unwrap()
        .iter()
        .find(|fact| fact["sourceType"] == "table")
        .unwrap();
    assert_eq!(
        (&row["data"], row["sourceRef"].as_str()),
        (&json!({"food": "ramen", "calories": 650}), Some("tables/meals#3"))
    );
    let strengths: Vec<f64> = answer["facts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|fact| fact["confidence"].as_f64().unwrap())
        .collect();
    assert!(strengths.is_sorted_by(|a, b| a >= b), "{strengths:?}");
    assert_eq!(answer["intent"]["primary"], "general");
    assert_eq!((answer["coverage"].as_f64(), answer.get("uncertaintyReason")), (Some(1.0), None));
}

#[tokio::test]
async fn a_budget_bounds_the_facts() {
    let fixture = new_fixture().await;
    for n in 0..60 {
        journal(&fixture, &format!("Tea number {n} tasted of grass and rain")).await;
    }
    let count = async |budget: Value| {
        fixture.call("recall", json!({"topic": "tea", "budget": budget})).await["facts"]
            .as_array()
            .unwrap()
            .len()
    };
    let (small, medium, deep) =
        (count(json!("small")).await, count(json!(null)).await, count(json!("deep")).await);
    assert!(small <= 15 && medium <= 40 && deep <= 80, "{small} {medium} {deep}");
    assert!(small < medium && medium < deep, "{small} {medium} {deep}");
}

#[tokio::test]
async fn an_unknown_topic_says_that_nothing_is_known() {
    let fixture = new_fixture().await;
    let answer = fixture.call("recall", json!({"topic": "submarines"})).await;
    assert_eq!(
        (facts(&answer), answer["uncertaintyReason"].as_str()),
        (vec![], Some("nothing is known about this topic"))
    );
}

#[tokio::test]
async fn synonyms_are_searched_when_little_is_found() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "update_profile",
            json!({
                "data": {"family": [{"name": "Mia", "relation": "daughter", "birthday": "3 May"}]},
            }),
        )
        .await;
    for topic in ["my daughter", "when is my daughter's birthday"] {
        let answer = fixture.call("recall", json!({"topic": topic})).await;
        assert!(facts(&answer).iter().any(|fact| fact.contains("Mia")), "{topic}: {answer}");
        assert!(!answer.to_string().contains("[object Object]"));
    }
}

#[tokio::test]
async fn a_memory_search_has_its_defaults_and_bounds() {
    let fixture = new_fixture().await;
    for n in 0..14 {
        journal(&fixture, &format!("Espresso tasting number {n} at the harbour cafe")).await;
    }
    journal(&fixture, "The printer is out of paper").await;
    let search = async |extra: Value| {
        let mut memory = json!({"collection": "journal", "query": "espresso"});
        memory.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        fixture.try_call("claude", "recall", json!({"mode": "memory", "memory": memory})).await
    };
    let usual = search(json!({})).await.unwrap();
    assert_eq!(
        (usual["resultCount"].as_i64(), usual["query"].as_str()),
        (Some(10), Some("espresso"))
    );
    let similar = search(json!({"minSimilarity": 0.7})).await.unwrap();
    assert_eq!(similar["results"], usual["results"], "0.7 is the default");
    for result in usual["results"].as_array().unwrap() {
        assert!(result["similarity"].as_f64().unwrap() >= 0.7, "{result}");
    }
    let all = search(json!({"minSimilarity": 0, "limit": 50})).await.unwrap();
    assert_eq!(all["resultCount"], 15, "0 is a threshold that everything passes");
    assert_eq!(search(json!({"minSimilarity": 1.0})).await.unwrap()["resultCount"], 0);
    assert_eq!(search(json!({"limit": 3})).await.unwrap()["resultCount"], 3);
    for bad in [
        json!({"limit": 0}),
        json!({"limit": -1}),
        json!({"minSimilarity": 1.5}),
        json!({"query": " "}),
        json!({"collection": ""}),
    ] {
        assert_eq!(
            search(bad.clone()).await.unwrap_err().code,
            ErrorCode::InvalidArgument,
            "{bad}"
        );
    }
}

#[tokio::test]
async fn a_walk_starts_at_an_entity_and_goes_two_hops() {
    let fixture = new_fixture().await;
    for text in [
        "Ada works at Acme",
        "Bo works at Acme",
        "Bo knows Cleo",
        "Cleo knows Dora",
        "Dora knows Ezra",
    ] {
        journal(&fixture, text).await;
    }
    let pattern = json!({"queryType": "pattern", "pattern": {"entityName": "Ada"}});
    let found = fixture.call("recall", json!({"mode": "graph", "graph": pattern})).await;
    let ada = found["result"]["entities"][0]["id"].clone();
    let walk = async |extra: Value| {
        let mut graph = json!({"queryType": "traverse", "entityId": ada});
        graph.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        fixture.call("recall", json!({"mode": "graph", "graph": graph})).await
    };
    let two = walk(json!({})).await;
    assert_eq!(each(&two["result"], "name"), ["Ada", "Acme", "Bo"]);
    assert_eq!(
        (two["result"][0]["depth"].as_i64(), two["result"][2]["depth"].as_i64()),
        (Some(0), Some(2))
    );
    assert!(two["result"][1]["pathWeight"].is_number(), "a weight is a number: {two}");
    assert_eq!(each(&two["edges"], "relation"), ["works_at", "works_at"]);
    assert_eq!(
        walk(json!({"maxHops": 9})).await["result"].as_array().unwrap().len(),
        4,
        "at most three hops"
    );
    assert_eq!(walk(json!({"relation": "knows"})).await["result"].as_array().unwrap().len(), 1);
    assert_eq!(walk(json!({"relation": "worked at"})).await["result"].as_array().unwrap().len(), 3);
    let lost = json!({"mode": "graph", "graph": {"queryType": "traverse", "entityId": 999}});
    assert_eq!(fixture.call_refused("recall", lost).await.code, ErrorCode::NotFound);
    let none = json!({"mode": "graph", "graph": {"queryType": "traverse"}});
    assert_eq!(fixture.call_refused("recall", none).await.code, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn a_pattern_is_a_structure_a_text_with_json_or_a_question() {
    let fixture = new_fixture().await;
    for text in [
        "I love sushi and jazz",
        "I run with Bo every week",
        "I work at Acme",
        "Bo works at Globex",
    ] {
        journal(&fixture, text).await;
    }
    let ask = async |pattern: Value| {
        let answer = fixture
            .call(
                "recall",
                json!({"mode": "graph", "graph": {"queryType": "pattern", "pattern": pattern}}),
            )
            .await;
        let mut names: Vec<String> =
            each(&answer["result"]["entities"], "name").into_iter().map(str::to_owned).collect();
        names.sort_unstable();
        assert!(answer["result"]["explanation"].as_str().unwrap().contains("found"));
        names
    };
    assert_eq!(ask(json!({"entityType": "food", "relation": "likes"})).await, ["sushi"]);
    assert_eq!(ask(json!("{\"entityType\": \"food\", \"relation\": \"likes\"}")).await, ["sushi"]);
    assert_eq!(
        ask(json!({"entityType": "person", "relation": "works_at", "targetType": "organization"}))
            .await,
        ["Bo", "me"]
    );
    assert_eq!(
        ask(json!({"entityType": "organization", "relation": "*", "entityName": "glob"})).await,
        ["Globex"]
    );
    for question in ["what food do I like?", "What foods did I like", "which food have I loved"] {
        assert_eq!(ask(json!(question)).await, ["sushi"], "{question}");
    }
    for question in ["who do I run with?", "who did I run with", "who am I running with?"] {
        assert_eq!(ask(json!(question)).await, ["Bo"], "{question}");
    }
    assert_eq!(ask(json!("where do I work?")).await, ["Acme"]);
    assert_eq!(ask(json!("where does Bo work?")).await, ["Globex"]);
}

#[tokio::test]
async fn every_shorthand_reaches_the_same_table() {
    let fixture = new_fixture().await;
    meals(&fixture).await;
    let filters = json!({"calories": {"gt": 500}});
    for given in [
        json!({"mode": "table", "table": "meals", "filters": filters}),
        json!({"mode": "table", "table": {"table": "meals", "filters": filters}}),
        json!({"mode": "table", "table": {"tableName": "meals", "filters": filters}}),
        json!({"mode": "table", "tableName": "meals", "filters": filters}),
        json!({"mode": "table", "table": {"filters": filters}, "tableName": "meals"}),
        json!({"mode": "table", "table": " Meals ", "filters": filters}),
        json!({"tableName": "meals", "filters": filters}),
        json!({
            "mode": "table",
            "table": {"table": "meals"},
            "sql": "SELECT * FROM meals WHERE calories > 500",
        }),
        json!({"mode": "table", "sql": "SELECT * FROM meals WHERE calories > 500"}),
        json!({"mode": "table", "table": {"sql": "SELECT * FROM meals WHERE calories > 500"}}),
    ] {
        let answer = fixture.call("recall", given.clone()).await;
        assert_eq!(foods(&answer), ["pizza", "ramen"], "{given}");
        assert_eq!(answer["recordCount"], 2);
    }
    let object_first = json!({
        "mode": "table",
        "table": {"table": "meals", "limit": 1},
        "tableName": "books",
        "limit": 3,
    });
    assert_eq!(fixture.call("recall", object_first).await["recordCount"], 1);
}

#[tokio::test]
async fn a_table_without_a_name_lists_the_tables() {
    let fixture = new_fixture().await;
    meals(&fixture).await;
    for given in [
        json!({"mode": "table"}),
        json!({"mode": "table", "table": " "}),
        json!({"mode": "table", "table": {}}),
        json!({"mode": "table", "table": {"filters": {}}}),
    ] {
        let answer = fixture.call("recall", given.clone()).await;
        let table = &answer["tables"][0];
        assert_eq!(
            (table["name"].as_str(), table["recordCount"].as_i64()),
            (Some("meals"), Some(3)),
            "{given}"
        );
        assert_eq!(each(&table["columns"], "name"), ["calories", "food"]);
        assert!(
            table["createdAt"].is_string()
                && table["updatedAt"].is_string()
                && table.get("description").is_some()
        );
    }
}

#[tokio::test]
async fn rows_come_newest_first_fifty_at_a_time_and_never_more_than_a_thousand() {
    let fixture = new_fixture().await;
    for n in 0..52 {
        fixture.call("add_record", json!({"tableName": "counts", "data": {"n": n}})).await;
    }
    let rows = async |extra: Value| {
        let mut given = json!({"mode": "table", "table": "counts"});
        given.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        fixture.call("recall", given).await
    };
    let usual = rows(json!({})).await;
    assert_eq!(
        (usual["recordCount"].as_i64(), usual["total"].as_i64(), usual["records"][0]["n"].as_i64()),
        (Some(50), Some(52), Some(51))
    );
    assert_eq!(rows(json!({"limit": 5000})).await["recordCount"], 52);
    assert_eq!(rows(json!({"limit": 2, "offset": 51})).await["records"][0]["n"], 0);
    let sql =
        rows(json!({"sql": "SELECT n FROM counts ORDER BY n", "limit": 3, "offset": 2})).await;
    assert_eq!(sql["records"], json!([{"n": 2}, {"n": 3}, {"n": 4}]));
}

#[tokio::test]
async fn a_mode_names_its_missing_arguments() {
    let fixture = new_fixture().await;
    for (given, needs) in [
        (json!({"mode": "knowledge"}), "topic"),
        (json!({"mode": "memory"}), "collection"),
        (json!({"mode": "memory", "memory": {"collection": "journal"}}), "query"),
        (json!({"mode": "graph"}), "queryType"),
        (json!({"mode": "graph", "graph": {"queryType": "pattern"}}), "pattern"),
        (json!({"mode": "table", "filters": {"a": 1}}), "table"),
        (json!({"mode": "dance"}), "dance"),
        (json!({"budget": "huge"}), "huge"),
        (json!({"topic": "x", "querry": 1}), "querry"),
    ] {
        let failure = fixture.call_refused("recall", given.clone()).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{given}");
        assert!(failure.message.contains(needs), "{given}: {}", failure.message);
    }
    let lost = fixture.call_refused("recall", json!({"mode": "table", "table": "nothing"})).await;
    assert_eq!(lost.code, ErrorCode::NotFound);
}
