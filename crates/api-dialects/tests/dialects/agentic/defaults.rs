//! Defaults of omitted arguments, and refused values.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use serde_json::{Value, json};

/// Adds a chain of nodes, each caused by the one before, and returns their ids in order.
async fn chain(fixture: &DialectFixture, length: usize) -> Vec<i64> {
    let mut nodes = vec![fixture.node("fact", "Event 0 happened.").await];
    for number in 1..length {
        let before = nodes[number - 1];
        nodes.push(
            fixture
                .node_to("fact", &format!("Event {number} happened."), "caused_by", before)
                .await,
        );
    }
    nodes
}

#[tokio::test]
async fn a_walk_goes_five_steps_forward_and_shows_twenty_nodes_by_default() {
    let fixture = new_fixture().await;
    let nodes = chain(&fixture, 8).await;
    let last = nodes[7];
    let given = json!({"start_id": last, "edge_types": ["caused_by"]});
    let walked = fixture.call("memory_traverse", given).await;
    assert_eq!(
        each(&walked["visited"], "id"),
        nodes[2..].iter().rev().copied().collect::<Vec<i64>>()
    );
    let all = json!({"start_id": last, "edge_types": ["caused_by"], "max_depth": 16});
    assert_eq!(fixture.call("memory_traverse", all).await["visited_count"], 8);
    let hub = fixture.node("fact", "The hub.").await;
    for spoke in 0..25 {
        fixture.node_to("fact", &format!("Spoke {spoke}."), "supports", hub).await;
    }
    let around = json!({"start_id": hub, "direction": "backward", "edge_types": ["supports"]});
    assert_eq!(fixture.call("memory_traverse", around).await["visited_count"], 20);
}

#[tokio::test]
async fn impact_reaches_five_steps_by_default() {
    let fixture = new_fixture().await;
    let nodes = chain(&fixture, 8).await;
    let usual = fixture.call("memory_causal", json!({"node_id": nodes[0]})).await;
    assert_eq!(usual["dependent_count"], 5);
    let deep = fixture.call("memory_causal", json!({"node_id": nodes[0], "max_depth": 16})).await;
    assert_eq!(deep["dependent_count"], 7);
}

#[tokio::test]
async fn quality_uses_the_documented_thresholds_and_shows_twenty_examples() {
    let fixture = new_fixture().await;
    for (number, confidence) in [(0, 0.44), (1, 0.45)] {
        let content = format!("A guess, number {number}.");
        let given = json!({"event_type": "fact", "content": content, "confidence": confidence});
        fixture.call("memory_add", given).await;
    }
    assert_eq!(
        fixture.call("memory_quality", json!({})).await["summary"]["low_confidence_count"],
        1
    );
    for number in 0..25 {
        let content = format!("A wild guess about the {number}th planet.");
        let given = json!({"event_type": "fact", "content": content, "confidence": 0.1});
        fixture.call("memory_add", given).await;
    }
    let answer = fixture.call("memory_quality", json!({})).await;
    assert_eq!(answer["summary"]["low_confidence_count"], 26);
    assert_eq!(answer["examples"]["low_confidence"].as_array().unwrap().len(), 20);
    let few = fixture.call("memory_quality", json!({"max_examples": 0})).await;
    assert_eq!(
        few["examples"]["low_confidence"].as_array().unwrap().len(),
        1,
        "at least one is shown"
    );
}

#[tokio::test]
async fn a_resume_loads_fifteen_memories_by_default() {
    let fixture = new_fixture().await;
    for number in 0..12 {
        fixture
            .node("decision", &format!("We chose option {number} for the {number}th room."))
            .await;
        fixture.node("fact", &format!("Room {number} has {number} windows to the garden.")).await;
    }
    fixture.call("session_end", json!({"summary": "Planned the house."})).await;
    fixture.call("session_start", json!({})).await;
    let usual =
        fixture.call("memory_session_resume", json!({})).await["total_loaded"].as_u64().unwrap();
    assert!(usual <= 15, "{usual}");
    let fewer = fixture.call("memory_session_resume", json!({"limit": 4})).await["total_loaded"]
        .as_u64()
        .unwrap();
    assert!((1..=4).contains(&fewer) && fewer < usual, "{fewer} of {usual}");
}

