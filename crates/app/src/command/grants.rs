//! `quipu grants`: sets what each agent may read and write, and whether grants also apply to agents
//! on this machine.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{Style, TextPage};
use clap::{Args, Subcommand, ValueEnum};
use engine::grants::SetGrantRequest;
use model::{AgentName, ErrorCode, Grant, Permission};
use serde_json::{Value, json};
use server::nearest;

const EXAMPLES: &str = "\
Examples:
  quipu grants
  quipu grants set codex '*' read
  quipu grants set codex tables/medical none
  quipu grants set codex erase write
  quipu grants remove codex tables/medical
  quipu grants enforce on

Resources: *, profile, tables, tables/NAME, vectors, vectors/COLLECTION, graph, memory,
handoffs, references, workspaces, erase. `vectors` are the memories by collection; `memory` is the
review queue. The most specific grant wins; without a grant, nothing is permitted. `erase`
lets an agent delete what you or other agents wrote without asking you; no other grant
includes it, and agents on this machine need it too.";

/// Resources without a name of their own, for proposals.
const RESOURCES: [&str; 10] = [
    "profile",
    "tables",
    "vectors",
    "graph",
    "memory",
    "handoffs",
    "references",
    "workspaces",
    "erase",
    "*",
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
    #[command(after_long_help = "Example:\n  quipu grants set codex vectors/work write")]
    Set(SetGrantArgs),
    /// Remove a grant; a broader one may still apply
    #[command(after_long_help = "Example:\n  quipu grants remove codex vectors/work")]
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
        vec![grant.agent.to_string(), grant.resource.clone(), grant.permission.name().to_owned()]
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
        let meant = nearest(&resource, RESOURCES);
        let input = SetGrantRequest { agent, resource, permission };
        let caller = memory.caller_for("grants set");
        let set = memory.engine.admin().set_grants(&caller, &[input]).await;
        let grants = set.map_err(|failure| {
            let is_invalid = failure.code == ErrorCode::InvalidArgument;
            let problem = Problem::from(failure);
            match meant.filter(|_| is_invalid) {
                Some(meant) => problem.with_hint(format!("Did you mean `{meant}`?")),
                None => problem,
            }
        })?;
        let unknown = unknown_agent(memory, &grants).await?;
        for grant in &grants {
            page.add_text(&format!(
                "{} now has {} permission on {}.",
                grant.agent,
                grant.permission.name(),
                grant.resource
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

/// Days in which an agent must have called to be known.
const KNOWN_DAYS: usize = 90;

/// Returns a sentence about an agent that has never been seen, with the one that was probably
/// meant. A grant may come before the agent, so it is no error.
async fn unknown_agent(memory: &OpenMemory, grants: &[Grant]) -> Result<Option<String>, Problem> {
    let Some(agent) = grants.first().map(|grant| grant.agent.as_str()) else { return Ok(None) };
    let caller = memory.caller_for("grants set");
    let overview = memory.engine.memories().overview(&caller, 1).await?;
    let activity = memory.engine.admin().activity(&caller, KNOWN_DAYS).await?;
    let called = activity.agents.iter().map(|one| one.agent.as_str());
    let known: Vec<&str> =
        overview.agents.iter().map(|(name, _)| name.as_str()).chain(called).collect();
    if known.contains(&agent) {
        return Ok(None);
    }
    let meant = nearest(agent, known);
    Ok(Some(match meant {
        Some(meant) => format!(
            "No agent named `{agent}` has called so far; did you mean `{meant}`? Then take it back \
             with `quipu grants remove {agent} {}`.",
            grants.first().map(|grant| grant.resource.as_str()).unwrap_or_default()
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
