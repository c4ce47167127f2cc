//! Retrieval metrics of a ranking: hit rate, recall, MRR and NDCG. Pure arithmetic over ids.

use std::collections::{BTreeMap, HashSet};

/// Depths k at which any@k, all@k and frac@k are computed.
pub(super) const DEPTHS: [usize; 4] = [1, 5, 10, 20];
/// Depth at which NDCG is computed.
const NDCG_DEPTH: usize = 10;

/// Metrics of one ranking, or their mean over many.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Scores {
    /// 1 if at least one relevant item is among the first k, for each of [`DEPTHS`].
    pub any: [f64; DEPTHS.len()],
    /// 1 if all relevant items are among the first k.
    pub all: [f64; DEPTHS.len()],
    /// Fraction of the relevant items among the first k.
    pub frac: [f64; DEPTHS.len()],
    /// Reciprocal rank of the first relevant item.
    pub mrr: f64,
    /// Normalized discounted cumulative gain with binary relevance.
    pub ndcg: f64,
}

/// Scores a ranking without duplicates. `gold` must not be empty.
pub(super) fn score(ranked: &[&str], gold: &HashSet<&str>) -> Scores {
    let found: Vec<usize> = (0..ranked.len()).filter(|at| gold.contains(ranked[*at])).collect();
    let mut scores = Scores::default();
    for (at, depth) in DEPTHS.into_iter().enumerate() {
        let within = found.iter().filter(|position| **position < depth).count();
        scores.any[at] = f64::from(u8::from(within > 0));
        scores.all[at] = f64::from(u8::from(within == gold.len()));
        scores.frac[at] = within as f64 / gold.len() as f64;
    }
    scores.mrr = found.first().map_or(0.0, |position| 1.0 / (position + 1) as f64);
    let gain = |positions: &mut dyn Iterator<Item = usize>| {
        positions.map(|at| 1.0 / ((at + 2) as f64).log2()).sum::<f64>()
    };
    let gained = gain(&mut found.into_iter().filter(|position| *position < NDCG_DEPTH));
    scores.ndcg = gained / gain(&mut (0..gold.len().min(NDCG_DEPTH)));
    scores
}

/// Scores of many questions, overall and by category.
#[derive(Debug, Default)]
pub(super) struct ScoreTable {
    pub overall: ScoreSum,
    pub categories: BTreeMap<String, ScoreSum>,
}

impl ScoreTable {
    /// Adds the scores of one question.
    pub fn add(&mut self, category: &str, scores: &Scores) {
        self.overall.add(scores);
        self.categories.entry(category.to_owned()).or_default().add(scores);
    }
}

/// Sum of the scores of some questions, with their number.
#[derive(Debug, Default)]
pub(super) struct ScoreSum {
    pub count: usize,
    sum: Scores,
}

impl ScoreSum {
    fn add(&mut self, scores: &Scores) {
        self.count += 1;
        let sum = &mut self.sum;
        for at in 0..DEPTHS.len() {
            sum.any[at] += scores.any[at];
            sum.all[at] += scores.all[at];
            sum.frac[at] += scores.frac[at];
        }
        sum.mrr += scores.mrr;
        sum.ndcg += scores.ndcg;
    }

    /// Returns the mean; zero if there are no questions.
    pub fn mean(&self) -> Scores {
        let by = self.count.max(1) as f64;
        let Scores { any, all, frac, mrr, ndcg } = self.sum;
        let each = |values: [f64; DEPTHS.len()]| values.map(|value| value / by);
        Scores { any: each(any), all: each(all), frac: each(frac), mrr: mrr / by, ndcg: ndcg / by }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_three_found_at_ranks_two_and_six() {
        let ranked = ["x", "a", "y", "z", "w", "b"];
        let scores = score(&ranked, &HashSet::from(["a", "b", "c"]));
        assert_eq!(scores.any, [0.0, 1.0, 1.0, 1.0]);
        assert_eq!(scores.all, [0.0; 4]);
        assert_eq!(scores.frac, [0.0, 1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(scores.mrr, 0.5);
        // (1/log2(3) + 1/log2(7)) / (1 + 1/log2(3) + 1/2)
        assert!((scores.ndcg - 0.463_242).abs() < 1e-6, "{}", scores.ndcg);
    }

    #[test]
    fn a_perfect_ranking_scores_one_and_an_empty_one_nothing() {
        let gold = HashSet::from(["a"]);
        let best = score(&["a", "b"], &gold);
        assert_eq!((best.any, best.all, best.mrr, best.ndcg), ([1.0; 4], [1.0; 4], 1.0, 1.0));
        assert_eq!(score(&[], &gold), Scores::default());
    }

    #[test]
    fn more_relevant_items_than_the_depth_can_still_score_a_perfect_ndcg() {
        let names: Vec<String> = (0..12).map(|number| number.to_string()).collect();
        let ranked: Vec<&str> = names.iter().map(String::as_str).collect();
        let scores = score(&ranked, &ranked.iter().copied().collect());
        assert_eq!((scores.ndcg, scores.all), (1.0, [0.0, 0.0, 0.0, 1.0]));
    }

    #[test]
    fn the_mean_without_questions_is_zero() {
        assert_eq!(ScoreSum::default().mean(), Scores::default());
    }
}
