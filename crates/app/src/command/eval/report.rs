//! Report of an evaluation: the scores with everything needed to repeat them, as text and as JSON.

use super::ablation::{MEASURES, PartAblation};
use super::abstention::AbstentionReport;
use super::calibration::CalibrationReport;
use super::coverage::CoverageReport;
use super::data::DataSet;
use super::eval_run::{EvalRun, LIMIT, QuestionResult};
use super::json_lines::DataFile;
use super::latency::percentile;
use super::metrics::{DEPTHS, ScoreSum, ScoreTable, Scores, score};
use crate::render::count_with_noun;
use crate::terminal::Terminal;
use crate::text_page::TextPage;
use engine::RankingPart;
use model::JsonMap;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::time::Duration;

/// Header of the score tables.
const COLUMNS: [&str; 12] = [
    "", "n", "any@1", "any@5", "any@10", "any@20", "all@5", "all@10", "all@20", "frac@10", "MRR",
    "NDCG@10",
];

/// Commit that the binary was built from; unknown outside of a Git checkout.
const COMMIT: Option<&str> = option_env!("QUIPU_COMMIT");

/// Report of an evaluation.
pub(super) struct EvalReport<'a> {
    data: &'a DataSet,
    trial: &'a EvalRun,
    results: &'a [QuestionResult],
    /// Parts of the ranking that were disabled.
    without: Vec<&'static str>,
    overall: LevelScores,
    /// Results with each part disabled in turn.
    ablations: Vec<PartAblation>,
    /// Scores of the same questions after a change by rule, with its name.
    pub varied: Option<(String, LevelScores)>,
}

/// Scores by document ("turns"), and by the session of the documents.
pub(super) struct LevelScores {
    turns: ScoreTable,
    sessions: ScoreTable,
    /// CPU time of each question, where the system provides it.
    cpus: Vec<Duration>,
}

impl LevelScores {
    /// Scores the results. A question without a right answer is not scored at that level.
    pub fn new(data: &DataSet, results: &[QuestionResult]) -> Self {
        let (mut turns, mut sessions) = (ScoreTable::default(), ScoreTable::default());
        for (query, result) in data.queries.iter().zip(results) {
            let found = result.documents.iter().map(|at| &data.documents[*at]);
            let ids: Vec<&str> = found.clone().map(|document| document.doc_id.as_str()).collect();
            add_scores(&mut turns, &query.category, &ids, &query.gold);
            let ids = dedup_names(found.map(|document| document.session.as_str()));
            add_scores(&mut sessions, &query.category, &ids, &query.gold_sessions);
        }
        // A question whose group has no documents was never run; its time of zero is no
        // measurement.
        let took =
            results.iter().map(|result| result.time).filter(|took| took.wall > Duration::ZERO);
        Self { turns, sessions, cpus: took.filter_map(|took| took.cpu).collect() }
    }

    /// Returns the median CPU time of a question in milliseconds.
    fn median_cpu(&self) -> String {
        percentile(self.cpus.clone(), 0.5)
            .map_or_else(String::new, |half| format!("{:.2}", millis(half)))
    }

    fn named(&self) -> [(&'static str, &ScoreTable); 2] {
        [("Turns", &self.turns), ("Sessions", &self.sessions)]
    }

    fn to_json(&self) -> [Value; 2] {
        [&self.turns, &self.sessions].map(table_json)
    }
}

impl<'a> EvalReport<'a> {
    /// Creates the report from the results of all questions, and from those with each part disabled
    /// in turn.
    pub fn new(
        data: &'a DataSet,
        trial: &'a EvalRun,
        results: &'a [QuestionResult],
        without: &[RankingPart],
        ablations: Vec<PartAblation>,
    ) -> Self {
        let without = without.iter().map(|part| part.name()).collect();
        let overall = LevelScores::new(data, results);
        Self { data, trial, results, without, overall, ablations, varied: None }
    }

