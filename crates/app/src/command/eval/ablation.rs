//! Effect of one part of the ranking: the scores without it, and the paired differences to the
//! scores with it, each with its standard error over groups, so that what a part gains can be told
//! from chance.

use super::data::DataSet;
use super::eval_run::QuestionResult;
use super::metrics::score;
use super::report::LevelScores;
use engine::RankingPart;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

/// Names of the compared measures: three at turn level, and their mean.
pub(super) const MEASURES: [&str; 4] = ["any@10", "all@10", "NDCG@10", "mean"];
/// Number of groups from which the standard error is that of groups. With fewer, questions count
/// as independent.
const GROUPS_MIN: usize = 5;

/// Mean of paired differences, with its standard error.
#[derive(Debug, Clone, Copy, PartialEq)]
struct MeanDifference {
    mean: f64,
    standard_error: f64,
}

/// Results without one part of the ranking.
pub(super) struct PartAblation {
    pub part: RankingPart,
    pub scores: LevelScores,
    pub results: Vec<QuestionResult>,
    differences: [MeanDifference; MEASURES.len()],
}

impl PartAblation {
    /// Compares the results without a part with those of the whole ranking.
    pub fn new(
        part: RankingPart,
        data: &DataSet,
        whole: &[QuestionResult],
        results: Vec<QuestionResult>,
    ) -> Self {
        let (before, after) = (measures(data, whole), measures(data, &results));
        let clusters = clusters(data);
        let differences = std::array::from_fn(|measure| {
            let pairs = before.iter().zip(&after).zip(&clusters);
            let each = pairs.filter_map(|((before, after), cluster)| {
                Some((*cluster, after.as_ref()?[measure] - before.as_ref()?[measure]))
            });
            MeanDifference::new(each)
        });
        Self { part, scores: LevelScores::new(data, &results), results, differences }
    }

    /// Renders the differences in points.
    pub fn row(&self) -> Vec<String> {
        let cells = self
            .differences
            .iter()
            .map(|one| format!("{:+.1} ± {:.1}", 100.0 * one.mean, 100.0 * one.standard_error));
        std::iter::once(format!("without {}", self.part.name())).chain(cells).collect()
    }

    /// Renders the differences as JSON.
    pub fn differences_json(&self) -> Value {
        let each = MEASURES.iter().zip(&self.differences).map(|(name, one)| {
            let value = json!({ "mean": one.mean, "standard_error": one.standard_error });
            ((*name).to_owned(), value)
        });
        Value::Object(each.collect())
    }
}

impl MeanDifference {
    /// Computes the mean of differences that belong to clusters, and its cluster-robust standard
    /// error (Liang and Zeger, 1986).
    fn new(differences: impl Iterator<Item = (usize, f64)>) -> Self {
        let mut clusters: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for (cluster, difference) in differences {
            let (count, sum) = clusters.entry(cluster).or_default();
            *count += 1.0;
            *sum += difference;
        }
        let (count, sum) =
            clusters.values().fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1));
        let mean = sum / f64::max(count, 1.0);
        let squares: f64 = clusters.values().map(|one| (one.1 - mean * one.0).powi(2)).sum();
        let groups = clusters.len() as f64;
        let correction = groups / f64::max(groups - 1.0, 1.0);
        Self { mean, standard_error: (correction * squares).sqrt() / f64::max(count, 1.0) }
    }
}

/// Returns the measures of each question; `None` for one without an answer.
fn measures(data: &DataSet, results: &[QuestionResult]) -> Vec<Option<[f64; MEASURES.len()]>> {
    let each = data.queries.iter().zip(results).map(|(query, result)| {
        let found = result.documents.iter().map(|at| data.documents[*at].doc_id.as_str());
        let gold: HashSet<&str> = query.gold.iter().map(String::as_str).collect();
        let scores = (!gold.is_empty()).then(|| score(&found.collect::<Vec<_>>(), &gold))?;
        let [any, all, ndcg] = [scores.any[2], scores.all[2], scores.ndcg];
        Some([any, all, ndcg, (any + all + ndcg) / 3.0])
    });
    each.collect()
}

/// Returns the cluster of each question: its group, or itself if there are few groups.
fn clusters(data: &DataSet) -> Vec<usize> {
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    for query in &data.queries {
        let next = numbers.len();
        numbers.entry(&query.group).or_insert(next);
    }
    match numbers.len() {
        GROUPS_MIN.. => data.queries.iter().map(|query| numbers[query.group.as_str()]).collect(),
        _ => (0..data.queries.len()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_counts_a_group_once() {
        let independent = MeanDifference::new([(0, 1.0), (1, 0.0), (2, 1.0), (3, 0.0)].into_iter());
        assert_eq!(independent.mean, 0.5);
        // sqrt(4/3 * 4 * 0.25) / 4
        assert!((independent.standard_error - 0.288_675).abs() < 1e-6, "{independent:?}");
        let grouped = MeanDifference::new([(0, 1.0), (0, 1.0), (1, 0.0), (1, 0.0)].into_iter());
        // sqrt(2 * (1 + 1)) / 4: two groups that differ, not four questions.
        assert_eq!((grouped.mean, grouped.standard_error), (0.5, 0.5));
        let none = MeanDifference::new(std::iter::empty());
        assert_eq!((none.mean, none.standard_error), (0.0, 0.0));
    }
}
