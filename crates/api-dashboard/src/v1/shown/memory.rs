//! A memory and what is said of it, as `/v1` shows them.

use super::time;
use model::{Flag, JsonMap, Memory};
use schemars::JsonSchema;
use serde::Serialize;

/// One remembered thing.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryShown {
    /// Its number.
    pub id: i64,
    /// What sort of thing it is.
    pub kind: String,
    /// A headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is remembered.
    pub text: String,
    /// `active`, `proposed`, `superseded`, `rejected` or `retired`.
    pub status: &'static str,
    /// The drawer it lies in.
    pub collection: String,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The session it was made in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<i64>,
    /// Labels.
    pub tags: Vec<String>,
    /// 1 (most important) to 5.
    pub priority: u8,
    /// 0 to 1, as its writer said.
    pub confidence: f32,
    /// 0 to 100: how far it is believed, by where it came from.
    pub trust: u8,
    /// Who wrote it.
    pub agent: String,
    /// The contract it came through.
    pub dialect: &'static str,
    /// What kind of source it came from.
    pub origin: &'static str,
    /// When it was written.
    pub created_at: String,
    /// When anything of it last changed.
    pub updated_at: String,
    /// Until when it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// How many open flags complain about it.
    pub flags: u32,
    /// How often it was recalled.
    pub uses: u32,
    /// Whatever else its writer attached.
    pub metadata: JsonMap,
}

impl From<Memory> for MemoryShown {
    fn from(memory: Memory) -> Self {
        let from = memory.provenance;
        Self {
            id: memory.id.0,
            kind: memory.kind.to_string(),
            title: memory.title,
            text: memory.text,
            status: memory.status.name(),
            collection: memory.collection,
            project: memory.project,
            session: memory.session.map(|session| session.0),
            tags: memory.tags,
            priority: memory.priority,
            confidence: memory.confidence,
            trust: from.trust.0,
            agent: from.author.agent.to_string(),
            dialect: from.author.dialect.name(),
            origin: from.origin.name(),
            created_at: time(from.at),
            updated_at: time(memory.updated_at),
            valid_to: memory.valid_to.map(time),
            flags: memory.flags,
            uses: memory.access.count,
            metadata: memory.metadata,
        }
    }
}

/// The version of a memory, for `If-Match`.
pub(crate) fn memory_tag(memory: &Memory) -> String {
    format!("\"m{}-{}\"", memory.id, memory.updated_at.0)
}

/// A complaint about a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FlagShown {
    /// What is wrong with it.
    pub reason: String,
    /// Who complains.
    pub by: String,
    /// When.
    pub at: String,
    /// Whether it was dealt with.
    pub settled: bool,
}

impl From<Flag> for FlagShown {
    fn from(flag: Flag) -> Self {
        Self {
            reason: flag.reason,
            by: flag.by.to_string(),
            at: time(flag.at),
            settled: flag.settled,
        }
    }
}