    /// Renders the report as text.
    pub fn render(&self, terminal: Terminal, by_category: bool) -> TextPage {
        let mut page = TextPage::new(terminal);
        page.pairs(&self.details());
        for (nth, (level, table)) in self.overall.named().into_iter().enumerate() {
            let mut rows = vec![append_cell(COLUMNS.map(str::to_owned).to_vec(), "CPU ms".into())];
            rows.push(append_cell(row("all", &table.overall), self.overall.median_cpu()));
            if by_category {
                rows.extend(
                    table
                        .categories
                        .iter()
                        .map(|(name, sum)| append_cell(row(name, sum), String::new())),
                );
            }
            rows.extend(self.ablations.iter().map(|PartAblation { part, scores, .. }| {
                let name = format!("without {}", part.name());
                append_cell(row(&name, &scores.named()[nth].1.overall), scores.median_cpu())
            }));
            rows.extend(self.varied.iter().map(|(name, levels)| {
                let name = format!("with {name}");
                append_cell(row(&name, &levels.named()[nth].1.overall), levels.median_cpu())
            }));
            page.heading(level).columns(&rows);
        }
        self.render_differences(&mut page);
        if let Some(coverage) = CoverageReport::new(self.data, self.results) {
            coverage.render(&mut page, by_category);
        }
        if let Some(abstention) = AbstentionReport::new(self.data, self.results) {
            abstention.render(&mut page);
        }
        if let Some(calibration) = CalibrationReport::new(self.data, self.results) {
            calibration.render(&mut page);
        }
        page
    }

    /// Adds what each part changes, with standard errors.
    fn render_differences(&self, page: &mut TextPage) {
        if self.ablations.is_empty() {
            return;
        }
        let header = std::iter::once("").chain(MEASURES).map(str::to_owned).collect();
        let mut rows = vec![header];
        rows.extend(self.ablations.iter().map(PartAblation::row));
        page.heading("Differences, ± one standard error over groups").columns(&rows);
    }

    /// Renders the report as JSON.
    pub fn to_json(&self) -> Value {
        let counts = &self.trial.counts;
        let [turn, session] = self.overall.to_json();
        let each = self.ablations.iter().map(|one| {
            let [turn, session] = one.scores.to_json();
            let recall_ms = json!({ "cpu": latency_json(one.scores.cpus.clone()) });
            let scores = json!({
                "turn": turn,
                "session": session,
                "difference": one.differences_json(),
                "recall_ms": recall_ms,
            });
            (one.part.name().to_owned(), scores)
        });
        let file =
            |source: &DataFile| json!({ "file": file_name(source), "sha256": source.sha256 });
        json!({
            "data": self.data.name,
            "corpus": file(&self.data.corpus_file),
            "queries": file(&self.data.queries_file),
            "documents": {
                "kept": counts.stored,
                "cut": counts.truncated,
                "refused": counts.refused,
            },
            "asked": self.results.len(),
            "program": program(),
            "commit": COMMIT,
            "settings": {
                "embedder": self.embedder(),
                "limit": LIMIT,
                "weights": "default",
                "without": self.without,
            },
            "remembering_s": self.trial.store_time.as_secs_f64(),
            "recall_ms": {
                "wall": latency_json(self.wall_times()),
                "cpu": latency_json(self.overall.cpus.clone()),
            },
            "turn": turn,
            "session": session,
            "varied": self.varied.as_ref().map(|(name, levels)| {
                let [turn, session] = levels.to_json();
                json!({ "change": name, "turn": turn, "session": session })
            }),
            "coverage": CoverageReport::new(self.data, self.results).map(|it| it.to_json()),
            "abstention": AbstentionReport::new(self.data, self.results).map(|it| it.to_json()),
            "calibration": CalibrationReport::new(self.data, self.results).map(|it| it.to_json()),
            "without": each.collect::<JsonMap>(),
        })
    }

