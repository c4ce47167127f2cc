//! What stands around a memory lifts it: the lines before and after it, the session it was made in,
//! and what it is linked to. Nothing is lifted by what is worse than itself.

use crate::{Ranked, Weights};
use index::{Direction, Doc, LinkKinds, View};
use model::SessionId;
use std::collections::HashMap;

/// How many of the best are looked at for links.
const LINKED_FROM: usize = 20;

/// Adds the context part to every candidate.
pub(crate) fn lift(view: &View, ranked: &mut [Ranked], weights: &Weights) {
    let own: HashMap<Doc, f32> = ranked.iter().map(|one| (one.doc, one.parts.own())).collect();
    let sessions = best_of_sessions(view, ranked);
    let linked = best_of_linked(view, ranked, &own);
    for one in ranked {
        let mine = one.parts.own();
        let neighbour = best_neighbour(view, one.doc, &own);
        let session =
            view.facts(one.doc).session.and_then(|session| sessions.get(&session)).copied().unwrap_or(0.0);
        let friend = linked.get(&one.doc).copied().unwrap_or(0.0);
        one.parts.context = weights.neighbour * neighbour
            + weights.session * session
            + weights.linked * if friend > mine { friend } else { 0.0 };
    }
}

fn best_neighbour(view: &View, doc: Doc, own: &HashMap<Doc, f32>) -> f32 {
    let around = view.session_before(doc).take(1).chain(view.session_after(doc).take(1));
    around.filter_map(|other| own.get(&other)).copied().fold(0.0, f32::max)
}

fn best_of_sessions(view: &View, ranked: &[Ranked]) -> HashMap<SessionId, f32> {
    let mut best: HashMap<SessionId, f32> = HashMap::new();
    for one in ranked {
        if let Some(session) = view.facts(one.doc).session {
            let known = best.entry(session).or_default();
            *known = known.max(one.parts.own());
        }
    }
    best
}

/// For each memory linked to one of the best, the score of the best one.
fn best_of_linked(view: &View, ranked: &[Ranked], own: &HashMap<Doc, f32>) -> HashMap<Doc, f32> {
    let mut first: Vec<&Ranked> = ranked.iter().collect();
    first.sort_by(|one, other| other.parts.own().total_cmp(&one.parts.own()).then(other.id.cmp(&one.id)));
    let mut best: HashMap<Doc, f32> = HashMap::new();
    for one in first.into_iter().take(LINKED_FROM) {
        for edge in view.links(one.id, Direction::Both, LinkKinds::ALL) {
            if let Some(doc) = view.doc(edge.other(one.id)).filter(|doc| own.contains_key(doc)) {
                let known = best.entry(doc).or_default();
                *known = known.max(one.parts.own() * edge.weight);
            }
        }
    }
    best
}
