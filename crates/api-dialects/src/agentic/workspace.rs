//! Workspaces: several memories asked side by side: `.amem` files in directories that the owner
//! allowed, and memories of this installation.

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
use model::{ErrorCode, Failure, JsonMap, Workspace, WorkspaceContext, WorkspaceId};
use serde_json::Value;

/// How much of a topic a memory covers to speak of it.
const SPEAKS_OF: f32 = 0.5;

/// How many workspaces are named where one was not found.
const NAMED: usize = 10;

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
        // A number that no workspace has stands for a name that is none.
        let wanted = number(id).unwrap_or(WorkspaceId(0));
        match self.engine.workspaces().get(self.caller, wanted).await {
            Err(failure) if failure.code == ErrorCode::NotFound => {
                Err(unknown(id, &self.engine.workspaces().list(self.caller).await?))
            }
            found => found,
        }
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

fn number(id: &str) -> Option<WorkspaceId> {
    id.trim().strip_prefix("ws_").and_then(|digits| digits.parse().ok()).map(WorkspaceId)
}

/// The refusal of a workspace that is not there. No tool of the contract lists those that are, so
/// it names them.
fn unknown(id: &str, all: &[Workspace]) -> Failure {
    let shown: String = id.chars().take(60).collect();
    let newest = all.iter().rev().take(NAMED).map(|one| format!("{} ({})", name(one.id), one.name));
    let known = newest.collect::<Vec<_>>().join(", ");
    let there = if all.is_empty() {
        "there is none yet".to_owned()
    } else {
        format!("the newest are {known}")
    };
    Failure::not_found(
        "workspace",
        format!("`{shown}`; {there}; memory_workspace_create makes one"),
    )
}
