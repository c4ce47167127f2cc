//! `store_handoff`: hands over unfinished work as a document with exactly five sections.

use super::render;
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::handoffs::StoreHandoffRequest;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, NewHandoff};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `store_handoff`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Short headline, shown in the list.
    title: String,
    /// Markdown with exactly five headings: Start & intent, Journey, Current state, What's left,
    /// Open questions.
    document_md: String,
    /// Project it belongs to.
    project_key: Option<String>,
    /// Location of the work: a conversation or run id, or an absolute path.
    source_ref: Option<String>,
    /// Working directory of the work.
    cwd: Option<String>,
    /// Program of the work: claude-code, codex...
    harness: Option<String>,
    /// Labels to find it by.
    tags: Option<Vec<String>>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "store_handoff",
    title: "Store a handoff",
    description: "Hand over unfinished work when you pause or stop halfway, so that any agent \
                  in any program can continue. The document must have exactly five sections: \
                  Start & intent, Journey, Current state, What's left, Open questions. The \
                  next agent finds it with list_handoffs. Example: {\"title\": \"Move \
                  billing\", \"document_md\": \"## Start & intent\\n...\", \
                  \"project_key\": \"shop\"}",
    input: arguments::open_schema::<Arguments>,
    output: "handoff_id: string, title: string, project_key?: string, cwd?: string, \
             harness?: string, source_ref?: string, tags?: strings, created_by: string, \
             created_at: string, notes?: strings, \
             ignored?: objects",
    always_load: false,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = render::take_ignored_arguments(&mut given, &["project_key"], caller);
    let arguments: Arguments = arguments::read(given)?;
    let handoff = NewHandoff {
        title: arguments.title,
        document: arguments.document_md,
        project: arguments::non_empty(arguments.project_key),
        cwd: arguments::non_empty(arguments.cwd),
        harness: arguments::non_empty(arguments.harness),
        source_ref: arguments::non_empty(arguments.source_ref),
        tags: arguments
            .tags
            .into_iter()
            .flatten()
            .filter_map(|tag| arguments::non_empty(Some(tag)))
            .collect(),
    };
    let stored = engine
        .handoffs()
        .store(caller, &StoreHandoffRequest { handoff, idempotency_key: None })
        .await?;
    let mut answer = render::handoff(&stored.handoff);
    render::insert_notes(&mut answer, &stored.notes);
    render::insert_non_empty(&mut answer, "ignored", ignored);
    Ok(Value::Object(answer))
}
