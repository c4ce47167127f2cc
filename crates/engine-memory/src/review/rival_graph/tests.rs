//! Tests of decisions on rivals: what each set of decisions results in, in any order.

use super::*;
use proptest::prelude::*;
use proptest::sample::select;

const ONE: MemoryId = MemoryId(1);
const TWO: MemoryId = MemoryId(2);
const THREE: MemoryId = MemoryId(3);
const FOUR: MemoryId = MemoryId(4);

fn active(ids: &[MemoryId]) -> RivalGraph {
    let base = ids.iter().map(|id| (*id, Status::Active)).collect();
    RivalGraph { base, versions: BTreeSet::new() }
}

fn confirm(subject: MemoryId, against: MemoryId) -> Vec<Verdict> {
    vec![Verdict::Accept(subject), Verdict::Replace((subject, against))]
}

fn keep_both(subject: MemoryId, against: MemoryId) -> Vec<Verdict> {
    vec![Verdict::Accept(subject), Verdict::Accept(against)]
}

fn reject(subject: MemoryId) -> Vec<Verdict> {
    vec![Verdict::Reject(subject)]
}

fn statuses(graph: &RivalGraph, decisions: &[Vec<Verdict>]) -> Vec<Status> {
    graph.state(&decisions.concat()).statuses.into_values().collect()
}

#[test]
fn of_three_rivals_that_are_confirmed_over_each_other_the_newest_holds() {
    let decisions = [confirm(TWO, ONE), confirm(THREE, ONE), confirm(THREE, TWO)];
    assert_eq!(
        statuses(&active(&[ONE, TWO, THREE]), &decisions),
        [Status::Superseded, Status::Superseded, Status::Active]
    );
}

#[test]
fn in_a_cycle_of_confirmations_the_newest_holds() {
    let graph = active(&[ONE, TWO, THREE]);
    let decisions = [confirm(TWO, ONE), confirm(ONE, THREE), confirm(THREE, TWO)];
    let state = graph.state(&decisions.concat());
    assert_eq!(state.statuses[&THREE], Status::Active);
    assert_eq!(state.replacements, BTreeSet::from([(TWO, ONE), (THREE, TWO)]));
}

#[test]
fn what_only_a_rejected_memory_replaced_is_current_again() {
    let graph = active(&[ONE, TWO, THREE]);
    let decisions = [confirm(THREE, ONE), reject(THREE)];
    assert_eq!(statuses(&graph, &decisions), [Status::Active, Status::Active, Status::Rejected]);
    let also_replaced = [confirm(THREE, ONE), confirm(TWO, ONE), reject(THREE)];
    assert_eq!(
        statuses(&graph, &also_replaced),
        [Status::Superseded, Status::Active, Status::Rejected]
    );
}

#[test]
fn no_decision_makes_a_rejected_memory_current() {
    let graph = active(&[ONE, TWO]);
    for other in [confirm(TWO, ONE), keep_both(TWO, ONE), confirm(ONE, TWO)] {
        let found = statuses(&graph, &[reject(TWO), other]);
        assert_eq!(found, [Status::Active, Status::Rejected]);
    }
}

#[test]
fn a_proposal_holds_once_it_is_accepted() {
    let mut graph = active(&[ONE, TWO]);
    graph.base.insert(TWO, Status::Proposed);
    assert_eq!(statuses(&graph, &[]), [Status::Active, Status::Proposed]);
    assert_eq!(statuses(&graph, &[confirm(TWO, ONE)]), [Status::Superseded, Status::Active]);
    assert_eq!(statuses(&graph, &[keep_both(TWO, ONE)]), [Status::Active, Status::Active]);
    assert_eq!(statuses(&graph, &[reject(TWO)]), [Status::Active, Status::Rejected]);
}

#[test]
fn a_confirmation_reaches_the_version_that_a_correction_made_current() {
    let mut graph = active(&[ONE, TWO, THREE]);
    graph.base.insert(ONE, Status::Superseded);
    graph.versions.insert((THREE, ONE));
    let state = graph.state(&confirm(TWO, ONE));
    assert_eq!(state.replacements, BTreeSet::from([(TWO, THREE)]));
    assert_eq!(state.statuses[&TWO], Status::Active);
}

