//! The store's ids of the items that the model names by index, and the changes built with them.

use super::plan::{ItemPick, PlannedChange, PlannedHandoffStep, TABLES, TEXTS};
use super::reference_model::{ExpectedResult, ReferenceModel, StepContext};
use crate::builders::{add, handoff, note_with, provenance, remade};
use model::{HandoffId, JsonMap, LinkKind, MemoryId, NewSession, RecordId, SessionId};
use std::collections::BTreeMap;
use store::{Change, ChangeResult, HandoffStep, Ref};

/// An id that nothing has.
const UNKNOWN_ID: i64 = 987_654_321;

/// The ids that the store assigned, by the model's index.
#[derive(Debug, Clone, Default)]
pub(super) struct AssignedIds {
    pub memories: Vec<MemoryId>,
    pub sessions: Vec<SessionId>,
    pub rows: [Vec<RecordId>; 2],
    pub handoffs: Vec<HandoffId>,
}

/// Positions of the changes of a batch whose results have no id yet, by the model's index.
#[derive(Debug, Default)]
pub(super) struct BatchPositions {
    memories: BTreeMap<usize, usize>,
    sessions: BTreeMap<usize, usize>,
}

impl BatchPositions {
    /// Records the expected result of the change at a position.
    pub(super) fn record_result(&mut self, position: usize, outcome: &ExpectedResult) {
        match outcome {
            ExpectedResult::Memory(index) => self.memories.insert(*index, position),
            ExpectedResult::Session(index) => self.sessions.insert(*index, position),
            _ => None,
        };
    }
}

impl AssignedIds {
    /// Records the id that the store assigned. Returns false when the result is not the expected
    /// one.
    pub(super) fn matches(&mut self, expected: &ExpectedResult, result: &ChangeResult) -> bool {
        match (expected, result) {
            (ExpectedResult::Done, ChangeResult::Done)
            | (ExpectedResult::Flag, ChangeResult::Flag(_)) => true,
            (ExpectedResult::Memory(_), ChangeResult::Memory(id)) => {
                is_new(&mut self.memories, *id)
            }
            (ExpectedResult::Duplicate(twins), ChangeResult::Duplicate(id)) => {
                twins.iter().any(|index| self.memories.get(*index) == Some(id))
            }
            (ExpectedResult::Session(index), ChangeResult::Session(id)) => {
                match self.sessions.get(*index) {
                    Some(known) => known == id,
                    None => is_new(&mut self.sessions, *id),
                }
            }
            (ExpectedResult::Record(table, _), ChangeResult::Record(id)) => {
                is_new(&mut self.rows[*table], *id)
            }
            (ExpectedResult::Handoff(_), ChangeResult::Handoff(id)) => {
                is_new(&mut self.handoffs, *id)
            }
            (ExpectedResult::Remade(index), ChangeResult::Remade(id)) => {
                self.memories.get(*index) == Some(id)
            }
            (ExpectedResult::Forgotten(indices), ChangeResult::Forgotten(receipt)) => {
                let mut gone = receipt.memories.clone();
                gone.sort_unstable();
                gone == indices.iter().map(|index| self.memories[*index]).collect::<Vec<_>>()
            }
            _ => false,
        }
    }

