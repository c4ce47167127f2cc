//! The view itself: what is kept of every memory of one owner, and what can be asked about one of
//! them. Searches, filters and walks are in files of their own.

mod apply;
mod compact;

use crate::columns::{Columns, session_of};
use crate::lexical::Weighed;
use crate::links::Links;
use crate::lists::Lists;
use crate::names::Names;
use crate::pairs::Pairs;
use crate::postings::Postings;
use crate::sessions::SessionOrder;
use crate::vectors::Vectors;
use crate::{Doc, DocSet, Facts, ids::DocsById};
use model::{EntityId, MemoryId, Seq, SessionId, VectorModel};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// Everything of one owner that a recall needs, in memory. The store is the truth; this is caught
/// up with it.
#[derive(Debug, Clone)]
pub struct View {
    pub(crate) seq: Seq,
    pub(crate) model: Option<VectorModel>,
    pub(crate) names: Names,
    pub(crate) columns: Columns,
    pub(crate) tags: Lists<u32>,
    pub(crate) entities: Lists<i64>,
    pub(crate) links: Links,
    pub(crate) postings: Postings,
    pub(crate) pairs: Pairs,
    pub(crate) vectors: Vectors,
    pub(crate) by_id: DocsById,
    pub(crate) sessions: SessionOrder,
    /// How long each place is to BM25, worked out when first asked for.
    pub(crate) weighed: OnceLock<Weighed>,
    /// Whether places or lists hold what no memory owns any more.
    pub(crate) littered: bool,
}

impl View {
    /// A view without memories, for vectors of this model if there is one.
    #[must_use]
    pub fn new(model: Option<VectorModel>) -> Self {
        let dimensions = model.as_ref().map_or(0, |model| model.dimensions);
        Self {
            seq: Seq::ZERO,
            model,
            names: Names::default(),
            columns: Columns::default(),
            tags: Lists::default(),
            entities: Lists::default(),
            links: Links::default(),
            postings: Postings::default(),
            pairs: Pairs::default(),
            vectors: Vectors::new(dimensions),
            by_id: DocsById::default(),
            sessions: SessionOrder::default(),
            weighed: OnceLock::new(),
            littered: false,
        }
    }

    /// The change the view has caught up with.
    #[must_use]
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// The model whose vectors the view holds.
    #[must_use]
    pub fn model(&self) -> Option<&VectorModel> {
        self.model.as_ref()
    }

    /// How many memories there are, whatever their status.
    #[must_use]
    pub fn len(&self) -> usize {
        self.columns.live_count()
    }

    /// Whether there is no memory at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The place of a memory.
    #[must_use]
    pub fn doc(&self, id: MemoryId) -> Option<Doc> {
        self.by_id.get(&id.0).copied()
    }

    /// The memory at a place.
    #[must_use]
    pub fn id(&self, doc: Doc) -> MemoryId {
        MemoryId(self.columns.table.id[doc.index()])
    }

    /// What filters and rankings know of the memory at a place.
    #[must_use]
    pub fn facts(&self, doc: Doc) -> Facts<'_> {
        self.columns.table.row(doc).facts(&self.names)
    }

    /// The session that the memory at a place was made in. One column, where its facts are all of
    /// them.
    #[must_use]
    pub fn session(&self, doc: Doc) -> Option<SessionId> {
        session_of(self.columns.table.session[doc.index()])
    }

    /// The tags of the memory at a place.
    pub fn tags(&self, doc: Doc) -> impl Iterator<Item = &str> {
        self.tags.get(doc).iter().map(|&tag| self.names.name(tag))
    }

    /// The entities the memory at a place mentions.
    pub fn entities(&self, doc: Doc) -> impl Iterator<Item = EntityId> + '_ {
        self.entities.get(doc).iter().map(|&entity| EntityId(entity))
    }

    /// How many memories mention an entity.
    #[must_use]
    pub fn mentions(&self, entity: EntityId) -> usize {
        self.document_frequency(&apply::entity_key(entity))
    }

    /// The memories that mention an entity.
    #[must_use]
    pub fn mentioning(&self, entity: EntityId) -> DocSet {
        let mut docs = DocSet::default();
        self.postings.list(&apply::entity_key(entity)).for_each(|doc, _| docs.insert(doc));
        docs
    }

    /// Who speaks in the conversations that are kept, each name once.
    #[must_use]
    pub fn speakers(&self) -> BTreeSet<&str> {
        self.columns.speakers().map(|number| self.names.name(number)).collect()
    }

    /// How many plain tokens the memory at a place has in all its fields.
    #[must_use]
    pub fn token_count(&self, doc: Doc) -> u32 {
        self.columns.table.lengths[doc.index()].iter().map(|&length| u32::from(length)).sum()
    }
}
