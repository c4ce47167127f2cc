//! Workspaces: one query over several memories: `.amem` files in directories that the owner
//! allowed, and memories of this installation.

pub(super) mod add;
pub(super) mod compare;
pub(super) mod create;
pub(super) mod list;
pub(super) mod query;
mod sources;
pub(super) mod xref;

pub use sources::WorkspaceAllowlist;
pub(super) use sources::WorkspaceSources;

use crate::tool_table::ToolContext;
use model::{ErrorCode, Failure, Workspace, WorkspaceContext, WorkspaceId};

/// Minimum score of a match for a memory to count as mentioning a topic.
const TOPIC_SCORE_MIN: f32 = 0.5;

/// Maximum number of workspaces named in the error for an unknown one.
const SUGGESTED_WORKSPACES: usize = 10;

/// Context of a call: the engine, the caller and the sources it may read.
type WorkspaceAccess<'a> = ToolContext<'a, WorkspaceSources>;

impl WorkspaceAccess<'_> {
    async fn workspace(&self, id: &str) -> Result<Workspace, Failure> {
        // No workspace has the id 0, so a malformed id ends in the same error as an unknown one.
        let wanted = parse_id(id).unwrap_or(WorkspaceId(0));
        match self.engine.workspaces().get(self.caller, wanted).await {
            Err(failure) if failure.code == ErrorCode::NotFound => {
                Err(unknown_workspace(id, &self.engine.workspaces().list(self.caller).await?))
            }
            found => found,
        }
    }
}

/// Formats the id of a workspace as the contract does.
fn format_id(workspace: WorkspaceId) -> String {
    format!("ws_{workspace}")
}

/// Formats the id of a context as the contract does.
fn format_context_id(workspace: WorkspaceId, context: &WorkspaceContext) -> String {
    format!("ctx_{}_{}", context.number, format_id(workspace))
}

fn parse_id(id: &str) -> Option<WorkspaceId> {
    id.trim().strip_prefix("ws_").and_then(|digits| digits.parse().ok()).map(WorkspaceId)
}

/// Returns the error for an unknown workspace. It names the newest ones, because no tool of the
/// contract lists them.
fn unknown_workspace(id: &str, all: &[Workspace]) -> Failure {
    let shown: String = id.chars().take(60).collect();
    let newest = all
        .iter()
        .rev()
        .take(SUGGESTED_WORKSPACES)
        .map(|one| format!("{} ({})", format_id(one.id), one.name));
    let known = newest.collect::<Vec<_>>().join(", ");
    let there = if all.is_empty() {
        "there are none yet".to_owned()
    } else {
        format!("the newest are {known}")
    };
    Failure::not_found(
        "workspace",
        format!("`{shown}`; {there}; memory_workspace_create creates one"),
    )
}
