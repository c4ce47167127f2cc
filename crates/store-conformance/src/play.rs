//! The property test: random batches, valid and invalid, are applied to a store and to a small
//! reference model, and both must agree after each step. Behaviour that the contract leaves
//! unspecified is not generated.

mod compare;
mod names;
mod plan;
mod state;

use super::build::batch_by;
use super::fixture::{Backend, Fixture, runtime};
use compare::{Compared, compare};
use model::{ContentHash, Link, MemoryId, Seq};
use names::{Names, Positions};
use plan::{AGENTS, Operation, Step, plans};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use state::{Doing, Outcome, Refusal, State};
use std::collections::BTreeMap;
use std::path::Path;
use store::{Batch, Committed, Idempotency, ViewEntry, WriteError};

/// Environment variable that sets the number of cases and makes them random in each run.
const CASES_VARIABLE: &str = "QUIPU_PROPERTY_CASES";

/// Runs random plans, each on a fresh store. The plans are the same in every run, so that a failure
/// is reproducible, unless `QUIPU_PROPERTY_CASES` asks for a number of new ones.
///
/// # Panics
/// Panics when the store and the model disagree; the message has the shortest plan that shows it.
pub fn random_batches<B: Backend + 'static>(open: impl AsyncFn(&Path) -> B, cases: u32) {
    let cases_wanted = std::env::var(CASES_VARIABLE).ok().and_then(|number| number.parse().ok());
    let config = |cases| Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 500,
        ..Config::default()
    };
    let mut runner = match cases_wanted {
        Some(cases) => TestRunner::new(config(cases)),
        None => TestRunner::new_with_rng(
            config(cases),
            TestRng::deterministic_rng(RngAlgorithm::ChaCha),
        ),
    };
    let runtime = runtime();
    let result = runner.run(&plans(), |plan| {
        runtime.block_on(async {
            let fixture = Fixture::fresh(&open).await;
            Play::new(&fixture).through(&plan).await
        })
    });
    if let Err(disagreement) = result {
        panic!("{disagreement}");
    }
}

/// A plan that is being run.
struct Play<'a> {
    at: &'a Fixture,
    state: State,
    names: Names,
    /// The request and result of each agent and idempotency key.
    answered: BTreeMap<(usize, u8), (u8, Committed)>,
    /// A copy that is built only from the store's changes, as the search index is.
    view: BTreeMap<MemoryId, ViewEntry>,
    followed: Seq,
    seq: Seq,
}

impl<'a> Play<'a> {
    fn new(at: &'a Fixture) -> Self {
        Self {
            at,
            state: State::default(),
            names: Names::default(),
            answered: BTreeMap::new(),
            view: BTreeMap::new(),
            followed: Seq::ZERO,
            seq: Seq::ZERO,
        }
    }

    async fn through(&mut self, plan: &[Step]) -> Compared {
        for (number, step) in plan.iter().enumerate() {
            let doing = Doing { agent: step.agent, now: super::build::moment(10 * number as i64) };
            self.step(number, step, doing).await?;
            prop_assert_eq!(self.at.seq().await, self.seq);
            compare(self.at, &self.state, &self.names).await?;
            self.follow().await?;
        }
        Ok(())
    }

    async fn step(&mut self, number: usize, step: &Step, doing: Doing) -> Compared {
        let (batch, expected) = self.prepare(step, doing);
        if batch.changes.is_empty() {
            return Ok(());
        }
        let events = self.at.events().await;
        // Alternating handles make every second write look like one of another process.
        let store = if number.is_multiple_of(2) { &self.at.store } else { &self.at.twin };
        let answer = store.write(&self.at.owner, batch).await;
        let applied = usize::from(answer.as_ref().is_ok_and(|committed| !committed.replayed));
        prop_assert_eq!(
            self.at.events().await,
            events + applied,
            "a batch has an audit event exactly when it was applied"
        );
        let answered =
            step.key.and_then(|(key, request)| self.answered_to(step.agent, key, request));
        match (answer, answered) {
            (Ok(committed), None) => self.accept(step, committed, expected),
            (Ok(again), Some(before)) => {
                let first = before.map(|first| Committed { replayed: true, ..first });
                prop_assert_eq!(Some(again), first, "a replay returns the results of the first");
                Ok(())
            }
            (Err(error), answered) => {
                let right = expected.refusals_after(answered.as_ref().map(Option::is_some));
                prop_assert!(right.contains(&kind(&error)), "{error:?}, not {right:?}");
                Ok(())
            }
        }
    }

    /// Returns the earlier result under a key; `Some(None)` when it was of another request.
    fn answered_to(&self, agent: usize, key: u8, request: u8) -> Option<Option<Committed>> {
        let (first, before) = self.answered.get(&(agent, key))?;
        Some((*first == request).then(|| before.clone()))
    }

