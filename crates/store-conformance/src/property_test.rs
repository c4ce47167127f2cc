//! The property test: random batches, valid and invalid, are applied to a store and to a small
//! reference model, and both must agree after each step. Behaviour that the contract leaves
//! unspecified is not generated.

mod compare;
mod id_map;
mod model_handoff;
mod model_row;
mod plan;
mod reference_model;

use super::builders::batch_by;
use super::fixture::{StoreBackend, StoreFixture, runtime};
use compare::{Comparison, compare};
use id_map::{AssignedIds, BatchPositions};
use model::{ContentHash, Link, MemoryId, Seq};
use plan::{AGENTS, PlanStep, PlannedChange, plans};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use proptest::{prop_assert, prop_assert_eq};
use reference_model::{ExpectedRefusal, ExpectedResult, ReferenceModel, StepContext};
use std::collections::BTreeMap;
use std::path::Path;
use store::{Batch, CommittedBatch, Idempotency, ViewEntry, WriteError};

/// Environment variable that sets the number of cases and makes them random in each run.
const CASES_VARIABLE: &str = "QUIPU_PROPERTY_CASES";

/// Runs random plans, each on a fresh store. The plans are the same in every run, so that a failure
/// is reproducible, unless `QUIPU_PROPERTY_CASES` asks for a number of new ones.
///
/// # Panics
/// Panics when the store and the model disagree; the message has the shortest plan that shows it.
pub fn random_batches<B: StoreBackend + 'static>(open: impl AsyncFn(&Path) -> B, cases: u32) {
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
            let fixture = StoreFixture::fresh(&open).await;
            PropertyRun::new(&fixture).run(&plan).await
        })
    });
    if let Err(disagreement) = result {
        panic!("{disagreement}");
    }
}

/// A plan that is being run.
struct PropertyRun<'a> {
    at: &'a StoreFixture,
    model: ReferenceModel,
    ids: AssignedIds,
    /// The request and result of each agent and idempotency key.
    results_by_key: BTreeMap<(usize, u8), (u8, CommittedBatch)>,
    /// A copy that is built only from the store's changes, as the search index is.
    view: BTreeMap<MemoryId, ViewEntry>,
    followed: Seq,
    seq: Seq,
}

impl<'a> PropertyRun<'a> {
    fn new(at: &'a StoreFixture) -> Self {
        Self {
            at,
            model: ReferenceModel::default(),
            ids: AssignedIds::default(),
            results_by_key: BTreeMap::new(),
            view: BTreeMap::new(),
            followed: Seq::ZERO,
            seq: Seq::ZERO,
        }
    }

    async fn run(&mut self, plan: &[PlanStep]) -> Comparison {
        for (number, step) in plan.iter().enumerate() {
            let context =
                StepContext { agent: step.agent, now: super::builders::moment(10 * number as i64) };
            self.step(number, step, context).await?;
            prop_assert_eq!(self.at.seq().await, self.seq);
            compare(self.at, &self.model, &self.ids).await?;
            self.follow().await?;
        }
        Ok(())
    }

    async fn step(&mut self, number: usize, step: &PlanStep, context: StepContext) -> Comparison {
        let (batch, expected) = self.prepare(step, context);
        if batch.changes.is_empty() {
            return Ok(());
        }
        let events = self.at.event_count().await;
        // Alternating handles make every second write look like one of another process.
        let store = if number.is_multiple_of(2) { &self.at.store } else { &self.at.second_handle };
        let answer = store.write(&self.at.owner, batch).await;
        let applied = usize::from(answer.as_ref().is_ok_and(|committed| !committed.replayed));
        prop_assert_eq!(
            self.at.event_count().await,
            events + applied,
            "a batch has an audit event exactly when it was applied"
        );
        let answered =
            step.key.and_then(|(key, request)| self.earlier_result(step.agent, key, request));
        match (answer, answered) {
            (Ok(committed), None) => self.accept(step, committed, expected),
            (Ok(again), Some(before)) => {
                let first = before.map(|first| CommittedBatch { replayed: true, ..first });
                prop_assert_eq!(Some(again), first, "a replay returns the results of the first");
                Ok(())
            }
            (Err(error), answered) => {
                let right = expected.allowed_refusals(answered.as_ref().map(Option::is_some));
                prop_assert!(right.contains(&kind(&error)), "{error:?}, not {right:?}");
                Ok(())
            }
        }
    }

