//! Entities, tables and rows, as `/v1` shows them.

use super::time;
use model::{Entity, JsonMap, Record, Table};
use schemars::JsonSchema;
use serde::Serialize;

/// An entity.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EntityShown {
    /// Its number.
    pub id: i64,
    /// What sort of thing.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// How many memories mention it.
    pub mentions: u32,
    /// When it first appeared.
    pub first_seen: String,
    /// When it was last mentioned.
    pub last_seen: String,
}

impl From<Entity> for EntityShown {
    fn from(entity: Entity) -> Self {
        Self {
            id: entity.id.0,
            kind: entity.kind,
            name: entity.name,
            aliases: entity.aliases,
            mentions: entity.mentions,
            first_seen: time(entity.first_seen),
            last_seen: time(entity.last_seen),
        }
    }
}

/// A table.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TableShown {
    /// Its name.
    pub name: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Its columns in the order they appeared.
    pub columns: Vec<ColumnShown>,
    /// How many rows it has.
    pub rows: usize,
}

/// A column of a table.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ColumnShown {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub kind: &'static str,
}

impl From<Table> for TableShown {
    fn from(table: Table) -> Self {
        let columns = table.columns.into_iter();
        let columns =
            columns.map(|column| ColumnShown { name: column.name, kind: column.kind.name() });
        Self {
            name: table.name,
            description: table.description,
            columns: columns.collect(),
            rows: table.rows,
        }
    }
}

/// A row.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RowShown {
    /// Its number within the table.
    pub id: i64,
    /// The fields.
    pub data: JsonMap,
    /// The memory it was written with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<i64>,
    /// When it was written.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

impl From<Record> for RowShown {
    fn from(record: Record) -> Self {
        Self {
            id: record.id.0,
            data: record.data,
            memory: record.memory.map(|memory| memory.0),
            created_at: time(record.created_at),
            updated_at: time(record.updated_at),
        }
    }
}

/// The version of a row, for `If-Match`.
pub(crate) fn row_tag(record: &Record) -> String {
    format!("\"r{}-{}\"", record.id, record.updated_at.0)
}
