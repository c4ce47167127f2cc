//! `quipu grants`: sets what each agent may read and write, and whether grants also apply to agents
//! on this machine.

use super::agent_argument::unknown_agent;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{Style, TextPage};
use clap::{Args, Subcommand, ValueEnum};
use engine::grants::SetGrantRequest;
use engine::resource_in_words;
use model::{AgentName, ErrorCode, Failure, Grant, Permission};
use serde_json::{Value, json};
use server::nearest;

const EXAMPLES: &str = "\
Examples:
  quipu grants
  quipu grants set codex everything read
  quipu grants set codex tables/medical none
  quipu grants set codex erase write
  quipu grants remove codex tables/medical
  quipu grants enforce on

Resources: everything (or '*'), profile, tables, tables/NAME, memories, memories/COLLECTION,
entities, review, handoffs, references, workspaces, erase. The most specific grant wins; without
a grant, nothing is permitted. `erase` lets an agent delete what you or other agents wrote
without asking you; no other grant includes it, and agents on this machine need it too.";

/// Resources without a name of their own, for proposals.
const RESOURCES: [&str; 10] = [
    "everything",
    "profile",
    "tables",
    "memories",
    "entities",
    "review",
    "handoffs",
    "references",
    "workspaces",
    "erase",
];

/// Control what each agent may read and write
///
/// Grants apply to agents with a key. Agents on this machine run under your account and may do
/// everything, until you turn enforcement on.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct GrantsArgs {
    #[command(subcommand)]
    action: Option<GrantsAction>,
}

#[derive(Debug, Subcommand)]
enum GrantsAction {
    /// List grants (the default)
    #[command(after_long_help = "Example:\n  quipu grants list --json")]
    List,
    /// Set an agent's permission on a resource
    #[command(after_long_help = "Example:\n  quipu grants set codex memories/work write")]
    Set(SetGrantArgs),
    /// Remove a grant; a broader one may still apply
    #[command(after_long_help = "Example:\n  quipu grants remove codex memories/work")]
    Remove(RemoveGrantArgs),
    /// Choose whether agents on this machine need grants as well
    #[command(after_long_help = "Example:\n  quipu grants enforce on")]
    Enforce(EnforceArgs),
}

#[derive(Debug, Args)]
struct SetGrantArgs {
    /// Name of the agent
    agent: String,
    /// Resource, such as tables/meals
    resource: String,
    /// Access that the agent gets
    #[arg(value_enum)]
    permission: PermissionArg,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum PermissionArg {
    /// No access, even if a broader grant permits it
    None,
    /// Read only
    Read,
    /// Read and write
    Write,
}

#[derive(Debug, Args)]
struct RemoveGrantArgs {
    /// Name of the agent
    agent: String,
    /// Resource of the grant, as listed
    resource: String,
}

#[derive(Debug, Args)]
struct EnforceArgs {
    /// on or off
    #[arg(value_enum)]
    state: OnOff,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum OnOff {
    /// Agents on this machine need grants
    On,
    /// Agents on this machine may do everything
    Off,
}

impl GrantsArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when the resource is invalid, the grant does not exist, or the store fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut page = TextPage::new(setup.terminal);
        let value = setup
            .with_memory(async |memory| match self.action.unwrap_or(GrantsAction::List) {
                GrantsAction::List => list(memory, &mut page).await,
                GrantsAction::Set(set) => set.run(memory, &mut page).await,
                GrantsAction::Remove(remove) => remove.run(memory, &mut page).await,
                GrantsAction::Enforce(enforce) => enforce.run(memory, &mut page).await,
            })
            .await?;
        Ok(CommandOutput::new(value, page))
    }
}

async fn list(memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
    let caller = memory.caller_for("grants list");
    let (grants, enforced) = (
        memory.engine.admin().grants(&caller).await?,
        memory.engine.admin().are_grants_enforced(&caller).await?,
    );
    if grants.is_empty() {
        page.add_text("No grants.");
    }
    let row = |grant: &Grant| {
        vec![
            grant.agent.to_string(),
            resource_in_words(&grant.resource),
            grant.permission.name().to_owned(),
        ]
    };
    page.columns(&grants.iter().map(row).collect::<Vec<_>>());
    page.add_text(if enforced {
        "Agents on this machine need grants as well."
    } else {
        "Agents on this machine need no grants; `quipu grants enforce on` changes that."
    });
    Ok(json!({ "grants": grants.iter().map(to_json).collect::<Vec<_>>(), "enforced": enforced }))
}

