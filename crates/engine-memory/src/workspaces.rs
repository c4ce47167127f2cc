//! Workspaces: named groups of memories to search together. The memories of a source are read when
//! it is searched; only the list of sources is stored here.

use crate::Workspaces;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    ContextRole, ContextSource, ErrorCode, Failure, Permission, Workspace, WorkspaceContext,
    WorkspaceId, limits,
};
use store::{Change, ChangeResult};

/// Input of [`Workspaces::add_context`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddContextRequest {
    pub workspace: WorkspaceId,
    /// The caller must have checked access to it.
    pub source: ContextSource,
    pub role: ContextRole,
    /// Name for people.
    pub label: String,
}

/// Result of creating a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateWorkspaceOutcome {
    pub id: WorkspaceId,
    pub name: String,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

/// Result of adding a source to a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct AddContextOutcome {
    pub context: WorkspaceContext,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

impl<'e> Workspaces<'e> {
    /// Creates a workspace.
    ///
    /// # Errors
    /// Fails when the name is empty or too long, or there are too many workspaces.
    pub fn create(
        self,
        caller: &'e Caller,
        name: &'e str,
    ) -> UseCaseFuture<'e, CreateWorkspaceOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Workspaces, Permission::Write, &name)
                    .await?;
            let known = call.store().workspaces().await?;
            limits::count("workspaces", known.len() + 1, limits::WORKSPACES)?;
            let mut name = name.trim().to_owned();
            call.screen().text("name", &mut name)?;
            let change = Change::CreateWorkspace { name: name.clone() };
            let committed = call.write("created a workspace", vec![change]).await?;
            match committed.results.first() {
                Some(ChangeResult::Workspace(id)) => {
                    Ok(CreateWorkspaceOutcome { id: *id, name, notes: call.notes() })
                }
                _ => Err(internal("the store returned no workspace for CreateWorkspace")),
            }
        })
    }

    /// Adds a source to a workspace.
    ///
    /// # Errors
    /// `not_found` when there is no such workspace; `limit_exceeded` when it is full.
    pub fn add_context(
        self,
        caller: &'e Caller,
        input: &'e AddContextRequest,
    ) -> UseCaseFuture<'e, AddContextOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Workspaces, Permission::Write, input)
                    .await?;
            // Also checks that the workspace exists, before anything is written.
            let known = self.get(caller, input.workspace).await?;
            limits::count("contexts", known.contexts.len() + 1, limits::WORKSPACE_CONTEXTS)?;
            let AddContextRequest { workspace, source, role, mut label } = input.clone();
            // Screened here too, because the result contains the label as it is stored.
            call.screen().text("label", &mut label)?;
            let change = Change::AddContext {
                workspace,
                source: source.clone(),
                role,
                label: label.clone(),
            };
            let committed = call.write("added to a workspace", vec![change]).await?;
            match committed.results.first() {
                Some(ChangeResult::Context(number)) => {
                    let context = WorkspaceContext { number: *number, source, role, label };
                    Ok(AddContextOutcome { context, notes: call.notes() })
                }
                _ => Err(internal("the store returned no context for AddContext")),
            }
        })
    }

    /// Lists the workspaces, oldest first.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list(self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<Workspace>> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Workspaces, Permission::Read, &()).await?;
            let all = call.store().workspaces().await?;
            call.note_shown(format!("listed {} workspaces", all.len()), &[]).await;
            Ok(all)
        })
    }

    /// Returns a workspace with its sources.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub fn get(self, caller: &'e Caller, id: WorkspaceId) -> UseCaseFuture<'e, Workspace> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Workspaces, Permission::Read, &id).await?;
            let found = call.store().workspace(id).await?;
            let unknown = || {
                Failure::new(
                    ErrorCode::NotFound,
                    format!("there is no workspace {id}; create one first"),
                )
            };
            let workspace = found.ok_or_else(unknown)?;
            call.note_shown(format!("showed workspace {id}"), &[]).await;
            Ok(workspace)
        })
    }
}
