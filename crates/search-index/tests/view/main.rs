//! The view from outside: against a naive model under random changes, and each promise by itself.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod age;
mod filters;
mod lexical;
mod links;
mod naive;
mod names;
mod random_changes;
mod vectors;

use model::{MemoryId, Moment, VectorModel};
use quipu_index::{Doc, DocSet, Filter, Standing, View};

/// The model every test vector claims to be of.
pub fn vector_model(dimensions: usize) -> VectorModel {
    VectorModel { id: "test-1".into(), dimensions }
}

/// Every memory that was not forgotten.
pub fn everything(view: &View) -> DocSet {
    view.filter(&Filter { standing: Standing::Any, ..Filter::default() }, Moment(0))
}

/// The ids at these places, sorted.
pub fn ids(view: &View, docs: impl IntoIterator<Item = Doc>) -> Vec<i64> {
    let mut ids: Vec<i64> = docs.into_iter().map(|doc| view.id(doc).0).collect();
    ids.sort_unstable();
    ids
}

/// The view written out and read back.
pub fn round_trip(view: &mut View) -> View {
    let mut bytes = Vec::new();
    view.write_snapshot(1, &mut bytes).unwrap();
    let key =
        quipu_index::SnapshotKey { database: 1, newest: view.seq(), model: view.model().cloned() };
    View::read_snapshot(&bytes[..], bytes.len() as u64, &key).unwrap()
}

/// The place of a memory that is there.
pub fn place(view: &View, id: i64) -> Doc {
    view.doc(MemoryId(id)).unwrap()
}
