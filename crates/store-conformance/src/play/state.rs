//! The reference model: a second, simple implementation of the contract with plain maps. It numbers
//! items by the order of their creation; only the store assigns ids.

use super::plan::{Operation, Pick, TEXTS, Way};
use model::{HandoffState, JsonMap, LinkKind, Moment, Status};
use std::collections::{BTreeMap, BTreeSet};
use store::{OnDuplicate, OnForgotten};

/// A memory of the model.
#[derive(Debug, Clone)]
pub(super) struct Remembered {
    pub text: usize,
    pub project: Option<&'static str>,
    pub session: Option<usize>,
    pub status: Status,
    pub ended_at: Option<Moment>,
    pub flags: u32,
}

/// A session of the model. The contract leaves open whether a resumed session counts as ended.
#[derive(Debug, Clone)]
pub(super) struct Begun {
    pub key: Option<&'static str>,
    pub ended_at: Option<Moment>,
    pub taken_up_again: bool,
    pub episode: Option<usize>,
}

/// A table of the model: its rows by index, and how many were ever created.
#[derive(Debug, Clone, Default)]
pub(super) struct Rows {
    pub rows: BTreeMap<usize, (JsonMap, Option<usize>)>,
    pub made: usize,
}

/// A handoff of the model.
#[derive(Debug, Clone)]
pub(super) struct Passed {
    pub state: HandoffState,
    pub holder: Option<(usize, Moment)>,
}

/// The number of items of each type that existed when the batch began.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    memories: usize,
    rows: [usize; 2],
    handoffs: usize,
}

/// The content of a store according to the contract.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub memories: BTreeMap<usize, Remembered>,
    pub memories_made: usize,
    pub links: BTreeMap<(usize, usize, LinkKind), f32>,
    pub sessions: Vec<Begun>,
    pub tables: [Rows; 2],
    pub handoffs: Vec<Passed>,
    pub forgotten: BTreeSet<String>,
    known: Known,
}

/// The expected result of a change; items are named by index.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    Nothing,
    Memory(usize),
    /// Any of these memories has the same text.
    Duplicate(Vec<usize>),
    Session(usize),
    Record(usize, usize),
    Handoff(usize),
    Flag,
    Forgotten(Vec<usize>),
}

/// The expected reason for a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    NotFound,
    Conflict,
    Forgotten,
    Mismatch,
    Malformed,
}

/// The agent and the time of a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doing {
    pub agent: usize,
    pub now: Moment,
}

/// The expected result of a change, or all refusals that are correct for it.
pub(super) type Applied = Result<Outcome, Vec<Refusal>>;

impl State {
    /// Starts a batch: everything created so far has an id now and can be named by it.
    pub(super) fn begin_batch(&mut self) {
        self.known = Known {
            memories: self.memories_made,
            rows: [self.tables[0].made, self.tables[1].made],
            handoffs: self.handoffs.len(),
        };
    }

    /// Picks a memory that existed before the batch or that the batch created.
    pub(super) fn memory_ref(&self, pick: Pick) -> Option<usize> {
        pick.among(&self.places_below(self.memories_made), self.memories_made)
    }

    /// Picks a memory that existed before the batch.
    pub(super) fn memory_id(&self, pick: Pick) -> Option<usize> {
        pick.among(&self.places_below(self.known.memories), self.known.memories)
    }

    /// Picks a link between memories that existed before the batch.
    pub(super) fn link_id(&self, pick: Pick) -> Option<(usize, usize, LinkKind)> {
        let known = |end: &usize| *end < self.known.memories;
        let links: Vec<_> = self
            .links
            .keys()
            .filter(|(source, target, _)| known(source) && known(target))
            .collect();
        let indices: Vec<usize> = (0..links.len()).collect();
        pick.among(&indices, links.len()).map(|index| *links[index])
    }

    /// Picks a session that existed before the batch or that the batch created.
    pub(super) fn session_ref(&self, pick: Pick) -> Option<usize> {
        let sessions: Vec<usize> = (0..self.sessions.len()).collect();
        pick.among(&sessions, sessions.len())
    }

