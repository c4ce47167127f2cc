//! Review items, as `/v1` shows them.

use super::{MemoryShown, time};
use model::{JsonMap, ReviewState};
use schemars::JsonSchema;
use serde::Serialize;

/// A review item with the memories it is about.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewShown {
    /// Its number.
    pub id: i64,
    /// `contradiction`, `flag` or `proposal`.
    pub kind: &'static str,
    /// What is wrong, in a sentence.
    pub reason: String,
    /// Who raised it.
    pub raised_by: String,
    /// When.
    pub raised_at: String,
    /// How it was decided; missing while it waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolution: Option<&'static str>,
    /// The memory in question.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<MemoryShown>,
    /// What it disagrees with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub against: Option<MemoryShown>,
    /// What a proposal would change.
    pub details: JsonMap,
}

impl From<engine::review::ReviewView> for ReviewShown {
    fn from(view: engine::review::ReviewView) -> Self {
        let item = view.item;
        Self {
            id: item.id.0,
            kind: item.kind.name(),
            reason: item.reason,
            raised_by: item.raised_by.to_string(),
            raised_at: time(item.raised_at),
            resolution: match item.state {
                ReviewState::Open => None,
                ReviewState::Resolved { resolution, .. } => Some(resolution.name()),
            },
            subject: view.subject.map(MemoryShown::from),
            against: view.against.map(MemoryShown::from),
            details: item.details,
        }
    }
}
