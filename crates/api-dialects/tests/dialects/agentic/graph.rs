//! Traversal, context and impact analysis.

use super::{each, new_fixture};
use serde_json::json;

/// Adds a fact, a decision caused by it, an inference derived from that, and a skill that supports
/// the decision.
async fn cascade(fixture: &crate::fixture::DialectFixture) -> [i64; 4] {
    let fact = fixture.node("fact", "Traffic doubles every month.").await;
    let decision = fixture.node_to("decision", "We move to two servers.", "caused_by", fact).await;
    let inference =
        fixture.node_to("inference", "The bill will double too.", "derived_from", decision).await;
    let skill = fixture.node_to("skill", "Load balancing with nginx.", "supports", decision).await;
    [fact, decision, inference, skill]
}

#[tokio::test]
async fn memory_causal_counts_what_depends_on_a_node() {
    let fixture = new_fixture().await;
    let [fact, decision, inference, skill] = cascade(&fixture).await;
    let answer = fixture.call("memory_causal", json!({"node_id": fact})).await;
    assert_eq!(answer["root_id"], fact);
    assert_eq!(answer["dependent_count"], 3);
    assert_eq!(
        (&answer["affected_decisions"], &answer["affected_inferences"]),
        (&json!(1), &json!(1))
    );
    let mut ids: Vec<i64> =
        each(&answer["dependents"], "id").iter().map(|id| id.as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [decision, inference, skill]);
    let near = fixture.call("memory_causal", json!({"node_id": fact, "max_depth": 1})).await;
    assert_eq!(each(&near["dependents"], "id"), [decision]);
}

#[tokio::test]
async fn memory_traverse_follows_directions_types_depths_and_counts() {
    let fixture = new_fixture().await;
    let [fact, decision, inference, _] = cascade(&fixture).await;
    let causes = json!({"start_id": inference, "edge_types": ["caused_by", "derived_from"]});
    let answer = fixture.call("memory_traverse", causes).await;
    assert_eq!(each(&answer["visited"], "id"), [inference, decision, fact]);
    assert_eq!(each(&answer["visited"], "depth"), [0, 1, 2]);
    assert_eq!(answer["visited_count"], 3);
    let edge = &answer["edges_traversed"][0];
    assert_eq!(
        edge,
        &json!({
            "source_id": inference,
            "target_id": decision,
            "edge_type": "derived_from",
            "weight": 1.0,
        })
    );
    let backward = json!({"start_id": fact, "direction": "backward", "edge_types": ["caused_by"]});
    assert_eq!(
        each(&fixture.call("memory_traverse", backward).await["visited"], "id"),
        [fact, decision]
    );
    let only =
        fixture.call("memory_traverse", json!({"start_id": inference, "max_depth": 0})).await;
    assert_eq!(only["visited_count"], 1);
    let two = fixture
        .call("memory_traverse", json!({"start_id": fact, "direction": "both", "max_results": 2}))
        .await;
    assert_eq!(two["visited_count"], 2);
}

#[tokio::test]
async fn memory_traverse_skips_nodes_below_the_minimum_confidence() {
    let fixture = new_fixture().await;
    let start = fixture.node("fact", "A sure thing.").await;
    let edges = json!([{"target_id": start, "edge_type": "supports"}]);
    let doubt = json!({
        "event_type": "inference",
        "content": "A doubtful thing.",
        "confidence": 0.2,
        "edges": edges,
    });
    fixture.call("memory_add", doubt).await;
    let given = json!({"start_id": start, "direction": "backward", "min_confidence": 0.5});
    assert_eq!(fixture.call("memory_traverse", given).await["visited_count"], 1);
}

#[tokio::test]
async fn an_unknown_direction_or_type_is_refused() {
    let fixture = new_fixture().await;
    let start = fixture.node("fact", "A thing.").await;
    let refusal = fixture
        .call_refused("memory_traverse", json!({"start_id": start, "direction": "up"}))
        .await;
    assert!(refusal.message.contains("backward"), "{refusal}");
    let refusal = fixture
        .call_refused("memory_traverse", json!({"start_id": start, "edge_types": ["likes"]}))
        .await;
    assert!(refusal.message.contains("`likes`"), "{refusal}");
}

#[tokio::test]
async fn memory_context_shows_every_edge_between_what_it_shows() {
    let fixture = new_fixture().await;
    let [fact, decision, inference, skill] = cascade(&fixture).await;
    let answer = fixture.call("memory_context", json!({"node_id": decision, "depth": 1})).await;
    assert_eq!((&answer["center_id"], &answer["depth"]), (&json!(decision), &json!(1)));
    let mut ids: Vec<i64> =
        each(&answer["nodes"], "id").iter().map(|id| id.as_i64().unwrap()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [fact, decision, inference, skill]);
    assert_eq!(answer["node_count"], 4);
    assert_eq!(
        answer["edge_count"].as_u64().unwrap() as usize,
        answer["edges"].as_array().unwrap().len()
    );
    let chained = answer["edges"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|edge| edge["edge_type"] == "temporal_next");
    assert_eq!(chained.count(), 3, "the session's chain runs through all four");
    let usual = fixture.call("memory_context", json!({"node_id": decision})).await;
    assert_eq!(usual["depth"], 2);
}

#[tokio::test]
async fn memory_context_takes_a_depth_between_one_and_five() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "A thing.").await;
    for (asked, used) in [(0, 1), (5, 5), (6, 5)] {
        let given = json!({"node_id": node, "depth": asked});
        assert_eq!(fixture.call("memory_context", given).await["depth"], used);
    }
}
