//! What no tool of any dialect can be asked for: a file, an address, or somebody else's name. An
//! argument that only sounds so has its reason here.

use dialects::{Agentic, CodeMemory, Dialect, Epitome, Librarian, Quipu, Tool};

/// Words in the name of an argument that would make a server open something for whoever calls.
const REACHING: [&str; 9] =
    ["path", "file", "dir", "cwd", "folder", "url", "uri", "command", "endpoint"];

/// Arguments that have such a word in them and open nothing that the owner did not open before.
const HARMLESS: [(&str, &str, &str); 6] = [
    ("memory_traverse", "direction", "which way links are followed"),
    (
        "memory_workspace_add",
        "path",
        "an .amem file below a directory that the owner allowed in the settings",
    ),
    ("store_handoff", "cwd", "kept as a text beside the handoff"),
    ("list_handoffs", "cwd", "compared with the text that is kept"),
    ("claim_handoff", "claiming_cwd", "kept as a text beside the claim"),
    ("remember", "profile", "fields about the owner"),
];

fn dialects() -> Vec<Box<dyn Dialect>> {
    vec![
        Box::new(Quipu::default()),
        Box::new(Epitome::listing_all()),
        Box::new(Agentic::default()),
        Box::new(Librarian::default()),
        Box::new(CodeMemory::default()),
    ]
}

fn arguments(tool: &Tool) -> Vec<String> {
    let properties = tool.input.get("properties").and_then(|properties| properties.as_object());
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

#[test]
fn no_tool_opens_a_file_or_an_address_that_a_caller_names() {
    let mut used = Vec::new();
    for dialect in dialects() {
        for tool in dialect.tools() {
            for argument in arguments(tool) {
                let reaches = REACHING.iter().any(|word| argument.to_lowercase().contains(word));
                let reason =
                    HARMLESS.iter().find(|(of, name, _)| *of == tool.name && *name == argument);
                assert!(
                    !reaches || reason.is_some(),
                    "`{argument}` of {} needs a reason here",
                    tool.name
                );
                used.extend(reason);
            }
        }
    }
    for row in &HARMLESS {
        assert!(used.contains(&row), "{row:?} is no argument any more");
    }
}
