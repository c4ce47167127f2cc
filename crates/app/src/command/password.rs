//! `quipu password`: sets the password for logging in to the dashboard from other machines.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::input::{read_to_text, stdin_is_terminal};
use crate::password_file::owner_password;
use crate::setup::Setup;
use crate::text_page::TextPage;
use clap::{Args, Subcommand};
use serde_json::json;
use server::BadPassword;

const EXAMPLES: &str = "\
Examples:
  quipu password set
  pass show quipu | quipu password set";

/// Maximum size of standard input.
const STDIN_BYTES_MAX: usize = 4 * 1024;

/// Set the password for logging in from other machines
///
/// `quipu serve` requires one before other machines can connect. Only its Argon2id hash is stored.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct PasswordArgs {
    #[command(subcommand)]
    action: PasswordAction,
}

#[derive(Debug, Subcommand)]
enum PasswordAction {
    /// Set or change the password; prompts for it, or reads it from standard input
    #[command(after_long_help = "Example:\n  quipu password set")]
    Set,
}

impl PasswordArgs {
    /// Sets the password.
    ///
    /// # Errors
    /// Fails when it is too short or too long, or cannot be stored.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let PasswordAction::Set = self.action;
        let typed = read_password()?;
        let mut page = TextPage::new(setup.terminal);
        // Opening the memory creates the owner's directory for the file, and the change is recorded
        // in the audit log.
        setup
            .with_memory(async |memory| {
                let caller = memory.caller_for("password set");
                memory
                    .credentials()
                    .note_owner_action(&caller, &"password", "set the password")
                    .await?;
                let password = owner_password(setup, memory);
                password.set(&typed).await.map_err(password_problem)
            })
            .await?;
        page.add_text("Password set. It applies immediately, wherever this memory is served.");
        Ok(CommandOutput::new(json!({ "set": true }), page))
    }
}

fn password_problem(error: BadPassword) -> Problem {
    let message = error.to_string();
    match error {
        BadPassword::TooShort | BadPassword::TooLong => {
            Problem::usage(message, "Choose another one.")
        }
        _ => Problem::failed(message, "Try again; if it keeps failing, run `quipu doctor`."),
    }
}

/// Prompts for the password twice without echo, or reads the first line of standard input.
fn read_password() -> Result<String, Problem> {
    if !stdin_is_terminal() {
        let read = read_to_text(std::io::stdin().lock(), STDIN_BYTES_MAX, "standard input")?;
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
