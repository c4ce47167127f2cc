//! A tool as a client reads it in the list, and what the list costs.

use dialects::Tool;
use serde_json::{Value, json};

/// A careful estimate of tokens: four bytes each, as compact JSON.
pub fn tokens(text: &str) -> usize {
    text.len().div_ceil(4)
}

/// The tool with everything that the protocol lists of it.
pub fn listed(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input,
        "outputSchema": tool.output,
        "annotations": {
            "readOnlyHint": tool.annotations.read_only,
            "destructiveHint": tool.annotations.destructive,
            "idempotentHint": tool.annotations.idempotent,
            "openWorldHint": tool.annotations.open_world,
        },
    })
}
