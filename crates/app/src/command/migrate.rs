//! `quipu migrate`: brings the schema of a PostgreSQL database to the newest version, or says
//! whether it has it. Files need no such command: each is updated when it is opened.

use crate::command_output::CommandOutput;
use crate::exit::{Exit, Problem};
use crate::setup::Setup;
use crate::store_choice::{open_postgres, open_problem, postgres_options};
use crate::text_page::TextPage;
use clap::Args;
use serde_json::json;
use store_postgres::{PostgresStore, SchemaState};

const EXAMPLES: &str = "\
Examples:
  quipu migrate --check
  quipu migrate --store postgres://quipu@db.example/quipu";

/// Update the schema of a PostgreSQL store
///
/// A server does this by itself when it starts; this command does it without serving. With --check
/// nothing is changed, and the exit status is 1 if an update is missing.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MigrateArgs {
    /// Only say which version the schema has
    #[arg(long)]
    check: bool,
    /// Address of the database [default: that of the configuration]
    #[arg(long, value_name = "URL")]
    pub(super) store: Option<String>,
}

impl MigrateArgs {
    /// Updates or checks the schema.
    ///
    /// # Errors
    /// Fails when no database is configured, or it cannot be reached or used.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let url = setup.config.store.as_deref().ok_or_else(|| {
            Problem::usage(
                "the store is not a PostgreSQL database",
                "Name one with --store; files are updated when they are opened.",
            )
        })?;
        let options = postgres_options(&setup.config, [0; 32])?;
        if !self.check {
            setup.home.create()?;
            open_postgres(&setup.home, &setup.config, url).await?;
        }
        let state = PostgresStore::schema_state(url, &options).await.map_err(open_problem)?;
        Ok(output(setup, state))
    }
}

fn output(setup: &Setup, state: SchemaState) -> CommandOutput {
    let SchemaState { found, known } = state;
    let mut page = TextPage::new(setup.terminal);
    page.add_text(&match found {
        found if found == known => format!("The schema has the newest version, {known}."),
        0 => format!("There is no schema yet; `quipu migrate` creates version {known}."),
        _ => format!("The schema has version {found}; `quipu migrate` updates it to {known}."),
    });
    let exit = if found == known { Exit::Done } else { Exit::Failed };
    let output = json!({ "found": found, "known": known, "up_to_date": found == known });
    CommandOutput::new(output, page).with_exit(exit)
}
