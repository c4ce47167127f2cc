//! Workspaces: several memories asked side by side: `.amem` files in directories that the owner allowed, and
//! memories of this installation.

mod add;
mod compare;
mod create;
mod list;
mod query;
mod source;
mod xref;

pub(super) use source::Sources;
pub use source::WorkspacePlaces;

use super::Agentic;
use crate::Tool;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Workspace, WorkspaceContext, WorkspaceId};
use serde_json::Value;

/// How much of a topic a memory covers to speak of it.
const SPEAKS_OF: f32 = 0.5;

/// The tools, in the order of the document.
pub(super) fn tools() -> [Tool; 6] {
    [create::tool(), add::tool(), list::tool(), query::tool(), compare::tool(), xref::tool()]
}

/// Calls one of the tools.
pub(super) async fn call(
    agentic: &Agentic,
    engine: &Engine,
    caller: &Caller,
    tool: &str,
    given: JsonMap,
) -> Result<Value, Failure> {
    let asked = Asked { engine, caller, sources: &agentic.sources };
    match tool {
        "memory_workspace_create" => create::call(&asked, given).await,
        "memory_workspace_add" => add::call(&asked, given).await,
        "memory_workspace_list" => list::call(&asked, given).await,
        "memory_workspace_query" => query::call(&asked, given).await,
        "memory_workspace_compare" => compare::call(&asked, given).await,
        "memory_workspace_xref" => xref::call(&asked, given).await,
        _ => Err(Failure::not_found("tool", tool)),
    }
}

/// Who asks, and where the answers are.
struct Asked<'a> {
    engine: &'a Engine,
    caller: &'a Caller,
    sources: &'a Sources,
}

impl Asked<'_> {
    async fn workspace(&self, id: &str) -> Result<Workspace, Failure> {
        self.engine.workspace(self.caller, number(id)?).await
    }
}

/// A workspace's number as the contract writes it.
fn name(workspace: WorkspaceId) -> String {
    format!("ws_{workspace}")
}

/// A context's number as the contract writes it.
fn context_name(workspace: WorkspaceId, context: &WorkspaceContext) -> String {
    format!("ctx_{}_{}", context.number, name(workspace))
}

fn number(id: &str) -> Result<WorkspaceId, Failure> {
    let digits = id.trim().strip_prefix("ws_").and_then(|digits| digits.parse().ok());
    let shown: String = id.chars().take(60).collect();
    digits.map(WorkspaceId).ok_or_else(|| Failure::not_found("workspace", shown))
}
