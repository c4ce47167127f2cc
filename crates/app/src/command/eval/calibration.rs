//! Calibration of the confidence: how often the answer is among the first results, compared with
//! the probability that the recall stated. A reliability table in steps of a tenth, and the Brier
//! score beside that of a constant, which is what a confidence that knows nothing would reach.

use super::abstention::{interval, percent};
use super::data::{DataSet, EvalQuery};
use super::eval_run::QuestionResult;
use crate::text_page::TextPage;
use serde_json::{Value, json};
use std::time::Duration;

/// Number of first results among which an answer counts as found.
const DEPTH: usize = 10;
/// Number of rows of the reliability table.
const BINS: usize = 10;

/// Stated probability and outcome of the questions in one bin.
#[derive(Debug, Default, Clone, Copy)]
struct ReliabilityBin {
    asked: usize,
    answered: usize,
    confidence_sum: f64,
}

/// Calibration on a data set.
#[derive(Debug, Default)]
pub(super) struct CalibrationReport {
    bins: [ReliabilityBin; BINS],
    squared_error_sum: f64,
}

impl CalibrationReport {
    /// Compares confidences with outcomes; `None` if no question was asked.
    pub fn new(data: &DataSet, results: &[QuestionResult]) -> Option<Self> {
        let mut report = Self::default();
        for (query, result) in data.queries.iter().zip(results) {
            // A question whose group has no documents was never asked.
            if result.time.wall > Duration::ZERO {
                report.add(f64::from(result.confidence), is_answered(data, query, result));
            }
        }
        (report.asked() > 0).then_some(report)
    }

    fn add(&mut self, confidence: f64, is_answered: bool) {
        let bin = &mut self.bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        bin.asked += 1;
        bin.answered += usize::from(is_answered);
        bin.confidence_sum += confidence;
        self.squared_error_sum += (confidence - f64::from(u8::from(is_answered))).powi(2);
    }

    /// Adds the table to a page.
    pub fn render(&self, page: &mut TextPage) {
        let header = ["confidence", "n", "mean %", "answered %", "95%"];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(self.filled_bins().map(|(at, bin)| bin.row(at)));
        page.heading("Calibration").columns(&rows);
        page.pairs(&[
            ("Brier score", format!("{:.3}", self.brier_score())),
            ("of a constant", format!("{:.3}", self.constant_brier_score())),
        ]);
    }

    /// Renders the report as JSON.
    pub fn to_json(&self) -> Value {
        let bins = self.filled_bins().map(|(at, bin)| {
            json!({
                "from": at as f64 / BINS as f64,
                "n": bin.asked,
                "mean": bin.confidence_sum / bin.asked as f64,
                "answered": bin.answered as f64 / bin.asked as f64,
            })
        });
        json!({
            "n": self.asked(),
            "brier": self.brier_score(),
            "brier_of_constant": self.constant_brier_score(),
            "bins": bins.collect::<Vec<_>>(),
        })
    }

    fn filled_bins(&self) -> impl Iterator<Item = (usize, &ReliabilityBin)> {
        self.bins.iter().enumerate().filter(|(_, bin)| bin.asked > 0)
    }

    fn asked(&self) -> usize {
        self.bins.iter().map(|bin| bin.asked).sum()
    }

    /// Mean squared difference of confidence and outcome.
    fn brier_score(&self) -> f64 {
        self.squared_error_sum / self.asked() as f64
    }

    /// Brier score of the share of answered questions, stated for every question.
    fn constant_brier_score(&self) -> f64 {
        let answered: usize = self.bins.iter().map(|bin| bin.answered).sum();
        let share = answered as f64 / self.asked() as f64;
        share * (1.0 - share)
    }
}

impl ReliabilityBin {
    fn row(&self, at: usize) -> Vec<String> {
        let step = 1.0 / BINS as f64;
        let from = at as f64 * step;
        vec![
            format!("{from:.1} to {:.1}", from + step),
            self.asked.to_string(),
            format!("{:.1}", 100.0 * self.confidence_sum / self.asked as f64),
            percent(self.answered, self.asked),
            interval(self.answered, self.asked),
        ]
    }
}

fn is_answered(data: &DataSet, query: &EvalQuery, result: &QuestionResult) -> bool {
    let mut first = result.documents.iter().take(DEPTH);
    first.any(|at| query.gold.contains(&data.documents[*at].doc_id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_brier_score_and_the_bins_match_manual_computation() {
        let mut report = CalibrationReport::default();
        for (confidence, is_answered) in [(0.9, true), (0.92, false), (0.25, false), (1.0, true)] {
            report.add(confidence, is_answered);
        }
        // (0.01 + 0.8464 + 0.0625 + 0) / 4, and 1/2 * 1/2 for a constant.
        assert!((report.brier_score() - 0.229_725).abs() < 1e-9, "{}", report.brier_score());
        assert_eq!(report.constant_brier_score(), 0.25);
        let last = report.bins[9];
        assert_eq!((last.asked, last.answered), (3, 2));
        assert!((last.confidence_sum - 2.82).abs() < 1e-9);
        assert_eq!(report.filled_bins().count(), 2);
    }
}
