//! The reference model: a second, simple implementation of the contract with plain maps. It numbers
//! items by the order of their creation; only the store assigns ids.

use super::model_handoff::ModelHandoff;
use super::model_row::ModelRow;
use super::plan::{ItemPick, PlannedChange, PlannedHandoffStep, TEXTS};
use model::{HandoffState, JsonMap, LinkKind, Moment, Status};
use std::collections::{BTreeMap, BTreeSet};
use store::{OnDuplicate, OnForgotten};

/// A memory of the model.
#[derive(Debug, Clone)]
pub(super) struct ModelMemory {
    pub text: usize,
    pub project: Option<&'static str>,
    pub session: Option<usize>,
    pub status: Status,
    pub ended_at: Option<Moment>,
    pub flags: u32,
}

/// A session of the model. The contract leaves open whether a resumed session counts as ended.
#[derive(Debug, Clone)]
pub(super) struct ModelSession {
    pub key: Option<&'static str>,
    pub ended_at: Option<Moment>,
    pub resumed: bool,
    pub episode: Option<usize>,
}

/// A table of the model: its rows by index, and how many were ever created.
#[derive(Debug, Clone, Default)]
pub(super) struct ModelTable {
    pub rows: BTreeMap<usize, ModelRow>,
    pub created: usize,
}

/// The number of items of each type that existed when the batch began.
#[derive(Debug, Clone, Default)]
pub(super) struct BatchBaseline {
    memories: usize,
    rows: [usize; 2],
    handoffs: usize,
}

/// The content of a store according to the contract.
#[derive(Debug, Clone, Default)]
pub(super) struct ReferenceModel {
    pub memories: BTreeMap<usize, ModelMemory>,
    pub memories_created: usize,
    pub links: BTreeMap<(usize, usize, LinkKind), f32>,
    pub sessions: Vec<ModelSession>,
    pub tables: [ModelTable; 2],
    pub handoffs: Vec<ModelHandoff>,
    pub forgotten: BTreeSet<String>,
    baseline: BatchBaseline,
}

/// The expected result of a change; items are named by index.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum ExpectedResult {
    Done,
    Memory(usize),
    /// Any of these memories has the same text.
    Duplicate(Vec<usize>),
    Session(usize),
    Record(usize, usize),
    Handoff(usize),
    Flag,
    Remade(usize),
    Forgotten(Vec<usize>),
}

/// The expected reason for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExpectedRefusal {
    NotFound,
    Conflict,
    Forgotten,
    Mismatch,
    Malformed,
}

/// The agent and the time of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct StepContext {
    pub agent: usize,
    pub now: Moment,
}

/// The expected result of a change, or all refusals that are correct for it.
pub(super) type ModelResult = Result<ExpectedResult, Vec<ExpectedRefusal>>;

impl ReferenceModel {
    /// Starts a batch: everything created so far has an id now and can be named by it.
    pub(super) fn begin_batch(&mut self) {
        self.baseline = BatchBaseline {
            memories: self.memories_created,
            rows: [self.tables[0].created, self.tables[1].created],
            handoffs: self.handoffs.len(),
        };
    }

    /// Picks a memory that existed before the batch or that the batch created.
    pub(super) fn memory_ref(&self, pick: ItemPick) -> Option<usize> {
        pick.index_among(&self.indices_below(self.memories_created), self.memories_created)
    }

    /// Picks a memory that existed before the batch.
    pub(super) fn memory_id(&self, pick: ItemPick) -> Option<usize> {
        pick.index_among(&self.indices_below(self.baseline.memories), self.baseline.memories)
    }

    /// Picks a link between memories that existed before the batch.
    pub(super) fn link_id(&self, pick: ItemPick) -> Option<(usize, usize, LinkKind)> {
        let known = |end: &usize| *end < self.baseline.memories;
        let links: Vec<_> = self
            .links
            .keys()
            .filter(|(source, target, _)| known(source) && known(target))
            .collect();
        let indices: Vec<usize> = (0..links.len()).collect();
        pick.index_among(&indices, links.len()).map(|index| *links[index])
    }

    /// Picks a session that existed before the batch or that the batch created.
    pub(super) fn session_ref(&self, pick: ItemPick) -> Option<usize> {
        let sessions: Vec<usize> = (0..self.sessions.len()).collect();
        pick.index_among(&sessions, sessions.len())
    }

    /// Picks a row that existed before the batch.
    pub(super) fn row_id(&self, table: usize, pick: ItemPick) -> Option<usize> {
        let known = self.baseline.rows[table];
        let rows: Vec<usize> =
            self.tables[table].rows.keys().copied().filter(|row| *row < known).collect();
        pick.index_among(&rows, known)
    }

