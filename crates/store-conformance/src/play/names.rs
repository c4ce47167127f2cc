//! The store's ids of the items that the model names by index, and the changes built with them.

use super::plan::{Operation, Pick, TABLES, TEXTS, Way};
use super::state::{Doing, Outcome, State};
use crate::build::{add, handoff, note_with, provenance};
use model::{HandoffId, JsonMap, LinkKind, MemoryId, NewSession, RecordId, SessionId};
use std::collections::BTreeMap;
use store::{Change, HandoffStep, Made, Ref};

/// An id that nothing has.
const NOBODY: i64 = 987_654_321;

/// The ids that the store assigned, by the model's index.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    pub memories: Vec<MemoryId>,
    pub sessions: Vec<SessionId>,
    pub rows: [Vec<RecordId>; 2],
    pub handoffs: Vec<HandoffId>,
}

/// Positions of the changes of a batch whose results have no id yet, by the model's index.
#[derive(Debug, Default)]
pub(super) struct Positions {
    memories: BTreeMap<usize, usize>,
    sessions: BTreeMap<usize, usize>,
}

impl Positions {
    /// Records the expected result of the change at a position.
    pub(super) fn note(&mut self, position: usize, outcome: &Outcome) {
        match outcome {
            Outcome::Memory(index) => self.memories.insert(*index, position),
            Outcome::Session(index) => self.sessions.insert(*index, position),
            _ => None,
        };
    }
}

impl Names {
    /// Records the id that the store assigned. Returns false when the result is not the expected
    /// one.
    pub(super) fn agree(&mut self, expected: &Outcome, result: &Made) -> bool {
        match (expected, result) {
            (Outcome::Nothing, Made::Nothing) | (Outcome::Flag, Made::Flag(_)) => true,
            (Outcome::Memory(_), Made::Memory(id)) => is_new(&mut self.memories, *id),
            (Outcome::Duplicate(twins), Made::Duplicate(id)) => {
                twins.iter().any(|index| self.memories.get(*index) == Some(id))
            }
            (Outcome::Session(index), Made::Session(id)) => match self.sessions.get(*index) {
                Some(known) => known == id,
                None => is_new(&mut self.sessions, *id),
            },
            (Outcome::Record(table, _), Made::Record(id)) => is_new(&mut self.rows[*table], *id),
            (Outcome::Handoff(_), Made::Handoff(id)) => is_new(&mut self.handoffs, *id),
            (Outcome::Forgotten(indices), Made::Forgotten(receipt)) => {
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
        operation: &Operation,
        state: &State,
        positions: &Positions,
        doing: Doing,
    ) -> Change {
        let memory = |pick: Pick| self.memory(state.memory_id(pick));
        let memory_ref = |pick: Pick| self.memory_ref(state.memory_ref(pick), positions);
        match operation {
            Operation::Remember { .. } => self.remember(operation, state, positions, doing),
            Operation::SetStatus { memory, status } => {
                Change::SetStatus { memory: memory_ref(*memory), status: *status }
            }
            Operation::Supersede { old, new } => {
                Change::Supersede { old: memory(*old), new: memory_ref(*new) }
            }
            Operation::Link { source, target, kind, quarters } => Change::Link {
                source: memory_ref(*source),
                target: memory_ref(*target),
                kind: *kind,
                weight: f32::from(*quarters) / 4.0,
            },
            Operation::Unlink { link } => {
                let (ends, kind) = match state.link_id(*link) {
                    Some((source, target, kind)) => ((Some(source), Some(target)), kind),
                    None => ((None, None), LinkKind::PartOf),
                };
                Change::Unlink { source: self.memory(ends.0), target: self.memory(ends.1), kind }
            }
            Operation::StartSession { key } => Change::StartSession(NewSession {
                key: key.map(str::to_owned),
                ..NewSession::default()
            }),
            Operation::EndSession { session, episode } => Change::EndSession {
                session: self.session_ref(state.session_ref(*session), positions),
                episode: episode.map(memory_ref),
            },
            Operation::AddRecord { table, field, value, memory } => Change::AddRecord {
                table: TABLES[*table].to_owned(),
                description: None,
                data: row(field, Some(*value)),
                memory: memory.map(memory_ref),
            },
            Operation::UpdateRecord { table, record, field, value } => Change::UpdateRecord {
                table: TABLES[*table].to_owned(),
                record: self.row(*table, state.row_id(*table, *record)),
                patch: row(field, *value),
            },
            Operation::DeleteRecord { table, record } => Change::DeleteRecord {
                table: TABLES[*table].to_owned(),
                record: self.row(*table, state.row_id(*table, *record)),
            },
            Operation::StoreHandoff => Change::StoreHandoff(Box::new(handoff("work"))),
            Operation::MoveHandoff { handoff, way } => {
                let index = state.handoff_id(*handoff);
                let handoff = index.map_or(HandoffId(NOBODY), |index| self.handoffs[index]);
                Change::MoveHandoff { handoff, step: step(*way, doing) }
            }
            Operation::Flag { memory: pick } => {
                Change::Flag { memory: memory(*pick), reason: "wrong".to_owned() }
            }
            Operation::SettleFlags { memory: pick } => {
                Change::SettleFlags { memory: memory(*pick) }
            }
            Operation::Forget { memories } => {
                Change::Forget { memories: memories.iter().map(|pick| memory(*pick)).collect() }
            }
        }
    }

    fn remember(
        &self,
        operation: &Operation,
        state: &State,
        positions: &Positions,
        doing: Doing,
    ) -> Change {
        let Operation::Remember { text, project, session, on_duplicate, on_forgotten } = operation
        else {
            return Change::Forget { memories: Vec::new() };
        };
        add(note_with(TEXTS[*text], |add| {
            add.memory.provenance = provenance(super::plan::AGENTS[doing.agent], doing.now);
            add.memory.project = project.map(str::to_owned);
            add.session = session.map(|pick| self.session_ref(state.session_ref(pick), positions));
            (add.on_duplicate, add.on_forgotten) = (*on_duplicate, *on_forgotten);
        }))
    }

    fn memory(&self, index: Option<usize>) -> MemoryId {
        index.map_or(MemoryId(NOBODY), |index| self.memories[index])
    }

    fn memory_ref(&self, index: Option<usize>, positions: &Positions) -> Ref<MemoryId> {
        match index.and_then(|index| positions.memories.get(&index)) {
            Some(position) => Ref::Made(*position),
            None => Ref::Id(self.memory(index)),
        }
    }

    fn session_ref(&self, index: Option<usize>, positions: &Positions) -> Ref<SessionId> {
        match index.and_then(|index| positions.sessions.get(&index)) {
            Some(position) => Ref::Made(*position),
            None => Ref::Id(index.map_or(SessionId(NOBODY), |index| self.sessions[index])),
        }
    }

    fn row(&self, table: usize, index: Option<usize>) -> RecordId {
        index.map_or(RecordId(NOBODY), |index| self.rows[table][index])
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

fn step(way: Way, doing: Doing) -> HandoffStep {
    match way {
        Way::Claim(seconds) => {
            HandoffStep::Claim { until: doing.now.plus_seconds(seconds), notes: Vec::new() }
        }
        Way::Release { anyone } => HandoffStep::Release { anyone },
        Way::Complete { anyone } => HandoffStep::Complete { anyone },
        Way::Cancel { anyone } => HandoffStep::Cancel { anyone },
        Way::Reopen => HandoffStep::Reopen,
    }
}