    /// Picks a row that existed before the batch.
    pub(super) fn row_id(&self, table: usize, pick: Pick) -> Option<usize> {
        let known = self.known.rows[table];
        let rows: Vec<usize> =
            self.tables[table].rows.keys().copied().filter(|row| *row < known).collect();
        pick.among(&rows, known)
    }

    /// Picks a handoff that existed before the batch.
    pub(super) fn handoff_id(&self, pick: Pick) -> Option<usize> {
        let handoffs: Vec<usize> = (0..self.known.handoffs).collect();
        pick.among(&handoffs, handoffs.len())
    }

    fn places_below(&self, end: usize) -> Vec<usize> {
        self.memories.range(..end).map(|(index, _)| *index).collect()
    }

    /// Applies one change.
    pub(super) fn apply(&mut self, operation: &Operation, doing: Doing) -> Applied {
        match operation {
            Operation::Remember { .. } => self.remember(operation),
            Operation::SetStatus { memory, status } => {
                let memory = self.there(self.memory_ref(*memory))?;
                self.move_to(memory, *status, doing);
                Ok(Outcome::Nothing)
            }
            Operation::Supersede { old, new } => self.supersede(*old, *new, doing),
            Operation::Link { source, target, kind, quarters } => {
                self.link(*source, *target, *kind, *quarters)
            }
            Operation::Unlink { link } => {
                let link = self.link_id(*link).and_then(|link| self.links.remove(&link));
                link.map(|_| Outcome::Nothing).ok_or(vec![Refusal::NotFound])
            }
            Operation::StartSession { key } => Ok(self.start(*key)),
            Operation::EndSession { session, episode } => self.end(*session, *episode, doing),
            Operation::AddRecord { table, field, value, memory } => {
                let memory = self.there_if_any(*memory)?;
                let rows = &mut self.tables[*table];
                let data = [((*field).to_owned(), (*value).into())].into_iter().collect();
                rows.rows.insert(rows.made, (data, memory));
                rows.made += 1;
                Ok(Outcome::Record(*table, rows.made - 1))
            }
            Operation::UpdateRecord { table, record, .. } => {
                let merged = self.merged(operation);
                let index = self.row_id(*table, *record).filter(|_| merged.is_some());
                let row = index.and_then(|index| self.tables[*table].rows.get_mut(&index));
                (row.ok_or(vec![Refusal::NotFound])?).0 = merged.unwrap_or_default();
                Ok(Outcome::Nothing)
            }
            Operation::DeleteRecord { table, record } => {
                let index = self.row_id(*table, *record);
                let row = index.and_then(|index| self.tables[*table].rows.remove(&index));
                row.map(|_| Outcome::Nothing).ok_or(vec![Refusal::NotFound])
            }
            Operation::StoreHandoff => {
                self.handoffs.push(Passed { state: HandoffState::Open, holder: None });
                Ok(Outcome::Handoff(self.handoffs.len() - 1))
            }
            Operation::MoveHandoff { handoff, way } => self.move_on(*handoff, *way, doing),
            Operation::Flag { memory } => {
                let memory = self.there(self.memory_id(*memory))?;
                self.memories.entry(memory).and_modify(|item| item.flags += 1);
                Ok(Outcome::Flag)
            }
            Operation::SettleFlags { memory } => {
                let memory = self.there(self.memory_id(*memory))?;
                self.memories.entry(memory).and_modify(|item| item.flags = 0);
                Ok(Outcome::Nothing)
            }
            Operation::Forget { memories } => Ok(self.forget(memories)),
        }
    }

