//! In-memory search index over the memories of one owner: posting lists with BM25, quantised
//! vectors, the link graph and metadata filters.
//!
//! It does no I/O and reads no clock: the same input gives the same output. The store is the truth;
//! a view is brought up to date with it before each read and can be rebuilt from it at any time.
//! The final order of results is not decided here: the view retrieves and scores, the recall crate
//! ranks.

mod age_order;
mod bigrams;
mod block_checksums;
mod columns;
mod doc_set;
mod entry;
mod expansion;
mod facets;
mod fact_table;
mod filter;
mod id_map;
mod interner;
mod lexical;
mod link_census;
mod links;
mod mapped_array;
mod postings;
mod prefetch;
mod query_terms;
mod ragged_array;
mod rank_features;
mod session_order;
mod smallest_keys;
mod snapshot;
mod spelling;
mod top_k;
mod traversal;
mod vectors;
mod versions;
mod view;
mod zone_map;

pub use age_order::AgeOrder;
pub use doc_set::{DocId, DocSet, RankBitmap};
pub use entry::{DocFacts, IndexEntry, IndexField, OutgoingLink};
pub use expansion::TermExpansion;
pub use facets::FacetCounts;
pub use filter::{Filter, StatusFilter};
pub use lexical::{Bm25, LexicalHits, TermShares};
pub use link_census::LinkCensus;
pub use links::{Direction, LinkEdge, LinkKinds};
pub use query_terms::{QueryTerm, QueryTerms};
pub use rank_features::RankFeatures;
pub use session_order::SessionNeighbour;
pub use snapshot::{MappedUse, SnapshotError, SnapshotKey, SnapshotSource};
pub use spelling::SpellingMatch;
pub use top_k::SearchHit;
pub use traversal::{GraphVisit, Traversal};
pub use vectors::QueryVector;
pub use versions::newest_version;
pub use view::View;
