//! Documented behavior that the original does not deliver, each as a test named after what is
//! right.

use super::{each, facts, new_fixture};
use crate::fixture::DialectFixture;
use dialects::Epitome;
use model::{ErrorCode, OwnerId, Page};
use serde_json::{Value, json};

async fn save(fixture: &DialectFixture, text: &str) -> Value {
    fixture
        .call("memorize", json!({"text": text, "storage": "memory", "collection": "journal"}))
        .await
}

async fn save_row(fixture: &DialectFixture, category: &str, data: Value) -> Value {
    fixture.call("memorize", json!({"text": "a row", "category": category, "data": data})).await
}

async fn facts_about(fixture: &DialectFixture, topic: &str) -> Vec<String> {
    let answer = fixture.call("recall", json!({"topic": topic})).await;
    facts(&answer).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn a_table_named_by_a_string_still_takes_sql_filters_limit_and_offset() {
    let fixture = new_fixture().await;
    for n in 0..4 {
        save_row(&fixture, "counts", json!({"n": n})).await;
    }
    let read = async |extra: Value| {
        let mut given = json!({"mode": "table", "table": "counts"});
        given.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        fixture.call("recall", given).await["recordCount"].as_i64().unwrap()
    };
    assert_eq!(read(json!({"sql": "SELECT * FROM counts WHERE n > 2"})).await, 1);
    assert_eq!(read(json!({"filters": {"n": {"lt": 2}}})).await, 2);
    assert_eq!((read(json!({"limit": 3})).await, read(json!({"offset": 3})).await), (3, 1));
}

#[tokio::test]
async fn sql_needs_no_name_of_a_table_beside_it() {
    let fixture = new_fixture().await;
    save_row(&fixture, "counts", json!({"n": 1})).await;
    let answer =
        fixture.call("recall", json!({"mode": "table", "sql": "SELECT n FROM counts"})).await;
    assert_eq!(
        (&answer["records"], answer["table"].as_str()),
        (&json!([{"n": 1}]), Some("counts"))
    );
}

#[tokio::test]
async fn the_text_is_stored_with_the_data_and_both_are_found() {
    let fixture = new_fixture().await;
    let given = json!({
        "text": "A masterpiece about a desert planet",
        "category": "books",
        "data": {"title": "Dune", "author": "Herbert"},
    });
    fixture.call("memorize", given).await;
    for topic in ["desert planet masterpiece", "Herbert"] {
        let answer = fixture.call("recall", json!({"topic": topic})).await;
        assert!(facts(&answer)[0].contains("desert planet"), "{topic}: {answer}");
        assert_eq!(
            answer["facts"][0]["data"],
            json!({"title": "Dune", "author": "Herbert"}),
            "{topic}"
        );
    }
}

#[tokio::test]
async fn any_words_can_be_a_category() {
    let fixture = new_fixture().await;
    for (category, table) in
        [("food preferences", "food_preferences"), ("to-do", "to_do"), ("Bücher", "bücher")]
    {
        assert_eq!(save_row(&fixture, category, json!({"a": 1})).await["table"], table);
        let read = fixture.call("recall", json!({"mode": "table", "table": category})).await;
        assert_eq!(read["recordCount"], 1, "{category}");
    }
    assert_eq!(
        fixture.call_refused("memorize", json!({"text": "x", "category": "!!"})).await.code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn a_pattern_that_cannot_be_read_is_an_invalid_argument() {
    let fixture = new_fixture().await;
    for pattern in [json!("purple monkeys"), json!(""), json!({})] {
        let given = json!({"mode": "graph", "graph": {"queryType": "pattern", "pattern": pattern}});
        let failure = fixture.call_refused("recall", given).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument);
        assert!(
            failure.message.contains("what food do I like?"),
            "it says how to ask: {}",
            failure.message
        );
    }
}

#[tokio::test]
async fn forgetting_reaches_rows_profile_versions_and_the_graph() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "memorize",
            json!({
                "text": "I am vegetarian",
                "category": "profile",
                "data": {"dietary": ["vegetarian"]},
            }),
        )
        .await;
    fixture.call("memorize", json!({"text": "I am vegetarian", "action": "delete"})).await;
    assert_eq!(fixture.call("recall", json!({})).await["profile"], json!({}));
    let owner = engine::Caller::person(OwnerId::me());
    let history = fixture.engine.profile().history(&owner, Page::first(10)).await.unwrap();
    assert!(!format!("{history:?}").contains("vegetarian"), "{history:?}");
    let given =
        json!({"text": "Ate durian with Bo", "category": "meals", "data": {"food": "durian"}});
    let added = fixture.call("memorize", given).await;
    let gone =
        fixture.call("memorize", json!({"text": added["sourceRef"], "action": "delete"})).await;
    assert_eq!(gone["receipt"]["records"], 1);
    assert_eq!(
        fixture.call("recall", json!({"mode": "table", "table": "meals"})).await["recordCount"],
        0
    );
    let graph = json!({"queryType": "pattern", "pattern": "what did I eat?"});
    assert_eq!(fixture.call("query_graph", graph).await["result"]["entities"], json!([]));
    assert_eq!(facts_about(&fixture, "durian").await, [""; 0]);
}

