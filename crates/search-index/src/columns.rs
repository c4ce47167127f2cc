//! The table of facts with what is derived from all of it: sets of documents, totals and bounds,
//! which every change of a row keeps in step.

use crate::fact_table::{FactRow, FactTable, NEVER, NO_SESSION, decode_session, decode_status};
use crate::interner::NO_NAME;
use crate::mapped_array::MappedArray;
use crate::session_order::SessionKey;
use crate::zone_map::ZoneMap;
use crate::{DocId, DocSet, IndexField};
use model::Status;

/// The table of facts, with document sets and totals that are kept in step with it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Columns {
    pub(crate) table: FactTable,
    live: DocSet,
    live_count: usize,
    active: DocSet,
    expiring: DocSet,
    /// Number of live documents per speaker, by name id.
    speaker_counts: NameHistogram,
    /// Number of active documents per kind, by name id.
    active_kinds: NameHistogram,
    /// Number of live documents per status.
    status_counts: [usize; Status::ALL.len()],
    creation_zones: ZoneMap,
    validity_zones: ZoneMap,
    /// Number of plain tokens per field over all live documents, for the average length in BM25.
    total_lengths: [u64; IndexField::COUNT],
}

impl Columns {
    /// Wraps a table in which every document is live.
    pub(crate) fn from_table(table: FactTable) -> Self {
        // Column by column: each is read once, in order, which every opening of a snapshot shows.
        let is_active = |status: u8| decode_status(status) == Status::Active;
        let mut active_kinds = NameHistogram::default();
        let kinds = table.status.iter().zip(table.kind.iter());
        kinds
            .filter(|(status, _)| is_active(**status))
            .for_each(|(_, &kind)| active_kinds.add(kind));
        let mut speaker_counts = NameHistogram::default();
        table.speaker.iter().for_each(|&speaker| speaker_counts.add(speaker));
        let mut status_counts = [0; Status::ALL.len()];
        (table.status.iter())
            .for_each(|&status| status_counts[decode_status(status) as usize] += 1);
        Self {
            live: DocSet::from_column(table.status.parts(), |_| true),
            live_count: table.id.len(),
            active: DocSet::from_column(table.status.parts(), is_active),
            expiring: DocSet::from_column(table.valid_to.parts(), |end| end != NEVER),
            speaker_counts,
            active_kinds,
            status_counts,
            creation_zones: ZoneMap::of_column(&table.created_at),
            validity_zones: ZoneMap::of_column(&table.valid_from),
            total_lengths: total_lengths(&table.lengths),
            table,
        }
    }

    /// Returns the number of document slots, vacant ones included.
    pub(crate) fn slot_count(&self) -> usize {
        self.table.id.len()
    }

    pub(crate) fn live(&self) -> &DocSet {
        &self.live
    }

    /// Returns the number of slots that hold a memory.
    pub(crate) fn live_count(&self) -> usize {
        self.live_count
    }

    pub(crate) fn active(&self) -> &DocSet {
        &self.active
    }

    pub(crate) fn expiring(&self) -> &DocSet {
        &self.expiring
    }

