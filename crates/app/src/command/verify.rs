//! `quipu verify`: checks a claim against the memory.

use crate::answer::Answer;
use crate::exit::Problem;
use crate::page::{INDENT, Page, Style};
use crate::setup::Setup;
use crate::shown::{self, Memory};
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
pub struct Verify {
    /// Sentence to check
    #[arg(value_name = "CLAIM", required = true)]
    claim: Vec<String>,
}

/// Result of the tool `verify`.
#[derive(Debug, Deserialize)]
struct Verified {
    verdict: String,
    confidence: f32,
    evidence: Vec<Evidence>,
    #[serde(default)]
    missing: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Evidence {
    #[serde(flatten)]
    memory: Memory,
    covers: f32,
    against: Option<String>,
}

impl Verify {
    /// Checks the claim.
    ///
    /// # Errors
    /// When the tool fails.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        let given = JsonMap::from_iter([("claim".to_owned(), self.claim.join(" ").into())]);
        let answer = setup.with_memory(async |memory| memory.ask("verify", given).await).await?;
        let mut page = Page::new(setup.screen);
        shown::read::<Verified>(&answer)?.write(&mut page);
        Ok(Answer::new(answer, page))
    }
}

impl Verified {
    fn write(&self, page: &mut Page) {
        let style = match self.verdict.as_str() {
            "verified" => Style::Good,
            "contradicted" => Style::Bad,
            _ => Style::Warn,
        };
        let confidence = format!("confidence {:.2}", self.confidence);
        page.headline(&[(style, &self.verdict), (Style::Faint, &confidence)]);
        for evidence in &self.evidence {
            page.blank();
            evidence.memory.write(page);
            let covers = format!("covers {:.0}% of the claim", evidence.covers * 100.0);
            page.paragraph(INDENT, Style::Faint, &covers);
            if let Some(against) = &evidence.against {
                page.paragraph(INDENT, Style::Bad, &format!("contradicts it: {against}"));
            }
        }
        if !self.missing.is_empty() {
            page.blank().say(&format!("Not covered: {}.", self.missing.join(", ")));
        }
    }
}