#[tokio::test]
async fn a_field_of_the_profile_is_forgotten_by_its_source_ref() {
    let fixture = new_fixture().await;
    fixture
        .call("update_profile", json!({"data": {"work": {"company": "Acme", "role": "dev"}}}))
        .await;
    let fact = fixture.call("recall", json!({"topic": "company"})).await["facts"][0].clone();
    assert_eq!(
        (fact["sourceType"].as_str(), fact["sourceRef"].as_str()),
        (Some("profile"), Some("profile:work.company"))
    );
    fixture.call("memorize", json!({"text": "profile:work.company", "action": "delete"})).await;
    let owner = engine::Caller::person(OwnerId::me());
    let history = fixture.engine.profile().history(&owner, Page::first(10)).await.unwrap();
    assert!(
        !format!("{:?}", history.items.iter().map(|version| &version.data).collect::<Vec<_>>())
            .contains("Acme")
    );
    let lost = json!({"text": "profile:shoe_size", "action": "delete"});
    assert_eq!(fixture.call_refused("memorize", lost).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn no_read_returns_rejected_memories() {
    let fixture = new_fixture().await;
    save(&fixture, "I live in Berlin").await;
    let review =
        save(&fixture, "I do not live in Berlin").await["contradictions"][0]["metaId"].clone();
    fixture
        .call("review", json!({"action": "resolve", "metaId": review, "resolution": "reject"}))
        .await;
    let all = json!({"collection": "journal", "query": "where I live", "minSimilarity": 0});
    assert_eq!(
        each(&fixture.call("search_memory", all).await["results"], "text"),
        ["I live in Berlin"]
    );
    let context = fixture.call("recall", json!({})).await;
    assert!(!context["recentMemories"].to_string().contains("do not live"));
    let graph = json!({"queryType": "pattern", "pattern": "where do I live?"});
    assert_eq!(
        each(&fixture.call("query_graph", graph).await["result"]["entities"], "name"),
        ["Berlin"]
    );
}

#[tokio::test]
async fn columns_widen_and_long_texts_and_large_numbers_fit() {
    let fixture = new_fixture().await;
    for value in [
        json!(null),
        json!(1),
        json!(3.5),
        json!(9_000_000_000_i64),
        json!("text"),
        json!("long ".repeat(400)),
        json!({"a": [1]}),
    ] {
        assert_eq!(
            save_row(&fixture, "anything", json!({"v": value})).await["success"],
            true,
            "{value}"
        );
    }
    assert_eq!(fixture.call("list_tables", json!({})).await["tables"][0]["recordCount"], 7);
}

#[tokio::test]
async fn data_may_have_fields_called_id_and_created_at() {
    let fixture = new_fixture().await;
    save_row(&fixture, "orders", json!({"id": "A-7", "created_at": "yesterday"})).await;
    let record =
        fixture.call("recall", json!({"mode": "table", "table": "orders"})).await["records"][0]
            .clone();
    assert_eq!(
        (record["id"].as_str(), record["created_at"].as_str()),
        (Some("A-7"), Some("yesterday"))
    );
    assert_eq!(record["_source_ref"], "tables/orders#1");
}

#[tokio::test]
async fn filters_support_null_lists_and_comparisons() {
    let fixture = new_fixture().await;
    for data in [
        json!({"food": "figs", "calories": 90}),
        json!({"food": "nuts", "calories": 600}),
        json!({"food": "soup"}),
    ] {
        save_row(&fixture, "meals", data).await;
    }
    let count = async |filters: Value| {
        fixture
            .call(
                "query_table",
                json!({
                    "tableName": "meals",
                    "filters": filters,
                }),
            )
            .await["recordCount"]
            .as_i64()
            .unwrap()
    };
    assert_eq!(count(json!({"calories": null})).await, 1);
    assert_eq!(count(json!({"food": ["figs", "soup"]})).await, 2);
    assert_eq!(count(json!({"calories": {"gte": 90, "lt": 600}})).await, 1);
}

#[tokio::test]
async fn sql_reads_no_deleted_row_and_nothing_but_tables() {
    let fixture = new_fixture().await;
    save_row(&fixture, "meals", json!({"food": "figs"})).await;
    let second = save_row(&fixture, "meals", json!({"food": "nuts"})).await;
    fixture.call("memorize", json!({"text": second["sourceRef"], "action": "delete"})).await;
    let select = async |sql: &str| {
        fixture.try_call("claude", "query_table", json!({"tableName": "meals", "sql": sql})).await
    };
    assert_eq!(
        select("SELECT food FROM meals").await.unwrap()["records"],
        json!([{"food": "figs"}])
    );
    assert_eq!(
        select("WITH m AS (SELECT food AS f FROM meals) SELECT count(*) AS n FROM m")
            .await
            .unwrap()["records"],
        json!([{"n": 1}])
    );
    for sql in [
        "SELECT * FROM memories",
        "SELECT * FROM profile",
        "SELECT * FROM audit",
        "SELECT load_extension('x')",
    ] {
        assert_eq!(select(sql).await.unwrap_err().code, ErrorCode::InvalidArgument, "{sql}");
    }
}

#[tokio::test]
async fn the_same_text_is_saved_once_and_a_hit_has_an_id() {
    let fixture = new_fixture().await;
    let first = save(&fixture, "Sunny day at the lake").await;
    assert_eq!(save(&fixture, "sunny day at the lake").await["vectorId"], first["vectorId"]);
    let found =
        fixture.call("search_memory", json!({"collection": "journal", "query": "lake"})).await;
    assert_eq!(
        (found["resultCount"].as_i64(), &found["results"][0]["id"]),
        (Some(1), &first["vectorId"])
    );
}

#[tokio::test]
async fn free_memories_are_not_buried_below_rows_and_profile_lines() {
    let fixture = new_fixture().await;
    fixture.call("update_profile", json!({"data": {"favorite_season": "autumn"}})).await;
    save_row(&fixture, "trips", json!({"season": "autumn"})).await;
    save(&fixture, "In autumn I collect chestnuts with my niece").await;
    assert_eq!(
        facts_about(&fixture, "collecting chestnuts in autumn").await[0],
        "In autumn I collect chestnuts with my niece"
    );
}

#[tokio::test]
async fn unrelated_tables_are_searched_by_content_too() {
    let fixture = new_fixture().await;
    save_row(&fixture, "log", json!({"entry": "Replaced the bicycle chain"})).await;
    assert!(facts_about(&fixture, "bicycle chain").await[0].contains("bicycle chain"));
}

#[tokio::test]
async fn reading_does_not_raise_the_confidence_of_a_memory() {
    let fixture = new_fixture().await;
    save(&fixture, "The shed key hangs by the door").await;
    let confidence =
        async || fixture.call("recall", json!({})).await["recentMemories"][0]["confidence"].clone();
    let before = confidence().await;
    for _ in 0..6 {
        facts_about(&fixture, "shed key").await;
    }
    fixture.engine.flush().await;
    assert_eq!(confidence().await, before);
}

#[tokio::test]
async fn a_forgotten_relation_that_is_stated_again_is_restored() {
    let fixture = new_fixture().await;
    let graph = json!({"queryType": "pattern", "pattern": "what food do I like?"});
    let given = json!({"text": "I love sushi", "storage": "memory", "allowForgotten": true});
    for _ in 0..2 {
        let source = fixture.call("memorize", given.clone()).await["sourceRef"].clone();
        assert_eq!(
            each(&fixture.call("query_graph", graph.clone()).await["result"]["entities"], "name"),
            ["sushi"]
        );
        fixture.call("memorize", json!({"text": source, "action": "delete"})).await;
        assert_eq!(
            fixture.call("query_graph", graph.clone()).await["result"]["entities"],
            json!([])
        );
    }
}

#[tokio::test]
async fn similarly_named_people_stay_apart() {
    let fixture = new_fixture().await;
    for text in ["I run with Alex", "I run with Alexa", "I run with Maria", "I run with Mariana"] {
        save(&fixture, text).await;
    }
    let graph = json!({"queryType": "pattern", "pattern": "who do I run with?"});
    let found = fixture.call("query_graph", graph).await;
    let mut names = each(&found["result"]["entities"], "name");
    names.sort_unstable();
    assert_eq!(names, ["Alex", "Alexa", "Maria", "Mariana"]);
}

#[tokio::test]
async fn what_one_dialect_writes_the_other_finds() {
    let fixture = new_fixture().await;
    let quipu = fixture.sharing_memory(dialects::Quipu::default());
    save(&fixture, "The wifi of the cabin is called Marmot").await;
    let recalled = quipu.call("recall", json!({"query": "cabin wifi"})).await;
    let id = recalled["memories"][0]["id"].clone();
    assert_eq!(recalled["memories"][0]["text"], "The wifi of the cabin is called Marmot");
    quipu
        .call("correct", json!({"id": id, "text": "The wifi of the cabin is called Chamois"}))
        .await;
    assert_eq!(
        facts_about(&fixture, "cabin wifi").await,
        ["The wifi of the cabin is called Chamois"]
    );
    fixture
        .call(
            "memorize",
            json!({"text": "The wifi of the cabin is called Chamois", "action": "delete"}),
        )
        .await;
    assert_eq!(quipu.call("recall", json!({"query": "cabin wifi"})).await["memories"], json!([]));
}

#[tokio::test]
async fn profile_updates_at_the_same_time_all_get_their_version() {
    let fixture = new_fixture().await;
    let mut updates = tokio::task::JoinSet::new();
    for number in 0..8 {
        let fixture = fixture.sharing_memory(Epitome::default());
        updates.spawn(async move {
            let data = json!({ format!("field_{number}"): number });
            fixture
                .try_call(&format!("agent-{number}"), "update_profile", json!({ "data": data }))
                .await
                .unwrap()
        });
    }
    updates.join_all().await;
    let profile = fixture.call("recall", json!({})).await["profile"].clone();
    assert_eq!(profile.as_object().unwrap().len(), 8, "nobody's field is lost: {profile}");
    let last = fixture.call("update_profile", json!({"data": {"name": "Ada"}})).await;
    assert_eq!(last["sourceRef"], "profile:v9");
}

#[tokio::test]
async fn books_are_found_however_the_question_is_phrased() {
    let fixture = new_fixture().await;
    let dune = json!({
        "text": "Finished reading Dune",
        "category": "books",
        "data": {"title": "Dune", "rating": 5},
    });
    fixture.call("memorize", dune).await;
    for topic in ["books read", "books I have read", "books read / reading history"] {
        let answer = fixture.call("recall", json!({ "topic": topic })).await;
        assert!(facts(&answer).iter().any(|fact| fact.contains("Dune")), "{topic}: {answer}");
        assert!(
            facts(&answer).iter().all(|fact| !fact.contains("[object") && !fact.contains('{')),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_walk_has_numbers_for_weights_and_shows_the_nearest_first() {
    let fixture = new_fixture().await;
    for food in ["ramen", "pizza", "soup"] {
        save_row(&fixture, "meals", json!({ "food": food })).await;
    }
    save_row(&fixture, "meals", json!({ "food": "soup", "calories": 9 })).await;
    let ramen = json!({"queryType": "pattern", "pattern": {"entityName": "ramen"}});
    let id = fixture.call("query_graph", ramen).await["result"]["entities"][0]["id"].clone();
    let walked = fixture
        .call("query_graph", json!({"queryType": "traverse", "entityId": id}))
        .await["result"]
        .clone();
    let nodes = walked.as_array().unwrap();
    assert_eq!((&nodes[0]["id"], &nodes[0]["depth"]), (&id, &json!(0)));
    let depths: Vec<i64> = nodes.iter().map(|node| node["depth"].as_i64().unwrap()).collect();
    assert!(depths.is_sorted(), "{walked}");
    assert!(nodes.iter().all(|node| node["pathWeight"].is_number()), "{walked}");
}

#[tokio::test]
async fn a_nested_null_is_dropped_when_an_object_replaces_a_value() {
    let fixture = new_fixture().await;
    fixture.call("update_profile", json!({"data": {"work": "potter"}})).await;
    let patch = json!({"data": {"work": {"company": "Acme", "role": null}}});
    let profile = fixture.call("update_profile", patch).await["profile"]["data"].clone();
    assert_eq!(profile, json!({"work": {"company": "Acme"}}));
}
