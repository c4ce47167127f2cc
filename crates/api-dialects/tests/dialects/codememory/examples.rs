//! The JSON examples of the contract's document, verbatim.

use super::new_fixture;
use serde_json::json;

#[tokio::test]
async fn the_documents_example_of_remember_is_stored_as_written() {
    let fixture = new_fixture().await;
    let stored = fixture
        .call(
            "remember",
            json!({
              "content": "Decision: keep embeddings CPU-only. \
                          Use sqlite-vec for local semantic search.",
              "session_id": "opencode:2026-01-04",
              "kind": "decision",
              "summary": "Chose CPU-only embeddings + sqlite-vec for local semantic memory.",
              "tags": "architecture,sqlite,embeddings",
              "priority": 1,
              "metadata_json": "{\"repo\":\"mcp-code-vector-memory-sql\",\"ticket\":\"MEM-12\"}"
            }),
        )
        .await;
    assert!(stored["id"].is_i64());
    assert_eq!(
        stored["summary"],
        "Chose CPU-only embeddings + sqlite-vec for local semantic memory."
    );
    assert_eq!(
        (&stored["session_id"], &stored["kind"]),
        (&json!("opencode:2026-01-04"), &json!("decision"))
    );
    assert_eq!(
        (&stored["tags"], &stored["priority"]),
        (&json!("architecture,sqlite,embeddings"), &json!(1))
    );
}

#[tokio::test]
async fn the_documents_example_of_search_memory_finds_by_words_although_it_has_a_hyphen() {
    let fixture = new_fixture().await;
    for content in [
        "sqlite-vec fails with an embedding dimension mismatch when the model changes.",
        "The cat sleeps on the printer.",
    ] {
        fixture.store("opencode:2026-01-04", content).await;
    }
    let found = fixture
        .search_with(json!({
          "query": "sqlite-vec embedding dimension mismatch",
          "session_id": "opencode:2026-01-04",
          "limit": 8,
          "top_p": 0.7
        }))
        .await;
    assert!(found[0]["content"].as_str().unwrap().starts_with("sqlite-vec fails"));
    assert_eq!(found[0]["fts_hit"], true);
}
