//! `quipu groups`: the people in the groups of a store. Each acts in the group's memory under their
//! own name, and grants name them as `@NAME`.

use super::owners::group_caller;
use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use clap::{Args, Subcommand};
use engine::people::AddMemberRequest;
use model::{GroupRole, OwnerId, Permission};
use serde_json::json;

const EXAMPLES: &str = "\
Examples:
  quipu owners create team-x --group
  quipu groups add team-x ada --admin
  quipu groups add team-x bo --read-only
  quipu groups list team-x
  quipu groups remove team-x bo

A member may read and write everything of the group, or only read it. Grants of the group refine
that: quipu --owner team-x grants set @bo tables/salaries none";

/// Add, remove or list the people in a group
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct GroupsArgs {
    #[command(subcommand)]
    action: GroupsAction,
}

#[derive(Debug, Subcommand)]
enum GroupsAction {
    /// List the people in a group
    #[command(after_long_help = "Example:\n  quipu groups list team-x")]
    List {
        /// Name of the group
        #[arg(value_parser = OwnerId::new)]
        group: OwnerId,
    },
    /// Add a person to a group, or change their part
    #[command(after_long_help = "Example:\n  quipu groups add team-x ada")]
    Add(AddMemberArgs),
    /// Remove a person from a group with all their grants
    #[command(after_long_help = "Example:\n  quipu groups remove team-x ada")]
    Remove {
        /// Name of the group
        #[arg(value_parser = OwnerId::new)]
        group: OwnerId,
        /// Name of the person
        #[arg(value_parser = OwnerId::new)]
        person: OwnerId,
    },
}

#[derive(Debug, Args)]
struct AddMemberArgs {
    /// Name of the group
    #[arg(value_parser = OwnerId::new)]
    group: OwnerId,
    /// Name of the person
    #[arg(value_parser = OwnerId::new)]
    person: OwnerId,
    /// Act as the owner of the group, and decide on members and grants
    #[arg(long, conflicts_with = "read_only")]
    admin: bool,
    /// Read only
    #[arg(long)]
    read_only: bool,
}

impl GroupsArgs {
    /// Runs the action.
    ///
    /// # Errors
    /// Fails when there is no such group or person, or the store fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        setup
            .with_memory(async |memory| match self.action {
                GroupsAction::List { group } => list(setup, memory, &group).await,
                GroupsAction::Add(input) => add(setup, memory, input).await,
                GroupsAction::Remove { group, person } => {
                    remove(setup, memory, &group, &person).await
                }
            })
            .await
    }
}

async fn list(
    setup: &Setup,
    memory: &OpenMemory,
    group: &OwnerId,
) -> Result<CommandOutput, Problem> {
    let caller = group_caller(memory, group, "groups list");
    let members = memory.credentials().people().members(&caller).await?;
    let (mut page, mut rows) = (TextPage::new(setup.terminal), Vec::new());
    for member in &members {
        page.add_text(&format!("{}  {}", member.person, member.role.name()));
        rows.push(json!({ "person": member.person.as_str(), "role": member.role.name() }));
    }
    if members.is_empty() {
        page.add_text(&format!("Nobody is in {group} yet."));
    }
    Ok(CommandOutput::new(json!({ "group": group.as_str(), "members": rows }), page))
}

async fn add(
    setup: &Setup,
    memory: &OpenMemory,
    input: AddMemberArgs,
) -> Result<CommandOutput, Problem> {
    let AddMemberArgs { group, person, admin, read_only } = input;
    let role = if admin { GroupRole::Admin } else { GroupRole::Member };
    let permission = if read_only { Permission::Read } else { Permission::Write };
    let caller = group_caller(memory, &group, "groups add");
    let request = AddMemberRequest { person: person.clone(), role, permission };
    memory.credentials().people().add_member(&caller, &request).await?;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("{person} is in {group} as {}.", role.name()));
    let output = json!({
        "group": group.as_str(), "person": person.as_str(), "role": role.name(),
    });
    Ok(CommandOutput::new(output, page))
}

async fn remove(
    setup: &Setup,
    memory: &OpenMemory,
    group: &OwnerId,
    person: &OwnerId,
) -> Result<CommandOutput, Problem> {
    let caller = group_caller(memory, group, "groups remove");
    memory.credentials().people().remove_member(&caller, person).await?;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&format!("{person} is not in {group} any more."));
    Ok(CommandOutput::new(json!({ "group": group.as_str(), "removed": person.as_str() }), page))
}
