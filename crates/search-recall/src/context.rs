//! Context scores: a memory gains from its neighbours in the session, from the session as a whole,
//! from linked memories and from memories about the same entities.

use crate::candidates::{Candidates, opens};
use crate::rank::{best_by_themselves, is_the_owner};
use crate::{Ranked, Weights};
use index::{Direction, Doc, DocSet, LinkKinds, View};
use model::{EntityId, SessionId};
use std::collections::HashMap;

/// Number of best candidates whose links and entities are followed. Bounds the work per query.
const LINKED_FROM: usize = 20;
/// Maximum number of memories that mention an entity for it to relate them. An entity that occurs
/// everywhere says nothing.
const SPOKEN_OF: usize = 20;

/// Adds the scores for context, answers and session openings. `ranked` must be in the order of the
/// candidates.
pub(crate) fn lift(
    view: &View,
    candidates: &Candidates,
    within: &DocSet,
    ranked: &mut [Ranked],
    weights: &Weights,
) {
    let own: Vec<f32> = ranked.iter().map(|one| one.parts.own()).collect();
    let beside = beside_each(view, candidates, &own);
    let sessions = best_of_sessions(view, ranked, &own);
    let linked = best_linked(view, candidates, ranked);
    let related = best_related(view, ranked);
    for (at, one) in ranked.iter_mut().enumerate() {
        // Links and entities only pull a memory up towards a better one; two weak memories do not
        // lift each other.
        let better = |other: f32| if other > own[at] { other } else { 0.0 };
        one.parts.context = weights.neighbour * beside[at].best[0]
            + weights.further * beside[at].best[1]
            + weights.session * sessions[at]
            + weights.linked * better(linked[at])
            + weights.related * better(related[at]);
        one.parts.answers = weights.answers * beside[at].asked;
        one.parts.opening =
            if opens(view, one.doc, within) { weights.opening * own[at] } else { 0.0 };
    }
}

/// Scores of a candidate's neighbours in its session.
#[derive(Debug, Clone, Copy, Default)]
struct Beside {
    /// Best score among the direct neighbours, and among those one step further.
    best: [f32; 2],
    /// Score of the previous line, times the share of it that is a question: an answer seldom
    /// repeats the words of its question. Questions by the owner are left out, since an assistant
    /// replies to those.
    asked: f32,
}

/// Returns the neighbour scores of each candidate.
fn beside_each(view: &View, candidates: &Candidates, own: &[f32]) -> Vec<Beside> {
    let mut all = vec![Beside::default(); own.len()];
    for near in &candidates.around {
        let positions = candidates.position(near.found).zip(candidates.position(near.beside));
        let Some((found, beside)) = positions else { continue };
        // Both directions: a pair is listed once unless both ends were retrieved by themselves.
        all[found].best[near.step] = all[found].best[near.step].max(own[beside]);
        all[beside].best[near.step] = all[beside].best[near.step].max(own[found]);
        let (before, after) = if near.earlier { (beside, found) } else { (found, beside) };
        if near.step == 0 {
            all[after].asked = own[before] * asks_another(view, candidates.docs[before]);
        }
    }
    all
}

/// Returns the share of a memory that is a question to another person.
fn asks_another(view: &View, doc: Doc) -> f32 {
    let share = view.asking(doc);
    let is_by_owner = || view.speaker(doc).is_some_and(is_the_owner);
    if share > 0.0 && is_by_owner() { 0.0 } else { share }
}

/// Returns for each candidate the best score in its session; 0 without a session.
fn best_of_sessions(view: &View, ranked: &[Ranked], own: &[f32]) -> Vec<f32> {
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

/// Returns for each candidate the best score among the top candidates linked to it.
fn best_linked(view: &View, candidates: &Candidates, ranked: &[Ranked]) -> Vec<f32> {
    let mut best = vec![0.0_f32; ranked.len()];
    for one in best_by_themselves(ranked, LINKED_FROM) {
        for edge in view.links(one.id, Direction::Both, LinkKinds::ALL) {
            let other = view.doc(edge.other(one.id)).and_then(|doc| candidates.position(doc));
            if let Some(other) = other {
                best[other] = best[other].max(one.parts.own() * edge.weight);
            }
        }
    }
    best
}

/// Returns for each candidate the best score among the top candidates that mention the same entity,
/// if few other memories do.
fn best_related(view: &View, ranked: &[Ranked]) -> Vec<f32> {
    let mut best: HashMap<EntityId, f32> = HashMap::new();
    for one in best_by_themselves(ranked, LINKED_FROM) {
        for entity in view.entities(one.doc) {
            let score = best.entry(entity).or_default();
            *score = score.max(one.parts.own());
        }
    }
    best.retain(|entity, _| (2..=SPOKEN_OF).contains(&view.mentions(*entity)));
    if best.is_empty() {
        return vec![0.0; ranked.len()];
    }
    let related =
        |one: &Ranked| view.entities(one.doc).filter_map(|entity| best.get(&entity)).copied();
    ranked.iter().map(|one| related(one).fold(0.0, f32::max)).collect()
}
