//! `quipu owners`: the owners of a store. Each has a memory of their own; the command creates,
//! lists and erases them, in files and in a database alike, and links the logins of an identity
//! provider to people.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use clap::{Args, Subcommand};
use engine::Caller;
use engine::people::LoginIdentity;
use model::OwnerId;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  quipu owners list
  quipu owners create ada
  quipu owners create team-x --group
  quipu owners link ada --subject 6f1c9d2e
  quipu owners erase ada --yes

To act as an owner, use `--owner`: quipu --owner ada keys create --agent claude";

/// Create, list or erase the owners of a store
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct OwnersArgs {
    #[command(subcommand)]
    action: OwnersAction,
}

#[derive(Debug, Subcommand)]
enum OwnersAction {
    /// List the owners with the number of their memories
    #[command(after_long_help = "Example:\n  quipu owners list")]
    List,
    /// Create an owner; does nothing when there is one of that name
    #[command(after_long_help = "Example:\n  quipu owners create ada")]
    Create {
        /// Name: lower-case letters, digits and hyphens
        #[arg(value_parser = OwnerId::new)]
        name: OwnerId,
        /// Create a group, whose members are added with `quipu groups add`
        #[arg(long)]
        group: bool,
    },
    /// Link a login at the identity provider to a person, who is created if need be
    #[command(after_long_help = "Example:\n  quipu owners link ada --subject 6f1c9d2e")]
    Link {
        /// Name of the person
        #[arg(value_parser = OwnerId::new)]
        name: OwnerId,
        /// Subject of the person at the provider; the login page shows it to whoever is not linked
        #[arg(long)]
        subject: String,
        /// Issuer [default: `oidc_issuer`]
        #[arg(long)]
        issuer: Option<String>,
    },
    /// Unlink the login of a person, which ends their sessions
    #[command(after_long_help = "Example:\n  quipu owners unlink ada")]
    Unlink {
        /// Name of the person
        #[arg(value_parser = OwnerId::new)]
        name: OwnerId,
    },
    /// Erase an owner with all memories, keys and the audit log
    #[command(after_long_help = "Example:\n  quipu owners erase ada --yes")]
    Erase {
        /// Name of the owner
        #[arg(value_parser = OwnerId::new)]
        name: OwnerId,
        /// Confirm that everything of the owner is erased for good
        #[arg(long)]
        yes: bool,
    },
}

impl OwnersArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when the store fails, or there is no such owner to erase.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        setup
            .with_memory(async |memory| match self.action {
                OwnersAction::List => list(setup, memory).await,
                OwnersAction::Create { name, group: true } => {
                    create_group(setup, memory, &name).await
                }
                OwnersAction::Create { name, group: false } => create(setup, memory, &name).await,
                OwnersAction::Link { name, subject, issuer } => {
                    let issuer = issuer.or_else(|| setup.config.oidc.issuer.clone());
                    let issuer = issuer.ok_or_else(no_issuer)?;
                    link(setup, memory, &name, LoginIdentity { issuer, subject }).await
                }
                OwnersAction::Unlink { name } => unlink(setup, memory, &name).await,
                OwnersAction::Erase { name, yes } => erase(setup, memory, &name, yes).await,
            })
            .await
    }
}

async fn list(setup: &Setup, memory: &OpenMemory) -> Result<CommandOutput, Problem> {
    let (mut page, mut rows) = (TextPage::new(setup.terminal), Vec::new());
    for owner in memory.store.owners().await? {
        let counts = memory.store.counts(&owner).await?;
        let memories: usize = counts.memories.iter().map(|(_, count)| count).sum();
        let is_group = memory.credentials().people().is_group(&owner).await?;
        let kind = if is_group { "  group" } else { "" };
        page.add_text(&format!("{owner}  {memories} memories{kind}"));
        rows.push(json!({ "name": owner.as_str(), "memories": memories, "group": is_group }));
    }
    Ok(CommandOutput::new(json!({ "owners": rows }), page))
}

async fn create(
    setup: &Setup,
    memory: &OpenMemory,
    name: &OwnerId,
) -> Result<CommandOutput, Problem> {
    memory.store.create_owner(name, memory.engine.now()).await?;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("The owner {name} exists. Act as this owner with --owner {name}."));
    Ok(CommandOutput::new(json!({ "created": name.as_str() }), page))
}

async fn create_group(
    setup: &Setup,
    memory: &OpenMemory,
    name: &OwnerId,
) -> Result<CommandOutput, Problem> {
    let caller = group_caller(memory, name, "owners create");
    memory.credentials().people().create_group(&caller).await?;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("The group {name} exists. Add people with `quipu groups add {name}`."));
    Ok(CommandOutput::new(json!({ "created": name.as_str(), "group": true }), page))
}

/// Returns the owner of this command, acting for a group.
pub(super) fn group_caller(memory: &OpenMemory, group: &OwnerId, command: &str) -> Caller {
    Caller { owner: group.clone(), ..memory.caller_for(command) }
}

async fn link(
    setup: &Setup,
    memory: &OpenMemory,
    name: &OwnerId,
    identity: LoginIdentity,
) -> Result<CommandOutput, Problem> {
    let caller = memory.caller_for("owners link");
    memory.credentials().people().link_login(&caller, &identity, name).await?;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("{name} can sign in at {}.", identity.issuer));
    let LoginIdentity { issuer, subject } = identity;
    let output = json!({ "linked": name.as_str(), "issuer": issuer, "subject": subject });
    Ok(CommandOutput::new(output, page))
}

async fn unlink(
    setup: &Setup,
    memory: &OpenMemory,
    name: &OwnerId,
) -> Result<CommandOutput, Problem> {
    let caller = memory.caller_for("owners unlink");
    memory.credentials().people().unlink_login(&caller, name).await?;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("{name} cannot sign in any more; all sessions of {name} have ended."));
    Ok(CommandOutput::new(json!({ "unlinked": name.as_str() }), page))
}

fn no_issuer() -> Problem {
    Problem::usage("no identity provider is configured", "Name one with --issuer.")
}

async fn erase(
    setup: &Setup,
    memory: &OpenMemory,
    name: &OwnerId,
    yes: bool,
) -> Result<CommandOutput, Problem> {
    if *name == memory.caller.owner {
        return Err(Problem::usage(
            format!("{name} is the owner that this command acts as"),
            "Act as another owner with --owner to erase this one.",
        ));
    }
    if !yes {
        let message = format!("nothing was erased: confirm that {name} is erased for good");
        return Err(Problem::usage(message, "Repeat the command with --yes."));
    }
    if !memory.store.erase_owner(name).await? {
        let message = format!("there is no owner {name}");
        return Err(Problem::new(model::ErrorCode::NotFound, message, "See `quipu owners list`."));
    }
    let caller = memory.caller_for("owners erase");
    let note = format!("erased the owner {name}");
    memory.credentials().note_owner_action(&caller, &"owners", note).await?;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("The owner {name} is erased, with all memories and keys."));
    Ok(CommandOutput::new(json!({ "erased": name.as_str() }), page))
}
