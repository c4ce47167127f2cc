//! `quipu eval`: measures recall on a data set of questions with known answers, or on the owner's
//! own list. It uses the same use case as an agent and contains nothing specific to a data set.

mod ablation;
mod abstention;
mod calibration;
mod coverage;
mod data;
mod eval_run;
mod golden;
mod json_lines;
mod latency;
mod metrics;
mod question_variation;
mod report;
mod small_memories;

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::setup::Setup;
use ablation::PartAblation;
use clap::{Args, ValueEnum};
use data::{DataSet, EvalQuery};
use engine::{Ranking, RankingPart};
use eval_run::{EvalRun, QuestionResult};
use question_variation::QuestionVariation;
use report::{EvalReport, LevelScores};
use serde_json::json;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  quipu eval sets/locomo
  quipu eval sets/locomo --by-category --run-file run.jsonl
  quipu eval sets/locomo --without meaning
  quipu eval sets/locomo --each-part
  quipu eval sets/locomo --coverage
  quipu eval sets/locomo --vary typo
  quipu eval sets/abstention --small 3
  quipu eval --golden my-questions.jsonl";

/// Measure the quality of recall
///
/// DIR contains `corpus.jsonl` and `queries.jsonl`, optionally compressed as `.gz`. The documents
/// are stored in a temporary memory, each on its date, with one owner per group; then every
/// question is recalled as an agent would, on its own date. Your own memory is not touched. If some
/// questions have no answer, the report shows how many of them got nothing or a weak result.
///
/// With --golden, your own memory is queried instead. Every expected memory that is not among the
/// first ten results is reported, and the exit code is 1 if there are any.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct EvalArgs {
    /// Directory of the data set
    #[arg(value_name = "DIR", required_unless_present = "golden")]
    dir: Option<PathBuf>,
    /// Run only the first N questions
    #[arg(long, value_name = "N", conflicts_with = "golden")]
    limit_queries: Option<usize>,
    /// Show the scores of each category of questions
    #[arg(long, conflicts_with = "golden")]
    by_category: bool,
    /// Write the results to a file: a line {"query_id": …, "ranked": […]} per question; with
    /// --each-part, also those without each part, with its name as "without"
    #[arg(long, value_name = "FILE", conflicts_with = "golden")]
    run_file: Option<PathBuf>,
    /// Disable a part of the ranking to measure its effect; can be repeated
    #[arg(long, value_name = "PART", conflicts_with = "golden")]
    without: Vec<RankingPart>,
    /// Repeat all questions with each part of the ranking disabled in turn
    #[arg(long, conflicts_with = "golden")]
    each_part: bool,
    /// Ask again within 500, 1,000 and 1,500 tokens, and show how often the whole evidence is there
    #[arg(long, conflicts_with = "golden")]
    coverage: bool,
    /// Change the questions by rule and show the scores before and after; questions that cannot be
    /// changed are left out
    #[arg(long, value_name = "CHANGE", conflicts_with = "golden")]
    vary: Option<QuestionVariation>,
    /// Deal the documents into memories of SIZE, and ask each question of the one that holds its
    /// answer and of another
    #[arg(long, value_name = "SIZE", conflicts_with_all = ["golden", "vary"])]
    small: Option<usize>,
    /// File of questions for your own memory: {"query": "…", "expect": [ids or words]} per line
    #[arg(long, value_name = "FILE", conflicts_with = "dir")]
    golden: Option<PathBuf>,
}

impl EvalArgs {
    /// Runs the evaluation.
    ///
    /// # Errors
    /// Fails when the data cannot be read, or the store fails.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        match (&self.golden, &self.dir) {
            (Some(file), _) => golden::check(setup, file).await,
            (None, Some(dir)) => self.measure(setup, dir).await,
            (None, None) => {
                Err(Problem::usage("pass either DIR or --golden", "See `quipu eval --help`."))
            }
        }
    }

    async fn measure(&self, setup: &Setup, dir: &Path) -> Result<CommandOutput, Problem> {
        let mut data = DataSet::load(dir)?;
        data.queries.truncate(self.limit_queries.unwrap_or(usize::MAX));
        if let Some(size) = self.small {
            data = small_memories::deal(data, size);
        }
        let changed = self.vary.map(|variation| retain_variable(&mut data, variation));
        let ranking =
            self.without.iter().fold(Ranking::default(), |ranking, part| ranking.without(*part));
        let mut run = EvalRun::prepare(setup, &data, ranking).await?;
        run.measures_coverage = self.coverage;
        let results = run.run_questions(&data).await?;
        run.measures_coverage = false;
        let mut each = Vec::new();
        for part in RankingPart::ALL
            .into_iter()
            .filter(|part| self.each_part && !self.without.contains(part))
        {
            let without = run.run_questions_with(setup, &data, ranking.without(part)).await?;
            each.push(PartAblation::new(part, &data, &results, without));
        }
        let varied = self.measure_varied(&run, &mut data, changed).await?;
        run.finish().await;
        if let Some(path) = &self.run_file {
            write_run(path, &data, &results, &each)?;
        }
        let mut report = EvalReport::new(&data, &run, &results, &self.without, each);
        report.varied = varied;
        Ok(CommandOutput::new(report.to_json(), report.render(setup.terminal, self.by_category)))
    }

    /// Asks the changed questions, and returns their scores with the name of the change.
    async fn measure_varied(
        &self,
        run: &EvalRun,
        data: &mut DataSet,
        changed: Option<Vec<String>>,
    ) -> Result<Option<(String, LevelScores)>, Problem> {
        let (Some(changed), Some(variation)) = (changed, self.vary) else { return Ok(None) };
        let originals: Vec<String> = (data.queries.iter_mut().zip(changed))
            .map(|(query, text)| std::mem::replace(&mut query.text, text))
            .collect();
        let results = run.run_questions(data).await?;
        let scores = LevelScores::new(data, &results);
        for (query, text) in data.queries.iter_mut().zip(originals) {
            query.text = text;
        }
        let name = variation.to_possible_value().map(|value| value.get_name().to_owned());
        Ok(Some((name.unwrap_or_default(), scores)))
    }
}

/// Leaves out the questions that a variation does not change, and returns the others changed.
fn retain_variable(data: &mut DataSet, variation: QuestionVariation) -> Vec<String> {
    let mut changed = Vec::new();
    let mut number = 0;
    data.queries.retain(|query| {
        number += 1;
        let other = variation.apply(&query.text, number);
        changed.extend(other.clone());
        other.is_some()
    });
    changed
}

/// Writes the results, for other programs to score: those of the whole ranking, then those without
/// each part.
fn write_run(
    path: &Path,
    data: &DataSet,
    results: &[QuestionResult],
    each: &[PartAblation],
) -> Result<(), Problem> {
    let mut text = String::new();
    let parts = each.iter().map(|one| (Some(one.part.name()), one.results.as_slice()));
    for (without, results) in std::iter::once((None, results)).chain(parts) {
        for (query, result) in data.queries.iter().zip(results) {
            text.push_str(&run_line(data, query, result, without));
        }
    }
    std::fs::write(path, text).map_err(|error| Problem::file("writing", path, &error))
}

fn run_line(
    data: &DataSet,
    query: &EvalQuery,
    result: &QuestionResult,
    without: Option<&str>,
) -> String {
    let ranked: Vec<&str> =
        result.documents.iter().map(|at| data.documents[*at].doc_id.as_str()).collect();
    let mut line = json!({ "query_id": query.query_id, "ranked": ranked });
    if let Some(part) = without {
        line["without"] = part.into();
    }
    format!("{line}\n")
}
