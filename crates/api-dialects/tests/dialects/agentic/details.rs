//! Details of the document: weights, orders, boundaries, and fields of results.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use dialects::{Librarian, Quipu};
use serde_json::{Value, json};

async fn quipu(fixture: &DialectFixture, tool: &str, given: Value) -> Value {
    fixture.sharing_memory(Quipu::default()).call(tool, given).await
}

#[tokio::test]
async fn an_edge_keeps_its_weight_which_defaults_to_one() {
    let fixture = new_fixture().await;
    let ground = fixture.node("fact", "It rains.").await;
    for (content, weight, stored) in
        [("Stay in.", json!(0.25), json!(0.25)), ("Read.", json!(null), json!(1.0))]
    {
        let edges = json!([{"target_id": ground, "edge_type": "caused_by", "weight": weight}]);
        let given = json!({"event_type": "decision", "content": content, "edges": edges});
        let node = fixture.call("memory_add", given).await["node_id"].clone();
        let walked = fixture
            .call("memory_traverse", json!({"start_id": node, "edge_types": ["caused_by"]}))
            .await;
        assert_eq!(walked["edges_traversed"][0]["weight"], stored, "{content}");
    }
}

#[tokio::test]
async fn the_most_important_nodes_come_first_whatever_their_age() {
    let fixture = new_fixture().await;
    quipu(&fixture, "remember", json!({"text": "Never deploy on Fridays.", "priority": 1})).await;
    fixture.clock.advance(60);
    fixture.node("fact", "The cat is asleep.").await;
    let sorted = fixture.call("memory_query", json!({"sort_by": "most_important"})).await;
    assert_eq!(
        each(&sorted["nodes"], "content"),
        ["Never deploy on Fridays.", "The cat is asleep."]
    );
}

#[tokio::test]
async fn a_vector_is_compared_within_its_types_and_what_is_flagged_comes_last() {
    use embed::Embedder;
    let fixture = new_fixture().await;
    let fact = fixture.node("fact", "The sky is blue.").await;
    let decision = fixture.node("decision", "The sky was blue.").await;
    let vector =
        embed::BundledEmbedder::new().embed(&["The sky is blue."]).unwrap().pop().unwrap().mean();
    let ask = |more: Value| {
        let mut given = json!({"query_vec": vector, "min_similarity": 0.0});
        more.as_object().unwrap().iter().for_each(|(name, value)| given[name] = value.clone());
        given
    };
    let decisions = fixture.call("memory_similar", ask(json!({"event_types": ["decision"]}))).await;
    assert_eq!(each(&decisions["matches"], "node_id"), [decision]);
    let nearest = fixture.call("memory_similar", ask(json!({"top_k": 1}))).await;
    assert_eq!(each(&nearest["matches"], "node_id"), [fact]);
    let flag = json!({"memory_id": fact.to_string(), "reason": "it is grey"});
    fixture.sharing_memory(Librarian::default()).call("flag_memory", flag).await;
    let sound = fixture.call("memory_similar", ask(json!({"top_k": 1}))).await;
    assert_eq!(each(&sound["matches"], "node_id"), [decision]);
    let both = fixture.call("memory_similar", ask(json!({"query_text": "sky"}))).await;
    assert_eq!((&both["mode"], both["notes"].as_array().unwrap().len()), (&json!("vector"), 1));
}

#[tokio::test]
async fn a_node_is_stale_once_its_decay_score_is_below_one_fifth() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The port is 22.").await;
    let stale =
        async || fixture.call("memory_quality", json!({})).await["summary"]["stale_count"].clone();
    fixture.clock.advance(160 * 86_400);
    assert_eq!(stale().await, 0, "e to the minus 1.60 is more than 0.20");
    fixture.clock.advance(86_400);
    assert_eq!(stale().await, 1, "e to the minus 1.61 is less");
}

#[tokio::test]
async fn quality_passes_warns_or_fails() {
    let status = async |fixture: &DialectFixture| {
        fixture.call("memory_quality", json!({})).await["status"].clone()
    };
    let fixture = new_fixture().await;
    assert_eq!(status(&fixture).await, "pass", "of nothing nothing is doubtful");
    let first = fixture.node("fact", "The port is 22.").await;
    assert_eq!(status(&fixture).await, "warn", "an orphan");
    let second = fixture.node_to("fact", "The host is alpha.", "related_to", first).await;
    assert_eq!(status(&fixture).await, "pass");
    let against =
        fixture.node_to("inference", "It may be another one.", "contradicts", second).await;
    let answer = fixture.call("memory_quality", json!({})).await;
    assert_eq!(
        (&answer["status"], &answer["summary"]["contradiction_edges"]),
        (&json!("warn"), &json!(1))
    );
    fixture.node("decision", "Move to beta.").await;
    assert_eq!(status(&fixture).await, "fail", "a decision without a ground");
    fixture.node_to("inference", "Beta is faster.", "supports", against + 1).await;
    assert_eq!(status(&fixture).await, "warn", "with a ground it is none");
}

