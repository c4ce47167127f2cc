//! Abstention: questions without an answer should get nothing or a result marked weak, and
//! questions with one should keep it. Measured on data sets that contain both.

use super::data::{DataSet, EvalQuery};
use super::eval_run::QuestionResult;
use crate::text_page::TextPage;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Confidences at which the curve is computed.
const CURVE: [f32; 13] = [0.05, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.55, 0.6, 0.62, 0.7, 0.8];
/// Quantile of the normal distribution for intervals of 95%.
const Z: f64 = 1.96;

/// Answers to some questions by how certain they look. Of questions with an answer, only those
/// count whose answer is found at all.
#[derive(Debug, Default)]
struct AbstentionCounts {
    asked: usize,
    /// Nothing was returned.
    nothing: usize,
    /// Results were returned, marked weak.
    weak: usize,
    confidences: Vec<f32>,
}

/// Abstention on a data set.
#[derive(Debug, Default)]
pub(super) struct AbstentionReport {
    answerable: AbstentionCounts,
    unanswerable: AbstentionCounts,
    /// By category, with true for categories of questions with an answer.
    categories: BTreeMap<(bool, String), AbstentionCounts>,
}

impl AbstentionReport {
    /// Counts the answers; `None` if every question has an answer, or none has.
    pub fn new(data: &DataSet, results: &[QuestionResult]) -> Option<Self> {
        let mut report = Self::default();
        for (query, result) in data.queries.iter().zip(results) {
            let is_answerable = !query.gold.is_empty();
            if is_answerable && !is_found(data, query, result) {
                continue;
            }
            let category = (is_answerable, query.category.clone());
            let whole =
                if is_answerable { &mut report.answerable } else { &mut report.unanswerable };
            whole.add(result);
            report.categories.entry(category).or_default().add(result);
        }
        (report.answerable.asked > 0 && report.unanswerable.asked > 0).then_some(report)
    }

    /// Adds the tables to a page.
    pub fn render(&self, page: &mut TextPage) {
        let header = ["", "n", "nothing %", "weak %", "either %", "95%"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.push(self.answerable.row("with an answer that is found"));
        rows.push(self.unanswerable.row("without an answer"));
        rows.extend(self.categories.iter().map(|((_, name), counts)| counts.row(name)));
        page.heading("Abstention").columns(&rows);
        let header = ["confidence below", "with an answer %", "95%", "without %", "95%"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(CURVE.map(|confidence| self.curve_row(confidence)));
        page.heading("Abstention by confidence").columns(&rows);
    }

    fn curve_row(&self, confidence: f32) -> Vec<String> {
        let cells = [&self.answerable, &self.unanswerable].into_iter().flat_map(|counts| {
            let below = counts.below(confidence);
            [percent(below, counts.asked), interval(below, counts.asked)]
        });
        std::iter::once(format!("{confidence:.2}")).chain(cells).collect()
    }

    /// Renders the report as JSON.
    pub fn to_json(&self) -> Value {
        let curve = CURVE.map(|confidence| {
            json!({
                "below": (f64::from(confidence) * 100.0).round() / 100.0,
                "answerable": share(self.answerable.below(confidence), self.answerable.asked),
                "unanswerable":
                    share(self.unanswerable.below(confidence), self.unanswerable.asked),
            })
        });
        let categories: serde_json::Map<String, Value> = self
            .categories
            .iter()
            .map(|((_, name), counts)| (name.clone(), counts.to_json()))
            .collect();
        json!({
            "answerable": self.answerable.to_json(),
            "unanswerable": self.unanswerable.to_json(),
            "categories": categories,
            "curve": curve,
        })
    }
}

impl AbstentionCounts {
    fn add(&mut self, result: &QuestionResult) {
        self.asked += 1;
        let is_nothing = result.documents.is_empty();
        self.nothing += usize::from(is_nothing);
        self.weak += usize::from(!is_nothing && result.weak);
        self.confidences.push(result.confidence);
    }

    fn below(&self, confidence: f32) -> usize {
        self.confidences.iter().filter(|one| **one < confidence).count()
    }

    fn row(&self, name: &str) -> Vec<String> {
        let either = self.nothing + self.weak;
        let shares = [self.nothing, self.weak, either].map(|count| percent(count, self.asked));
        let start = [name.to_owned(), self.asked.to_string()];
        start.into_iter().chain(shares).chain([interval(either, self.asked)]).collect()
    }

    fn to_json(&self) -> Value {
        json!({
            "n": self.asked,
            "nothing": share(self.nothing, self.asked),
            "weak": share(self.weak, self.asked),
        })
    }
}

/// Returns true if an answer is among the results, or among those that were withheld.
fn is_found(data: &DataSet, query: &EvalQuery, result: &QuestionResult) -> bool {
    let mut found = result.documents.iter().chain(&result.withheld);
    found.any(|at| query.gold.contains(&data.documents[*at].doc_id))
}

fn share(count: usize, of: usize) -> f64 {
    count as f64 / of.max(1) as f64
}

/// Renders a share in percent.
pub(super) fn percent(count: usize, of: usize) -> String {
    format!("{:.1}", 100.0 * share(count, of))
}

/// Returns the Wilson interval of a share in percent.
pub(super) fn interval(count: usize, of: usize) -> String {
    let (share, n) = (share(count, of), of.max(1) as f64);
    let centre = share + Z * Z / (2.0 * n);
    let half = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    let scale = 100.0 / (1.0 + Z * Z / n);
    format!("{:.1} to {:.1}", scale * (centre - half).max(0.0), scale * (centre + half))
}
