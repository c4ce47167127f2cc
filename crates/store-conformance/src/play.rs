//! The property test: random batches, valid and not, are played on a store and on a small model of
//! it, and after each step both must say the same. What the contract leaves open is not played.

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

/// Raises the number of plays, and makes each run play others.
const CASES_VARIABLE: &str = "QUIPU_PROPERTY_CASES";

/// Plays random plans, each on a fresh store: the same ones every time, so that a check stays a
/// check, unless the environment asks for a number of new ones in `QUIPU_PROPERTY_CASES`.
///
/// # Panics
/// When the store and the model disagree; the shortest plan that shows it is in the message.
pub fn random_batches<B: Backend + 'static>(open: impl AsyncFn(&Path) -> B, cases: u32) {
    let asked = std::env::var(CASES_VARIABLE).ok().and_then(|number| number.parse().ok());
    let config = |cases| Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 500,
        ..Config::default()
    };
    let mut runner = match asked {
        Some(cases) => TestRunner::new(config(cases)),
        None => TestRunner::new_with_rng(
            config(cases),
            TestRng::deterministic_rng(RngAlgorithm::ChaCha),
        ),
    };
    let runtime = runtime();
    let played = runner.run(&plans(), |plan| {
        runtime.block_on(async {
            let fixture = Fixture::fresh(&open).await;
            Play::new(&fixture).through(&plan).await
        })
    });
    if let Err(disagreement) = played {
        panic!("{disagreement}");
    }
}

/// One plan being played.
struct Play<'a> {
    at: &'a Fixture,
    state: State,
    names: Names,
    /// What was answered under each agent's keys, and to which request.
    answered: BTreeMap<(usize, u8), (u8, Committed)>,
    /// A view that only follows the changes the store tells, as the index does.
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
        // Every second write comes from the other handle, as from another process.
        let store = if number.is_multiple_of(2) { &self.at.store } else { &self.at.twin };
        let answer = store.write(&self.at.owner, batch).await;
        let told = usize::from(answer.as_ref().is_ok_and(|committed| !committed.replayed));
        prop_assert_eq!(
            self.at.events().await,
            events + told,
            "a batch has an event when it was applied"
        );
        let answered =
            step.key.and_then(|(key, request)| self.answered_to(step.agent, key, request));
        match (answer, answered) {
            (Ok(committed), None) => self.accept(step, committed, expected),
            (Ok(again), Some(before)) => {
                let first = before.map(|first| Committed { replayed: true, ..first });
                prop_assert_eq!(Some(again), first, "a replay answers as the first call did");
                Ok(())
            }
            (Err(error), answered) => {
                let right = expected.refusals_after(answered.as_ref().map(Option::is_some));
                prop_assert!(right.contains(&kind(&error)), "{error:?}, not {right:?}");
                Ok(())
            }
        }
    }

    /// What was answered under a key; `Some(None)` when that was another request.
    fn answered_to(&self, agent: usize, key: u8, request: u8) -> Option<Option<Committed>> {
        let (asked, before) = self.answered.get(&(agent, key))?;
        Some((*asked == request).then(|| before.clone()))
    }

    /// The batch as the store is told of it, and what the model expects of it.
    fn prepare(&self, step: &Step, doing: Doing) -> (Batch, Expected) {
        let mut expected = Expected { after: self.state.clone(), ..Expected::default() };
        expected.after.begin_batch();
        let (mut changes, mut made) = (Vec::new(), Positions::default());
        for operation in &step.operations {
            if expected.after.is_left_open(operation, doing) {
                continue;
            }
            changes.push(self.names.change(operation, &expected.after, &made, doing));
            if let Some(outcome) = expected.foresee(operation, doing) {
                made.note(changes.len() - 1, &outcome);
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
        for (outcome, made) in expected.made.iter().zip(&committed.made) {
            prop_assert!(self.names.agree(outcome, made), "{made:?}, not {outcome:?}");
        }
        (self.state, self.seq) = (expected.after, committed.seq);
        if let Some((key, request)) = step.key {
            self.answered.insert((step.agent, key), (request, committed));
        }
        Ok(())
    }

    /// Catches the view up and holds it against what the store shows of each memory.
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

/// What the model expects of a batch.
#[derive(Default)]
struct Expected {
    after: State,
    made: Vec<Outcome>,
    /// The refusals that would be right for the first change that fails.
    refusals: Vec<Refusal>,
    /// Whether any change is malformed: a backend may look at the form of all before it applies the
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

    /// The refusals that are right, given whether the key was used, and if so for the same request.
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
