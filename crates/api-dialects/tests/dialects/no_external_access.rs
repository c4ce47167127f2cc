//! No tool of any dialect opens a file or an address that a caller names. An argument whose name
//! merely suggests it is listed with the reason.

use dialects::{Agentic, CodeMemory, DialectApi, Epitome, Librarian, Quipu, ToolSpec};

/// Words in the name of an argument that suggest that the server opens something for the caller.
const REACHING_WORDS: [&str; 9] =
    ["path", "file", "dir", "cwd", "folder", "url", "uri", "command", "endpoint"];

/// Arguments with such a word that open nothing beyond what the owner allowed.
const ALLOWED: [(&str, &str, &str); 6] = [
    ("memory_traverse", "direction", "the direction in which links are followed"),
    (
        "memory_workspace_add",
        "path",
        "an .amem file below a directory that the owner allowed in the settings",
    ),
    ("store_handoff", "cwd", "stored as text with the handoff"),
    ("list_handoffs", "cwd", "compared with the stored text"),
    ("claim_handoff", "claiming_cwd", "stored as text with the claim"),
    ("remember", "profile", "fields about the owner"),
];

fn dialects() -> Vec<Box<dyn DialectApi>> {
    vec![
        Box::new(Quipu::default()),
        Box::new(Epitome::listing_all()),
        Box::new(Agentic::default()),
        Box::new(Librarian::default()),
        Box::new(CodeMemory::default()),
    ]
}

fn arguments(tool: &ToolSpec) -> Vec<String> {
    let properties = tool.input.get("properties").and_then(|properties| properties.as_object());
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn no_tool_opens_a_file_or_an_address_that_a_caller_names() {
    let mut used = Vec::new();
    for dialect in dialects() {
        for tool in dialect.tools() {
            for argument in arguments(tool) {
                let reaches =
                    REACHING_WORDS.iter().any(|word| argument.to_lowercase().contains(word));
                let reason =
                    ALLOWED.iter().find(|(of, name, _)| *of == tool.name && *name == argument);
                assert!(
                    !reaches || reason.is_some(),
                    "`{argument}` of {} needs a reason here",
                    tool.name
                );
                used.extend(reason);
            }
        }
    }
    for row in &ALLOWED {
        assert!(used.contains(&row), "{row:?} is no longer an argument");
    }
}