    /// Returns true when the contract does not specify the result; such a change is skipped.
    pub(super) fn is_left_open(&self, operation: &Operation, doing: Doing) -> bool {
        match operation {
            Operation::UpdateRecord { .. } => {
                self.merged(operation).is_some_and(|data| data.is_empty())
            }
            Operation::EndSession { session, episode } => {
                self.session_ref(*session).is_some_and(|index| {
                    let item = &self.sessions[index];
                    let ended = item.ended_at.is_some() && !item.taken_up_again;
                    ended || (item.episode.is_some() && episode.is_none())
                })
            }
            Operation::MoveHandoff { handoff, way } => {
                self.handoff_id(*handoff).is_some_and(|index| {
                    let item = &self.handoffs[index];
                    let lapsed = item.state == HandoffState::Claimed && item.is_free(doing.now);
                    match way {
                        Way::Claim(_) | Way::Reopen => false,
                        Way::Release { anyone } | Way::Complete { anyone } => {
                            lapsed
                                || item.is_settled()
                                || (*anyone && item.state == HandoffState::Open)
                        }
                        Way::Cancel { .. } => lapsed || item.is_settled(),
                    }
                })
            }
            _ => false,
        }
    }

    /// Returns the row after an update, if it exists.
    pub(super) fn merged(&self, operation: &Operation) -> Option<JsonMap> {
        let Operation::UpdateRecord { table, record, field, value } = operation else {
            return None;
        };
        let (data, _) = self.tables[*table].rows.get(&self.row_id(*table, *record)?)?;
        let patch = [((*field).to_owned(), (*value).into())].into_iter().collect();
        Some(model::merge_patch(data, &patch))
    }

    fn there(&self, memory: Option<usize>) -> Result<usize, Vec<Refusal>> {
        memory.filter(|memory| self.memories.contains_key(memory)).ok_or(vec![Refusal::NotFound])
    }

    fn there_if_any(&self, pick: Option<Pick>) -> Result<Option<usize>, Vec<Refusal>> {
        pick.map(|pick| self.there(self.memory_ref(pick))).transpose()
    }

    fn remember(&mut self, operation: &Operation) -> Applied {
        let Operation::Remember { text, project, session, on_duplicate, on_forgotten } = operation
        else {
            return Ok(Outcome::Nothing);
        };
        let named = session.map(|pick| self.session_ref(pick));
        let mut wrong = Vec::new();
        wrong.extend(TEXTS[*text].is_empty().then_some(Refusal::Malformed));
        wrong.extend((named == Some(None)).then_some(Refusal::NotFound));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let session = named.flatten();
        let same = |item: &Remembered| {
            let here = *on_duplicate == OnDuplicate::Answer || item.session == session;
            let says = folded(item.text) == folded(*text) && item.project == *project;
            says && here && item.status == Status::Active && *on_duplicate != OnDuplicate::Keep
        };
        let twins: Vec<usize> =
            self.memories.iter().filter(|(_, item)| same(item)).map(|(id, _)| *id).collect();
        if !twins.is_empty() {
            return Ok(Outcome::Duplicate(twins));
        }
        if *on_forgotten == OnForgotten::Refuse && self.forgotten.contains(&folded(*text)) {
            return Err(vec![Refusal::Forgotten]);
        }
        let (status, ended_at, flags) = (Status::Active, None, 0);
        let new = Remembered { text: *text, project: *project, session, status, ended_at, flags };
        self.memories.insert(self.memories_made, new);
        self.memories_made += 1;
        Ok(Outcome::Memory(self.memories_made - 1))
    }

    fn move_to(&mut self, memory: usize, status: Status, doing: Doing) {
        self.memories.entry(memory).and_modify(|item| {
            match (item.status, status) {
                (_, Status::Active) => item.ended_at = None,
                (Status::Active, _) => item.ended_at = Some(doing.now),
                _ => {}
            }
            item.status = status;
        });
    }

    fn supersede(&mut self, old: Pick, new: Pick, doing: Doing) -> Applied {
        let (old, new) = (self.there(self.memory_id(old))?, self.there(self.memory_ref(new))?);
        if old != new {
            self.move_to(old, Status::Superseded, doing);
            self.links.insert((new, old, LinkKind::Supersedes), 1.0);
        }
        Ok(Outcome::Nothing)
    }

