//! Workspaces: several memories side by side, kept by name so that any process can ask them. What a
//! source holds is looked up when it is asked; here is only which sources there are.

use crate::Workspaces;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    ContextRole, ContextSource, ErrorCode, Failure, Permission, Workspace, WorkspaceContext,
    WorkspaceId, limits,
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

/// A workspace that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceMade {
    /// Its number.
    pub id: WorkspaceId,
    /// What it is called.
    pub name: String,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

/// A memory that was added to a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct ContextAdded {
    /// The memory as the workspace has it.
    pub context: WorkspaceContext,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

impl Workspaces<'_> {
    /// Makes a workspace.
    ///
    /// # Errors
    /// When the name is empty or too long, or there are too many.
    pub async fn create(self, caller: &Caller, name: &str) -> Result<WorkspaceMade, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, &name)
                .await?;
        let known = call.store().workspaces().await?;
        limits::count("workspaces", known.len() + 1, limits::WORKSPACES)?;
        let mut name = name.trim().to_owned();
        call.screen().text("name", &mut name)?;
        let change = Change::CreateWorkspace { name: name.clone() };
        let committed = call.write("made a workspace", vec![change]).await?;
        match committed.made.first() {
            Some(Made::Workspace(id)) => Ok(WorkspaceMade { id: *id, name, notes: call.notes() }),
            _ => Err(internal("the store made no workspace of a CreateWorkspace")),
        }
    }

    /// Adds a memory to a workspace.
    ///
    /// # Errors
    /// `not_found` when there is no such workspace; `limit_exceeded` when it is full.
    pub async fn add_context(
        self,
        caller: &Caller,
        input: &NewContext,
    ) -> Result<ContextAdded, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                .await?;
        let known = self.get(caller, input.workspace).await?;
        limits::count("contexts", known.contexts.len() + 1, limits::CONTEXTS)?;
        let NewContext { workspace, source, role, mut label } = input.clone();
        call.screen().text("label", &mut label)?;
        let change =
            Change::AddContext { workspace, source: source.clone(), role, label: label.clone() };
        let committed = call.write("added to a workspace", vec![change]).await?;
        match committed.made.first() {
            Some(Made::Context(number)) => {
                let context = WorkspaceContext { number: *number, source, role, label };
                Ok(ContextAdded { context, notes: call.notes() })
            }
            _ => Err(internal("the store made no context of an AddContext")),
        }
    }

    /// The workspaces, oldest first.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn list(self, caller: &Caller) -> Result<Vec<Workspace>, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &()).await?;
        let all = call.store().workspaces().await?;
        call.note_shown(format!("listed {} workspaces", all.len()), &[]).await;
        Ok(all)
    }

    /// A workspace with its memories.
    ///
    /// # Errors
    /// `not_found` when there is none of this number.
    pub async fn get(self, caller: &Caller, id: WorkspaceId) -> Result<Workspace, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Read, &id).await?;
        let found = call.store().workspace(id).await?;
        let unknown = || {
            Failure::new(
                ErrorCode::NotFound,
                format!("there is no workspace {id}; create one first"),
            )
        };
        let workspace = found.ok_or_else(unknown)?;
        call.note_shown(format!("looked at workspace {id}"), &[]).await;
        Ok(workspace)
    }
}
