//! `quipu owners`: the owners of a store. Each has a memory of their own; the command creates,
//! lists and erases them, in files and in a database alike.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use clap::{Args, Subcommand};
use model::OwnerId;
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  quipu owners list
  quipu owners create ada
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
                OwnersAction::Create { name } => create(setup, memory, &name).await,
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
        page.add_text(&format!("{owner}  {memories} memories"));
        rows.push(json!({ "name": owner.as_str(), "memories": memories }));
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
