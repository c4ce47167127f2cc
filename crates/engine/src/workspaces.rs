//! Workspaces: several memories side by side, kept by name so that any process can ask them. What a source holds is
//! looked up when it is asked; here is only which sources there are.

use crate::call::{Call, internal, read_failure};
use crate::{Caller, Engine};
use guard::Resource;
use model::{
    ContextRole, ContextSource, ErrorCode, Failure, Permission, Workspace, WorkspaceContext, WorkspaceId,
    limits,
};
use store::{Change, Made};

/// A memory to add to a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContext {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Where the memories come from. Whether the caller may go there is checked before.
    pub source: ContextSource,
    /// What it is to the workspace.
    pub role: ContextRole,
    /// What people call it.
    pub label: String,
}

impl Engine {
    /// Makes a workspace.
    ///
    /// # Errors
    /// When the name is empty or too long, or there are too many.
    pub async fn create_workspace(&self, caller: &Caller, name: &str) -> Result<WorkspaceId, Failure> {
        let call = Call::begin(self, caller, Resource::Memories(None), Permission::Write, &name).await?;
        let known = self.store.workspaces(&caller.owner).await.map_err(read_failure)?;
        limits::count("workspaces", known.len() + 1, limits::WORKSPACES)?;
        let name = name.trim().to_owned();
        let committed = call.write("made a workspace", vec![Change::CreateWorkspace { name }]).await?;
        match committed.made.first() {
            Some(Made::Workspace(id)) => Ok(*id),
            _ => Err(internal("the store made no workspace of a CreateWorkspace")),
        }
    }

    /// Adds a memory to a workspace.
    ///
    /// # Errors
    /// `not_found` when there is no such workspace; `limit_exceeded` when it is full.
    pub async fn add_context(
        &self,
        caller: &Caller,
        input: &NewContext,
    ) -> Result<WorkspaceContext, Failure> {
        let call = Call::begin(self, caller, Resource::Memories(None), Permission::Write, input).await?;
        let known = self.workspace(caller, input.workspace).await?;
        limits::count("contexts", known.contexts.len() + 1, limits::CONTEXTS)?;
        let NewContext { workspace, source, role, label } = input.clone();
        let change = Change::AddContext { workspace, source: source.clone(), role, label: label.clone() };
        let committed = call.write("added to a workspace", vec![change]).await?;
        match committed.made.first() {
            Some(Made::Context(number)) => Ok(WorkspaceContext { number: *number, source, role, label }),
            _ => Err(internal("the store made no context of an AddContext")),
        }
    }

    /// The workspaces, oldest first.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn workspaces(&self, caller: &Caller) -> Result<Vec<Workspace>, Failure> {
        let call = Call::begin(self, caller, Resource::Memories(None), Permission::Read, &()).await?;
        let all = self.store.workspaces(&caller.owner).await.map_err(read_failure)?;
        call.note_shown(format!("listed {} workspaces", all.len()), &[]).await;
        Ok(all)
    }

    /// A workspace with its memories.
    ///
    /// # Errors
    /// `not_found` when there is none of this number.
    pub async fn workspace(&self, caller: &Caller, id: WorkspaceId) -> Result<Workspace, Failure> {
        let call = Call::begin(self, caller, Resource::Memories(None), Permission::Read, &id).await?;
        let found = self.store.workspace(&call.caller.owner, id).await.map_err(read_failure)?;
        let unknown =
            || Failure::new(ErrorCode::NotFound, format!("there is no workspace {id}; create one first"));
        let workspace = found.ok_or_else(unknown)?;
        call.note_shown(format!("looked at workspace {id}"), &[]).await;
        Ok(workspace)
    }
}
