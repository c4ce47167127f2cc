//! Context scores: a memory gains from its neighbours in the session, from the session as a whole,
//! from linked memories and from memories about the same entities.

use crate::candidates::{Candidates, opens_session};
use crate::rank::{best_by_own_score, is_owner_speaker};
use crate::{RankedMemory, RankingWeights};
use index::{Direction, DocId, DocSet, LinkKinds, View};
use model::{EntityId, MemoryId, SessionId};
use std::collections::HashMap;

/// Number of best candidates whose links and entities are followed. Bounds the work per query.
const SEED_COUNT: usize = 20;
/// Maximum number of memories that mention an entity for it to relate them. An entity that occurs
/// everywhere says nothing.
const MENTIONS_MAX: usize = 20;

/// Adds the scores for context, answers and session openings. `ranked` must be in the order of the
/// candidates.
pub(crate) fn add_context_scores(
    view: &View,
    candidates: &Candidates,
    within: &DocSet,
    ranked: &mut [RankedMemory],
    weights: &RankingWeights,
) {
    let own: Vec<f32> = ranked.iter().map(|one| one.parts.own_score()).collect();
    let beside = neighbour_scores(view, candidates, &own);
    let sessions = best_of_sessions(view, ranked, &own);
    let linked = best_linked(view, candidates, ranked);
    let related = best_related(view, ranked);
    for (at, one) in ranked.iter_mut().enumerate() {
        // Links and entities only pull a memory up towards a better one; two weak memories do not
        // lift each other.
        let better = |other: f32| if other > own[at] { other } else { 0.0 };
        one.parts.context = weights.neighbour * beside[at].best[0]
            + weights.second_neighbour * beside[at].best[1]
            + weights.session * sessions[at]
            + weights.linked * better(linked[at])
            + weights.related * better(related[at]);
        one.parts.answers = weights.answers * beside[at].question_before;
        one.parts.opening =
            if opens_session(view, one.doc, within) { weights.opening * own[at] } else { 0.0 };
    }
}

/// Scores of a candidate's neighbours in its session.
#[derive(Debug, Clone, Copy, Default)]
struct NeighbourScores {
    /// Best score among the direct neighbours, and among those one step further.
    best: [f32; 2],
    /// Score of the previous line, times the share of it that is a question: an answer seldom
    /// repeats the words of its question. Questions by the owner are left out, since an assistant
    /// replies to those.
    question_before: f32,
}

/// Returns the neighbour scores of each candidate.
fn neighbour_scores(view: &View, candidates: &Candidates, own: &[f32]) -> Vec<NeighbourScores> {
    let mut all = vec![NeighbourScores::default(); own.len()];
    for near in &candidates.neighbours {
        let positions = candidates.index_of(near.doc).zip(candidates.index_of(near.neighbour));
        let Some((found, beside)) = positions else { continue };
        // Both directions: a pair is listed once unless both ends were retrieved by themselves.
        all[found].best[near.distance] = all[found].best[near.distance].max(own[beside]);
        all[beside].best[near.distance] = all[beside].best[near.distance].max(own[found]);
        let (before, after) = if near.is_before { (beside, found) } else { (found, beside) };
        if near.distance == 0 {
            all[after].question_before =
                own[before] * question_share_to_others(view, candidates.docs[before]);
        }
    }
    all
}

/// Returns the share of a memory that is a question to another person.
fn question_share_to_others(view: &View, doc: DocId) -> f32 {
    let share = view.question_share(doc);
    let is_by_owner = || view.speaker(doc).is_some_and(is_owner_speaker);
    if share > 0.0 && is_by_owner() { 0.0 } else { share }
}

/// Returns for each candidate the best score in its session; 0 without a session.
fn best_of_sessions(view: &View, ranked: &[RankedMemory], own: &[f32]) -> Vec<f32> {
    let in_session =
        ranked.iter().enumerate().filter_map(|(at, one)| Some((view.session(one.doc)?, at)));
    let mut by_session: Vec<(SessionId, usize)> = in_session.collect();
    by_session.sort_unstable();
    let mut best = vec![0.0; ranked.len()];
    for same in by_session.chunk_by(|(one, _), (other, _)| one == other) {
        let most = same.iter().map(|&(_, at)| own[at]).fold(0.0, f32::max);
        same.iter().for_each(|&(_, at)| best[at] = most);
    }
    best
}

/// Returns for each candidate the best score among the top candidates linked to it, where links of
/// replaced versions count for the newest one.
fn best_linked(view: &View, candidates: &Candidates, ranked: &[RankedMemory]) -> Vec<f32> {
    let mut best = vec![0.0_f32; ranked.len()];
    for one in best_by_own_score(ranked, SEED_COUNT) {
        let older = view.older_versions(one.id, None);
        for version in std::iter::once(one.id).chain(older) {
            for edge in view.links(version, Direction::Both, LinkKinds::ALL) {
                if let Some(other) = linked_candidate(view, candidates, edge.other(version)) {
                    best[other] = best[other].max(one.parts.own_score() * edge.weight);
                }
            }
        }
    }
    best
}

/// Returns the position of a linked memory among the candidates, or that of its newest version. A
/// question about the past has the replaced version itself among its candidates.
fn linked_candidate(view: &View, candidates: &Candidates, id: MemoryId) -> Option<usize> {
    let place = |id: MemoryId| view.doc(id).and_then(|doc| candidates.index_of(doc));
    place(id).or_else(|| place(view.newest_version(id, None)))
}

/// Returns for each candidate the best score among the top candidates that mention the same entity,
/// if few other memories do.
fn best_related(view: &View, ranked: &[RankedMemory]) -> Vec<f32> {
    let mut best: HashMap<EntityId, f32> = HashMap::new();
    for one in best_by_own_score(ranked, SEED_COUNT) {
        for entity in view.entities(one.doc) {
            let score = best.entry(entity).or_default();
            *score = score.max(one.parts.own_score());
        }
    }
    best.retain(|entity, _| (2..=MENTIONS_MAX).contains(&view.mention_count(*entity)));
    if best.is_empty() {
        return vec![0.0; ranked.len()];
    }
    let related =
        |one: &RankedMemory| view.entities(one.doc).filter_map(|entity| best.get(&entity)).copied();
    ranked.iter().map(|one| related(one).fold(0.0, f32::max)).collect()
}
