//! The view itself: its parts, and accessors for single memories. Searches, filters and traversals
//! are implemented in files of their own.

mod apply;
mod compact;

use crate::bigrams::BigramFingerprints;
use crate::block_checksums::DamageMark;
use crate::columns::Columns;
use crate::fact_table::decode_session;
use crate::interner::StringInterner;
use crate::lexical::WeightedLengths;
use crate::links::LinkTable;
use crate::postings::Postings;
use crate::ragged_array::RaggedArray;
use crate::session_order::SessionOrder;
use crate::vectors::Vectors;
use crate::{DocFacts, DocId, DocSet, id_map::DocIdMap};
use model::{EntityId, MemoryId, Seq, SessionId, VectorModel};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// In-memory index over all memories of one owner. A read model: the store is the truth, and the
/// view is brought up to date with it.
#[derive(Debug, Clone)]
pub struct View {
    pub(crate) seq: Seq,
    pub(crate) model: Option<VectorModel>,
    pub(crate) names: StringInterner,
    pub(crate) columns: Columns,
    pub(crate) tags: RaggedArray<u32>,
    pub(crate) entities: RaggedArray<i64>,
    pub(crate) links: LinkTable,
    pub(crate) postings: Postings,
    pub(crate) pairs: BigramFingerprints,
    pub(crate) vectors: Vectors,
    pub(crate) by_id: DocIdMap,
    pub(crate) sessions: SessionOrder,
    /// Document lengths for BM25, computed at the first query.
    pub(crate) weighted_lengths: OnceLock<WeightedLengths>,
    /// True if slots, lists or names contain data that no memory owns any more.
    pub(crate) has_garbage: bool,
    /// Mark of the snapshot that the view was read from.
    pub(crate) damage: DamageMark,
}

impl View {
    /// Creates an empty view, for vectors of this model if one is given.
    #[must_use]
    pub fn new(model: Option<VectorModel>) -> Self {
        let dimensions = model.as_ref().map_or(0, |model| model.dimensions);
        Self {
            seq: Seq::ZERO,
            model,
            names: StringInterner::default(),
            columns: Columns::default(),
            tags: RaggedArray::default(),
            entities: RaggedArray::default(),
            links: LinkTable::default(),
            postings: Postings::default(),
            pairs: BigramFingerprints::default(),
            vectors: Vectors::new(dimensions),
            by_id: DocIdMap::default(),
            sessions: SessionOrder::default(),
            weighted_lengths: OnceLock::new(),
            has_garbage: false,
            damage: DamageMark::default(),
        }
    }

    /// Returns the sequence number of the last change applied.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// Returns the embedding model whose vectors the view contains.
    #[must_use]
    pub fn model(&self) -> Option<&VectorModel> {
        self.model.as_ref()
    }

    /// Returns the number of memories of any status.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.live_count()
    }

    /// Returns true if there are no memories.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the document id of a memory.
    #[must_use]
    pub fn doc(&self, id: MemoryId) -> Option<DocId> {
        self.by_id.get(id.0)
    }

    /// Returns the memory id of a document.
    #[must_use]
    pub fn id(&self, doc: DocId) -> MemoryId {
        MemoryId(self.columns.table.id[doc.index()])
    }

    /// Returns the facts of a document.
    #[must_use]
    pub fn facts(&self, doc: DocId) -> DocFacts<'_> {
        self.columns.table.row(doc).facts(&self.names)
    }

    /// Returns the session of a document. Reads one column, where [`View::facts`] reads all of
    /// them.
    #[must_use]
    pub fn session(&self, doc: DocId) -> Option<SessionId> {
        decode_session(self.columns.table.session[doc.index()])
    }

    /// Iterates over the tags of a document.
    pub fn tags(&self, doc: DocId) -> impl Iterator<Item = &str> {
        self.tags.get(doc).iter().map(|&tag| self.names.name(tag))
    }

    /// Iterates over the entities that a document mentions.
    pub fn entities(&self, doc: DocId) -> impl Iterator<Item = EntityId> + '_ {
        self.entities.get(doc).iter().map(|&entity| EntityId(entity))
    }

    /// Returns the number of memories that mention an entity.
    #[must_use]
    pub fn mention_count(&self, entity: EntityId) -> usize {
        self.document_frequency(&apply::entity_key(entity))
    }

    /// Returns the memories that mention an entity.
    #[must_use]
    pub fn docs_mentioning(&self, entity: EntityId) -> DocSet {
        let mut docs = DocSet::default();
        self.postings.posting_list(&apply::entity_key(entity)).for_each(|doc, _| docs.insert(doc));
        docs
    }

    /// Returns the distinct names of all speakers.
    #[must_use]
    pub fn speakers(&self) -> BTreeSet<&str> {
        self.columns.speakers().map(|number| self.names.name(number)).collect()
    }

    /// Returns the number of plain tokens of a document over all fields.
    #[must_use]
    pub fn token_count(&self, doc: DocId) -> u32 {
        self.columns.table.lengths[doc.index()].iter().map(|&length| u32::from(length)).sum()
    }
}
