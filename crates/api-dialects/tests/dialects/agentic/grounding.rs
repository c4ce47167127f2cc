//! Grounding: claims that are verified, partly covered, contradicted or unknown.

use super::{each, new_fixture};
use serde_json::json;

#[tokio::test]
async fn a_claim_that_a_memory_covers_is_verified_with_the_evidence() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "The staging database is Postgres 16.").await;
    let answer = fixture
        .call("memory_ground", json!({"claim": "The staging database is Postgres 16"}))
        .await;
    assert_eq!((&answer["status"], &answer["evidence_count"]), (&json!("verified"), &json!(1)));
    assert_eq!(answer["claim"], "The staging database is Postgres 16");
    assert!(answer["confidence"].as_f64().unwrap() > 0.5);
    let piece = &answer["evidence"][0];
    assert_eq!(piece["node_id"], node);
    for field in [
        "event_type",
        "content",
        "confidence",
        "session_id",
        "created_at",
        "score",
        "matched_terms",
    ] {
        assert!(piece.get(field).is_some(), "{field}");
    }
}

#[tokio::test]
async fn a_claim_of_which_only_a_part_is_known_is_partial_and_says_what_is_missing() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The team uses PostgreSQL for billing.").await;
    let answer = fixture
        .call("memory_ground", json!({"claim": "The team uses PostgreSQL and Redis for billing"}))
        .await;
    assert_eq!(answer["status"], "partial");
    assert_eq!(answer["missing"], json!(["redis"]));
}

#[tokio::test]
async fn one_word_in_common_verifies_nothing() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The user lives in Berlin.").await;
    let answer = fixture
        .call("memory_ground", json!({"claim": "The user has a purple elephant named Bob"}))
        .await;
    assert_eq!(answer["status"], "ungrounded");
    assert_eq!((&answer["confidence"], &answer["evidence"]), (&json!(0.0), &json!([])));
    assert!(answer["reason"].is_string());
}

#[tokio::test]
async fn a_denial_of_what_is_known_is_not_verified_by_it() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The team uses PostgreSQL.").await;
    let answer =
        fixture.call("memory_ground", json!({"claim": "The team does not use PostgreSQL"})).await;
    assert_eq!(answer["status"], "ungrounded");
    assert_eq!(answer["contradicted_by"][0]["content"], "The team uses PostgreSQL.");
}

#[tokio::test]
async fn a_corrected_node_supports_no_claim() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "The office is in Toronto.").await;
    fixture
        .call(
            "memory_correct",
            json!({"old_node_id": old, "new_content": "The office is in Montreal."}),
        )
        .await;
    let wrong = fixture.call("memory_ground", json!({"claim": "The office is in Toronto"})).await;
    assert_ne!(wrong["status"], "verified");
    let right = fixture.call("memory_ground", json!({"claim": "The office is in Montreal"})).await;
    assert_eq!(right["status"], "verified");
}

#[tokio::test]
async fn a_true_claim_is_verified_however_small_the_memory() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Ada likes tea.").await;
    assert_eq!(
        fixture.call("memory_ground", json!({"claim": "Ada likes tea"})).await["status"],
        "verified"
    );
}

#[tokio::test]
async fn a_threshold_sets_how_much_of_the_claim_a_match_covers() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The team uses PostgreSQL for billing.").await;
    let claim = "The team uses PostgreSQL and Redis for billing";
    let strict = fixture.call("memory_ground", json!({"claim": claim, "threshold": 0.95})).await;
    assert_eq!(strict["status"], "ungrounded");
    let above = fixture.call(
        "memory_ground",
        json!({"claim": "The team uses PostgreSQL for billing", "threshold": 3.0}),
    );
    assert_eq!(
        above.await["status"],
        "verified",
        "a threshold of another scale wants everything covered"
    );
    assert!(
        fixture
            .call_refused("memory_ground", json!({"claim": claim, "threshold": -1.0}))
            .await
            .message
            .contains("threshold")
    );
}

