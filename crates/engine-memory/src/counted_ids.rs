//! A number of memories, with the first of them.

use index::{DocSet, View};
use model::MemoryId;

/// Number of memories of a set, and the lowest ids among them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CountedIds {
    pub count: usize,
    /// Lowest ids first, up to a limit.
    pub first: Vec<MemoryId>,
}

impl CountedIds {
    pub(crate) fn new(view: &View, docs: &DocSet, limit: usize) -> Self {
        let first = view.first_by_key(docs, limit, |doc| view.id(doc));
        Self { count: docs.count(), first: first.into_iter().map(|doc| view.id(doc)).collect() }
    }
}
