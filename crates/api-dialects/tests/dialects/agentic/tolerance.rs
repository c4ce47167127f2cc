//! Calls that the original program tolerates: further arguments, depths past the limit, empty
//! queries, unknown sessions, misspelt words.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use dialects::{Agentic, DialectApi};
use serde_json::{Value, json};

fn first_note(answer: &Value) -> &str {
    answer["notes"][0].as_str().unwrap()
}

#[tokio::test]
async fn unknown_arguments_are_ignored_with_a_note() {
    let fixture = new_fixture().await;
    let given = json!({"event_type": "fact", "content": "A thing.", "importance": 7});
    let added = fixture.call("memory_add", given).await;
    assert_eq!(added["node_id"], 1);
    let note = first_note(&added);
    assert!(note.contains("`importance`") && note.contains("content, edges, event_type"), "{note}");
    let stats = fixture.call("memory_stats", json!({"verbose": true})).await;
    assert!(first_note(&stats).contains("`verbose`; the tool takes none"), "{stats}");
    assert_eq!(fixture.call("memory_stats", json!({})).await.get("notes"), None);
}

#[tokio::test]
async fn unknown_fields_inside_of_an_argument_are_ignored_with_a_note() {
    let fixture = new_fixture().await;
    let first = fixture.node("fact", "A thing.").await;
    let edges = json!([{"target_id": first, "edge_type": "supports", "color": "red"}]);
    let given = json!({"event_type": "fact", "content": "Another thing.", "edges": edges});
    let added = fixture.call("memory_add", given).await;
    assert_eq!(added["edges_created"], 2, "supports and temporal_next");
    assert!(added["notes"].to_string().contains("`edges.color`"), "{added}");
}

#[tokio::test]
async fn what_a_session_stores_freely_is_no_unknown_argument() {
    let fixture = new_fixture().await;
    let started = fixture.call("session_start", json!({"metadata": {"any": {"key": 1}}})).await;
    assert_eq!((started.get("notes"), &started["metadata"]["any"]["key"]), (None, &json!(1)));
}

#[test]
fn the_listed_tools_accept_further_arguments() {
    for tool in Agentic::default().tools() {
        assert_eq!(tool.input["additionalProperties"], true, "{}", tool.name);
        let schema = Value::Object(tool.input.clone()).to_string();
        assert!(!schema.contains("\"additionalProperties\":false"), "{schema}");
    }
}

#[tokio::test]
async fn a_depth_past_the_limit_is_capped_with_a_note() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "A thing.").await;
    for (tool, given) in [
        ("memory_traverse", json!({"start_id": node, "max_depth": 17})),
        ("memory_traverse", json!({"start_id": node, "max_depth": 1_000_000})),
        ("memory_causal", json!({"node_id": node, "max_depth": 99})),
        ("memory_context", json!({"node_id": node, "depth": 6})),
        ("memory_context", json!({"node_id": node, "depth": 0})),
    ] {
        let answer = fixture.call(tool, given.clone()).await;
        assert!(first_note(&answer).contains("depth"), "{tool} {given}: {answer}");
    }
    let within = json!({"start_id": node, "max_depth": 16});
    assert_eq!(fixture.call("memory_traverse", within).await.get("notes"), None);
}

#[tokio::test]
async fn an_empty_query_has_an_empty_result() {
    let fixture = new_fixture().await;
    fixture.node("fact", "A thing.").await;
    for blank in ["", " \t"] {
        let evidence = fixture.call("memory_evidence", json!({"query": blank})).await;
        assert_eq!((&evidence["count"], &evidence["evidence"]), (&json!(0), &json!([])));
        let suggested = fixture.call("memory_suggest", json!({"query": blank})).await;
        assert_eq!(suggested["suggestions"], json!([]));
        let similar = fixture.call("memory_similar", json!({"query_text": blank})).await;
        assert_eq!(similar["matches"], json!([]));
        let grounded = fixture.call("memory_ground", json!({"claim": blank})).await;
        assert_eq!(
            (&grounded["status"], &grounded["evidence"]),
            (&json!("ungrounded"), &json!([]))
        );
    }
}

#[tokio::test]
async fn an_empty_topic_is_in_no_memory_of_a_workspace() {
    let fixture = new_fixture().await;
    fixture.node("fact", "A thing.").await;
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    fixture.call("memory_workspace_add", json!({"workspace_id": "ws_1", "path": "quipu:me"})).await;
    let found =
        fixture.call("memory_workspace_query", json!({"workspace_id": "ws_1", "query": ""})).await;
    assert_eq!((&found["total_matches"], &found["contexts_searched"]), (&json!(0), &json!(1)));
    let given = json!({"workspace_id": "ws_1", "item": " "});
    let compared = fixture.call("memory_workspace_compare", given.clone()).await;
    assert_eq!((&compared["found_in"], &compared["missing_from"]), (&json!([]), &json!(["me"])));
    assert_eq!(fixture.call("memory_workspace_xref", given).await["coverage"], "0/1");
}

