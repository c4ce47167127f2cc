//! Queries by condition, and search by similarity.

use super::{each, new_fixture};
use serde_json::{Value, json};

#[tokio::test]
async fn memory_query_filters_by_each_of_its_conditions() {
    let fixture = new_fixture().await;
    let early = fixture.node("fact", "The sky is blue.").await;
    fixture.clock.advance(60);
    fixture.call("session_start", json!({})).await;
    let given = json!({"event_type": "decision", "content": "Paint it blue.", "confidence": 0.4});
    let late = fixture.call("memory_add", given).await;
    let (late, session) = (late["node_id"].clone(), late["session_id"].clone());
    let at = fixture.call("memory_resolve", json!({"node_id": late})).await["latest"]["created_at"]
        .clone();
    for (condition, expected) in [
        (json!({"event_types": ["decision"]}), &late),
        (json!({"max_confidence": 0.5}), &late),
        (json!({"session_ids": [session]}), &late),
        (json!({"created_after": at}), &late),
        (json!({"min_confidence": 0.5}), &json!(early)),
        (json!({"created_before": at.as_i64().unwrap() - 1}), &json!(early)),
        (json!({"event_types": ["fact", "skill"]}), &json!(early)),
    ] {
        let answer = fixture.call("memory_query", condition.clone()).await;
        assert_eq!(each(&answer["nodes"], "id"), [expected], "{condition}");
    }
}

#[tokio::test]
async fn memory_query_shows_every_field_of_a_node() {
    let fixture = new_fixture().await;
    fixture.node("skill", "Rust.").await;
    let answer = fixture.call("memory_query", json!({})).await;
    assert_eq!((&answer["count"], &answer["total"]), (&json!(1), &json!(1)));
    let node = answer["nodes"][0].as_object().unwrap();
    for field in [
        "id",
        "event_type",
        "content",
        "confidence",
        "session_id",
        "created_at",
        "decay_score",
        "access_count",
    ] {
        assert!(node.contains_key(field), "{field}");
    }
    assert_eq!((&node["decay_score"], &node["access_count"]), (&json!(1.0), &json!(0)));
}

#[tokio::test]
async fn memory_query_returns_the_twenty_newest_by_default() {
    let fixture = new_fixture().await;
    for number in 0..25 {
        fixture.clock.advance(1);
        fixture.node("fact", &format!("Fact number {number}.")).await;
    }
    let usual = fixture.call("memory_query", json!({})).await;
    assert_eq!((usual["count"].as_u64(), usual["total"].as_u64()), (Some(20), Some(25)));
    assert_eq!(usual["nodes"][0]["content"], "Fact number 24.");
    let all = fixture.call("memory_query", json!({"max_results": 1_000_000})).await;
    assert_eq!(all["count"], 25);
}

#[tokio::test]
async fn memory_query_sorts_by_confidence_use_and_importance() {
    let fixture = new_fixture().await;
    for (content, confidence) in
        [("Berlin is large.", 0.5), ("Paris is old.", 0.8), ("Rome is warm.", 0.6)]
    {
        fixture.clock.advance(1);
        let given = json!({"event_type": "fact", "content": content, "confidence": confidence});
        fixture.call("memory_add", given).await;
    }
    for _ in 0..2 {
        fixture.call("memory_similar", json!({"query_text": "Berlin large", "top_k": 1})).await;
    }
    let first = async |sort: &str| {
        let answer = fixture.call("memory_query", json!({"sort_by": sort, "max_results": 1})).await;
        answer["nodes"][0]["content"].as_str().unwrap().to_owned()
    };
    assert_eq!(first("most_recent").await, "Rome is warm.");
    assert_eq!(first("highest_confidence").await, "Paris is old.");
    assert_eq!(first("most_accessed").await, "Berlin is large.");
    assert_eq!(first("most_important").await, "Rome is warm.", "of equals, the younger");
}

#[tokio::test]
async fn an_unknown_filter_or_order_is_refused_and_never_shows_everything() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Something.").await;
    for given in [
        json!({"event_types": ["opinion"]}),
        json!({"event_types": ["fact", "opinion"]}),
        json!({"sort_by": "alphabet"}),
        json!({"min_confidence": 7.0}),
    ] {
        fixture.call_refused("memory_query", given).await;
    }
    assert_eq!(fixture.call("memory_query", json!({"session_ids": [77]})).await["count"], 0);
    let refusal = fixture
        .call_refused(
            "memory_similar",
            json!({"query_text": "something", "event_types": ["opinion"]}),
        )
        .await;
    assert!(refusal.message.contains("opinion"), "{refusal}");
}

