//! `quipu eval --golden`: checks the owner's list of questions and expected memories against the
//! real memory.

use super::lines;
use crate::answer::Answer;
use crate::exit::{Exit, Problem};
use crate::page::{Page, Style};
use crate::progress::Progress;
use crate::setup::{Opened, Setup};
use crate::shown::counted;
use engine::recall::{Hit, Recall};
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
struct Golden {
    query: String,
    expect: Vec<Expected>,
}

/// A memory that should be recalled.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
enum Expected {
    Id(i64),
    /// Words that its text contains, in any case.
    Words(String),
}

/// An expected memory with the rank at which it was recalled.
#[derive(Debug, Serialize)]
struct Met {
    expected: Expected,
    /// Counted from 1; `None` if it was not recalled.
    rank: Option<usize>,
}

/// Runs every question of the list. The exit status is a failure if any expected memory is missing.
pub(super) async fn check(setup: &Setup, file: &Path) -> Result<Answer, Problem> {
    let list: Vec<(usize, Golden)> = lines::read(file)?;
    if let Some((number, _)) = list.iter().find(|(_, golden)| golden.expect.is_empty()) {
        return Err(lines::wrong(file, *number, "`expect` is empty"));
    }
    let asked = setup.with_memory(async |memory| {
        // The result must not depend on the project of the working directory.
        let memory = memory.outside_projects();
        let mut progress = Progress::new("recalling", list.len());
        let mut asked = Vec::new();
        for (_, golden) in &list {
            asked.push((golden.query.as_str(), ask(&memory, golden).await?));
            progress.step();
        }
        Ok(asked)
    });
    Ok(answer(setup, &asked.await?))
}

async fn ask(memory: &Opened, golden: &Golden) -> Result<Vec<Met>, Problem> {
    let recall = Recall {
        limit: Some(LIMIT),
        budget_tokens: Some(BUDGET_TOKENS),
        ..Recall::query(&golden.query)
    };
    let hits = memory.engine.memories().recall(&memory.using("eval"), &recall).await?.hits;
    let met = |expected: &Expected| {
        let position = hits.iter().position(|hit| expected.is(hit));
        Met { expected: expected.clone(), rank: position.map(|position| position + 1) }
    };
    Ok(golden.expect.iter().map(met).collect())
}

impl Expected {
    /// Returns true if the hit is the expected memory, or was deduplicated with it: the result
    /// shows only one of several similar memories.
    fn is(&self, hit: &Hit) -> bool {
        match self {
            Self::Id(id) => hit.memory.id.0 == *id || hit.alike.iter().any(|alike| alike.0 == *id),
            Self::Words(words) => {
                hit.memory.text.to_lowercase().contains(&words.trim().to_lowercase())
            }
        }
    }

    fn told(&self) -> String {
        match self {
            Self::Id(id) => format!("memory {id}"),
            Self::Words(words) => format!("“{words}”"),
        }
    }
}

fn answer(setup: &Setup, asked: &[(&str, Vec<Met>)]) -> Answer {
    let mut page = Page::new(setup.screen);
    for (query, met) in asked {
        page.headline(&[(Style::Strong, query)]);
        for one in met {
            let (style, rank) = match one.rank {
                Some(rank) => (Style::Good, format!("{rank:>4}")),
                None => (Style::Bad, "   –".to_owned()),
            };
            page.headline(&[(style, &rank), (Style::Plain, &one.expected.told())]);
        }
    }
    let expected = asked.iter().map(|(_, met)| met.len()).sum::<usize>();
    let missing = asked.iter().flat_map(|(_, met)| met).filter(|one| one.rank.is_none()).count();
    let questions = counted(asked.len(), "question", "questions");
    page.blank().say(&format!(
        "{questions}: {} of {expected} expected memories among the first {LIMIT} results, \
         {missing} missing.",
        expected - missing
    ));
    let queries: Vec<_> =
        asked.iter().map(|(query, met)| json!({ "query": query, "expect": met })).collect();
    let value = json!({ "queries": queries, "expected": expected, "missing": missing });
    Answer::new(value, page).ending(if missing == 0 { Exit::Done } else { Exit::Failed })
}