    /// Picks a handoff that existed before the batch.
    pub(super) fn handoff_id(&self, pick: ItemPick) -> Option<usize> {
        let handoffs: Vec<usize> = (0..self.baseline.handoffs).collect();
        pick.index_among(&handoffs, handoffs.len())
    }

    fn indices_below(&self, end: usize) -> Vec<usize> {
        self.memories.range(..end).map(|(index, _)| *index).collect()
    }

    /// Applies one change.
    pub(super) fn apply(&mut self, operation: &PlannedChange, doing: StepContext) -> ModelResult {
        match operation {
            PlannedChange::Remember { .. } => self.remember(operation),
            PlannedChange::SetStatus { memory, status } => {
                let memory = self.require_memory(self.memory_ref(*memory))?;
                self.set_status(memory, *status, doing);
                Ok(ExpectedResult::Done)
            }
            PlannedChange::Supersede { old, new } => self.supersede(*old, *new, doing),
            PlannedChange::Link { source, target, kind, quarters } => {
                self.link(*source, *target, *kind, *quarters)
            }
            PlannedChange::Unlink { link } => {
                let link = self.link_id(*link).and_then(|link| self.links.remove(&link));
                link.map(|_| ExpectedResult::Done).ok_or(vec![ExpectedRefusal::NotFound])
            }
            PlannedChange::StartSession { key } => Ok(self.start_session(*key)),
            PlannedChange::EndSession { session, episode } => {
                self.end_session(*session, *episode, doing)
            }
            PlannedChange::AddRecord { table, field, value, memory } => {
                let memory = self.require_optional_memory(*memory)?;
                let rows = &mut self.tables[*table];
                let data = [((*field).to_owned(), (*value).into())].into_iter().collect();
                rows.rows.insert(rows.created, ModelRow::new(data, memory));
                rows.created += 1;
                Ok(ExpectedResult::Record(*table, rows.created - 1))
            }
            PlannedChange::UpdateRecord { table, record, .. } => {
                let merged = self.merged_row(operation);
                let index = self.row_id(*table, *record).filter(|_| merged.is_some());
                let row = index.and_then(|index| self.tables[*table].rows.get_mut(&index));
                (row.ok_or(vec![ExpectedRefusal::NotFound])?).data = merged.unwrap_or_default();
                Ok(ExpectedResult::Done)
            }
            PlannedChange::ReviseRecord { table, record, memory, .. } => {
                let memory = self.require_memory(self.memory_ref(*memory))?;
                let data = self.merged_row(operation).ok_or(vec![ExpectedRefusal::NotFound])?;
                let index = self.row_id(*table, *record);
                let row = index.and_then(|index| self.tables[*table].rows.get_mut(&index));
                row.ok_or(vec![ExpectedRefusal::NotFound])?.revise(memory, data);
                self.show_best_versions();
                Ok(ExpectedResult::Done)
            }
            PlannedChange::DeleteRecord { table, record } => {
                let index = self.row_id(*table, *record);
                let row = index.and_then(|index| self.tables[*table].rows.remove(&index));
                row.map(|_| ExpectedResult::Done).ok_or(vec![ExpectedRefusal::NotFound])
            }
            PlannedChange::StoreHandoff => {
                self.handoffs.push(ModelHandoff { state: HandoffState::Open, holder: None });
                Ok(ExpectedResult::Handoff(self.handoffs.len() - 1))
            }
            PlannedChange::MoveHandoff { handoff, step: way } => {
                let index = self.handoff_id(*handoff).ok_or(vec![ExpectedRefusal::NotFound])?;
                self.handoffs[index].take_step(*way, doing)
            }
            PlannedChange::Flag { memory } => {
                let memory = self.require_memory(self.memory_id(*memory))?;
                self.memories.entry(memory).and_modify(|item| item.flags += 1);
                Ok(ExpectedResult::Flag)
            }
            PlannedChange::SettleFlags { memory } => {
                let memory = self.require_memory(self.memory_id(*memory))?;
                self.memories.entry(memory).and_modify(|item| item.flags = 0);
                Ok(ExpectedResult::Done)
            }
            PlannedChange::Remake { memory, text } => self.remake(*memory, *text),
            PlannedChange::Forget { memories } => Ok(self.forget(memories)),
        }
    }