#[test]
fn a_corrected_memory_replaces_others_only_while_it_has_a_current_version() {
    let mut graph = active(&[ONE, TWO, THREE]);
    graph.base.insert(TWO, Status::Superseded);
    assert_eq!(graph.state(&confirm(TWO, ONE)).statuses[&ONE], Status::Active);
    graph.versions.insert((THREE, TWO));
    let state = graph.state(&confirm(TWO, ONE));
    assert_eq!(
        (state.statuses[&ONE], state.statuses[&TWO]),
        (Status::Superseded, Status::Superseded)
    );
    graph.base.insert(THREE, Status::Retired);
    assert_eq!(graph.state(&confirm(TWO, ONE)).statuses[&ONE], Status::Active);
}

#[test]
fn two_memories_with_one_current_version_do_not_replace_it() {
    let mut graph = active(&[ONE, TWO, THREE]);
    for old in [ONE, TWO] {
        graph.base.insert(old, Status::Superseded);
        graph.versions.insert((THREE, old));
    }
    assert_eq!(graph.state(&confirm(TWO, ONE)).statuses[&THREE], Status::Active);
}

#[test]
fn a_memory_out_of_use_stays_so() {
    for base in [Status::Superseded, Status::Rejected, Status::Retired] {
        let mut graph = active(&[ONE, TWO]);
        graph.base.insert(TWO, base);
        for decision in [confirm(TWO, ONE), keep_both(TWO, ONE), reject(TWO), confirm(ONE, TWO)] {
            assert_eq!(statuses(&graph, &[decision]), [Status::Active, base]);
        }
    }
}

fn graphs() -> impl Strategy<Value = RivalGraph> {
    let ids = [ONE, TWO, THREE, FOUR, MemoryId(5)];
    let bases = proptest::collection::vec(select(Status::ALL.to_vec()), ids.len());
    // Corrections are written after what they correct, so they form no cycle.
    let versions = proptest::collection::btree_set((1_i64..5, 1_i64..5), 0..3);
    (bases, versions).prop_map(move |(bases, versions)| RivalGraph {
        base: ids.into_iter().zip(bases).collect(),
        versions: versions
            .into_iter()
            .filter(|(old, by)| old + by <= 5)
            .map(|(old, by)| (MemoryId(old + by), MemoryId(old)))
            .collect(),
    })
}

fn decisions() -> impl Strategy<Value = Vec<Vec<Verdict>>> {
    let pair = (1_i64..=5, 1_i64..=5).prop_filter("two memories", |(a, b)| a != b);
    let one = (pair, 0..3).prop_map(|((subject, against), kind)| {
        let (subject, against) = (MemoryId(subject), MemoryId(against));
        match kind {
            0 => confirm(subject, against),
            1 => reject(subject),
            _ => keep_both(subject, against),
        }
    });
    proptest::collection::vec(one, 0..12)
}

proptest! {
    #[test]
    fn any_order_of_decisions_gives_the_same_state(
        graph in graphs(),
        (one, other) in
            decisions().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
    ) {
        prop_assert_eq!(graph.state(&one.concat()), graph.state(&other.concat()));
    }

    #[test]
    fn whatever_decisions_replace_has_a_current_successor(
        graph in graphs(),
        decisions in decisions(),
    ) {
        let state = graph.state(&decisions.concat());
        let all: BTreeSet<Replacement> = &graph.versions | &state.replacements;
        for (_, old) in &state.replacements {
            let held = current_successor(*old, &all, &state, all.len() + 1);
            prop_assert!(held, "{} {:?}", old, state);
        }
    }
}

/// Returns whether a chain of replacements of at most so many steps ends at an active memory.
fn current_successor(
    id: MemoryId,
    all: &BTreeSet<Replacement>,
    state: &RivalState,
    steps: usize,
) -> bool {
    let newer = all.iter().filter(|(_, old)| *old == id).map(|(new, _)| *new);
    state.statuses[&id] == Status::Active
        || (steps > 0 && newer.into_iter().any(|new| current_successor(new, all, state, steps - 1)))
}
