//! JSON form of a review item.

use super::{MemoryJson, format_time};
use model::{JsonMap, ReviewState};
use schemars::JsonSchema;
use serde::Serialize;

/// A review item with its memories.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewJson {
    /// Id of the item.
    pub id: i64,
    /// `contradiction`, `flag` or `proposal`.
    pub kind: &'static str,
    /// Reason in a sentence.
    pub reason: String,
    /// Agent that raised it.
    pub raised_by: String,
    /// Time it was raised.
    pub raised_at: String,
    /// Decision; missing while the item is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<&'static str>,
    /// Memory under review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<MemoryJson>,
    /// Memory that it contradicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<MemoryJson>,
    /// All memories that contradict each other, newest first; missing for two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rivals: Vec<MemoryJson>,
    /// Ids of the items between the rivals that are shown as this one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<i64>,
    /// True for an open item that other decisions have settled.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub settled: bool,
    /// Change that a proposal would make.
    pub details: JsonMap,
}

impl From<engine::review::ReviewView> for ReviewJson {
    fn from(view: engine::review::ReviewView) -> Self {
        let rivals = if view.folded.is_empty() { Vec::new() } else { view.rivals() };
        let rivals = rivals.into_iter().cloned().map(MemoryJson::from).collect();
        let folded = view.folded.iter().map(|other| other.item.id.0).collect();
        let item = view.item;
        Self {
            id: item.id.0,
            kind: item.kind.name(),
            reason: item.reason,
            raised_by: item.raised_by.to_string(),
            raised_at: format_time(item.raised_at),
            resolution: match item.state {
                ReviewState::Open => None,
                ReviewState::Resolved { resolution, .. } => Some(resolution.name()),
            },
            subject: view.subject.map(MemoryJson::from),
            against: view.against.map(MemoryJson::from),
            rivals,
            folded,
            settled: view.is_settled,
            details: item.details,
        }
    }
}
