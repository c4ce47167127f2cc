//! JSON forms of entities, tables and rows.

use super::format_time;
use model::{Entity, JsonMap, Record, Table};
use schemars::JsonSchema;
use serde::Serialize;

/// An entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntityJson {
    /// Id of the entity.
    pub id: i64,
    /// Kind of the entity.
    pub kind: String,
    /// Name of the item.
    pub name: String,
    /// Other names of the entity.
    pub aliases: Vec<String>,
    /// Number of mentioning memories.
    pub mentions: u32,
    /// Time of the first mention.
    pub first_seen: String,
    /// Time of the last mention.
    pub last_seen: String,
}

impl From<Entity> for EntityJson {
    fn from(entity: Entity) -> Self {
        Self {
            id: entity.id.0,
            kind: entity.kind,
            name: entity.name,
            aliases: entity.aliases,
            mentions: entity.mentions,
            first_seen: format_time(entity.first_seen),
            last_seen: format_time(entity.last_seen),
        }
    }
}

/// A table.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TableJson {
    /// Name of the item.
    pub name: String,
    /// Purpose of the table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Columns in order of appearance.
    pub columns: Vec<ColumnJson>,
    /// Number of rows.
    pub rows: usize,
}

/// A column of a table.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ColumnJson {
    /// Name of the item.
    pub name: String,
    /// Type of the values.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl From<Table> for TableJson {
    fn from(table: Table) -> Self {
        let columns = table.columns.into_iter();
        let columns = columns
            .map(|column| ColumnJson { name: column.name, kind: column.kind.compared_as().name() });
        Self {
            name: table.name,
            description: table.description,
            columns: columns.collect(),
            rows: table.rows,
        }
    }
}

/// A row of a table.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RowJson {
    /// Id of the row within the table.
    pub id: i64,
    /// Fields of the row.
    pub data: JsonMap,
    /// Id of the memory that was written with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
    /// Creation time.
    pub created_at: String,
    /// Time of the last change.
    pub updated_at: String,
}

impl From<Record> for RowJson {
    fn from(record: Record) -> Self {
        Self {
            id: record.id.0,
            data: record.data,
            memory: record.memory.map(|memory| memory.0),
            created_at: format_time(record.created_at),
            updated_at: format_time(record.updated_at),
        }
    }
}

/// Returns the version of a row for `If-Match`.
pub(crate) fn row_tag(record: &Record) -> String {
    format!("\"r{}-{}\"", record.id, record.updated_at.0)
}
