//! The AgenticMemory dialect: its document, tool by tool, and documented behavior that the original
//! program does not deliver.

mod corrections;
mod defaults;
mod details;
mod document;
mod graph;
mod grounding;
mod invalid_arguments;
mod nodes;
mod queries;
mod replaced_nodes;
mod resources_and_prompts;
mod sessions;
mod shared_memory;
mod spaceless_scripts;
mod statistics_and_quality;
mod surface;
mod tolerance;
mod workspaces;

use crate::fixture::DialectFixture;
use dialects::Agentic;
use serde_json::{Value, json};

/// Creates a fixture with the AgenticMemory dialect.
async fn new_fixture() -> DialectFixture {
    DialectFixture::with_dialect(Agentic::default()).await
}

impl DialectFixture {
    /// Adds a node and returns its id.
    async fn node(&self, event_type: &str, content: &str) -> i64 {
        let given = json!({"event_type": event_type, "content": content});
        self.call("memory_add", given).await["node_id"].as_i64().unwrap()
    }

    /// Adds a node with one edge and returns its id.
    async fn node_to(&self, event_type: &str, content: &str, edge_type: &str, target: i64) -> i64 {
        let edges = json!([{"target_id": target, "edge_type": edge_type}]);
        let given = json!({"event_type": event_type, "content": content, "edges": edges});
        self.call("memory_add", given).await["node_id"].as_i64().unwrap()
    }
}

/// Returns a field of every object in a list.
fn each<'v>(list: &'v Value, field: &str) -> Vec<&'v Value> {
    list.as_array().unwrap().iter().map(|one| &one[field]).collect()
}
