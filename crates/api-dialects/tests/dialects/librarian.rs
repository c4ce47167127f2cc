//! The Librarian dialect: the seven verbs of its contract, and documented behavior that the
//! original does not deliver.

mod flags;
mod handoffs;
mod invalid_arguments;
mod recall;
mod references;
mod remember;
mod surface;

use crate::fixture::DialectFixture;
use dialects::Librarian;
use serde_json::{Value, json};

async fn new_fixture() -> DialectFixture {
    DialectFixture::with_dialect(Librarian::default()).await
}

impl DialectFixture {
    /// Stores a note and returns its id.
    async fn store_note(&self, title: &str, body: &str) -> String {
        let receipt = self.call("remember", json!({"title": title, "body": body})).await;
        receipt["id"].as_str().unwrap().to_owned()
    }

    /// Returns the titles that `recall` returns, best first.
    async fn titles(&self, arguments: Value) -> Vec<String> {
        let answer = self.call("recall", arguments).await;
        let memories = answer["memories"].as_array().unwrap().clone();
        memories
            .iter()
            .map(|memory| memory["title"].as_str().unwrap_or_default().to_owned())
            .collect()
    }
}
