//! Invalid arguments: every refusal names what is wrong and says what is accepted, and nothing is
//! stored.

use super::{each, new_fixture};
use crate::invalid_arguments::any_value_yields_a_result_or_an_error;
use dialects::{DialectApi, Epitome};
use model::{ErrorCode, limits};
use serde_json::{Value, json};

#[tokio::test]
async fn invalid_arguments_are_refused_with_what_is_accepted() {
    let fixture = new_fixture().await;
    fixture.call("add_record", json!({"tableName": "meals", "data": {"food": "figs"}})).await;
    let long = "a".repeat(limits::NAME_CHARS + 1);
    let deep = (0..40).fold(json!(1), |inner, _| json!({ "a": inner }));
    let memory = |extra: Value| {
        let mut memory = json!({"collection": "journal", "query": "tea"});
        memory.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!({"mode": "memory", "memory": memory})
    };
    let graph = |query: Value| json!({"mode": "graph", "graph": query});
    let rows = |extra: Value| {
        let mut given = json!({"mode": "table", "table": "meals"});
        given.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        given
    };
    for (tool, given, expected) in [
        ("recall", json!({"topic": 5}), "topic"),
        ("recall", json!({"topic": ["tea"]}), "topic"),
        ("recall", json!({"topic": "t".repeat(limits::QUERY_BYTES + 1)}), "bytes"),
        ("recall", json!({"mode": "Memory"}), "mode"),
        ("recall", json!({"mode": "table", "table": 5}), "table"),
        ("recall", json!({"mode": "table", "table": ["meals"]}), "table"),
        ("recall", json!({"mode": "table", "table": "!!"}), "table"),
        ("recall", memory(json!({"minSimilarity": -0.1})), "minSimilarity must be between 0 and 1"),
        ("recall", memory(json!({"minSimilarity": "high"})), "memory"),
        ("recall", memory(json!({"limit": -5})), "limit must be at least 1; got -5"),
        ("recall", memory(json!({"collection": long})), "collection has 201 characters"),
        ("recall", memory(json!({"bogus": 1})), "bogus"),
        ("recall", graph(json!({"queryType": "walk"})), "walk"),
        (
            "recall",
            graph(json!({"queryType": "traverse", "entityId": 1, "maxHops": 0})),
            "maxHops must be at least 1",
        ),
        (
            "recall",
            graph(json!({"queryType": "traverse", "entityId": 1, "maxHops": -2})),
            "maxHops must be at least 1",
        ),
        ("recall", graph(json!({"queryType": "traverse", "entityId": -1})), "no entity -1"),
        ("recall", graph(json!({"queryType": "traverse", "entityId": "1"})), "graph"),
        ("recall", graph(json!({"queryType": "pattern", "pattern": 5})), "graph"),
        (
            "recall",
            graph(json!({"queryType": "pattern", "pattern": "p".repeat(limits::QUERY_BYTES + 1)})),
            "pattern",
        ),
        ("recall", rows(json!({"limit": 0})), "limit must be at least 1; got 0"),
        ("recall", rows(json!({"limit": i64::MIN})), "limit must be at least 1"),
        ("recall", rows(json!({"offset": -1})), "offset must not be negative; got -1"),
        ("recall", rows(json!({"filters": ["figs"]})), "filters"),
        ("recall", rows(json!({"filters": {"food": {"like": "f%"}}})), "use one of: eq"),
        ("recall", rows(json!({"filters": {"fod": "figs"}})), "food"),
        ("recall", rows(json!({"filters": {"food": "figs"}, "sql": "SELECT 1"})), "sql or filters"),
        ("recall", rows(json!({"sql": "SELECT fod FROM meals"})), "fod"),
        ("memorize", json!({"text": ["a"]}), "text"),
        ("memorize", json!({"text": "x".repeat(limits::TEXT_BYTES + 1)}), "bytes"),
        ("memorize", json!({"text": "x", "category": long}), "characters"),
        ("memorize", json!({"text": "x", "category": "🍜"}), "name is empty"),
        ("memorize", json!({"text": "x", "category": "meals", "data": [1]}), "data"),
        ("memorize", json!({"text": "x", "category": "meals", "data": {"a": deep}}), "deep"),
        ("memorize", json!({"text": "x", "category": "meals", "data": {"_id": 1}}), "_id"),
        ("memorize", json!({"text": "x", "category": "profile", "data": {"a": deep}}), "deep"),
        (
            "memorize",
            json!({"text": "x", "storage": "memory", "collection": " "}),
            "collection's name is empty",
        ),
        ("memorize", json!({"text": "x", "storage": "memory", "metadata": {"a": deep}}), "deep"),
        ("memorize", json!({"text": "x", "action": "remove"}), "remove"),
        ("memorize", json!({"text": "x", "sourceRef": ""}), "not a sourceRef"),
        ("memorize", json!({"text": "x", "sourceRef": "vectors/journal"}), "not a sourceRef"),
        ("review", json!({"action": "resolve", "metaId": "1", "resolution": "confirm"}), "metaId"),
        (
            "review",
            json!({"action": "resolve", "metaId": -1, "resolution": "confirm"}),
            "no review item -1",
        ),
        ("update_profile", json!({"data": "vegetarian"}), "data"),
        ("query_table", json!({"tableName": ""}), "name"),
        ("add_record", json!({"tableName": "meals", "data": {"": 1}}), "name"),
        ("search_memory", json!({"collection": "journal", "query": ""}), "query is empty"),
    ] {
        let shown: String = given.to_string().chars().take(100).collect();
        let failure = fixture.call_refused(tool, given).await;
        assert!(failure.message.contains(expected), "{tool} {shown}: {failure}");
        let codes = ["INVALID_ARGS", "NOT_FOUND"];
        assert!(
            codes.contains(&Epitome::default().error_code(failure.code)),
            "{tool} {shown}: {failure}"
        );
        assert!(failure.message.len() < 600, "{tool} {shown}: {failure}");
    }
    let context = fixture.call("recall", json!({})).await;
    assert_eq!(context["profile"], json!(null), "nothing was written");
    assert_eq!(each(&context["tables"], "name"), ["meals"]);
    assert_eq!(context["tables"][0]["recordCount"], 1);
}