#[tokio::test]
async fn an_unknown_session_has_no_nodes() {
    let fixture = new_fixture().await;
    fixture.node("fact", "A thing.").await;
    let found = fixture.call("memory_query", json!({"session_ids": [77]})).await;
    assert_eq!((&found["count"], &found["nodes"]), (&json!(0), &json!([])));
    let both = fixture.call("memory_query", json!({"session_ids": [77, 1]})).await;
    assert_eq!(both["count"], 1);
    let (known, unknown) =
        (json!({"type": "session", "session_id": 1}), json!({"type": "session", "session_id": 77}));
    let given = json!({"range_a": unknown, "range_b": known});
    let compared = fixture.call("memory_temporal", given).await;
    assert_eq!((&compared["added"], &compared["unchanged"]), (&json!([1]), &json!([])));
}

#[tokio::test]
async fn ending_without_a_session_says_so() {
    let fixture = new_fixture().await;
    let ended = fixture.call("session_end", json!({"summary": "Nothing happened."})).await;
    assert_eq!((&ended["session_id"], &ended["episode_node_id"]), (&Value::Null, &Value::Null));
    assert!(ended["message"].as_str().unwrap().contains("no session"), "{ended}");
    let unknown = fixture.call("session_end", json!({"session_id": 77})).await;
    assert_eq!(unknown["message"], "There is no session 77; nothing was ended");
    assert_eq!(fixture.call("memory_stats", json!({})).await["node_count"], 0);
}

async fn with_memories() -> DialectFixture {
    let fixture = new_fixture().await;
    for content in [
        "The scheduler keeps its timers in a binary heap.",
        "The office is in Leeds, near the station.",
        "Releases go out on Tuesdays after the standup.",
        "Priya prefers tea over coffee.",
        "The staging database is Postgres 16.",
        "Kubernetes runs the billing service in Frankfurt.",
    ] {
        fixture.node("fact", content).await;
    }
    fixture
}

#[tokio::test]
async fn misspelt_words_are_found() {
    let fixture = with_memories().await;
    for (query, id) in [
        ("scheduller heep", 1),
        ("relases on tusdays", 3),
        ("kuberntes biling", 6),
        ("Postgers", 5),
    ] {
        let found = fixture.call("memory_suggest", json!({"query": query})).await;
        assert_eq!(found["suggestions"][0]["node_id"], id, "{query}: {found}");
        let terms = found["suggestions"][0]["matched_terms"].as_array().unwrap();
        assert!(!terms.is_empty(), "{query}: {found}");
    }
}

#[tokio::test]
async fn letters_without_a_meaning_have_no_suggestions() {
    let fixture = with_memories().await;
    for query in ["qqq", "zzzz", "xkcdqw", "asdf qwer", "?!"] {
        let found = fixture.call("memory_suggest", json!({"query": query})).await;
        assert_eq!(found["suggestions"], json!([]), "{query}");
    }
}

#[tokio::test]
async fn a_question_in_other_words_has_suggestions() {
    let fixture = with_memories().await;
    let found = fixture.call("memory_suggest", json!({"query": "hot drink she likes"})).await;
    assert!(each(&found["suggestions"], "node_id").contains(&&json!(4)), "{found}");
}

#[tokio::test]
async fn the_temporal_chain_goes_through_added_episodes_and_corrections() {
    let fixture = new_fixture().await;
    let kinds = ["fact", "correction", "episode", "skill", "episode", "fact"];
    let texts = ["red apples", "green pears", "blue plums", "ripe figs", "dry dates", "sour limes"];
    for (kind, text) in kinds.iter().zip(texts) {
        fixture.node(kind, &format!("We bought {text}.")).await;
    }
    let given = json!({"start_id": 1, "edge_types": ["temporal_next"], "max_depth": 9});
    let walked = fixture.call("memory_traverse", given).await;
    let edges: Vec<(i64, i64)> = walked["edges_traversed"]
        .as_array()
        .unwrap()
        .iter()
        .map(|edge| (edge["source_id"].as_i64().unwrap(), edge["target_id"].as_i64().unwrap()))
        .collect();
    assert_eq!(edges, [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]);
}

#[tokio::test]
async fn a_replacement_stands_in_the_chain_where_the_replaced_node_stood() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The API runs on port 8080.").await;
    fixture.node("fact", "The cache holds an hour.").await;
    let given = json!({"old_node_id": 1, "new_content": "The API runs on port 8081."});
    assert_eq!(fixture.call("memory_correct", given).await["new_node_id"], 3);
    fixture.node("fact", "Logs rotate daily.").await;
    let given = json!({"start_id": 1, "edge_types": ["temporal_next"]});
    let walked = fixture.call("memory_traverse", given).await;
    assert_eq!(each(&walked["visited"], "id"), [3, 2, 4]);
}
