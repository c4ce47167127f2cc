//! In-memory search index over the memories of one owner: posting lists with BM25, quantised
//! vectors, the link graph and metadata filters.
//!
//! It does no I/O and reads no clock: the same input gives the same output. The store is the truth;
//! a view is brought up to date with it before each read and can be rebuilt from it at any time.
//! The final order of results is not decided here: the view retrieves and scores, the recall crate
//! ranks.

mod age;
mod ahead;
mod bearing;
mod checksum;
mod columns;
mod doc_set;
mod entry;
mod filter;
mod ids;
mod lexical;
mod links;
mod lists;
mod names;
mod near;
mod pairs;
mod postings;
mod query;
mod sessions;
mod snapshot;
mod tally;
pub mod tokens;
mod top;
mod vectors;
mod view;
mod walk;

pub use age::Age;
pub use bearing::Bearing;
pub use doc_set::{Doc, DocSet, Positions};
pub use entry::{Entry, Facts, Field, LinkOut};
pub use filter::{Filter, Standing};
pub use lexical::{Bm25, Lexical, LexicalShares};
pub use links::{Direction, Edge, LinkKinds};
pub use near::NearTerms;
pub use query::{QueryTerm, QueryTerms};
pub use sessions::Beside;
pub use snapshot::{SnapshotError, SnapshotKey};
pub use tally::Tally;
pub use top::Hit;
pub use vectors::QueryVector;
pub use view::View;
pub use walk::{Visit, Walk};
