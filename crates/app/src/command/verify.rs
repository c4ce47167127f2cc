//! `quipu verify`: checks a claim against the memory.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::render::{self, MemoryOutput};
use crate::setup::Setup;
use crate::text_page::{INDENT, Style, TextPage};
use clap::Args;
use model::JsonMap;
use serde::Deserialize;

const EXAMPLES: &str = "\
Example:
  quipu verify \"the staging database is PostgreSQL 16\"";

/// Check whether the memory supports a claim
///
/// The verdict is verified, partial, contradicted or ungrounded. Only current memories count as
/// evidence, and every name and number of the claim must be covered; a text that is merely similar
/// proves nothing.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct VerifyArgs {
    /// Sentence to check
    #[arg(value_name = "CLAIM", required = true)]
    claim: Vec<String>,
}

/// Result of the tool `verify`.
#[derive(Debug, Deserialize)]
struct VerifyOutput {
    verdict: String,
    confidence: f32,
    evidence: Vec<EvidenceOutput>,
    #[serde(default)]
    missing: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct EvidenceOutput {
    #[serde(flatten)]
    memory: MemoryOutput,
    covers: f32,
    against: Option<String>,
}

impl VerifyArgs {
    /// Checks the claim.
    ///
    /// # Errors
    /// Fails when the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let given = JsonMap::from_iter([("claim".to_owned(), self.claim.join(" ").into())]);
        let answer =
            setup.with_memory(async |memory| memory.call_tool("verify", given).await).await?;
        let mut page = TextPage::new(setup.terminal);
        render::parse_result::<VerifyOutput>(&answer)?.render(&mut page);
        Ok(CommandOutput::new(answer, page))
    }
}

impl VerifyOutput {
    fn render(&self, page: &mut TextPage) {
        let style = match self.verdict.as_str() {
            "verified" => Style::Good,
            "contradicted" => Style::Bad,
            _ => Style::Warn,
        };
        let confidence = format!("confidence {:.2}", self.confidence);
        page.headline(&[(style, &self.verdict), (Style::Faint, &confidence)]);
        for evidence in &self.evidence {
            page.blank();
            evidence.memory.render(page);
            let covers = format!("covers {:.0}% of the claim", evidence.covers * 100.0);
            page.paragraph(INDENT, Style::Faint, &covers);
            if let Some(against) = &evidence.against {
                page.paragraph(INDENT, Style::Bad, &format!("contradicts it: {against}"));
            }
        }
        if !self.missing.is_empty() {
            page.blank().add_text(&format!("Not covered: {}.", self.missing.join(", ")));
        }
    }
}
