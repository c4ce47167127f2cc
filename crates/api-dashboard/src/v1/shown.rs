//! JSON forms of the domain types in `/v1`. They are a contract with scripts: fields are added,
//! never renamed.

mod memory;
mod review;
mod work;
mod world;

pub(crate) use memory::{FlagShown, MemoryShown, memory_tag};
pub(crate) use review::ReviewShown;
pub(crate) use work::{HandoffShown, SessionShown};
pub(crate) use world::{EntityShown, RowShown, TableShown, row_tag};

use model::Moment;
use schemars::JsonSchema;
use serde::Serialize;

/// Formats a point in time as RFC 3339 in UTC.
pub(crate) fn time(moment: Moment) -> String {
    moment.to_string()
}

/// A named count.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Counted {
    /// Name of what is counted.
    pub name: String,
    /// Number of items.
    pub count: usize,
}

/// Converts pairs into named counts.
pub(crate) fn counted(counts: Vec<(String, usize)>) -> Vec<Counted> {
    counts.into_iter().map(|(name, count)| Counted { name, count }).collect()
}

/// A confirmation.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// Message in a sentence.
    pub said: String,
}