#[tokio::test]
async fn access_count_counts_real_use_and_keeps_a_node_fresh() {
    let fixture = new_fixture().await;
    let node = fixture.node("fact", "The vault code is with Ada.").await;
    fixture.clock.advance(40 * 86_400);
    for _ in 0..3 {
        fixture.call("memory_ground", json!({"claim": "The vault code is with Ada."})).await;
    }
    let shown = &fixture.call("memory_query", json!({})).await["nodes"][0];
    assert_eq!((&shown["id"], &shown["access_count"]), (&json!(node), &json!(3)));
    assert_eq!(shown["decay_score"], json!(1.0));
}

#[tokio::test]
async fn memory_similar_finds_by_meaning_what_shares_no_word() {
    let fixture = new_fixture().await;
    let right = fixture.node("decision", "We chose PostgreSQL for billing.").await;
    fixture.node("fact", "The cat sleeps on the printer.").await;
    let given = json!({"query_text": "database for invoices", "min_similarity": 0.2});
    let answer = fixture.call("memory_similar", given).await;
    assert_eq!(answer["mode"], "hybrid");
    assert_eq!(answer["matches"][0]["node_id"], right);
    for field in
        ["similarity", "event_type", "content", "confidence", "text_score", "matched_terms"]
    {
        assert!(answer["matches"][0].get(field).is_some(), "{field}");
    }
}

#[tokio::test]
async fn memory_similar_respects_minimum_similarity_count_and_types() {
    let fixture = new_fixture().await;
    for number in 0..15 {
        fixture.node("fact", &format!("Release {number} went out on a Tuesday.")).await;
    }
    fixture.node("decision", "Every release goes out on a Tuesday.").await;
    let usual = fixture.call("memory_similar", json!({"query_text": "release on Tuesday"})).await;
    assert_eq!(usual["count"], 10);
    assert!(
        each(&usual["matches"], "similarity").iter().all(|score| score.as_f64().unwrap() >= 0.5)
    );
    let few = fixture
        .call("memory_similar", json!({"query_text": "release on Tuesday", "top_k": 3}))
        .await;
    assert_eq!(few["count"], 3);
    let given = json!({"query_text": "release on Tuesday", "event_types": ["decision"]});
    assert_eq!(fixture.call("memory_similar", given).await["count"], 1);
    let given = json!({"query_text": "quarterly tax statements", "min_similarity": 0.9});
    assert_eq!(
        fixture.call("memory_similar", given).await["count"],
        0,
        "the floor counts for texts too"
    );
}

#[tokio::test]
async fn memory_similar_compares_vectors_and_names_the_right_dimension() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The sky is blue.").await;
    let dimension =
        fixture.call("memory_stats", json!({})).await["dimension"].as_u64().unwrap() as usize;
    let refusal = fixture.call_refused("memory_similar", json!({"query_vec": [1.0, 0.0]})).await;
    assert!(refusal.message.contains(&dimension.to_string()), "{refusal}");
    let mut vector = vec![0.0; dimension];
    assert!(
        fixture
            .call_refused("memory_similar", json!({"query_vec": vector}))
            .await
            .message
            .contains("zeros")
    );
    vector[3] = 1.0;
    let answer =
        fixture.call("memory_similar", json!({"query_vec": vector, "min_similarity": 0.0})).await;
    assert_eq!(answer["mode"], "vector");
    let same = stored_vector("The sky is blue.");
    let answer =
        fixture.call("memory_similar", json!({"query_vec": same, "min_similarity": 0.9})).await;
    assert_eq!(answer["matches"][0]["content"], "The sky is blue.");
}

fn stored_vector(text: &str) -> Vec<f32> {
    use embed::Embedder;
    embed::BundledEmbedder::new().embed(&[text]).unwrap().pop().unwrap().mean()
}

#[tokio::test]
async fn memory_similar_needs_a_text_or_a_vector() {
    let fixture = new_fixture().await;
    let refusal = fixture.call_refused("memory_similar", json!({"top_k": 3})).await;
    assert!(
        refusal.message.contains("query_text") && refusal.message.contains("query_vec"),
        "{refusal}"
    );
}

#[tokio::test]
async fn texts_without_spaces_between_their_words_are_found() {
    let fixture = new_fixture().await;
    fixture.node("fact", "東京の天気は晴れです").await;
    fixture.node("fact", "The printer is out of paper.").await;
    let answer =
        fixture.call("memory_similar", json!({"query_text": "天気", "min_similarity": 0.1})).await;
    assert_eq!(answer["matches"][0]["content"], Value::from("東京の天気は晴れです"));
}
