//! Converts a dialect's tool into the protocol's listing of it.

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use std::sync::Arc;

/// Key in a tool's `_meta`. Clients that hide tools until they are searched for show the tools that
/// carry it.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// Returns the tool with its title, annotations and both schemas, marked if it is always loaded.
pub(crate) fn tool_listing(tool: &dialects::ToolSpec) -> Tool {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .idempotent(tool.annotations.idempotent)
        .open_world(tool.annotations.open_world);
    let listed = Tool::new(tool.name, tool.description, Arc::new(tool.input.clone()))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(tool.output.clone()))
        .with_annotations(annotations);
    if tool.always_load { listed.with_meta(always_load_meta()) } else { listed }
}

fn always_load_meta() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert(ALWAYS_LOAD.to_owned(), true.into());
    meta
}