impl SetGrantArgs {
    async fn run(self, memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
        let permission = match self.permission {
            PermissionArg::None => Permission::None,
            PermissionArg::Read => Permission::Read,
            PermissionArg::Write => Permission::Write,
        };
        let (agent, resource) = (AgentName::new(&self.agent), self.resource);
        let input = SetGrantRequest { agent, resource, permission };
        let caller = memory.caller_for("grants set");
        let set = memory.engine.admin().set_grants(&caller, std::slice::from_ref(&input)).await;
        let grants = match set {
            Ok(grants) => grants,
            Err(failure) => return Err(with_meant_resource(memory, &input, failure).await?),
        };
        let unknown = note_on_agent(memory, &grants).await?;
        for grant in &grants {
            page.add_text(&format!(
                "{} now has {} permission on {}.",
                grant.agent,
                grant.permission.name(),
                resource_in_words(&grant.resource)
            ));
        }
        if let Some(unknown) = unknown {
            page.paragraph(0, Style::Warn, &unknown);
        }
        Ok(json!({ "grants": grants.iter().map(to_json).collect::<Vec<_>>() }))
    }
}

impl RemoveGrantArgs {
    async fn run(self, memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
        let agent = AgentName::new(&self.agent);
        memory
            .engine
            .admin()
            .remove_grant(&memory.caller_for("grants remove"), &agent, &self.resource)
            .await?;
        page.add_text(&format!("Removed the grant of {agent} on {}.", self.resource));
        Ok(json!({ "removed": { "agent": agent.as_str(), "resource": self.resource } }))
    }
}

impl EnforceArgs {
    async fn run(self, memory: &OpenMemory, page: &mut TextPage) -> Result<Value, Problem> {
        let enforced = self.state == OnOff::On;
        memory
            .engine
            .admin()
            .enforce_grants(&memory.caller_for("grants enforce"), enforced)
            .await?;
        page.add_text(if enforced {
            "Agents on this machine now need grants."
        } else {
            "Agents on this machine may now do everything."
        });
        Ok(json!({ "enforced": enforced }))
    }
}

/// Returns the problem of a refused grant, with the resource that was probably meant: a table or
/// collection of this name, or the nearest word.
async fn with_meant_resource(
    memory: &OpenMemory,
    input: &SetGrantRequest,
    failure: Failure,
) -> Result<Problem, Problem> {
    let (typed, is_invalid) = (&input.resource, failure.code == ErrorCode::InvalidArgument);
    let problem = Problem::from(failure);
    if !is_invalid {
        return Ok(problem);
    }
    let caller = memory.caller_for("grants set");
    let tables = memory.engine.tables().list(&caller).await?;
    let collections = memory.engine.memories().collections(&caller).await?;
    let meant = if tables.iter().any(|table| table.name == *typed) {
        Some(format!("tables/{typed}"))
    } else if collections.iter().any(|(name, _)| name == typed) {
        Some(format!("memories/{typed}"))
    } else {
        nearest(typed, RESOURCES).map(str::to_owned)
    };
    Ok(match meant {
        Some(meant) => problem.with_hint(format!("Did you mean `{meant}`?")),
        None => problem,
    })
}

/// Returns a sentence about an agent that has never been seen, with the one that was probably
/// meant. A grant may come before the agent, so it is no error.
async fn note_on_agent(memory: &OpenMemory, grants: &[Grant]) -> Result<Option<String>, Problem> {
    let Some(Grant { agent, resource, .. }) = grants.first() else { return Ok(None) };
    let unknown = unknown_agent(memory, agent.as_str()).await?;
    Ok(unknown.map(|unknown| match unknown.meant {
        Some(meant) => format!(
            "No agent named `{agent}` has called so far; did you mean `{meant}`? Then take it back \
             with `quipu grants remove {agent} {}`.",
            resource_in_words(resource)
        ),
        None => format!("No agent named `{agent}` has called so far; the grant waits for it."),
    }))
}

fn to_json(grant: &Grant) -> Value {
    json!({
        "agent": grant.agent.as_str(),
        "resource": grant.resource,
        "permission": grant.permission.name(),
        "since": grant.granted_at.to_string(),
    })
}
