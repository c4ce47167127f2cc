//! `quipu eval --golden`: checks the owner's list of questions and expected memories against the
//! real memory.

use super::json_lines;
use crate::command_output::CommandOutput;
use crate::exit::{Exit, Problem};
use crate::progress::Progress;
use crate::render::count_with_noun;
use crate::setup::{OpenMemory, Setup};
use crate::text_page::{Style, TextPage};
use engine::recall::{MemoryHit, RecallRequest};
use model::limits;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;

/// Number of results that an expected memory must be among.
const LIMIT: usize = 10;
/// Token budget that leaves nothing out: a text never has more tokens than bytes, and a single
/// memory may take at most a third of the budget.
const BUDGET_TOKENS: usize = (LIMIT + 3) * limits::TEXT_BYTES;

/// A question with the expected memories.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GoldenQuestion {
    query: String,
    expect: Vec<ExpectedMemory>,
}

/// A memory that should be recalled.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
enum ExpectedMemory {
    Id(i64),
    /// Words that its text contains, in any case.
    Words(String),
}

/// An expected memory with the rank at which it was recalled.
#[derive(Debug, Serialize)]
struct ExpectationResult {
    expected: ExpectedMemory,
    /// Counted from 1; `None` if it was not recalled.
    rank: Option<usize>,
}

/// Runs every question of the list. The exit status is a failure if any expected memory is missing.
pub(super) async fn check(setup: &Setup, file: &Path) -> Result<CommandOutput, Problem> {
    let list: Vec<(usize, GoldenQuestion)> = json_lines::read_lines(file)?;
    if let Some((number, _)) = list.iter().find(|(_, golden)| golden.expect.is_empty()) {
        return Err(json_lines::line_problem(file, *number, "`expect` is empty"));
    }
    let asked = setup.with_memory(async |memory| {
        // The result must not depend on the project of the working directory.
        let memory = memory.outside_projects();
        let mut progress = Progress::new("recalling", list.len());
        let mut asked = Vec::new();
        for (_, golden) in &list {
            asked.push((golden.query.as_str(), run_question(&memory, golden).await?));
            progress.step();
        }
        Ok(asked)
    });
    Ok(render(setup, &asked.await?))
}

async fn run_question(
    memory: &OpenMemory,
    golden: &GoldenQuestion,
) -> Result<Vec<ExpectationResult>, Problem> {
    let recall = RecallRequest {
        limit: Some(LIMIT),
        budget_tokens: Some(BUDGET_TOKENS),
        ..RecallRequest::query(&golden.query)
    };
    let hits = memory.engine.memories().recall(&memory.caller_for("eval"), &recall).await?.hits;
    let met = |expected: &ExpectedMemory| {
        let position = hits.iter().position(|hit| expected.matches(hit));
        ExpectationResult {
            expected: expected.clone(),
            rank: position.map(|position| position + 1),
        }
    };
    Ok(golden.expect.iter().map(met).collect())
}

impl ExpectedMemory {
    /// Returns true if the hit is the expected memory, or was deduplicated with it: the result
    /// shows only one of several similar memories.
    fn matches(&self, hit: &MemoryHit) -> bool {
        match self {
            Self::Id(id) => {
                hit.memory.id.0 == *id || hit.repetitions.iter().any(|alike| alike.0 == *id)
            }
            Self::Words(words) => {
                hit.memory.text.to_lowercase().contains(&words.trim().to_lowercase())
            }
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::Id(id) => format!("memory {id}"),
            Self::Words(words) => format!("“{words}”"),
        }
    }
}

fn render(setup: &Setup, asked: &[(&str, Vec<ExpectationResult>)]) -> CommandOutput {
    let mut page = TextPage::new(setup.terminal);
    for (query, met) in asked {
        page.headline(&[(Style::Strong, query)]);
        for one in met {
            let (style, rank) = match one.rank {
                Some(rank) => (Style::Good, format!("{rank:>4}")),
                None => (Style::Bad, "   –".to_owned()),
            };
            page.headline(&[(style, &rank), (Style::Plain, &one.expected.describe())]);
        }
    }
    let expected = asked.iter().map(|(_, met)| met.len()).sum::<usize>();
    let missing = asked.iter().flat_map(|(_, met)| met).filter(|one| one.rank.is_none()).count();
    let questions = count_with_noun(asked.len(), "question", "questions");
    page.blank().add_text(&format!(
        "{questions}: {} of {expected} expected memories among the first {LIMIT} results, \
         {missing} missing.",
        expected - missing
    ));
    let queries: Vec<_> =
        asked.iter().map(|(query, met)| json!({ "query": query, "expect": met })).collect();
    let value = json!({ "queries": queries, "expected": expected, "missing": missing });
    CommandOutput::new(value, page).with_exit(if missing == 0 { Exit::Done } else { Exit::Failed })
}