    /// Returns the earlier result under a key; `Some(None)` when it was of another request.
    fn earlier_result(&self, agent: usize, key: u8, request: u8) -> Option<Option<CommittedBatch>> {
        let (first, before) = self.results_by_key.get(&(agent, key))?;
        Some((*first == request).then(|| before.clone()))
    }

    /// Builds the batch for the store, and what the model expects of it.
    fn prepare(&self, step: &PlanStep, context: StepContext) -> (Batch, ExpectedBatch) {
        let mut expected = ExpectedBatch { after: self.model.clone(), ..ExpectedBatch::default() };
        expected.after.begin_batch();
        let (mut changes, mut positions) = (Vec::new(), BatchPositions::default());
        for operation in &step.operations {
            if expected.after.is_unspecified(operation, context) {
                continue;
            }
            changes.push(self.ids.change(operation, &expected.after, &positions, context));
            if let Some(outcome) = expected.apply(operation, context) {
                positions.record_result(changes.len() - 1, &outcome);
                expected.results.push(outcome);
            }
        }
        let batch = batch_by(AGENTS[step.agent], context.now, changes);
        (
            Batch {
                idempotency: step.key.map(|(key, request)| idempotency(key, request)),
                ..batch
            },
            expected,
        )
    }

    fn accept(
        &mut self,
        step: &PlanStep,
        committed: CommittedBatch,
        expected: ExpectedBatch,
    ) -> Comparison {
        prop_assert!(expected.refusals.is_empty(), "{committed:?}, not {:?}", expected.refusals);
        prop_assert!(!committed.replayed);
        prop_assert_eq!(committed.seq, self.seq.next());
        prop_assert_eq!(committed.results.len(), expected.results.len());
        for (outcome, result) in expected.results.iter().zip(&committed.results) {
            prop_assert!(self.ids.matches(outcome, result), "{result:?}, not {outcome:?}");
        }
        (self.model, self.seq) = (expected.after, committed.seq);
        if let Some((key, request)) = step.key {
            self.results_by_key.insert((step.agent, key), (request, committed));
        }
        Ok(())
    }

    /// Catches the view up and compares it with every memory in the store.
    async fn follow(&mut self) -> Comparison {
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
            self.model.memories.len(),
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
struct ExpectedBatch {
    after: ReferenceModel,
    results: Vec<ExpectedResult>,
    /// The refusals that are correct for the first change that fails.
    refusals: Vec<ExpectedRefusal>,
    /// True when any change is malformed: a backend may validate all changes before it applies the
    /// first.
    malformed: bool,
}

impl ExpectedBatch {
    /// Applies a change to the model, up to the first that fails.
    fn apply(&mut self, operation: &PlannedChange, context: StepContext) -> Option<ExpectedResult> {
        let mut after = self.after.clone();
        match after.apply(operation, context) {
            Ok(outcome) if self.refusals.is_empty() => {
                self.after = after;
                return Some(outcome);
            }
            Ok(_) => {}
            Err(wrong) => {
                self.malformed |= wrong.contains(&ExpectedRefusal::Malformed);
                if self.refusals.is_empty() {
                    self.refusals = wrong;
                }
            }
        }
        None
    }

    /// Returns the correct refusals, given whether the key was used, and if so for the same
    /// request.
    fn allowed_refusals(&self, answered: Option<bool>) -> Vec<ExpectedRefusal> {
        let mut right = match answered {
            None => self.refusals.clone(),
            Some(true) => Vec::new(),
            Some(false) => vec![ExpectedRefusal::Mismatch],
        };
        right.extend(self.malformed.then_some(ExpectedRefusal::Malformed));
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

fn kind(error: &WriteError) -> ExpectedRefusal {
    match error {
        WriteError::NotFound { .. } => ExpectedRefusal::NotFound,
        WriteError::Conflict(_) => ExpectedRefusal::Conflict,
        WriteError::Forgotten { .. } => ExpectedRefusal::Forgotten,
        WriteError::IdempotencyMismatch => ExpectedRefusal::Mismatch,
        WriteError::Refused(_) => ExpectedRefusal::Malformed,
        WriteError::Store(broken) => panic!("the store itself failed: {broken:?}"),
    }
}
