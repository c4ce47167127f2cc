//! `search_references`: long documents, which no other verb returns.

use super::new_fixture;
use crate::fixture::DialectFixture;
use engine::Caller;
use engine::references::FileReferenceRequest;
use model::{ErrorCode, OwnerId};
use serde_json::json;

async fn file_reference(fixture: &DialectFixture, path: &str, text: &str) {
    let reference = FileReferenceRequest { path: path.into(), text: text.into() };
    fixture.engine.references().put(&Caller::person(OwnerId::me()), &reference).await.unwrap();
}

#[tokio::test]
async fn a_match_shows_path_heading_and_section() {
    let fixture = new_fixture().await;
    let manual = "# Billing\nAll about money.\n\
                  ## Numbers\nInvoices are numbered by year and counter.\n## Taxes\nVAT.";
    file_reference(&fixture, "manuals/billing.md", manual).await;
    file_reference(&fixture, "manuals/garden.md", "# Garden\nRoses need water.").await;
    let answer =
        fixture.call("search_references", json!({"query": "how are invoices numbered?"})).await;
    let first = &answer["references"][0];
    assert_eq!(
        (first["path"].as_str(), first["heading"].as_str()),
        (Some("manuals/billing.md"), Some("Billing > Numbers"))
    );
    assert_eq!(first["section"], "## Numbers\nInvoices are numbered by year and counter.");
    let text = fixture.render_text("search_references", &answer);
    assert!(
        text.starts_with("manuals/billing.md # Billing > Numbers\n  ## Numbers\n  Inv"),
        "{text}"
    );
}

#[tokio::test]
async fn references_never_appear_in_recall_and_memories_never_in_references() {
    let fixture = new_fixture().await;
    file_reference(&fixture, "a.md", "# Invoices\nInvoices are numbered by year.").await;
    assert_eq!(fixture.titles(json!({"query": "invoices"})).await, Vec::<String>::new());
    fixture.store_note("Invoices", "Invoices go out on Mondays.").await;
    let found = fixture.call("search_references", json!({"query": "invoices on Mondays"})).await;
    assert_eq!(found["references"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn twelve_documents_are_shown_by_default() {
    let fixture = new_fixture().await;
    for n in 0..14 {
        file_reference(
            &fixture,
            &format!("{n}.md"),
            &format!("# Note {n}\nGardens number {n} and their roses."),
        )
        .await;
    }
    let usual = fixture.call("search_references", json!({"query": "gardens"})).await;
    assert_eq!(usual["references"].as_array().unwrap().len(), 12);
    let two = fixture.call("search_references", json!({"query": "gardens", "limit": 2})).await;
    assert_eq!(two["references"].as_array().unwrap().len(), 2);
    let failure =
        fixture.call_refused("search_references", json!({"query": "gardens", "limit": 0})).await;
    assert_eq!(failure.code, ErrorCode::InvalidArgument);
}

#[tokio::test]
async fn an_empty_query_is_refused_and_a_missing_match_is_reported() {
    let fixture = new_fixture().await;
    assert_eq!(
        fixture.call_refused("search_references", json!({"query": " "})).await.code,
        ErrorCode::InvalidArgument
    );
    let answer = fixture.call("search_references", json!({"query": "anything"})).await;
    assert_eq!(answer["references"], json!([]));
    assert!(answer["hint"].as_str().unwrap().contains("quipu reference add"));
}

#[tokio::test]
async fn a_long_section_is_cut_to_the_matching_passage() {
    let fixture = new_fixture().await;
    let gardens: String =
        (0..400).map(|n| format!("Bed {n} has roses, tulips and some herbs in it.\n")).collect();
    let text = format!("# Garden\n{gardens}The sprinkler starts at six.\n{gardens}");
    file_reference(&fixture, "garden.md", &text).await;
    let answer =
        fixture.call("search_references", json!({"query": "when does the sprinkler start?"})).await;
    let section = answer["references"][0]["section"].as_str().unwrap();
    assert!(section.contains("The sprinkler starts at six."), "{section}");
    assert!(section.len() < 4_000, "{}", section.len());
}

#[tokio::test]
async fn a_document_without_a_heading_is_named_by_its_path_alone() {
    let fixture = new_fixture().await;
    file_reference(&fixture, "notes.md", "The sprinkler starts at six.").await;
    let answer = fixture.call("search_references", json!({"query": "sprinkler"})).await;
    assert_eq!(answer["references"][0]["heading"], "");
    assert_eq!(
        fixture.render_text("search_references", &answer),
        "notes.md\n  The sprinkler starts at six."
    );
}

#[tokio::test]
async fn a_nonsense_query_returns_no_section() {
    let fixture = new_fixture().await;
    let manual = "# Billing\nInvoices are numbered by year and counter.\n## Taxes\nVAT is 20 %.";
    file_reference(&fixture, "manuals/billing.md", manual).await;
    file_reference(&fixture, "garden.md", "# Garden\nRoses need water in the evening.").await;
    for query in ["qqq zzz", "xyzzy plugh frobnicate", "asdf jkl"] {
        let answer = fixture.call("search_references", json!({ "query": query })).await;
        assert_eq!(answer["references"], json!([]), "{query}");
    }
    for (query, path) in [
        ("how do I number invoices?", "manuals/billing.md"),
        ("when to water the flowers", "garden.md"),
    ] {
        let answer = fixture.call("search_references", json!({ "query": query })).await;
        assert_eq!(answer["references"][0]["path"], path, "{query}");
    }
}
