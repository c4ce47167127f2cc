//! JSON form of a review item.

use super::{MemoryJson, NamedCount, format_time, named_counts};
use engine::erasure::{ErasureMode, ErasureProposal, ErasureView};
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
    /// All memories that contradict each other, newest first; empty for two.
    pub rivals: Vec<MemoryJson>,
    /// Ids of the items between the rivals that are shown as this one.
    pub folded: Vec<i64>,
    /// True for an open item that other decisions have settled.
    pub settled: bool,
    /// Change that a proposal would make.
    pub details: JsonMap,
    /// Items that a proposal would delete, or what was deleted once it was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub erasure: Option<ErasureJson>,
    /// Outcome of accepting a deletion, in sentences.
    pub notes: Vec<String>,
}

/// Items that a proposal would delete.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ErasureJson {
    /// `forget` or `retire`.
    mode: &'static str,
    /// Memories that still exist, at most 100.
    memories: Vec<MemoryJson>,
    /// Number of further memories.
    left_out: usize,
    /// Profile fields, rows and entities, in sentences.
    others: Vec<String>,
    /// Number of items removed in each place, right after it was accepted.
    places: Vec<NamedCount>,
    /// Items left alone because they changed or are gone, in sentences.
    skipped: Vec<String>,
}

impl From<ErasureView> for ErasureJson {
    fn from(view: ErasureView) -> Self {
        Self {
            mode: view.erasure.mode.name(),
            left_out: view.left_out(),
            memories: view.memories.into_iter().map(MemoryJson::from).collect(),
            others: view.others,
            places: named_counts(view.receipt.map(|receipt| receipt.removed).unwrap_or_default()),
            skipped: view.skipped,
        }
    }
}

/// A deletion that waits for the owner's consent; nothing of it is deleted yet.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ErasureProposalJson {
    /// Id of the review item.
    review: i64,
    /// Message in a sentence.
    said: String,
}

impl From<&ErasureProposal> for ErasureProposalJson {
    fn from(proposal: &ErasureProposal) -> Self {
        Self { review: proposal.review.0, said: proposal.message() }
    }
}

fn outcome_notes(view: &ErasureView) -> Vec<String> {
    let receipt = view.receipt.iter().map(|receipt| {
        let memories = receipt.memories.len();
        match view.erasure.mode {
            ErasureMode::Forget => format!("Forgotten for good: {memories} memories."),
            ErasureMode::Retire => "Retired.".to_owned(),
        }
    });
    receipt.chain(view.skipped.iter().map(|one| format!("Left alone: {one}."))).collect()
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
            notes: view.erasure.as_ref().map(outcome_notes).unwrap_or_default(),
            erasure: view.erasure.map(ErasureJson::from),
        }
    }
}
