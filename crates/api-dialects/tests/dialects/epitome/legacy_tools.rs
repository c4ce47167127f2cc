//! The nine tools of the first contract: names, arguments, defaults, fields and errors.

use super::{each, new_fixture};
use model::ErrorCode;
use serde_json::{Value, json};

#[tokio::test]
async fn get_user_context_loads_everything_and_ranks_by_a_topic() {
    let fixture = new_fixture().await;
    fixture
        .call(
            "save_memory",
            json!({"collection": "journal", "text": "The boiler is serviced in October"}),
        )
        .await;
    for given in [json!({}), json!({"topic": "boiler"})] {
        let answer = fixture.call("get_user_context", given).await;
        assert_eq!(answer["recentMemories"][0]["text"], "The boiler is serviced in October");
    }
}

#[tokio::test]
async fn update_profile_returns_the_updated_profile() {
    let fixture = new_fixture().await;
    let answer = fixture
        .call("update_profile", json!({"data": {"name": "Ada"}, "reason": "introduced herself"}))
        .await;
    assert_eq!(
        (&answer["profile"]["data"], answer["writeStatus"].as_str()),
        (&json!({"name": "Ada"}), Some("accepted"))
    );
    assert_eq!(
        fixture.call_refused("update_profile", json!({"data": {}})).await.code,
        ErrorCode::InvalidArgument
    );
    assert_eq!(
        fixture.call_refused("update_profile", json!({})).await.code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn list_tables_takes_nothing_and_describes_each() {
    let fixture = new_fixture().await;
    let given = json!({
        "tableName": "meals",
        "data": {"food": "figs"},
        "tableDescription": "what was eaten",
    });
    fixture.call("add_record", given).await;
    let answer = fixture.call("list_tables", json!({})).await;
    assert_eq!(answer["tables"][0]["description"], "what was eaten");
    assert_eq!(
        answer["tables"][0]["columns"],
        json!([{"name": "food", "type": "text", "nullable": true}])
    );
}

#[tokio::test]
async fn query_table_takes_filters_or_sql_and_either_name() {
    let fixture = new_fixture().await;
    for (table, food) in [("tableName", "figs"), ("table", "nuts")] {
        fixture.call("add_record", json!({table: "meals", "data": {"food": food}})).await;
    }
    let read = async |extra: Value| {
        let mut given = json!({"tableName": "meals"});
        given.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        fixture.call("query_table", given).await
    };
    assert_eq!(read(json!({})).await["recordCount"], 2);
    assert_eq!(read(json!({"filters": {"food": "figs"}})).await["recordCount"], 1);
    assert_eq!(
        read(json!({"sql": "SELECT count(*) AS n FROM meals"})).await["records"],
        json!([{"n": 2}])
    );
    assert_eq!(read(json!({"limit": 1, "offset": 1})).await["records"][0]["food"], "figs");
    assert_eq!(fixture.call("query_table", json!({"table": "meals"})).await["recordCount"], 2);
    assert_eq!(
        fixture.call_refused("query_table", json!({})).await.code,
        ErrorCode::InvalidArgument
    );
    assert_eq!(
        fixture.call_refused("query_table", json!({"tableName": "x"})).await.code,
        ErrorCode::NotFound
    );
    for sql in [
        "DELETE FROM meals",
        "SELECT 1; SELECT 2",
        "SELECT * FROM sqlite_master",
        "PRAGMA user_version",
        "nonsense",
    ] {
        let failure =
            fixture.call_refused("query_table", json!({"tableName": "meals", "sql": sql})).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{sql}");
    }
}

#[tokio::test]
async fn a_record_shows_the_columns_of_every_row() {
    let fixture = new_fixture().await;
    fixture.call("add_record", json!({"tableName": "meals", "data": {"food": "figs"}})).await;
    let record =
        fixture.call("query_table", json!({"tableName": "meals"})).await["records"][0].clone();
    for field in ["id", "created_at", "updated_at", "_meta_id", "food"] {
        assert!(!record[field].is_null(), "{field} in {record}");
    }
    assert_eq!(
        (record["_deleted_at"].clone(), record["_source_ref"].as_str()),
        (json!(null), Some("tables/meals#1"))
    );
}

#[tokio::test]
async fn add_record_creates_table_columns_and_a_memory() {
    let fixture = new_fixture().await;
    fixture.call("add_record", json!({"tableName": "meals", "data": {"food": "figs"}})).await;
    fixture
        .call(
            "add_record",
            json!({"tableName": "meals", "data": {"food": "nuts", "calories": 90.5}}),
        )
        .await;
    let columns = fixture.call("list_tables", json!({})).await["tables"][0]["columns"].clone();
    assert_eq!(each(&columns, "name"), ["food", "calories"]);
    let found =
        fixture.call("search_memory", json!({"collection": "meals", "query": "nuts"})).await;
    assert!(found["results"][0]["text"].as_str().unwrap().contains("nuts"), "{found}");
    assert_eq!(
        fixture.call_refused("add_record", json!({"tableName": "meals", "data": {}})).await.code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn save_and_search_memory_work_within_one_collection() {
    let fixture = new_fixture().await;
    let given = json!({
        "collection": "ideas",
        "text": "Grow tomatoes on the roof",
        "metadata": {"mood": "keen"},
    });
    let saved = fixture.call("save_memory", given).await;
    assert!(saved["vectorId"].is_i64());
    let found = fixture
        .call("search_memory", json!({"collection": "ideas", "query": "tomatoes on the roof"}))
        .await;
    let first = &found["results"][0];
    assert_eq!(
        (first["text"].as_str(), &first["metadata"]),
        (Some("Grow tomatoes on the roof"), &json!({"mood": "keen"}))
    );
    assert_eq!(
        (&first["id"], first["sourceRef"].as_str()),
        (&saved["vectorId"], saved["sourceRef"].as_str())
    );
    assert!(first["createdAt"].is_string());
    let other = json!({"collection": "journal", "query": "tomatoes"});
    assert_eq!(fixture.call_refused("search_memory", other).await.code, ErrorCode::NotFound);
    assert_eq!(
        fixture.call_refused("save_memory", json!({"collection": "ideas", "text": " "})).await.code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn query_graph_and_review_memories_behave_like_the_newer_tools() {
    let fixture = new_fixture().await;
    for text in ["I love figs", "I eat meat", "I do not eat meat"] {
        fixture.call("save_memory", json!({"collection": "journal", "text": text})).await;
    }
    let given =
        json!({"queryType": "pattern", "pattern": {"relation": "likes", "entityType": "*"}});
    let found = fixture.call("query_graph", given).await;
    assert!(each(&found["result"]["entities"], "name").contains(&"figs"), "{found}");
    let list = fixture.call("review_memories", json!({"action": "list"})).await;
    let id = list["contradictions"][0]["id"].clone();
    let given = json!({"action": "resolve", "metaId": id, "resolution": "keep_both"});
    assert_eq!(fixture.call("review_memories", given).await["resolution"], "keep_both");
}

#[tokio::test]
async fn an_unknown_tool_is_not_found() {
    let fixture = new_fixture().await;
    assert_eq!(fixture.call_refused("read_profile", json!({})).await.code, ErrorCode::NotFound);
}