    /// Returns true when the contract does not specify the result; such a change is skipped.
    pub(super) fn is_unspecified(&self, operation: &PlannedChange, doing: StepContext) -> bool {
        match operation {
            PlannedChange::UpdateRecord { .. } | PlannedChange::ReviseRecord { .. } => {
                self.merged_row(operation).is_some_and(|data| data.is_empty())
            }
            PlannedChange::EndSession { session, episode } => {
                self.session_ref(*session).is_some_and(|index| {
                    let item = &self.sessions[index];
                    let ended = item.ended_at.is_some() && !item.resumed;
                    ended || (item.episode.is_some() && episode.is_none())
                })
            }
            PlannedChange::MoveHandoff { handoff, step: way } => {
                self.handoff_id(*handoff).is_some_and(|index| {
                    let item = &self.handoffs[index];
                    let lapsed = item.state == HandoffState::Claimed && item.is_free(doing.now);
                    match way {
                        PlannedHandoffStep::Claim(_) | PlannedHandoffStep::Reopen => false,
                        PlannedHandoffStep::Release { anyone }
                        | PlannedHandoffStep::Complete { anyone } => {
                            lapsed
                                || item.is_settled()
                                || (*anyone && item.state == HandoffState::Open)
                        }
                        PlannedHandoffStep::Cancel { .. } => lapsed || item.is_settled(),
                    }
                })
            }
            _ => false,
        }
    }

    /// Returns the row after an update, if it exists.
    pub(super) fn merged_row(&self, operation: &PlannedChange) -> Option<JsonMap> {
        let (PlannedChange::UpdateRecord { table, record, field, value }
        | PlannedChange::ReviseRecord { table, record, field, value, .. }) = operation
        else {
            return None;
        };
        let row = self.tables[*table].rows.get(&self.row_id(*table, *record)?)?;
        let patch = [((*field).to_owned(), (*value).into())].into_iter().collect();
        Some(model::merge_patch(&row.data, &patch))
    }

    fn require_memory(&self, memory: Option<usize>) -> Result<usize, Vec<ExpectedRefusal>> {
        memory
            .filter(|memory| self.memories.contains_key(memory))
            .ok_or(vec![ExpectedRefusal::NotFound])
    }

    fn require_optional_memory(
        &self,
        pick: Option<ItemPick>,
    ) -> Result<Option<usize>, Vec<ExpectedRefusal>> {
        pick.map(|pick| self.require_memory(self.memory_ref(pick))).transpose()
    }

    fn remember(&mut self, operation: &PlannedChange) -> ModelResult {
        let PlannedChange::Remember { text, project, session, on_duplicate, on_forgotten } =
            operation
        else {
            return Ok(ExpectedResult::Done);
        };
        let named = session.map(|pick| self.session_ref(pick));
        let mut wrong = Vec::new();
        wrong.extend(TEXTS[*text].is_empty().then_some(ExpectedRefusal::Malformed));
        wrong.extend((named == Some(None)).then_some(ExpectedRefusal::NotFound));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let session = named.flatten();
        let same = |item: &ModelMemory| {
            let here = *on_duplicate == OnDuplicate::ReturnExisting || item.session == session;
            let says = folded(item.text) == folded(*text) && item.project == *project;
            says && here && item.status == Status::Active && *on_duplicate != OnDuplicate::Insert
        };
        let twins: Vec<usize> =
            self.memories.iter().filter(|(_, item)| same(item)).map(|(id, _)| *id).collect();
        if !twins.is_empty() {
            return Ok(ExpectedResult::Duplicate(twins));
        }
        let said = self.memories.values().any(|item| {
            let same = folded(item.text) == folded(*text) && item.project == *project;
            same && item.status == Status::Active
        });
        let forgotten = !said && self.forgotten.contains(&folded(*text));
        if *on_forgotten == OnForgotten::Refuse && forgotten {
            return Err(vec![ExpectedRefusal::Forgotten]);
        }
        let (status, ended_at, flags) = (Status::Active, None, 0);
        let new = ModelMemory { text: *text, project: *project, session, status, ended_at, flags };
        self.memories.insert(self.memories_created, new);
        self.memories_created += 1;
        Ok(ExpectedResult::Memory(self.memories_created - 1))
    }

    fn set_status(&mut self, memory: usize, status: Status, doing: StepContext) {
        self.memories.entry(memory).and_modify(|item| {
            match (item.status, status) {
                (_, Status::Active) => item.ended_at = None,
                (Status::Active, _) => item.ended_at = Some(doing.now),
                _ => {}
            }
            item.status = status;
        });
        self.show_best_versions();
    }

    /// Shows the newest version of each row whose memory is active.
    fn show_best_versions(&mut self) {
        let memories = &self.memories;
        let active =
            |memory: &usize| memories.get(memory).is_some_and(|item| item.status == Status::Active);
        for row in self.tables.iter_mut().flat_map(|table| table.rows.values_mut()) {
            row.show_best_version(active);
        }
    }

    /// Returns the number of current rows of a table.
    pub(super) fn current_rows(&self, table: usize) -> usize {
        let active = |memory: &usize| self.memories[memory].status == Status::Active;
        let rows = self.tables[table].rows.values();
        rows.filter(|row| row.memory.as_ref().is_none_or(active)).count()
    }

