//! The code-memory dialect: the eleven tools of its contract, and documented behavior that the
//! original does not deliver.

mod defaults;
mod examples;
mod graph;
mod invalid_arguments;
mod maintenance;
mod remember;
mod search;
mod surface;

use crate::fixture::DialectFixture;
use dialects::{CodeMemory, CodeMemorySettings};
use serde_json::{Value, json};

const SESSION: &str = "opencode:2026-01-04";

async fn new_fixture() -> DialectFixture {
    DialectFixture::with_dialect(CodeMemory::default()).await
}

/// Creates a fixture with the given settings.
async fn fixture_with_settings(settings: &[(&str, &str)]) -> DialectFixture {
    let mut set = CodeMemorySettings::default();
    for (name, value) in settings {
        set.set(name, value).unwrap();
    }
    DialectFixture::with_dialect(CodeMemory::new(set)).await
}

impl DialectFixture {
    /// Stores a text in a session and returns its id.
    async fn store(&self, session: &str, content: &str) -> i64 {
        let stored =
            self.call("remember", json!({"content": content, "session_id": session})).await;
        stored["id"].as_i64().unwrap_or_else(|| panic!("{stored}"))
    }

    /// Searches the default session.
    async fn search(&self, query: &str) -> Vec<Value> {
        self.search_with(json!({"query": query, "session_id": SESSION})).await
    }

    /// Calls `search_memory` and returns the hits, best first.
    async fn search_with(&self, arguments: Value) -> Vec<Value> {
        self.call("search_memory", arguments)
            .await
            .as_array()
            .expect("the result is an array")
            .clone()
    }
}

/// Returns the contents of a list of memories.
fn contents(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["content"].as_str().unwrap()).collect()
}
