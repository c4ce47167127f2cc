//! `quipu password`: sets the password for logging in to the dashboard from other machines.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::{read_all, somebody_is_there};
use crate::page::Page;
use crate::password::PasswordFile;
use crate::setup::Setup;
use clap::{Args, Subcommand};
use serde_json::json;
use server::{BadPassword, Password as OwnerPassword};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  quipu password set
  pass show quipu | quipu password set";

/// Maximum size of standard input.
const BYTES_MAX: usize = 4 * 1024;

/// Set the password for logging in from other machines
///
/// `quipu serve` requires one before other machines can connect. Only its Argon2id hash is stored.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Password {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Set or change the password; prompts for it, or reads it from standard input
    #[command(after_long_help = "Example:\n  quipu password set")]
    Set,
}

impl Password {
    /// Sets the password.
    ///
    /// # Errors
    /// When it is too short or too long, or cannot be stored.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let Action::Set = self.action;
        let typed = typed()?;
        let mut page = Page::new(setup.screen);
        // Opening the memory creates the owner's directory for the file, and the change is recorded
        // in the audit log.
        setup
            .with_memory(async |memory| {
                let caller = memory.using("password set");
                memory
                    .credentials()
                    .note_owners_act(&caller, &"password", "set the password")
                    .await?;
                let file = PasswordFile(setup.home.password(&setup.config.owner));
                OwnerPassword::on(Arc::new(file)).set(&typed).await.map_err(refused)
            })
            .await?;
        page.say("Password set. It applies immediately, wherever this memory is served.");
        Ok(Answer::new(json!({ "set": true }), page))
    }
}

fn refused(error: BadPassword) -> Problem {
    let message = error.to_string();
    match error {
        BadPassword::Short | BadPassword::Long => Problem::usage(message, "Choose another one."),
        _ => Problem::failed(message, "Try again; if it keeps failing, run `quipu doctor`."),
    }
}

/// Prompts for the password twice without echo, or reads the first line of standard input.
fn typed() -> Result<String, Problem> {
    if !somebody_is_there() {
        let read = read_all(std::io::stdin().lock(), BYTES_MAX, "standard input")?;
        return Ok(read.lines().next().unwrap_or_default().to_owned());
    }
    let prompt = |question: &str| {
        rpassword::prompt_password(question).map_err(|error| {
            let advice = "Pass it on standard input instead.";
            Problem::failed(format!("cannot use the terminal: {error}"), advice)
        })
    };
    let first = prompt("New password: ")?;
    if first != prompt("Repeat password: ")? {
        return Err(Problem::usage("the passwords do not match", "Try again."));
    }
    Ok(first)
}
