//! JSON forms of the domain types in `/v1`. They are a contract with scripts: fields are added,
//! never renamed.

mod entities_and_tables;
mod memory;
mod review;
mod sessions_and_handoffs;

pub(crate) use entities_and_tables::{EntityJson, RowJson, TableJson, row_tag};
pub(crate) use memory::{FlagJson, MemoryJson, memory_tag};
pub(crate) use review::{ErasureProposalJson, ReviewJson};
pub(crate) use sessions_and_handoffs::{HandoffJson, SessionJson};

use model::Moment;
use schemars::JsonSchema;
use serde::Serialize;

/// Formats a point in time as RFC 3339 in UTC.
pub(crate) fn format_time(moment: Moment) -> String {
    moment.to_string()
}

/// A named count.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NamedCount {
    /// Name of what is counted.
    pub name: String,
    /// Number of items.
    pub count: usize,
}

/// Converts pairs into named counts.
pub(crate) fn named_counts(counts: Vec<(String, usize)>) -> Vec<NamedCount> {
    counts.into_iter().map(|(name, count)| NamedCount { name, count }).collect()
}

/// A confirmation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MessageJson {
    /// Message in a sentence.
    pub said: String,
}