    fn details(&self) -> Vec<(&'static str, String)> {
        let counts = &self.trial.counts;
        let file = |source: &DataFile| format!("{} sha256:{}", file_name(source), source.sha256);
        let documents = format!(
            "{} stored ({} truncated), {} refused",
            counts.stored, counts.truncated, counts.refused
        );
        vec![
            ("data", self.data.name.clone()),
            ("corpus", file(&self.data.corpus_file)),
            ("queries", file(&self.data.queries_file)),
            ("documents", documents),
            ("asked", count_with_noun(self.results.len(), "question", "questions")),
            ("program", program()),
            ("commit", COMMIT.unwrap_or("unknown: built outside of a checkout").to_owned()),
            ("settings", self.settings()),
            ("remembering", format!("{:.1} s", self.trial.store_time.as_secs_f64())),
            (
                "recall",
                format!(
                    "wall {}; CPU {}",
                    render_latency(self.wall_times()),
                    render_latency(self.overall.cpus.clone())
                ),
            ),
        ]
    }

    fn settings(&self) -> String {
        let without = match self.without.join(", ") {
            none if none.is_empty() => String::new(),
            some => format!(" without {some}"),
        };
        format!(
            "embedder {}, limit {LIMIT}, default weights{without}",
            self.embedder().unwrap_or("none")
        )
    }

    fn embedder(&self) -> Option<&str> {
        self.results.iter().find_map(|result| result.embedder.as_deref())
    }

    fn wall_times(&self) -> Vec<Duration> {
        self.results
            .iter()
            .map(|result| result.time.wall)
            .filter(|wall| *wall > Duration::ZERO)
            .collect()
    }
}

fn add_scores(table: &mut ScoreTable, category: &str, ranked: &[&str], gold: &[String]) {
    if !gold.is_empty() {
        table.add(category, &score(ranked, &gold.iter().map(String::as_str).collect()));
    }
}

/// Removes duplicate names, keeping the first occurrence.
fn dedup_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = HashSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

fn append_cell(mut row: Vec<String>, last: String) -> Vec<String> {
    row.push(last);
    row
}

/// Renders a row of a score table, in the order of [`COLUMNS`].
fn row(name: &str, sum: &ScoreSum) -> Vec<String> {
    let Scores { any, all, frac, mrr, ndcg } = sum.mean();
    let values = [any[0], any[1], any[2], any[3], all[1], all[2], all[3], frac[2], mrr, ndcg];
    let shown = values.iter().map(|value| format!("{:.1}", 100.0 * value));
    [name.to_owned(), sum.count.to_string()].into_iter().chain(shown).collect()
}

fn table_json(table: &ScoreTable) -> Value {
    let categories: JsonMap =
        table.categories.iter().map(|(name, sum)| (name.clone(), scores_json(sum))).collect();
    json!({ "all": scores_json(&table.overall), "categories": categories })
}

fn scores_json(sum: &ScoreSum) -> Value {
    let mean = sum.mean();
    let mut named = JsonMap::new();
    named.insert("n".into(), sum.count.into());
    for (name, values) in [("any", mean.any), ("all", mean.all), ("frac", mean.frac)] {
        named.extend(
            DEPTHS
                .iter()
                .zip(values)
                .map(|(depth, value)| (format!("{name}@{depth}"), value.into())),
        );
    }
    named.insert("MRR".into(), mean.mrr.into());
    named.insert("NDCG@10".into(), mean.ndcg.into());
    Value::Object(named)
}

fn latency_json(values: Vec<Duration>) -> Value {
    match (percentile(values.clone(), 0.5), percentile(values, 0.95)) {
        (Some(half), Some(most)) => json!({ "p50": millis(half), "p95": millis(most) }),
        _ => Value::Null,
    }
}

fn render_latency(values: Vec<Duration>) -> String {
    match (percentile(values.clone(), 0.5), percentile(values, 0.95)) {
        (Some(half), Some(most)) => {
            format!("p50 {:.2} ms, p95 {:.2} ms", millis(half), millis(most))
        }
        _ => "not measured".to_owned(),
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

fn program() -> String {
    format!("quipu {}", env!("CARGO_PKG_VERSION"))
}

fn file_name(source: &DataFile) -> String {
    source.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
