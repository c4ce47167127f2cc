//! Answers that say something that those above them do not: what a question asks for often lies in
//! several memories, and the first few tend to hold the same words of it again and again.

use crate::{Question, Ranked, Weights};
use index::{Doc, View};

/// How many of the first are put in order anew.
const FIRST: usize = 30;
/// How much of a word an answer covers that is full of it: what was said once may well be said
/// again.
const COVERED: f32 = 0.2;

/// Puts the first in order: each time the best of what is left, less what its words count that were
/// covered above. Scores stay as they are; only the order changes, and nothing comes in or goes.
/// What is flagged stays last.
pub(crate) fn vary(view: &View, question: &Question, ranked: &mut [Ranked], weights: &Weights) {
    let sound = ranked.iter().take(FIRST).take_while(|one| one.parts.flagged == 0.0);
    let first = sound.count();
    let docs: Vec<Doc> = ranked[..first].iter().map(|one| one.doc).collect();
    let held = view.lexical_shares(&question.terms, &weights.bm25, &docs);
    let mut covered = vec![0.0; held.worths.len()];
    let mut left: Vec<usize> = (0..first).collect();
    let mut order = Vec::with_capacity(first);
    while !left.is_empty() {
        let next = best(&left, |at| {
            let shares = held.shares[at].iter().zip(&covered);
            let said: f32 = shares
                .zip(&held.worths)
                .map(|((share, covered), worth)| share * covered * worth)
                .sum();
            ranked[at].score - weights.variety * said
        });
        let at = left.remove(next);
        covered.iter_mut().zip(&held.shares[at]).for_each(|(covered, share)| {
            *covered += (1.0 - *covered) * COVERED * share;
        });
        order.push(ranked[at].clone());
    }
    ranked[..first].clone_from_slice(&order);
}

/// Where the greatest value is; the first of equal ones.
fn best(left: &[usize], value: impl Fn(usize) -> f32) -> usize {
    let values = left.iter().map(|&at| value(at)).enumerate();
    values.reduce(|best, next| if next.1 > best.1 { next } else { best }).map_or(0, |(at, _)| at)
}
