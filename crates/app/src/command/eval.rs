//! `quipu eval`: how well recall finds, on a data set of questions with known answers or on the
//! owner's own list. It asks through the same use case as an agent and knows no data set.

mod data;
mod golden;
mod latency;
mod lines;
mod metrics;
mod report;
mod trial;

use crate::answer::Answer;
use crate::exit::Problem;
use crate::setup::Setup;
use clap::Args;
use data::DataSet;
use engine::{Ranking, RankingPart};
use report::{Levels, Report};
use std::path::{Path, PathBuf};
use trial::{Asked, Trial};

const EXAMPLES: &str = "\
Examples:
  quipu eval sets/locomo
  quipu eval sets/locomo --by-category --run-file run.jsonl
  quipu eval sets/locomo --without meaning
  quipu eval sets/locomo --each-part
  quipu eval --golden my-questions.jsonl";

/// Measure how well recall finds what it should
///
/// DIR holds `corpus.jsonl` and `queries.jsonl`, each may be packed as `.gz`. The documents are
/// remembered in a throw-away memory, each on its date, one owner for each group; then every
/// question is recalled as an agent would, on its own date. Your own memory is not touched.
///
/// With --golden your own memory is asked instead, and every expectation that is not among the
/// first ten answers is told; the command then ends with exit code 1.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Eval {
    /// The data set
    #[arg(value_name = "DIR", required_unless_present = "golden")]
    dir: Option<PathBuf>,
    /// Ask only the first so many questions
    #[arg(long, value_name = "N", conflicts_with = "golden")]
    limit_queries: Option<usize>,
    /// Show each category of questions apart
    #[arg(long, conflicts_with = "golden")]
    by_category: bool,
    /// Write down what came back: a line {"query_id": …, "ranked": […]} for each question
    #[arg(long, value_name = "FILE", conflicts_with = "golden")]
    run_file: Option<PathBuf>,
    /// Take a part out of the ranking, to see what it is worth; may be given several times
    #[arg(long, value_name = "PART", conflicts_with = "golden")]
    without: Vec<RankingPart>,
    /// Ask everything again without each part of the ranking, one at a time
    #[arg(long, conflicts_with = "golden")]
    each_part: bool,
    /// Ask your own memory these lines: {"query": "…", "expect": [ids or words of the memory]}
    #[arg(long, value_name = "FILE", conflicts_with = "dir")]
    golden: Option<PathBuf>,
}

impl Eval {
    /// Measures.
    ///
    /// # Errors
    /// When the data cannot be read, or the store cannot work.
    pub async fn run(self, setup: &Setup) -> Result<Answer, Problem> {
        match (&self.golden, &self.dir) {
            (Some(file), _) => golden::check(setup, file).await,
            (None, Some(dir)) => self.measure(setup, dir).await,
            (None, None) => {
                Err(Problem::usage("neither DIR nor --golden is given", "See `quipu eval --help`."))
            }
        }
    }

    async fn measure(&self, setup: &Setup, dir: &Path) -> Result<Answer, Problem> {
        let mut data = DataSet::load(dir)?;
        data.queries.truncate(self.limit_queries.unwrap_or(usize::MAX));
        let ranking =
            self.without.iter().fold(Ranking::default(), |ranking, part| ranking.without(*part));
        let trial = Trial::prepare(setup, &data, ranking).await?;
        let asked = trial.ask_all(&data).await?;
        let mut each = Vec::new();
        for part in RankingPart::ALL
            .into_iter()
            .filter(|part| self.each_part && !self.without.contains(part))
        {
            let asked = trial.ask_all_by(setup, &data, ranking.without(part)).await?;
            each.push((part, Levels::new(&data, &asked)));
        }
        trial.finish().await;
        if let Some(path) = &self.run_file {
            write_run(path, &data, &asked)?;
        }
        let report = Report::new(&data, &trial, &asked, &self.without, each);
        Ok(Answer::new(report.as_json(), report.page(setup.screen, self.by_category)))
    }
}

/// Writes what came back, for other programs to score.
fn write_run(path: &Path, data: &DataSet, asked: &[Asked]) -> Result<(), Problem> {
    let lines = data.queries.iter().zip(asked).map(|(query, asked)| {
        let ranked: Vec<&str> =
            asked.documents.iter().map(|at| data.documents[*at].doc_id.as_str()).collect();
        format!("{}\n", serde_json::json!({ "query_id": query.query_id, "ranked": ranked }))
    });
    let text: String = lines.collect();
    std::fs::write(path, text).map_err(|error| Problem::file("writing", path, &error))
}
