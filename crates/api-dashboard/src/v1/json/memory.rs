//! JSON forms of a memory and its flags.

use super::format_time;
use model::{Flag, JsonMap, Memory};
use schemars::JsonSchema;
use serde::Serialize;

/// A memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryJson {
    /// Id of the memory.
    pub id: i64,
    /// Kind of the memory.
    pub kind: String,
    /// Title of the memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Text of the memory.
    pub text: String,
    /// `active`, `proposed`, `superseded`, `rejected` or `retired`.
    pub status: &'static str,
    /// Name of the collection.
    pub collection: String,
    /// Name of the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Id of the session in which it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<i64>,
    /// Tags of the memory.
    pub tags: Vec<String>,
    /// Priority, 1 (most important) to 5.
    pub priority: u8,
    /// Confidence from 0 to 1, as the writer stated it.
    pub confidence: f32,
    /// Trust from 0 to 100, by the source of the memory.
    pub trust: u8,
    /// Agent that wrote it.
    pub agent: String,
    /// Dialect through which it was written.
    pub dialect: &'static str,
    /// Kind of the source.
    pub origin: &'static str,
    /// Creation time.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
    /// End of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Number of open flags.
    pub flags: u32,
    /// Number of recalls.
    pub uses: u32,
    /// Additional data from the writer.
    pub metadata: JsonMap,
}

impl From<Memory> for MemoryJson {
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
            created_at: format_time(from.at),
            updated_at: format_time(memory.updated_at),
            valid_to: memory.valid_to.map(format_time),
            flags: memory.flags,
            uses: memory.access.count,
            metadata: memory.metadata,
        }
    }
}

/// Returns the version of a memory for `If-Match`.
pub(crate) fn memory_tag(memory: &Memory) -> String {
    format!("\"m{}-{}\"", memory.id, memory.updated_at.0)
}

/// A flag on a memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FlagJson {
    /// Reason in a sentence.
    pub reason: String,
    /// Agent that raised it.
    pub by: String,
    /// Time it was raised.
    pub at: String,
    /// True when it is resolved.
    pub settled: bool,
}

impl From<Flag> for FlagJson {
    fn from(flag: Flag) -> Self {
        Self {
            reason: flag.reason,
            by: flag.by.to_string(),
            at: format_time(flag.at),
            settled: flag.settled,
        }
    }
}
