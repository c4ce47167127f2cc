//! Columnar storage of the facts of every document: one array per fact, so that a filter only reads
//! the columns it needs. The order of the columns is the order of their sections in a snapshot.

use crate::interner::{NO_NAME, StringInterner};
use crate::session_order::SessionKey;
use crate::snapshot::{SectionReader, SectionWriter, SnapshotError, SnapshotSource};
use crate::zone_map::ZoneMap;
use crate::{DocFacts, DocId, DocSet, IndexField};
use model::{MemoryId, Moment, SessionId, Status, Trust};
use std::io::{self, Write};

/// Session column of a memory without a session.
pub(crate) const NO_SESSION: i64 = i64::MIN;
/// Value of an end that is not set. The largest moment, so that "ends after now" needs no special
/// case.
pub(crate) const NEVER: i64 = i64::MAX;

/// Declares a row and the table of its columns in one place, so that no column can be forgotten in
/// any of the functions below. Adding, removing or reordering columns changes the snapshot format.
macro_rules! columns {
    ($($(#[$doc:meta])* $name:ident: $type:ty,)*) => {
        /// Facts of one document, names as interned ids.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) struct FactRow { $($(#[$doc])* pub(crate) $name: $type,)* }

        /// Facts of every document, one vector per column.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct FactTable { $($(#[$doc])* pub(crate) $name: Vec<$type>,)* }

        impl FactTable {
            pub(crate) fn push(&mut self, row: FactRow) {
                $(self.$name.push(row.$name);)*
            }

            pub(crate) fn set(&mut self, doc: DocId, row: FactRow) {
                $(self.$name[doc.index()] = row.$name;)*
            }

            pub(crate) fn row(&self, doc: DocId) -> FactRow {
                FactRow { $($name: self.$name[doc.index()],)* }
            }

            /// Copies the rows of these documents, in this order.
            pub(crate) fn gather(&self, order: &[DocId]) -> Self {
                Self { $($name: order.iter().map(|doc| self.$name[doc.index()]).collect(),)* }
            }

            pub(crate) fn write<W: Write>(&self, out: &mut SectionWriter<W>) -> io::Result<()> {
                $(out.section(&self.$name)?;)*
                Ok(())
            }

            /// Reads every column and checks that all have the same length.
            pub(crate) fn read<R: SnapshotSource>(
                input: &mut SectionReader<R>,
            ) -> Result<Self, SnapshotError> {
                let table = Self { $($name: input.section()?,)* };
                let same_length = true $(&& table.$name.len() == table.id.len())*;
                if same_length { Ok(table) } else { Err(SnapshotError::Damaged) }
            }

            pub(crate) fn bytes(&self) -> usize {
                0 $(+ self.$name.capacity() * size_of::<$type>())*
            }
        }
    };
}

columns! {
    id: i64,
    /// Digest of the texts and entities; unchanged means that nothing needs to be indexed again.
    texts: u64,
    /// Digest of the vectors.
    vectors: u64,
    kind: u32,
    collection: u32,
    table: u32,
    project: u32,
    agent: u32,
    speaker: u32,
    session: i64,
    created_at: i64,
    valid_from: i64,
    valid_to: i64,
    ended_at: i64,
    confidence: f32,
    flags: u32,
    accesses: u32,
    status: u8,
    priority: u8,
    trust: u8,
    /// Share of the text that consists of questions, in 255ths.
    asking: u8,
    /// Number of plain tokens per field.
    lengths: [u16; IndexField::COUNT],
}

impl FactTable {
    /// Returns the columns of interned names, in the order of [`FactRow::names`].
    pub(crate) fn names(&self) -> [&Vec<u32>; 6] {
        [&self.kind, &self.collection, &self.table, &self.project, &self.agent, &self.speaker]
    }

    /// Returns the columns of interned names for renumbering.
    pub(crate) fn names_mut(&mut self) -> [&mut Vec<u32>; 6] {
        let Self { kind, collection, table, project, agent, speaker, .. } = self;
        [kind, collection, table, project, agent, speaker]
    }
}

impl FactRow {
    /// Encodes facts as a row. The caller fills in the digests and lengths.
    pub(crate) fn from_facts(facts: &DocFacts<'_>, names: &mut StringInterner) -> Self {
        Self {
            id: facts.id.0,
            texts: 0,
            vectors: 0,
            kind: names.intern(facts.kind),
            collection: names.intern(facts.collection),
            table: names.intern(facts.table.unwrap_or("")),
            project: names.intern(facts.project.unwrap_or("")),
            agent: names.intern(facts.agent),
            speaker: names.intern(facts.speaker.unwrap_or("")),
            session: facts.session.map_or(NO_SESSION, |session| session.0),
            created_at: facts.created_at.0,
            valid_from: facts.valid_from.0,
            valid_to: facts.valid_to.map_or(NEVER, |moment| moment.0),
            ended_at: facts.ended_at.map_or(NEVER, |moment| moment.0),
            confidence: facts.confidence,
            flags: facts.flags,
            accesses: facts.accesses,
            status: facts.status as u8,
            priority: facts.priority,
            trust: facts.trust.0,
            asking: (facts.question_share.clamp(0.0, 1.0) * 255.0).round() as u8,
            lengths: [0; IndexField::COUNT],
        }
    }

    /// Decodes the row into facts.
    pub(crate) fn facts<'a>(&self, names: &'a StringInterner) -> DocFacts<'a> {
        let name_or_none = |number| (number != NO_NAME).then(|| names.name(number));
        let moment_or_none = |moment| (moment != NEVER).then_some(Moment(moment));
        DocFacts {
            id: MemoryId(self.id),
            kind: names.name(self.kind),
            collection: names.name(self.collection),
            table: name_or_none(self.table),
            project: name_or_none(self.project),
            session: self.session(),
            agent: names.name(self.agent),
            speaker: name_or_none(self.speaker),
            status: decode_status(self.status),
            created_at: Moment(self.created_at),
            valid_from: Moment(self.valid_from),
            valid_to: moment_or_none(self.valid_to),
            ended_at: moment_or_none(self.ended_at),
            priority: self.priority,
            confidence: self.confidence,
            trust: Trust(self.trust),
            question_share: decode_share(self.asking),
            flags: self.flags,
            accesses: self.accesses,
        }
    }

    /// Returns the ids of all names in the row.
    pub(crate) fn names(&self) -> [u32; 6] {
        [self.kind, self.collection, self.table, self.project, self.agent, self.speaker]
    }

    pub(crate) fn session(&self) -> Option<SessionId> {
        decode_session(self.session)
    }
}

/// Decodes the session column.
pub(crate) fn decode_session(number: i64) -> Option<SessionId> {
    (number != NO_SESSION).then_some(SessionId(number))
}

/// Decodes a share from 255ths.
pub(crate) fn decode_share(number: u8) -> f32 {
    f32::from(number) / 255.0
}

/// Decodes the status column.
fn decode_status(number: u8) -> Status {
    // An unknown number becomes a status that no recall returns.
    Status::ALL.get(usize::from(number)).copied().unwrap_or(Status::Retired)
}

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
        let mut columns = Self { live_count: table.id.len(), table, ..Self::default() };
        for number in 0..columns.table.id.len() {
            columns.add_to_aggregates(DocId(number as u32));
        }
        columns
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