    /// Builds the change for the store.
    pub(super) fn change(
        &self,
        operation: &PlannedChange,
        state: &ReferenceModel,
        positions: &BatchPositions,
        context: StepContext,
    ) -> Change {
        let memory = |pick: ItemPick| self.memory(state.memory_id(pick));
        let memory_ref = |pick: ItemPick| self.memory_ref(state.memory_ref(pick), positions);
        match operation {
            PlannedChange::Remember { .. } => self.remember(operation, state, positions, context),
            PlannedChange::SetStatus { memory, status } => {
                Change::SetStatus { memory: memory_ref(*memory), status: *status }
            }
            PlannedChange::Supersede { old, new } => {
                Change::Supersede { old: memory(*old), new: memory_ref(*new) }
            }
            PlannedChange::Link { source, target, kind, quarters } => Change::Link {
                source: memory_ref(*source),
                target: memory_ref(*target),
                kind: *kind,
                weight: f32::from(*quarters) / 4.0,
            },
            PlannedChange::Unlink { link } => {
                let (ends, kind) = match state.link_id(*link) {
                    Some((source, target, kind)) => ((Some(source), Some(target)), kind),
                    None => ((None, None), LinkKind::PartOf),
                };
                Change::Unlink { source: self.memory(ends.0), target: self.memory(ends.1), kind }
            }
            PlannedChange::StartSession { key } => Change::StartSession(NewSession {
                key: key.map(str::to_owned),
                ..NewSession::default()
            }),
            PlannedChange::EndSession { session, episode } => Change::EndSession {
                session: self.session_ref(state.session_ref(*session), positions),
                episode: episode.map(memory_ref),
            },
            PlannedChange::AddRecord { table, field, value, memory } => Change::AddRecord {
                table: TABLES[*table].to_owned(),
                description: None,
                data: row(field, Some(*value)),
                memory: memory.map(memory_ref),
            },
            PlannedChange::UpdateRecord { table, record, field, value } => Change::UpdateRecord {
                table: TABLES[*table].to_owned(),
                record: self.row(*table, state.row_id(*table, *record)),
                patch: row(field, *value),
            },
            PlannedChange::ReviseRecord { table, record, field, value, memory } => {
                Change::ReviseRecord {
                    table: TABLES[*table].to_owned(),
                    record: self.row(*table, state.row_id(*table, *record)),
                    patch: row(field, *value),
                    memory: memory_ref(*memory),
                }
            }
            PlannedChange::DeleteRecord { table, record } => Change::DeleteRecord {
                table: TABLES[*table].to_owned(),
                record: self.row(*table, state.row_id(*table, *record)),
            },
            PlannedChange::StoreHandoff => Change::StoreHandoff(Box::new(handoff("work"))),
            PlannedChange::MoveHandoff { handoff, step: way } => {
                let index = state.handoff_id(*handoff);
                let handoff = index.map_or(HandoffId(UNKNOWN_ID), |index| self.handoffs[index]);
                Change::MoveHandoff { handoff, step: step(*way, context), connection: None }
            }
            PlannedChange::Flag { memory: pick } => {
                Change::Flag { memory: memory(*pick), reason: "wrong".to_owned() }
            }
            PlannedChange::SettleFlags { memory: pick } => {
                Change::SettleFlags { memory: memory(*pick) }
            }
            PlannedChange::Remake { memory: pick, text } => remade(memory(*pick), TEXTS[*text]),
            PlannedChange::Forget { memories } => {
                Change::Forget { memories: memories.iter().map(|pick| memory(*pick)).collect() }
            }
        }
    }

    fn remember(
        &self,
        operation: &PlannedChange,
        state: &ReferenceModel,
        positions: &BatchPositions,
        context: StepContext,
    ) -> Change {
        let PlannedChange::Remember { text, project, session, on_duplicate, on_forgotten } =
            operation
        else {
            return Change::Forget { memories: Vec::new() };
        };
        add(note_with(TEXTS[*text], |add| {
            add.memory.provenance = provenance(super::plan::AGENTS[context.agent], context.now);
            add.memory.project = project.map(str::to_owned);
            add.session = session.map(|pick| self.session_ref(state.session_ref(pick), positions));
            (add.on_duplicate, add.on_forgotten) = (*on_duplicate, *on_forgotten);
        }))
    }

    fn memory(&self, index: Option<usize>) -> MemoryId {
        index.map_or(MemoryId(UNKNOWN_ID), |index| self.memories[index])
    }

    fn memory_ref(&self, index: Option<usize>, positions: &BatchPositions) -> Ref<MemoryId> {
        match index.and_then(|index| positions.memories.get(&index)) {
            Some(position) => Ref::ResultOf(*position),
            None => Ref::Id(self.memory(index)),
        }
    }

    fn session_ref(&self, index: Option<usize>, positions: &BatchPositions) -> Ref<SessionId> {
        match index.and_then(|index| positions.sessions.get(&index)) {
            Some(position) => Ref::ResultOf(*position),
            None => Ref::Id(index.map_or(SessionId(UNKNOWN_ID), |index| self.sessions[index])),
        }
    }

    fn row(&self, table: usize, index: Option<usize>) -> RecordId {
        index.map_or(RecordId(UNKNOWN_ID), |index| self.rows[table][index])
    }
}

/// Records an id. Returns false unless it is larger than all before it: ids grow and are never
/// reused.
fn is_new<T: Ord + Copy>(ids: &mut Vec<T>, id: T) -> bool {
    let new = ids.last().is_none_or(|last| *last < id);
    ids.push(id);
    new
}

fn row(field: &str, value: Option<i64>) -> JsonMap {
    [(field.to_owned(), value.into())].into_iter().collect()
}

fn step(way: PlannedHandoffStep, context: StepContext) -> HandoffStep {
    match way {
        PlannedHandoffStep::Claim(seconds) => {
            HandoffStep::Claim { until: context.now.plus_seconds(seconds), notes: Vec::new() }
        }
        PlannedHandoffStep::Release { anyone } => HandoffStep::Release { anyone },
        PlannedHandoffStep::Complete { anyone } => HandoffStep::Complete { anyone },
        PlannedHandoffStep::Cancel { anyone } => HandoffStep::Cancel { anyone },
        PlannedHandoffStep::Reopen => HandoffStep::Reopen,
    }
}