#[tokio::test]
async fn covering_three_tenths_of_a_claim_is_a_match_by_default() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Billing uses PostgreSQL.").await;
    let status = async |claim: &str, threshold: Option<f64>| {
        let given = json!({"claim": claim, "threshold": threshold});
        fixture.call("memory_ground", given).await["status"].clone()
    };
    let third = "Billing sends letters";
    assert_eq!(status(third, None).await, "partial");
    assert_eq!(status(third, Some(0.34)).await, "ungrounded");
    assert_eq!(status("Billing sends purple letters", None).await, "ungrounded", "a quarter");
}

#[tokio::test]
async fn a_suggestion_has_all_its_fields() {
    let fixture = new_fixture().await;
    let node = fixture.node("skill", "Deploys go out on Wednesday.").await;
    let answer = fixture.call("memory_suggest", json!({"query": "deploy on Wednesday"})).await;
    let found = &answer["suggestions"][0];
    assert_eq!(
        (&found["node_id"], &answer["query"]),
        (&json!(node), &json!("deploy on Wednesday"))
    );
    for field in
        ["event_type", "content", "confidence", "relevance_score", "matched_terms", "session_id"]
    {
        assert!(found.get(field).is_some(), "{field}");
    }
}

#[tokio::test]
async fn every_documented_role_is_accepted_and_an_empty_label_counts_as_missing() {
    let fixture = new_fixture().await;
    fixture.call("memory_workspace_create", json!({"name": "w"})).await;
    for role in ["primary", "secondary", "reference", "archive"] {
        let given = json!({"workspace_id": "ws_1", "path": "quipu:me", "role": role, "label": " "});
        let added = fixture.call("memory_workspace_add", given).await;
        assert_eq!((&added["role"], &added["label"]), (&json!(role), &json!("me")));
    }
    let listed = fixture.call("memory_workspace_list", json!({"workspace_id": "ws_1"})).await;
    assert_eq!(each(&listed["contexts"], "role"), ["primary", "secondary", "reference", "archive"]);
}

#[tokio::test]
async fn a_walk_that_reached_its_count_says_that_there_may_be_more() {
    let fixture = new_fixture().await;
    let hub = fixture.node("fact", "The hub.").await;
    for spoke in 0..3 {
        fixture.node_to("fact", &format!("Spoke {spoke}."), "supports", hub).await;
    }
    let walk = |most: usize| {
        json!({
            "start_id": hub,
            "direction": "backward",
            "edge_types": ["supports"],
            "max_results": most,
        })
    };
    assert_eq!(fixture.call("memory_traverse", walk(3)).await["truncated"], true);
    assert_eq!(fixture.call("memory_traverse", walk(5)).await.get("truncated"), None);
}

#[tokio::test]
async fn superseded_nodes_are_visited_only_if_supersedes_edges_are_requested() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "The port is 22.").await;
    let new = fixture
        .call("memory_correct", json!({"old_node_id": old, "new_content": "It is 23."}))
        .await;
    let new = new["new_node_id"].clone();
    let all = fixture.call("memory_traverse", json!({"start_id": new})).await;
    assert_eq!(each(&all["visited"], "id"), [&new]);
    let asked = fixture
        .call("memory_traverse", json!({"start_id": new, "edge_types": ["supersedes"]}))
        .await;
    assert_eq!(each(&asked["visited"], "id"), [&new, &json!(old)]);
    let from_old =
        fixture.call("memory_traverse", json!({"start_id": old, "direction": "backward"})).await;
    assert_eq!((&from_old["start_id"], &from_old["visited"][0]["id"]), (&new, &new));
    let given = json!({"start_id": old, "edge_types": ["supersedes"], "direction": "backward"});
    let history = fixture.call("memory_traverse", given).await;
    assert_eq!(history["visited"][0]["status"], "superseded", "history starts where it is asked");
}

#[tokio::test]
async fn the_same_words_said_twice_in_a_conversation_are_two_entries() {
    let fixture = new_fixture().await;
    let first = fixture.call("conversation_log", json!({"user_message": "Go on."})).await;
    let second = fixture.call("conversation_log", json!({"user_message": "Go on."})).await;
    assert_ne!(first["node_id"], second["node_id"]);
}
