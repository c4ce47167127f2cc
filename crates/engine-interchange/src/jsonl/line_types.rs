//! Serde types of the lines, which define the published file format. Field names are those of the
//! model; empty fields are omitted, unknown ones refused. Changing a name breaks existing files.

use super::timestamp::Timestamp;
use model::JsonMap;
use serde::{Deserialize, Serialize};

/// A line, tagged by its `type`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(super) enum ExportLine {
    Quipu(HeaderLine),
    Session(SessionLine),
    Entity(EntityLine),
    Memory(Box<MemoryLine>),
    Link(LinkLine),
    Observation(ObservationLine),
    Relation(Box<RelationLine>),
    Table(TableLine),
    Record(RecordLine),
    Profile(Box<ProfileLine>),
    Handoff(Box<HandoffLine>),
    Reference(ReferenceLine),
    Review(Box<ReviewLine>),
}

/// The header, first line of a file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderLine {
    pub version: u32,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SessionLine {
    pub id: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    pub agent: String,
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub metadata: JsonMap,
    pub started_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub episode: Option<i64>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EntityLine {
    pub id: i64,
    pub kind: String,
    pub name: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub properties: JsonMap,
    pub confidence: f32,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

/// A memory with its usage, flags and mentions.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MemoryLine {
    pub id: i64,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    pub collection: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub applies_to: Vec<String>,
    pub priority: u8,
    pub confidence: f32,
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub metadata: JsonMap,
    pub provenance: ProvenanceShape,
    pub valid_from: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Timestamp>,
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    pub updated_at: Timestamp,
    pub uses: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<FlagShape>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mentions: Vec<MentionShape>,
}

/// The provenance of an item.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProvenanceShape {
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    pub dialect: String,
    pub tool: String,
    pub origin: String,
    pub trust: u8,
    pub at: Timestamp,
}

/// A flag on a memory.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlagShape {
    pub by: String,
    pub at: Timestamp,
    pub reason: String,
    pub settled: bool,
}

/// A mention of an entity in a memory.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MentionShape {
    pub entity: i64,
    pub kind: String,
    pub name: String,
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkLine {
    pub source: i64,
    pub target: i64,
    pub kind: String,
    pub weight: f32,
    pub created_at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObservationLine {
    pub entity: i64,
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
    pub at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RelationLine {
    pub source: i64,
    pub target: i64,
    pub kind: String,
    pub weight: f32,
    pub confidence: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said_in: Vec<i64>,
    pub by_itself: bool,
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub properties: JsonMap,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

/// A table, before its rows.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableLine {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<ColumnShape>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ColumnShape {
    pub name: String,
    pub kind: String,
}

/// A row of a table.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordLine {
    pub table: String,
    pub id: i64,
    pub data: JsonMap,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProfileLine {
    pub version: u32,
    pub data: JsonMap,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub provenance: ProvenanceShape,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HandoffLine {
    pub id: i64,
    pub title: String,
    pub document: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harness: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_ref: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<ClaimShape>,
    pub created_by: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The claim on a handoff.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClaimShape {
    pub by: String,
    pub since: Timestamp,
    pub until: Timestamp,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<(String, String)>,
}

/// A reference document.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReferenceLine {
    pub path: String,
    pub title: String,
    pub hash: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<SectionShape>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SectionShape {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub heading: Vec<String>,
    pub text: String,
}

/// A review item.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewLine {
    pub id: i64,
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<i64>,
    pub reason: String,
    #[serde(default, skip_serializing_if = "JsonMap::is_empty")]
    pub details: JsonMap,
    pub raised_by: String,
    pub raised_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<ResolvedShape>,
}

/// The decision on a review item.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResolvedShape {
    pub resolution: String,
    pub by: String,
    pub at: Timestamp,
}
