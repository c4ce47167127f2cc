//! Facts of every document in columns, one array per fact, so that a filter only reads those it
//! needs. The order of the columns is the order of their sections in a snapshot.

use crate::interner::{NO_NAME, StringInterner};
use crate::mapped_array::MappedArray;
use crate::snapshot::{SectionReader, SectionWriter, SnapshotError, SnapshotSource};
use crate::{DocFacts, DocId, IndexField};
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

        /// Facts of every document, one array per column.
        #[derive(Debug, Clone, Default)]
        pub(crate) struct FactTable { $($(#[$doc])* pub(crate) $name: MappedArray<$type>,)* }

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
                let of = |doc: &DocId| doc.index();
                Self {
                    $($name: MappedArray::from(
                        order.iter().map(|doc| self.$name[of(doc)]).collect::<Vec<_>>(),
                    ),)*
                }
            }

            pub(crate) fn write<W: Write>(&self, out: &mut SectionWriter<W>) -> io::Result<()> {
                $(out.array(&self.$name)?;)*
                Ok(())
            }

            /// Reads every column and checks that all have the same length.
            pub(crate) fn read<R: SnapshotSource>(
                input: &mut SectionReader<R>,
            ) -> Result<Self, SnapshotError> {
                let table = Self { $($name: input.array()?,)* };
                let same_length = true $(&& table.$name.len() == table.id.len())*;
                if same_length { Ok(table) } else { Err(SnapshotError::Damaged) }
            }

            pub(crate) fn bytes(&self) -> usize {
                0 $(+ self.$name.size_bytes())*
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
    pub(crate) fn names(&self) -> [&MappedArray<u32>; 6] {
        [&self.kind, &self.collection, &self.table, &self.project, &self.agent, &self.speaker]
    }

    /// Returns the columns of interned names for renumbering.
    pub(crate) fn names_mut(&mut self) -> [&mut MappedArray<u32>; 6] {
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
pub(crate) fn decode_status(number: u8) -> Status {
    // An unknown number becomes a status that no recall returns.
    Status::ALL.get(usize::from(number)).copied().unwrap_or(Status::Retired)
}