    /// Iterates over the name ids of all speakers.
    pub(crate) fn speakers(&self) -> impl Iterator<Item = u32> + '_ {
        self.speaker_counts.present().map(|(number, _)| number)
    }

    /// Iterates over the name ids of the kinds of active documents, with the number of each.
    pub(crate) fn active_kinds(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.active_kinds.present()
    }

    pub(crate) fn status_count(&self, status: Status) -> usize {
        self.status_counts[status as usize]
    }

    /// Returns the bounds of the times of creation.
    pub(crate) fn creation_zones(&self) -> &ZoneMap {
        &self.creation_zones
    }

    /// Returns the bounds of the starts of validity.
    pub(crate) fn validity_zones(&self) -> &ZoneMap {
        &self.validity_zones
    }

    pub(crate) fn total_lengths(&self) -> [u64; IndexField::COUNT] {
        self.total_lengths
    }

    /// Returns the sort key of a document within its session, if it has one.
    pub(crate) fn session_key(&self, doc: DocId) -> Option<SessionKey> {
        let (at, table) = (doc.index(), &self.table);
        let session = decode_session(table.session[at])?;
        Some((session.0, table.valid_from[at], table.id[at]))
    }

    /// Iterates over the sort keys of all documents in a session.
    pub(crate) fn session_keys(&self) -> impl Iterator<Item = SessionKey> + '_ {
        self.live.iter().filter_map(|doc| self.session_key(doc))
    }

    /// Returns true if no document from this number on is in a session.
    pub(crate) fn have_no_session(&self, start: usize) -> bool {
        self.table.session.iter().skip(start).all(|&session| session == NO_SESSION)
    }

    /// Returns the keys directly before and after a key in its session.
    pub(crate) fn beside_in_session(&self, key: SessionKey) -> [Option<SessionKey>; 2] {
        let mut in_session = self.live.clone();
        in_session.retain_any(self.table.session.parts(), &[key.0]);
        let keys = || in_session.iter().filter_map(|doc| self.session_key(doc));
        [keys().filter(|&other| other < key).max(), keys().filter(|&other| other > key).min()]
    }

    pub(crate) fn push(&mut self, row: FactRow) -> DocId {
        let doc = DocId(self.slot_count() as u32);
        self.table.push(row);
        self.live_count += 1;
        self.add_to_aggregates(doc);
        doc
    }

    pub(crate) fn set(&mut self, doc: DocId, row: FactRow) {
        self.remove_from_aggregates(doc);
        self.table.set(doc, row);
        self.add_to_aggregates(doc);
    }

    pub(crate) fn remove(&mut self, doc: DocId) {
        self.remove_from_aggregates(doc);
        self.live_count -= 1;
    }

    fn add_to_aggregates(&mut self, doc: DocId) {
        self.live.insert(doc);
        let at = doc.index();
        let status = decode_status(self.table.status[at]);
        self.status_counts[status as usize] += 1;
        if status == Status::Active {
            self.active.insert(doc);
            self.active_kinds.add(self.table.kind[at]);
        }
        if self.table.valid_to[at] != NEVER {
            self.expiring.insert(doc);
        }
        self.speaker_counts.add(self.table.speaker[at]);
        self.creation_zones.widen(doc, self.table.created_at[at]);
        self.validity_zones.widen(doc, self.table.valid_from[at]);
        // By reference: an iterator over the array itself is not inlined, which this loop of every
        // opening and rebuild shows.
        for (total, &length) in self.total_lengths.iter_mut().zip(&self.table.lengths[at]) {
            *total += u64::from(length);
        }
    }

    // The row stays in the table, as a vacant slot, until the view is compacted: other document ids
    // must not change in between.
    fn remove_from_aggregates(&mut self, doc: DocId) {
        let at = doc.index();
        self.live.remove(doc);
        self.status_counts[decode_status(self.table.status[at]) as usize] -= 1;
        if self.active.contains(doc) {
            self.active.remove(doc);
            self.active_kinds.subtract(self.table.kind[at]);
        }
        self.expiring.remove(doc);
        self.speaker_counts.subtract(self.table.speaker[at]);
        for (total, length) in self.total_lengths.iter_mut().zip(self.table.lengths[at]) {
            *total -= u64::from(length);
        }
    }
}

/// Returns the sums of the lengths of each field.
fn total_lengths(lengths: &MappedArray<[u16; IndexField::COUNT]>) -> [u64; IndexField::COUNT] {
    lengths.iter().fold([0; IndexField::COUNT], |mut totals, lengths| {
        totals.iter_mut().zip(lengths).for_each(|(total, &length)| *total += u64::from(length));
        totals
    })
}

/// Number of documents per name, by name id.
#[derive(Debug, Clone, Default)]
struct NameHistogram(Vec<u32>);

impl NameHistogram {
    fn add(&mut self, name: u32) {
        let at = name as usize;
        if at >= self.0.len() {
            self.0.resize(at + 1, 0);
        }
        self.0[at] += 1;
    }

    fn subtract(&mut self, name: u32) {
        self.0[name as usize] -= 1;
    }

    /// Iterates over the names that have documents, with the number of each.
    fn present(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        let counts = (0..).zip(&self.0).map(|(number, &count)| (number, count as usize));
        counts.filter(|&(number, count)| number != NO_NAME && count > 0)
    }
}
