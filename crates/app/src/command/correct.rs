//! `quipu correct`: replaces the text of a memory.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::input::{read_text, tool_arguments};
use crate::render::{self, RememberOutput};
use crate::setup::Setup;
use crate::text_page::TextPage;
use clap::Args;
use model::limits;
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  quipu correct 17 \"The API runs on port 8081.\" --reason \"moved in May\"
  quipu correct 17 --title \"API port\" < corrected.txt";

/// Correct a memory that is wrong or out of date
///
/// The new text replaces the old one, which then appears only in the history that `quipu show`
/// prints. The newest correction wins, whichever version you correct.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CorrectArgs {
    #[command(flatten)]
    details: CorrectDetails,
    /// Complete corrected text [default: standard input]
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
}

/// Attributes of a correction, under the parameter names of the tool `correct`.
#[derive(Debug, Args, Serialize)]
struct CorrectDetails {
    /// Id of the memory to correct
    #[arg(value_name = "ID", value_parser = id_argument::memory_id)]
    id: i64,
    /// Reason for the correction
    #[arg(long, value_name = "WHY")]
    reason: Option<String>,
    /// New title [default: the old one]
    #[arg(long)]
    title: Option<String>,
    /// Confidence, from 0 to 1 [default: 0.9]
    #[arg(long, value_name = "0-1")]
    confidence: Option<f32>,
}

impl CorrectArgs {
    /// Corrects the memory.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let text = read_text(&self.text, limits::TEXT_BYTES)?.ok_or_else(|| {
            let example = format!("Pass the text: quipu correct {} \"…\"", self.details.id);
            Problem::usage("there is no corrected text", example)
        })?;
        let mut given = tool_arguments(&self.details)?;
        given.insert("text".into(), text.into());
        let answer =
            setup.with_memory(async |memory| memory.call_tool("correct", given).await).await?;
        let mut page = TextPage::new(setup.terminal);
        render::parse_result::<RememberOutput>(&answer)?.render(&mut page);
        Ok(CommandOutput::new(answer, page))
    }
}
