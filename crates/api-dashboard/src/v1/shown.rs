//! The vocabulary as `/v1` shows it. What is here is a promise to scripts; fields are added, never
//! renamed.

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

/// A point in time as RFC 3339 in UTC.
pub(crate) fn time(moment: Moment) -> String {
    moment.to_string()
}

/// A count of something with a name.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Counted {
    /// The name.
    pub name: String,
    /// How many.
    pub count: usize,
}

/// Counts with their names.
pub(crate) fn counted(counts: Vec<(String, usize)>) -> Vec<Counted> {
    counts.into_iter().map(|(name, count)| Counted { name, count }).collect()
}

/// What was done, where a word says it all.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Done {
    /// In a sentence.
    pub said: String,
}
