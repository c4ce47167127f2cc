//! Diversification of the first results, in the manner of maximal marginal relevance (MMR,
//! Carbonell and Goldstein, 1998): the answer to a query is often spread over several memories,
//! while the best few tend to repeat the same query terms. Redundancy is measured by the query
//! terms covered so far.

use crate::{RankedMemory, RankingWeights, RecallQuery};
use index::{DocId, View};

/// Number of first results that are reordered.
const DIVERSIFIED_MAX: usize = 30;
/// Share of a term that one result saturated with it covers. Low, because a second mention is often
/// worth reading too.
const COVERAGE_PER_RESULT: f32 = 0.2;

/// Reorders the first results greedily: each time the best remaining one, less a penalty for terms
/// that the results above it cover. Only the order changes, not the scores nor the set of results.
/// Flagged memories stay last.
pub(crate) fn diversify(
    view: &View,
    question: &RecallQuery,
    ranked: &mut [RankedMemory],
    weights: &RankingWeights,
) {
    let unflagged =
        ranked.iter().take(DIVERSIFIED_MAX).take_while(|one| one.parts.flag_penalty == 0.0);
    let first = unflagged.count();
    let docs: Vec<DocId> = ranked[..first].iter().map(|one| one.doc).collect();
    let terms = view.lexical_shares(&question.terms, &weights.bm25, &docs);
    let mut covered = vec![0.0; terms.term_weights.len()];
    let mut remaining: Vec<usize> = (0..first).collect();
    let mut order = Vec::with_capacity(first);
    while !remaining.is_empty() {
        let next = arg_max(&remaining, |at| {
            let shares = terms.shares[at].iter().zip(&covered);
            let redundancy: f32 = shares
                .zip(&terms.term_weights)
                .map(|((share, covered), weight)| share * covered * weight)
                .sum();
            ranked[at].score - weights.diversity * redundancy
        });
        let at = remaining.remove(next);
        covered.iter_mut().zip(&terms.shares[at]).for_each(|(covered, share)| {
            *covered += (1.0 - *covered) * COVERAGE_PER_RESULT * share;
        });
        order.push(ranked[at].clone());
    }
    ranked[..first].clone_from_slice(&order);
}

/// Returns the index of the greatest value, the first of equal ones.
fn arg_max(remaining: &[usize], value: impl Fn(usize) -> f32) -> usize {
    let values = remaining.iter().map(|&at| value(at)).enumerate();
    values.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(at, _)| at)
}