#[tokio::test]
async fn an_empty_claim_is_ungrounded() {
    let fixture = new_fixture().await;
    let answer = fixture.call("memory_ground", json!({"claim": " "})).await;
    assert_eq!(answer["status"], "ungrounded");
    assert_eq!(answer["reason"], "the claim is empty");
}

#[tokio::test]
async fn an_ungrounded_claim_comes_with_suggestions_in_any_script() {
    let fixture = new_fixture().await;
    fixture.node("fact", &"ü".repeat(200)).await;
    fixture
        .node(
            "fact",
            "Die Räder des Fahrrads sind kaputt; äöüß und 東京 stehen in diesem langen Satz, der \
             weit über achtzig Zeichen hat und an keiner Stelle abbrechen darf.",
        )
        .await;
    let answer = fixture
        .call("memory_ground", json!({"claim": "Das Fahrrad hat grüne Räder aus Titan und Gold"}))
        .await;
    assert_ne!(answer["status"], "verified");
    let suggested = fixture.call("memory_suggest", json!({"query": "Räder kaputt"})).await;
    assert!(suggested["count"].as_u64().unwrap() >= 1);
}

#[tokio::test]
async fn every_search_tool_finds_a_node_that_was_just_stored() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The first fact of an older day.").await;
    fixture.call("memory_ground", json!({"claim": "warm up the view"})).await;
    fixture.node("fact", "The wombat deployment runs at noon.").await;
    let grounded =
        fixture.call("memory_ground", json!({"claim": "The wombat deployment runs at noon"})).await;
    assert_eq!(grounded["status"], "verified");
    for (tool, given) in [
        ("memory_evidence", json!({"query": "wombat deployment"})),
        ("memory_suggest", json!({"query": "wombat deployment"})),
        ("memory_similar", json!({"query_text": "wombat deployment"})),
    ] {
        assert!(fixture.call(tool, given).await["count"].as_u64().unwrap() >= 1, "{tool}");
    }
}

#[tokio::test]
async fn memory_evidence_shows_every_field_of_a_node() {
    let fixture = new_fixture().await;
    let cause = fixture.node("fact", "MongoDB lost our writes.").await;
    let node =
        fixture.node_to("decision", "We left MongoDB for PostgreSQL.", "caused_by", cause).await;
    let answer = fixture
        .call(
            "memory_evidence",
            json!({"query": "We left MongoDB for PostgreSQL", "max_results": 1}),
        )
        .await;
    assert_eq!(
        (&answer["count"], &answer["query"]),
        (&json!(1), &json!("We left MongoDB for PostgreSQL"))
    );
    let piece = answer["evidence"][0].as_object().unwrap();
    for field in [
        "node_id",
        "event_type",
        "content",
        "confidence",
        "session_id",
        "created_at",
        "last_accessed",
        "access_count",
        "decay_score",
        "score",
        "matched_terms",
        "outgoing_edges",
        "incoming_edges",
        "source",
    ] {
        assert!(piece.contains_key(field), "{field}");
    }
    assert_eq!(piece["node_id"], node);
    assert_eq!(piece["outgoing_edges"][0]["edge_type"], "caused_by");
    assert_eq!(piece["incoming_edges"][0]["edge_type"], "temporal_next");
    assert_eq!(piece["source"], format!("session:{}", piece["session_id"]));
}

#[tokio::test]
async fn evidence_and_suggestions_have_their_documented_counts() {
    let fixture = new_fixture().await;
    for number in 0..14 {
        fixture.node("fact", &format!("Server {number} stands in rack seven.")).await;
    }
    assert_eq!(
        fixture.call("memory_evidence", json!({"query": "server in rack seven"})).await["count"],
        10
    );
    let suggested = fixture.call("memory_suggest", json!({"query": "server in rack seven"})).await;
    assert_eq!(suggested["count"], 5);
    assert!(each(&suggested["suggestions"], "relevance_score").iter().all(|score| score.is_f64()));
    let two =
        fixture.call("memory_suggest", json!({"query": "server in rack seven", "limit": 2})).await;
    assert_eq!(two["count"], 2);
}
