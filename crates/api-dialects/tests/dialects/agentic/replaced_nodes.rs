//! Replaced nodes: walks go on at the newest version, and a session's extract follows its nodes.

use super::{each, new_fixture};
use crate::fixture::DialectFixture;
use serde_json::{Value, json};

/// Adds a fact, a decision caused by it and an inference derived from that, corrects the decision
/// and returns the four nodes, the correction last.
async fn corrected_cascade(fixture: &DialectFixture) -> [i64; 4] {
    let fact = fixture.node("fact", "Traffic doubles every month.").await;
    let decision = fixture.node_to("decision", "We move to two servers.", "caused_by", fact).await;
    let inference =
        fixture.node_to("inference", "The bill will double too.", "derived_from", decision).await;
    let new = correct(fixture, decision, "We move to three servers.").await;
    [fact, decision, inference, new]
}

async fn correct(fixture: &DialectFixture, old: i64, new_content: &str) -> i64 {
    let given = json!({"old_node_id": old, "new_content": new_content});
    fixture.call("memory_correct", given).await["new_node_id"].as_i64().unwrap()
}

/// Ends a session of two facts without a summary and returns the facts and the episode.
async fn ended_session(fixture: &DialectFixture) -> [i64; 3] {
    let port = fixture.node("fact", "The API listens on port 8080.").await;
    let disk = fixture.node("fact", "The staging disk is encrypted.").await;
    let ended = fixture.call("session_end", json!({})).await;
    [port, disk, ended["episode_node_id"].as_i64().unwrap()]
}

fn sorted(list: &Value, field: &str) -> Vec<i64> {
    let mut ids: Vec<i64> = each(list, field).iter().map(|id| id.as_i64().unwrap()).collect();
    ids.sort_unstable();
    ids
}

#[tokio::test]
async fn memory_traverse_goes_on_at_the_correction() {
    let fixture = new_fixture().await;
    let [fact, _, inference, new] = corrected_cascade(&fixture).await;
    let causes = json!({"start_id": inference, "edge_types": ["caused_by", "derived_from"]});
    let answer = fixture.call("memory_traverse", causes).await;
    assert_eq!(each(&answer["visited"], "id"), [inference, new, fact]);
    assert_eq!(each(&answer["edges_traversed"], "target_id"), [new, fact]);
}

#[tokio::test]
async fn memory_traverse_from_a_replaced_node_starts_at_the_correction() {
    let fixture = new_fixture().await;
    let [fact, old, _, new] = corrected_cascade(&fixture).await;
    let causes = json!({"start_id": old, "edge_types": ["caused_by"]});
    let answer = fixture.call("memory_traverse", causes).await;
    assert_eq!(answer["start_id"], new);
    assert_eq!(each(&answer["visited"], "id"), [new, fact]);
    let history = json!({"start_id": new, "edge_types": ["supersedes"]});
    let answer = fixture.call("memory_traverse", history).await;
    assert_eq!(each(&answer["visited"], "id"), [new, old], "the history shows each version");
}

#[tokio::test]
async fn memory_context_shows_the_correction_in_place_of_the_old_node() {
    let fixture = new_fixture().await;
    let [fact, old, inference, new] = corrected_cascade(&fixture).await;
    for node in [old, new] {
        let answer = fixture.call("memory_context", json!({"node_id": node, "depth": 1})).await;
        assert_eq!(answer["center_id"], new);
        assert_eq!(sorted(&answer["nodes"], "id"), [fact, inference, new]);
        let caused = answer["edges"].as_array().unwrap().iter();
        let caused = caused.filter(|edge| edge["edge_type"] == "caused_by");
        let ends: Vec<_> = caused.map(|edge| (&edge["source_id"], &edge["target_id"])).collect();
        assert_eq!(ends, [(&json!(new), &json!(fact))]);
    }
}

#[tokio::test]
async fn memory_causal_counts_what_depends_on_any_version() {
    let fixture = new_fixture().await;
    let [fact, old, inference, new] = corrected_cascade(&fixture).await;
    let answer = fixture.call("memory_causal", json!({"node_id": fact})).await;
    assert_eq!(sorted(&answer["dependents"], "id"), [inference, new]);
    let answer = fixture.call("memory_causal", json!({"node_id": old})).await;
    assert_eq!((&answer["root_id"], &answer["dependent_count"]), (&json!(new), &json!(1)));
    assert_eq!(sorted(&answer["dependents"], "id"), [inference]);
}

#[tokio::test]
async fn memory_evidence_shows_the_edges_of_every_version() {
    let fixture = new_fixture().await;
    let [fact, _, inference, new] = corrected_cascade(&fixture).await;
    let answer = fixture.call("memory_evidence", json!({"query": "three servers"})).await;
    let evidence = answer["evidence"].as_array().unwrap();
    let node = evidence.iter().find(|node| node["node_id"] == new).unwrap();
    let has = |edges: &Value, kind: &str, end: &str, id: i64| {
        let edges = edges.as_array().unwrap();
        edges.iter().any(|edge| edge["edge_type"] == kind && edge[end] == id)
    };
    assert!(has(&node["outgoing_edges"], "caused_by", "target_id", fact), "{node}");
    assert!(has(&node["incoming_edges"], "derived_from", "source_id", inference), "{node}");
}

#[tokio::test]
async fn the_episode_of_a_session_follows_a_correction() {
    let fixture = new_fixture().await;
    let [port, _, episode] = ended_session(&fixture).await;
    correct(&fixture, port, "The API listens on port 9090.").await;
    let resumed = fixture.call("memory_session_resume", json!({})).await;
    let summary = resumed["last_episode"].to_string();
    assert_eq!(resumed["last_episode"]["node_id"], episode);
    assert!(summary.contains("9090") && !summary.contains("8080"), "{summary}");
}

#[tokio::test]
async fn memory_ground_verifies_no_corrected_claim_through_an_episode() {
    let fixture = new_fixture().await;
    let [port, disk, _] = ended_session(&fixture).await;
    let ground = async |claim: &str| fixture.call("memory_ground", json!({"claim": claim})).await;
    let known = ground("The staging disk is encrypted.").await;
    assert_eq!(known["status"], "verified");
    assert_eq!(each(&known["evidence"], "node_id"), [disk]);
    correct(&fixture, port, "The API listens on port 9090.").await;
    assert_ne!(ground("The API listens on port 8080.").await["status"], "verified");
    assert_eq!(ground("The API listens on port 9090.").await["status"], "verified");
}

#[tokio::test]
async fn memory_evidence_is_the_node_and_not_the_episode_that_quotes_it() {
    let fixture = new_fixture().await;
    let [_, disk, episode] = ended_session(&fixture).await;
    let answer = fixture.call("memory_evidence", json!({"query": "staging disk encrypted"})).await;
    let ids = each(&answer["evidence"], "node_id");
    assert!(ids.contains(&&json!(disk)) && !ids.contains(&&json!(episode)), "{answer}");
}