    fn link(&mut self, source: Pick, target: Pick, kind: LinkKind, quarters: u8) -> Applied {
        let ends = (self.memory_ref(source), self.memory_ref(target));
        let found = (self.there(ends.0), self.there(ends.1));
        let mut wrong = Vec::new();
        wrong.extend((quarters > 4 || ends.0 == ends.1).then_some(Refusal::Malformed));
        wrong.extend((found.0.is_err() || found.1.is_err()).then_some(Refusal::NotFound));
        if !wrong.is_empty() {
            return Err(wrong);
        }
        self.links.insert((found.0?, found.1?, kind), f32::from(quarters) / 4.0);
        Ok(Outcome::Nothing)
    }

    fn start(&mut self, key: Option<&'static str>) -> Outcome {
        if let Some(index) = self.sessions.iter().position(|item| key.is_some() && item.key == key)
        {
            self.sessions[index].taken_up_again |= self.sessions[index].ended_at.is_some();
            return Outcome::Session(index);
        }
        self.sessions.push(Begun { key, ended_at: None, taken_up_again: false, episode: None });
        Outcome::Session(self.sessions.len() - 1)
    }

    fn end(&mut self, session: Pick, episode: Option<Pick>, doing: Doing) -> Applied {
        let session = self.session_ref(session).ok_or(vec![Refusal::NotFound])?;
        let episode = self.there_if_any(episode)?;
        let item = &mut self.sessions[session];
        (item.ended_at, item.taken_up_again, item.episode) = (Some(doing.now), false, episode);
        Ok(Outcome::Nothing)
    }

    fn move_on(&mut self, handoff: Pick, way: Way, doing: Doing) -> Applied {
        let index = self.handoff_id(handoff).ok_or(vec![Refusal::NotFound])?;
        let item = &mut self.handoffs[index];
        let mine = item.state == HandoffState::Claimed
            && item.holder.is_some_and(|(by, _)| by == doing.agent);
        let free = item.is_free(doing.now);
        let (allowed, state, holder) = match way {
            Way::Claim(seconds) => {
                let until = doing.now.plus_seconds(seconds);
                (free || mine, HandoffState::Claimed, Some((doing.agent, until)))
            }
            Way::Release { anyone } => (mine || anyone, HandoffState::Open, None),
            Way::Complete { anyone } => (mine || anyone, HandoffState::Completed, item.holder),
            Way::Cancel { anyone } => {
                (mine || free || anyone, HandoffState::Cancelled, item.holder)
            }
            Way::Reopen => (item.is_settled(), HandoffState::Open, None),
        };
        if !allowed {
            return Err(vec![Refusal::Conflict]);
        }
        (item.state, item.holder) = (state, holder);
        Ok(Outcome::Nothing)
    }

    fn forget(&mut self, picks: &[Pick]) -> Outcome {
        let named: BTreeSet<usize> =
            picks.iter().filter_map(|pick| self.memory_id(*pick)).collect();
        let gone: Vec<usize> =
            named.into_iter().filter(|memory| self.memories.contains_key(memory)).collect();
        for memory in &gone {
            let text = self.memories.remove(memory).map(|item| folded(item.text));
            self.forgotten.extend(text);
        }
        let went = |memory: &usize| gone.contains(memory);
        self.links.retain(|(source, target, _), _| !went(source) && !went(target));
        for rows in &mut self.tables {
            rows.rows.retain(|_, (_, memory)| !memory.as_ref().is_some_and(went));
        }
        for session in &mut self.sessions {
            session.episode = session.episode.filter(|memory| !went(memory));
        }
        Outcome::Forgotten(gone)
    }
}

impl Passed {
    /// Returns true when any agent may claim the handoff.
    pub(super) fn is_free(&self, now: Moment) -> bool {
        match self.state {
            HandoffState::Open => true,
            HandoffState::Claimed => self.holder.is_none_or(|(_, until)| until <= now),
            HandoffState::Completed | HandoffState::Cancelled => false,
        }
    }

    /// Returns true when the handoff is completed or cancelled.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.state, HandoffState::Completed | HandoffState::Cancelled)
    }
}

/// Returns a text in the normal form that decides about duplicates.
pub(super) fn folded(text: usize) -> String {
    TEXTS[text].to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}
