//! `sourceRef`: reference to a stored item as one text, which an agent can pass back to correct or
//! forget exactly that item.

use model::{EntityId, Memory, MemoryId, Record, RecordId, RelationId};
use std::fmt;

/// Maximum length in bytes. The limits on names of collections, tables and fields keep every valid
/// reference shorter.
const BYTES_MAX: usize = 1_000;

/// Reference to a stored item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SourceRef {
    /// `vectors/journal#12`: a memory.
    Memory { collection: String, id: MemoryId },
    /// `tables/meals#3`, or `meals:3`: a row.
    Row { table: String, id: RecordId },
    /// `profile:v4`: a version of the profile.
    Version(u32),
    /// `profile:work.company`: a field of the profile.
    Field(String),
    /// `entity:7`: a node of the graph.
    Entity(EntityId),
    /// `edge:9`: an edge of the graph.
    Relation(RelationId),
}

impl SourceRef {
    /// Returns the reference to a memory.
    pub fn for_memory(memory: &Memory) -> Self {
        Self::Memory { collection: memory.collection.clone(), id: memory.id }
    }

    /// Parses a reference; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.len() > BYTES_MAX {
            return None;
        }
        if let Some(rest) = text.strip_prefix("vectors/") {
            let (collection, id) = rest.rsplit_once('#')?;
            return Some(Self::Memory {
                collection: collection.to_owned(),
                id: MemoryId(id.parse().ok()?),
            });
        }
        if let Some(rest) = text.strip_prefix("tables/") {
            let (table, id) = rest.rsplit_once('#')?;
            return parse_row(table, id);
        }
        // A deletion may give a reference or a sentence as its text, and names of fields may have
        // several words. A space after the colon tells a sentence from a reference.
        let (prefix, value) = text.split_once(':')?;
        if value.starts_with(char::is_whitespace) || value.is_empty() {
            return None;
        }
        match prefix {
            "profile" => Some(
                parse_version(value).map_or_else(|| Self::Field(value.to_owned()), Self::Version),
            ),
            "entity" => Some(Self::Entity(EntityId(value.parse().ok()?))),
            "edge" => Some(Self::Relation(RelationId(value.parse().ok()?))),
            table if !table.contains(char::is_whitespace) => parse_row(table, value),
            _ => None,
        }
    }
}

fn parse_row(table: &str, id: &str) -> Option<SourceRef> {
    let id = RecordId(id.parse().ok()?);
    Record::normalize_table_name(table).ok().map(|table| SourceRef::Row { table, id })
}

fn parse_version(text: &str) -> Option<u32> {
    text.strip_prefix('v')?.parse().ok()
}

impl fmt::Display for SourceRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Memory { collection, id } => write!(f, "vectors/{collection}#{id}"),
            Self::Row { table, id } => write!(f, "tables/{table}#{id}"),
            Self::Version(version) => write!(f, "profile:v{version}"),
            Self::Field(field) => write!(f, "profile:{field}"),
            Self::Entity(id) => write!(f, "entity:{id}"),
            Self::Relation(id) => write!(f, "edge:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_reads_back() {
        for text in [
            "vectors/my journal#12",
            "vectors/a/b#1",
            "tables/meals#3",
            "profile:v4",
            "profile:work.company",
            "profile:favourite food",
            "entity:7",
            "edge:9",
        ] {
            assert_eq!(SourceRef::parse(text).map(|read| read.to_string()).as_deref(), Some(text));
        }
        assert_eq!(SourceRef::parse("meals:3"), SourceRef::parse("tables/meals#3"));
    }

    #[test]
    fn a_sentence_is_none() {
        for text in [
            "I am vegetarian",
            "note: buy milk",
            "profile: I am vegetarian",
            "profile:",
            "at 12:30",
            "http://x.example",
            "vectors/journal",
            "meals:many",
            "",
        ] {
            assert_eq!(SourceRef::parse(text), None, "{text}");
        }
    }
}
