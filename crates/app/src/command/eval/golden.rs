//! The owner's own list of questions and what should come back, asked of the real memory.

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

/// How many answers an expectation may be among.
const LIMIT: usize = 10;
/// A budget that leaves nothing out: a text has never more tokens than bytes, and one may take a
/// third.
const BUDGET_TOKENS: usize = (LIMIT + 3) * limits::TEXT_BYTES;

/// A question, and what should come back.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Golden {
    query: String,
    expect: Vec<Expected>,
}

/// A memory that should come back.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
enum Expected {
    /// By its number.
    Id(i64),
    /// By words that stand in it, in any case.
    Words(String),
}

/// An expectation with the place it came back at.
#[derive(Debug, Serialize)]
struct Met {
    expected: Expected,
    /// From 1; missing when it did not come back.
    rank: Option<usize>,
}

/// Asks every question of the list. Ends as failed when anything expected did not come back.
pub(super) async fn check(setup: &Setup, file: &Path) -> Result<Answer, Problem> {
    let list: Vec<(usize, Golden)> = lines::read(file)?;
    if let Some((number, _)) = list.iter().find(|(_, golden)| golden.expect.is_empty()) {
        return Err(lines::wrong(file, *number, "`expect` is empty"));
    }
    let asked = setup.with_memory(async |memory| {
        // What comes back must not depend on the directory one stands in.
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
        let place = hits.iter().position(|hit| expected.is(hit));
        Met { expected: expected.clone(), rank: place.map(|place| place + 1) }
    };
    Ok(golden.expect.iter().map(met).collect())
}

impl Expected {
    /// A memory that says the same as the hit counts too: the answer shows one of them.
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
            let (style, place) = match one.rank {
                Some(rank) => (Style::Good, format!("{rank:>4}")),
                None => (Style::Bad, "   –".to_owned()),
            };
            page.headline(&[(style, &place), (Style::Plain, &one.expected.told())]);
        }
    }
    let expected = asked.iter().map(|(_, met)| met.len()).sum::<usize>();
    let missing = asked.iter().flat_map(|(_, met)| met).filter(|one| one.rank.is_none()).count();
    let questions = counted(asked.len(), "question", "questions");
    page.blank().say(&format!(
        "{questions}; {} of {expected} expected memories came back among the first {LIMIT}, {missing} did not.",
        expected - missing
    ));
    let queries: Vec<_> =
        asked.iter().map(|(query, met)| json!({ "query": query, "expect": met })).collect();
    let value = json!({ "queries": queries, "expected": expected, "missing": missing });
    Answer::new(value, page).ending(if missing == 0 { Exit::Done } else { Exit::Failed })
}