/// Returns valid arguments for a tool.
fn valid_arguments(tool: &str) -> Value {
    match tool {
        "memorize" => json!({"text": "Ate figs", "category": "meals"}),
        "review" | "review_memories" => json!({"action": "list"}),
        "update_profile" => json!({"data": {"name": "Ada"}}),
        "query_table" => json!({"tableName": "meals"}),
        "add_record" => json!({"tableName": "meals", "data": {"food": "figs"}}),
        "search_memory" => json!({"collection": "journal", "query": "figs"}),
        "save_memory" => json!({"collection": "journal", "text": "Figs are ripe"}),
        "query_graph" => json!({"queryType": "pattern", "pattern": "what food do I like?"}),
        _ => json!({}),
    }
}

#[tokio::test]
async fn any_value_of_an_argument_yields_a_result_or_a_readable_error() {
    let fixture = new_fixture().await;
    fixture.call("add_record", valid_arguments("add_record")).await;
    fixture.call("save_memory", json!({"collection": "journal", "text": "Rain all day."})).await;
    any_value_yields_a_result_or_an_error(
        &fixture,
        Epitome::listing_all().tools(),
        valid_arguments,
    )
    .await;
    for mode in ["context", "knowledge", "memory", "graph", "table"] {
        let in_mode = |_: &str| {
            json!({
                "mode": mode, "topic": "figs", "memory": {"collection": "journal", "query": "figs"},
                "graph": {"queryType": "traverse", "entityId": 1}, "table": {"table": "meals"},
            })
        };
        any_value_yields_a_result_or_an_error(&fixture, &Epitome::default().tools()[..1], in_mode)
            .await;
    }
}

#[tokio::test]
async fn an_unknown_argument_is_refused_by_name() {
    let fixture = new_fixture().await;
    for tool in Epitome::listing_all().tools() {
        let failure = fixture.call_refused(tool.name, json!({"bogus": 1})).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{}", tool.name);
        assert!(failure.message.contains("bogus"), "{}: {failure}", tool.name);
    }
}

#[tokio::test]
async fn a_table_may_have_any_name_even_an_sql_keyword() {
    let fixture = new_fixture().await;
    for (category, table) in [
        ("Order", "order"),
        ("select", "select"),
        ("group by", "group_by"),
        ("1st prize", "1st_prize"),
        ("книги", "книги"),
    ] {
        let given =
            json!({"text": "One of them", "category": category, "data": {"Größe": 1, "in": "x"}});
        assert_eq!(fixture.call("memorize", given).await["table"], table);
        let rows = fixture.call("recall", json!({"mode": "table", "table": category})).await;
        assert_eq!(rows["records"][0]["Größe"], 1, "{category}: {rows}");
        let sql = format!("SELECT \"in\" FROM \"{table}\" -- all of them");
        let selected = fixture.call("recall", json!({"mode": "table", "sql": sql})).await;
        assert_eq!(selected["records"], json!([{"in": "x"}]), "{category}");
    }
}

#[tokio::test]
async fn a_select_returns_a_thousand_rows_by_default() {
    let fixture = new_fixture().await;
    fixture.call("add_record", json!({"tableName": "meals", "data": {"food": "figs"}})).await;
    let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500) \
               SELECT i FROM n;";
    let usual =
        fixture.call("recall", json!({"mode": "table", "table": "meals", "sql": sql})).await;
    assert_eq!((&usual["recordCount"], &usual["truncated"]), (&json!(1000), &json!(true)));
    let all = fixture
        .call("recall", json!({"mode": "table", "table": "meals", "sql": sql, "limit": 20_000}))
        .await;
    assert_eq!((&all["recordCount"], &all["truncated"]), (&json!(1500), &json!(false)));
}
