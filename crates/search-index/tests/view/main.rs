//! The view through its public interface: against a naive model under random changes, and each
//! promise by itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod age_order;
mod filters;
mod lexical;
mod links;
mod naive_model;
mod names;
mod nearest;
mod random_changes;
mod versions;

use model::{MemoryId, Moment, VectorModel};
use quipu_index::{DocId, DocSet, Filter, StatusFilter, View};

/// Model of all test vectors.
pub fn vector_model(dimensions: usize) -> VectorModel {
    VectorModel { id: "test-1".into(), dimensions }
}

/// Returns all documents of any status.
pub fn all_docs(view: &View) -> DocSet {
    view.filter(&Filter { status: StatusFilter::Any, ..Filter::default() }, Moment(0))
}

/// Returns the memory ids of these documents, sorted.
pub fn ids(view: &View, docs: impl IntoIterator<Item = DocId>) -> Vec<i64> {
    let mut ids: Vec<i64> = docs.into_iter().map(|doc| view.id(doc).0).collect();
    ids.sort_unstable();
    ids
}

/// Writes a snapshot of the view and reads it back.
pub fn round_trip(view: &mut View) -> View {
    let mut bytes = Vec::new();
    view.write_snapshot(1, &mut bytes).unwrap();
    let key =
        quipu_index::SnapshotKey { database: 1, newest: view.seq(), model: view.model().cloned() };
    View::read_snapshot(&bytes[..], bytes.len() as u64, &key).unwrap()
}

/// Returns the document of an existing memory.
pub fn doc_of(view: &View, id: i64) -> DocId {
    view.doc(MemoryId(id)).unwrap()
}
