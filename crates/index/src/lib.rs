//! The in-memory view of one owner: postings, vectors, links and filters.

pub mod tokens;
