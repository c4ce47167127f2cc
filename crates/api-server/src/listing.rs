//! A dialect's tool as the protocol lists it.

use rmcp::model::{MetaObject, Tool, ToolAnnotations};
use std::sync::Arc;

/// Clients that hide tools until they are searched for show those that carry this.
const ALWAYS_LOAD: &str = "anthropic/alwaysLoad";

/// The tool with its title, its four annotations, both schemas and its wish to be shown.
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
