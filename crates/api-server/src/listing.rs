//! Converts a dialect's tool into the protocol's listing of it.

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use std::sync::Arc;

/// Key in a tool's `_meta`. Clients that hide tools until they are searched for show the tools that
/// carry it.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// Returns the tool with its title, annotations and both schemas, marked if it is always loaded.
pub(crate) fn listed(tool: &dialects::Tool) -> Tool {
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.annotations.read_only)
        .destructive(tool.annotations.destructive)
        .idempotent(tool.annotations.idempotent)
        .open_world(tool.annotations.open_world);
    let listed = Tool::new(tool.name, tool.description, Arc::new(tool.input.clone()))
        .with_title(tool.title)
        .with_raw_output_schema(Arc::new(tool.output.clone()))
        .with_annotations(annotations);
    if tool.always_load { listed.with_meta(shown_from_the_start()) } else { listed }
}

fn shown_from_the_start() -> MetaObject {
    let mut meta = MetaObject::default();
    meta.insert(ALWAYS_LOAD.to_owned(), true.into());
    meta
}