    /// Builds the batch for the store, and what the model expects of it.
    fn prepare(&self, step: &Step, doing: Doing) -> (Batch, Expected) {
        let mut expected = Expected { after: self.state.clone(), ..Expected::default() };
        expected.after.begin_batch();
        let (mut changes, mut positions) = (Vec::new(), Positions::default());
        for operation in &step.operations {
            if expected.after.is_left_open(operation, doing) {
                continue;
            }
            changes.push(self.names.change(operation, &expected.after, &positions, doing));
            if let Some(outcome) = expected.foresee(operation, doing) {
                positions.note(changes.len() - 1, &outcome);
                expected.made.push(outcome);
            }
        }
        let batch = batch_by(AGENTS[step.agent], doing.now, changes);
        (
            Batch {
                idempotency: step.key.map(|(key, request)| idempotency(key, request)),
                ..batch
            },
            expected,
        )
    }

    fn accept(&mut self, step: &Step, committed: Committed, expected: Expected) -> Compared {
        prop_assert!(expected.refusals.is_empty(), "{committed:?}, not {:?}", expected.refusals);
        prop_assert!(!committed.replayed);
        prop_assert_eq!(committed.seq, self.seq.next());
        prop_assert_eq!(committed.made.len(), expected.made.len());
        for (outcome, result) in expected.made.iter().zip(&committed.made) {
            prop_assert!(self.names.agree(outcome, result), "{result:?}, not {outcome:?}");
        }
        (self.state, self.seq) = (expected.after, committed.seq);
        if let Some((key, request)) = step.key {
            self.answered.insert((step.agent, key), (request, committed));
        }
        Ok(())
    }

    /// Catches the view up and compares it with every memory in the store.
    async fn follow(&mut self) -> Compared {
        let at = self.at;
        let changes = at.store.changes(&at.owner, self.followed, 1_000).await.unwrap();
        prop_assert_eq!(changes.upto, self.seq);
        self.followed = changes.upto;
        for gone in &changes.removed {
            self.view.remove(gone);
        }
        self.view.extend(changes.entries.into_iter().map(|entry| (entry.memory.id, entry)));
        let ids: Vec<MemoryId> = self.view.keys().copied().collect();
        let memories = at.store.memories(&at.owner, &ids).await.unwrap();
        prop_assert_eq!(
            memories.len(),
            self.state.memories.len(),
            "the view holds what the store holds"
        );
        for memory in memories {
            let links = in_order(at.links(memory.id).await.outgoing);
            let entry = &self.view[&memory.id];
            prop_assert_eq!(
                (&entry.memory, in_order(entry.links_out.clone())),
                (&memory, links),
                "the view is behind"
            );
        }
        Ok(())
    }
}

/// The model's expectation of a batch.
#[derive(Default)]
struct Expected {
    after: State,
    made: Vec<Outcome>,
    /// The refusals that are correct for the first change that fails.
    refusals: Vec<Refusal>,
    /// True when any change is malformed: a backend may validate all changes before it applies the
    /// first.
    malformed: bool,
}

impl Expected {
    /// Applies a change to the model, up to the first that fails.
    fn foresee(&mut self, operation: &Operation, doing: Doing) -> Option<Outcome> {
        let mut after = self.after.clone();
        match after.apply(operation, doing) {
            Ok(outcome) if self.refusals.is_empty() => {
                self.after = after;
                return Some(outcome);
            }
            Ok(_) => {}
            Err(wrong) => {
                self.malformed |= wrong.contains(&Refusal::Malformed);
                if self.refusals.is_empty() {
                    self.refusals = wrong;
                }
            }
        }
        None
    }

    /// Returns the correct refusals, given whether the key was used, and if so for the same
    /// request.
    fn refusals_after(&self, answered: Option<bool>) -> Vec<Refusal> {
        let mut right = match answered {
            None => self.refusals.clone(),
            Some(true) => Vec::new(),
            Some(false) => vec![Refusal::Mismatch],
        };
        right.extend(self.malformed.then_some(Refusal::Malformed));
        right
    }
}

fn in_order(mut links: Vec<Link>) -> Vec<Link> {
    links.sort_by_key(|link| (link.target, link.kind));
    links
}

fn idempotency(key: u8, request: u8) -> Idempotency {
    Idempotency { key: format!("key {key}"), fingerprint: ContentHash::of_bytes(&[request]) }
}

fn kind(error: &WriteError) -> Refusal {
    match error {
        WriteError::NotFound { .. } => Refusal::NotFound,
        WriteError::Conflict(_) => Refusal::Conflict,
        WriteError::Forgotten { .. } => Refusal::Forgotten,
        WriteError::IdempotencyMismatch => Refusal::Mismatch,
        WriteError::Refused(_) => Refusal::Malformed,
        WriteError::Store(broken) => panic!("the store itself failed: {broken:?}"),
    }
}
