//! `quipu correct`: a right text in place of a wrong one.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::input::{arguments, text_from};
use crate::page::Page;
use crate::setup::Setup;
use crate::shown::{self, Remembered};
use clap::Args;
use model::limits;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  quipu correct 17 \"The API runs on port 8081.\" --reason \"moved in May\"
  quipu correct 17 --title \"API port\" < corrected.txt";

/// Correct a memory that is wrong or out of date
///
/// The corrected text takes its place; the old one leaves every recall and stays in the history
/// that `quipu show` tells. Whatever version is corrected, the newest correction wins.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Correct {
    #[command(flatten)]
    details: Details,
    /// The whole corrected text; standard input when there is none
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

/// What can be said about a correction, named as the tool `correct` names it.
#[derive(Debug, Args, Serialize)]
struct Details {
    /// The memory that is wrong
    #[arg(value_name = "ID")]
    id: i64,
    /// Why it changes
    #[arg(long, value_name = "WHY")]
    reason: Option<String>,
    /// A new headline [default: the old one]
    #[arg(long)]
    title: Option<String>,
    /// How sure it is, 0 to 1 [default: 0.9]
    #[arg(long, value_name = "0-1")]
    confidence: Option<f32>,
}

impl Correct {
    /// Corrects.
    ///
    /// # Errors
    /// As the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let text = text_from(&self.text, limits::TEXT_BYTES)?.ok_or_else(|| {
            let example = format!("Say what is right: quipu correct {} \"…\"", self.details.id);
            Problem::usage("there is no corrected text", example)
        })?;
        let mut given = arguments(&self.details)?;
        given.insert("text".into(), text.into());
        let answer = setup.with_memory(async |memory| memory.ask("correct", given).await).await?;
        let mut page = Page::new(setup.screen);
        shown::read::<Remembered>(&answer)?.write(&mut page);
        Ok(Answer::new(answer, page))
    }
}
