//! Random decisions on rivals in random orders: the same state each time, no cycle, and something
//! current unless all were rejected.

use crate::fixture::owner;
use crate::rivals::RivalMemories;
use model::{LinkKind, MemoryId, OwnerId, Resolution, ReviewId, Status};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::collections::BTreeSet;

/// Environment variable that sets the number of cases and makes them random in each run.
const CASES_VARIABLE: &str = "QUIPU_PROPERTY_CASES";
const CASES: u32 = 24;

/// Rivals with items between them, each with its decision, in two orders.
#[derive(Debug, Clone)]
struct RivalPlan {
    memories: usize,
    /// Subject, memory that it disagrees with, and the decision.
    items: Vec<(usize, usize, Resolution)>,
    orders: [Vec<usize>; 2],
}

/// Statuses by memory, and links of supersession.
type FinalState = (Vec<Status>, BTreeSet<(MemoryId, MemoryId)>);

fn plans() -> impl Strategy<Value = RivalPlan> {
    let items = (2_usize..=6).prop_flat_map(|memories| {
        let pairs: Vec<(usize, usize)> =
            (0..memories).flat_map(|one| (0..one).map(move |other| (one, other))).collect();
        // Usually the newer memory is in question; an import may bring the opposite.
        let item = (any::<bool>(), 0_u8..4, select(Resolution::ALL.to_vec()));
        let items = proptest::collection::vec(item, pairs.len());
        (Just(memories), Just(pairs), items)
    });
    items.prop_flat_map(|(memories, pairs, chosen)| {
        let items: Vec<_> = pairs
            .into_iter()
            .zip(chosen)
            .filter(|(_, (exists, ..))| *exists)
            .map(|((one, other), (_, turned, resolution))| match turned {
                0 => (other, one, resolution),
                _ => (one, other, resolution),
            })
            .collect();
        let order: Vec<usize> = (0..items.len()).collect();
        let orders = [Just(order.clone()).prop_shuffle(), Just(order).prop_shuffle()];
        (Just(memories), Just(items), orders).prop_map(|(memories, items, orders)| RivalPlan {
            memories,
            items,
            orders,
        })
    })
}

async fn play(plan: &RivalPlan, order: &[usize]) -> (RivalMemories, Vec<ReviewId>) {
    let rivals = RivalMemories::new(plan.memories).await;
    let mut ids = Vec::new();
    for (subject, against, _) in &plan.items {
        ids.push(rivals.contradict(*subject, *against).await);
    }
    for position in order {
        rivals.decide(ids[*position], plan.items[*position].2).await;
    }
    (rivals, ids)
}

async fn final_state(rivals: &RivalMemories) -> FinalState {
    let mut links = BTreeSet::new();
    for id in &rivals.ids {
        let out = rivals.fixture.store.links(&OwnerId::me(), *id).await.unwrap().outgoing;
        let made = out.iter().filter(|link| link.kind == LinkKind::Supersedes);
        links.extend(made.map(|link| (link.source, link.target)));
    }
    (rivals.statuses().await, links)
}

/// Returns whether the links lead from no memory back to it.
fn is_acyclic(mut links: BTreeSet<(MemoryId, MemoryId)>) -> bool {
    loop {
        let targets: BTreeSet<MemoryId> = links.iter().map(|(_, target)| *target).collect();
        let count = links.len();
        links.retain(|(source, _)| targets.contains(source));
        if links.len() == count {
            return links.is_empty();
        }
    }
}

async fn check(plan: &RivalPlan) -> Result<(), TestCaseError> {
    let (rivals, items) = play(plan, &plan.orders[0]).await;
    let (statuses, links) = final_state(&rivals).await;
    let other = play(plan, &plan.orders[1]).await.0;
    prop_assert_eq!(&(statuses.clone(), links.clone()), &final_state(&other).await);
    prop_assert!(is_acyclic(links.clone()), "{:?}", links);
    let all_rejected = statuses.iter().all(|status| *status == Status::Rejected);
    prop_assert!(all_rejected || statuses.contains(&Status::Active), "{:?}", statuses);
    prop_assert!(rivals.open().await.is_empty());
    for position in &plan.orders[1] {
        rivals.fixture.engine.reviews().undo(&owner(), items[*position]).await.unwrap();
    }
    let untouched = (vec![Status::Active; plan.memories], BTreeSet::new());
    prop_assert_eq!(final_state(&rivals).await, untouched);
    Ok(())
}

#[test]
fn decisions_on_rivals_end_in_the_same_state_in_any_order() {
    let wanted = std::env::var(CASES_VARIABLE).ok().and_then(|number| number.parse().ok());
    let config = |cases| Config { cases, failure_persistence: None, ..Config::default() };
    let mut runner = match wanted {
        Some(cases) => TestRunner::new(config(cases)),
        None => TestRunner::new_with_rng(
            config(CASES),
            TestRng::deterministic_rng(RngAlgorithm::ChaCha),
        ),
    };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let result = runner.run(&plans(), |plan| runtime.block_on(check(&plan)));
    if let Err(difference) = result {
        panic!("{difference}");
    }
}
