//! `quipu password`: the password that lets its owner into the dashboard from another machine.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::{read_all, somebody_is_there};
use crate::page::Page;
use crate::password::PasswordFile;
use crate::setup::Setup;
use clap::{Args, Subcommand};
use serde_json::json;
use server::{BadPassword, Password as Kept};
use std::sync::Arc;

const EXAMPLES: &str = "\
Examples:
  quipu password set
  pass show quipu | quipu password set";

/// The most that is read of standard input.
const BYTES_MAX: usize = 4 * 1024;

/// Set the password for coming in from another machine
///
/// `quipu serve` wants one before other machines can reach it. Only its hash (Argon2id) is kept,
/// beside the memory.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Password {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Set or change it; it is asked for, or read from standard input
    #[command(after_long_help = "Example:\n  quipu password set")]
    Set,
}

impl Password {
    /// Does what was asked with the password.
    ///
    /// # Errors
    /// When it is too short, or cannot be kept.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let Action::Set = self.action;
        let typed = typed()?;
        let mut page = Page::new(setup.screen);
        // The memory is opened so that there is one for it to lie beside, and that its log tells of
        // it.
        setup
            .with_memory(async |memory| {
                let caller = memory.using("password set");
                memory
                    .credentials()
                    .note_owners_act(&caller, &"password", "set the password")
                    .await?;
                let file = PasswordFile(setup.home.password(&setup.config.owner));
                Kept::on(Arc::new(file)).set(&typed).await.map_err(refused)
            })
            .await?;
        page.say("The password is set. It holds from now on, wherever this memory is served.");
        Ok(Answer::new(json!({ "set": true }), page))
    }
}

fn refused(error: BadPassword) -> Problem {
    let told = error.to_string();
    match error {
        BadPassword::Short | BadPassword::Long => Problem::usage(told, "Choose another one."),
        _ => Problem::failed(told, "Try again; if it stays, look at the home directory."),
    }
}

/// What somebody types, twice and unseen, or the first line of standard input.
fn typed() -> Result<String, Problem> {
    if !somebody_is_there() {
        let read = read_all(std::io::stdin().lock(), BYTES_MAX, "standard input")?;
        return Ok(read.lines().next().unwrap_or_default().to_owned());
    }
    let asked = |question: &str| {
        rpassword::prompt_password(question).map_err(|error| {
            let advice = "Give it on standard input instead.";
            Problem::failed(format!("the terminal cannot be used: {error}"), advice)
        })
    };
    let first = asked("New password: ")?;
    if first != asked("Once more: ")? {
        return Err(Problem::usage("the two are not the same", "Type it again."));
    }
    Ok(first)
}
