//! `quipu grants`: sets what each agent may read and write, and whether grants also apply to agents
//! on this machine.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::page::Page;
use crate::setup::{Opened, Setup};
use clap::{Args, Subcommand, ValueEnum};
use engine::grants::SetGrant;
use model::{AgentName, Grant, Permission};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu grants
  quipu grants set codex '*' read
  quipu grants set codex tables/medical none
  quipu grants remove codex tables/medical
  quipu grants enforce on

Resources: *, profile, tables, tables/NAME, vectors, vectors/COLLECTION, graph, memory,
handoffs, references. `vectors` are the memories by collection; `memory` is the review
queue. The most specific grant wins; without a grant, nothing is permitted.";

/// Control what each agent may read and write
///
/// Grants apply to agents with a key. Agents on this machine run under your account and may do
/// everything, until you turn enforcement on.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Grants {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List grants (the default)
    #[command(after_long_help = "Example:\n  quipu grants list --json")]
    List,
    /// Set an agent's permission on a resource
    #[command(after_long_help = "Example:\n  quipu grants set codex vectors/work write")]
    Set(Set),
    /// Remove a grant; a broader one may still apply
    #[command(after_long_help = "Example:\n  quipu grants remove codex vectors/work")]
    Remove(Remove),
    /// Choose whether agents on this machine need grants, too
    #[command(after_long_help = "Example:\n  quipu grants enforce on")]
    Enforce(Enforce),
}

#[derive(Debug, Args)]
struct Set {
    /// Name of the agent
    agent: String,
    /// Resource, such as tables/meals
    resource: String,
    /// Permission
    #[arg(value_enum)]
    permission: Permitted,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Permitted {
    /// No access, even if a broader grant permits it
    None,
    /// Read only
    Read,
    /// Read and write
    Write,
}

#[derive(Debug, Args)]
struct Remove {
    /// Name of the agent
    agent: String,
    /// Resource
    resource: String,
}

#[derive(Debug, Args)]
struct Enforce {
    /// on or off
    #[arg(value_enum)]
    state: Switch,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Switch {
    /// Agents on this machine need grants
    On,
    /// Agents on this machine may do everything
    Off,
}

impl Grants {
    /// Runs the action.
    ///
    /// # Errors
    /// When the resource is invalid, the grant does not exist, or the store fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let mut page = Page::new(setup.screen);
        let value = setup
            .with_memory(async |memory| match self.action.unwrap_or(Action::List) {
                Action::List => list(memory, &mut page).await,
                Action::Set(set) => set.run(memory, &mut page).await,
                Action::Remove(remove) => remove.run(memory, &mut page).await,
                Action::Enforce(enforce) => enforce.run(memory, &mut page).await,
            })
            .await?;
        Ok(Answer::new(value, page))
    }
}

async fn list(memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
    let caller = memory.using("grants list");
    let (grants, enforced) = (
        memory.engine.admin().grants(&caller).await?,
        memory.engine.admin().are_grants_enforced(&caller).await?,
    );
    if grants.is_empty() {
        page.say("No grants.");
    }
    let row = |grant: &Grant| {
        vec![grant.agent.to_string(), grant.resource.clone(), grant.permission.name().to_owned()]
    };
    page.columns(&grants.iter().map(row).collect::<Vec<_>>());
    page.say(if enforced {
        "Agents on this machine need grants, too."
    } else {
        "Agents on this machine need no grants; `quipu grants enforce on` changes that."
    });
    Ok(json!({ "grants": grants.iter().map(as_json).collect::<Vec<_>>(), "enforced": enforced }))
}

impl Set {
    async fn run(self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let permission = match self.permission {
            Permitted::None => Permission::None,
            Permitted::Read => Permission::Read,
            Permitted::Write => Permission::Write,
        };
        let input =
            SetGrant { agent: AgentName::new(&self.agent), resource: self.resource, permission };
        let grants =
            memory.engine.admin().set_grants(&memory.using("grants set"), &[input]).await?;
        for grant in &grants {
            page.say(&format!(
                "{} now has {} permission on {}.",
                grant.agent,
                grant.permission.name(),
                grant.resource
            ));
        }
        Ok(json!({ "grants": grants.iter().map(as_json).collect::<Vec<_>>() }))
    }
}

impl Remove {
    async fn run(self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let agent = AgentName::new(&self.agent);
        memory
            .engine
            .admin()
            .remove_grant(&memory.using("grants remove"), &agent, &self.resource)
            .await?;
        page.say(&format!("Removed the grant of {agent} on {}.", self.resource));
        Ok(json!({ "removed": { "agent": agent.as_str(), "resource": self.resource } }))
    }
}

impl Enforce {
    async fn run(self, memory: &Opened, page: &mut Page) -> Result<Value, Problem> {
        let enforced = self.state == Switch::On;
        memory.engine.admin().enforce_grants(&memory.using("grants enforce"), enforced).await?;
        page.say(if enforced {
            "Agents on this machine now need grants."
        } else {
            "Agents on this machine may now do everything."
        });
        Ok(json!({ "enforced": enforced }))
    }
}

fn as_json(grant: &Grant) -> Value {
    json!({
        "agent": grant.agent.as_str(),
        "resource": grant.resource,
        "permission": grant.permission.name(),
        "since": grant.granted_at.to_string(),
    })
}