    fn supersede(&mut self, old: ItemPick, new: ItemPick, doing: StepContext) -> ModelResult {
        let (old, new) =
            (self.require_memory(self.memory_id(old))?, self.require_memory(self.memory_ref(new))?);
        if old != new {
            let successors = self.successors(new);
            let active = |memory| self.memories[&memory].status == Status::Active;
            let ends_nothing = !active(old) || successors.iter().any(|memory| active(*memory));
            if successors.contains(&old) || !ends_nothing {
                return Err(vec![ExpectedRefusal::Conflict]);
            }
            self.set_status(old, Status::Superseded, doing);
            self.links.insert((new, old, LinkKind::Supersedes), 1.0);
        }
        Ok(ExpectedResult::Done)
    }

    fn link(
        &mut self,
        source: ItemPick,
        target: ItemPick,
        kind: LinkKind,
        quarters: u8,
    ) -> ModelResult {
        let ends = (self.memory_ref(source), self.memory_ref(target));
        let found = (self.require_memory(ends.0), self.require_memory(ends.1));
        let mut wrong = Vec::new();
        wrong.extend((quarters > 4 || ends.0 == ends.1).then_some(ExpectedRefusal::Malformed));
        wrong.extend((found.0.is_err() || found.1.is_err()).then_some(ExpectedRefusal::NotFound));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let (source, target) = (found.0?, found.1?);
        if kind == LinkKind::Supersedes && self.successors(source).contains(&target) {
            return Err(vec![ExpectedRefusal::Conflict]);
        }
        self.links.insert((source, target, kind), f32::from(quarters) / 4.0);
        Ok(ExpectedResult::Done)
    }

    /// Returns a memory and everything that replaced it, directly or through others.
    fn successors(&self, memory: usize) -> BTreeSet<usize> {
        let (mut found, mut open) = (BTreeSet::from([memory]), vec![memory]);
        while let Some(next) = open.pop() {
            let replacing = self
                .links
                .keys()
                .filter(|(_, target, kind)| *target == next && *kind == LinkKind::Supersedes);
            open.extend(replacing.map(|(source, ..)| *source).filter(|id| found.insert(*id)));
        }
        found
    }

    fn start_session(&mut self, key: Option<&'static str>) -> ExpectedResult {
        if let Some(index) = self.sessions.iter().position(|item| key.is_some() && item.key == key)
        {
            self.sessions[index].resumed |= self.sessions[index].ended_at.is_some();
            return ExpectedResult::Session(index);
        }
        self.sessions.push(ModelSession { key, ended_at: None, resumed: false, episode: None });
        ExpectedResult::Session(self.sessions.len() - 1)
    }

    fn end_session(
        &mut self,
        session: ItemPick,
        episode: Option<ItemPick>,
        doing: StepContext,
    ) -> ModelResult {
        let session = self.session_ref(session).ok_or(vec![ExpectedRefusal::NotFound])?;
        let episode = self.require_optional_memory(episode)?;
        let item = &mut self.sessions[session];
        (item.ended_at, item.resumed, item.episode) = (Some(doing.now), false, episode);
        Ok(ExpectedResult::Done)
    }

    fn remake(&mut self, memory: ItemPick, text: usize) -> ModelResult {
        let found = self.require_memory(self.memory_id(memory));
        let mut wrong = Vec::new();
        wrong.extend(TEXTS[text].is_empty().then_some(ExpectedRefusal::Malformed));
        wrong.extend(found.is_err().then_some(ExpectedRefusal::NotFound));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let memory = found?;
        self.memories.entry(memory).and_modify(|item| item.text = text);
        Ok(ExpectedResult::Remade(memory))
    }

    fn forget(&mut self, picks: &[ItemPick]) -> ExpectedResult {
        let named: BTreeSet<usize> =
            picks.iter().filter_map(|pick| self.memory_id(*pick)).collect();
        let gone: Vec<usize> =
            named.into_iter().filter(|memory| self.memories.contains_key(memory)).collect();
        for memory in &gone {
            let text = self.memories.remove(memory).map(|item| folded(item.text));
            self.forgotten.extend(text);
        }
        let went = |memory: &usize| gone.contains(memory);
        let memories = &self.memories;
        let active = |memory: &usize| memories[memory].status == Status::Active;
        self.links.retain(|(source, target, _), _| !went(source) && !went(target));
        for rows in &mut self.tables {
            rows.rows.retain(|_, row| row.survives(went, active));
        }
        for session in &mut self.sessions {
            session.episode = session.episode.filter(|memory| !went(memory));
        }
        ExpectedResult::Forgotten(gone)
    }
}

/// Returns a text in the normal form that decides about duplicates.
pub(super) fn folded(text: usize) -> String {
    TEXTS[text].to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}