#[tokio::test]
async fn a_workspace_context_is_primary_and_counts_have_their_defaults() {
    let fixture = new_fixture().await;
    for number in 0..14 {
        fixture.node("fact", &format!("Release {number} went out on a Tuesday.")).await;
    }
    fixture.call("memory_workspace_create", json!({"name": "all"})).await;
    let added = fixture
        .call("memory_workspace_add", json!({"workspace_id": "ws_1", "path": "quipu:me"}))
        .await;
    assert_eq!((&added["role"], &added["status"]), (&json!("primary"), &json!("added")));
    let asked = json!({"workspace_id": "ws_1", "query": "release on Tuesday"});
    assert_eq!(
        fixture.call("memory_workspace_query", asked).await["results"][0]["match_count"],
        10
    );
    let compared = json!({"workspace_id": "ws_1", "item": "release on Tuesday"});
    let details =
        fixture.call("memory_workspace_compare", compared).await["details"][0]["matches"].clone();
    assert_eq!(details.as_array().unwrap().len(), 5);
    let role = json!({"workspace_id": "ws_1", "path": "quipu:me", "role": "king"});
    let refusal = fixture.call_refused("memory_workspace_add", role).await;
    assert!(
        refusal.message.contains("primary") && refusal.message.contains("archive"),
        "{refusal}"
    );
}

#[tokio::test]
async fn what_is_missing_negative_or_of_another_type_is_refused_by_name() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "A thing.").await;
    for (tool, given, named) in [
        ("memory_add", json!({"event_type": "fact"}), "content"),
        ("memory_add", json!({"content": "A thing."}), "event_type"),
        (
            "memory_add",
            json!({"event_type": "fact", "content": "A", "confidence": "high"}),
            "confidence",
        ),
        (
            "memory_add",
            json!({"event_type": "fact", "content": "A", "edges": [{"target_id": node}]}),
            "edge_type",
        ),
        ("memory_query", json!({"max_results": -1}), "max_results"),
        ("memory_traverse", json!({}), "start_id"),
        ("memory_traverse", json!({"start_id": node, "max_depth": -1}), "max_depth"),
        ("memory_context", json!({"depth": 2}), "node_id"),
        ("memory_similar", json!({"query_text": "a", "top_k": -1}), "top_k"),
        ("memory_similar", json!({"query_text": "a", "min_similarity": 2}), "min_similarity"),
        ("memory_correct", json!({"old_node_id": node}), "new_content"),
        (
            "memory_correct",
            json!({"old_node_id": node, "new_content": "B", "confidence": 2}),
            "confidence",
        ),
        ("memory_resolve", json!({}), "node_id"),
        ("memory_temporal", json!({"range_a": {"type": "session", "session_id": 1}}), "range_b"),
        ("memory_ground", json!({"threshold": 0.5}), "claim"),
        ("memory_evidence", json!({"max_results": 3}), "query"),
        ("memory_suggest", json!({"limit": 3}), "query"),
        ("memory_workspace_create", json!({}), "name"),
        ("memory_workspace_query", json!({"workspace_id": "ws_1"}), "query"),
        ("session_start", json!({"metadata": "none"}), "metadata"),
        ("session_end", json!({"create_episode": "yes"}), "create_episode"),
        ("memory_session_resume", json!({"limit": "all"}), "limit"),
    ] {
        let refusal = fixture.call_refused(tool, given.clone()).await;
        assert!(refusal.message.contains(named), "{tool} {given}: {refusal}");
    }
}

#[tokio::test]
async fn every_tool_shows_derived_from_edges_as_derived_from() {
    let fixture = new_fixture().await;
    let ground = fixture.node("fact", "It rains in Lisbon.").await;
    let node = fixture.node_to("inference", "The streets are wet.", "derived_from", ground).await;
    let walked = fixture
        .call("memory_traverse", json!({"start_id": node, "edge_types": ["derived_from"]}))
        .await;
    assert_eq!(each(&walked["edges_traversed"], "edge_type"), ["derived_from"]);
    let context = fixture.call("memory_context", json!({"node_id": node, "depth": 1})).await;
    let kinds: Vec<&Value> = each(&context["edges"], "edge_type");
    assert!(
        kinds.contains(&&json!("derived_from")) && !kinds.contains(&&json!("caused_by")),
        "{kinds:?}"
    );
    let evidence = fixture.call("memory_evidence", json!({"query": "the streets are wet"})).await;
    let edges = &evidence["evidence"][0]["outgoing_edges"];
    assert!(each(edges, "edge_type").contains(&&json!("derived_from")), "{edges}");
}

#[tokio::test]
async fn type_names_are_accepted_in_any_spelling() {
    let fixture = new_fixture().await;
    let ground = fixture.node("Fact", "It rains in Lisbon.").await;
    for (number, edge_type) in ["CausedBy", "caused-by", "CAUSED_BY"].into_iter().enumerate() {
        fixture.node_to("DECISION", &format!("Take umbrella {number}."), edge_type, ground).await;
    }
    let impact = fixture.call("memory_causal", json!({"node_id": ground})).await;
    assert_eq!(impact["affected_decisions"], 3);
}
