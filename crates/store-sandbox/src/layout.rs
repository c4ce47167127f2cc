//! How a table stands in the sandbox: the names and types of its columns, and the statements that
//! keep it. A name that SQL cannot hold twice, because SQL does not tell `Food` from `food`, gets a
//! number behind it; a column whose name starts with `_` is left out.

use crate::gate::ROW_NUMBER;
use model::{Column, ColumnType, Record, RecordId, Table};
use serde_json::Value;

/// A table as the sandbox holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub name: String,
    pub columns: Vec<Place>,
}

/// A column as the sandbox holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub column: Column,
    /// Where its values come from.
    source: Source,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    Id,
    CreatedAt,
    UpdatedAt,
    Field(String),
}

impl Layout {
    /// The layout of a table; nothing when SQL cannot hold a table of this name.
    pub fn of(table: &Table) -> Option<Self> {
        if table.name.starts_with("sqlite_") {
            return None;
        }
        let mut columns = own_columns(table);
        for column in table.columns.iter().filter(|column| !column.name.starts_with('_')) {
            let name = free_name(&spelled(&column.name), &columns);
            let source = Source::Field(column.name.clone());
            columns.push(Place { column: Column { name, kind: column.kind }, source });
        }
        Some(Self { name: table.name.clone(), columns })
    }

    /// Makes the table.
    pub fn create(&self) -> String {
        let columns: Vec<_> = self.columns.iter().map(Place::declared).collect();
        format!("CREATE TABLE {} ({})", quoted(&self.name), columns.join(", "))
    }

    /// Adds a column to the table.
    pub fn add(&self, place: &Place) -> String {
        format!("ALTER TABLE {} ADD COLUMN {}", quoted(&self.name), place.declared())
    }

    /// Drops the table.
    pub fn drop(&self) -> String {
        format!("DROP TABLE {}", quoted(&self.name))
    }

    /// Writes a row in place of the one of the same number: the number first, then a value for each
    /// column that is not the number.
    pub fn put(&self) -> String {
        let names: Vec<_> = self.valued().map(|place| quoted(&place.column.name)).collect();
        let marks = ", ?".repeat(names.len());
        // No column of a table starts with `_`, so this always is SQLite's own name of the row's
        // number.
        let names: String = names.iter().map(|name| format!(", {name}")).collect();
        format!("INSERT OR REPLACE INTO {} (_rowid_{names}) VALUES (?{marks})", quoted(&self.name))
    }

    /// Takes a row out.
    pub fn remove(&self) -> String {
        format!("DELETE FROM {} WHERE _rowid_ = ?", quoted(&self.name))
    }

    /// The columns that [`Layout::put`] gives values to.
    pub fn valued(&self) -> impl Iterator<Item = &Place> {
        self.columns.iter().filter(|place| place.source != Source::Id)
    }
}

impl Place {
    /// The value of a row, with the moments in words.
    pub fn value<'r>(&self, record: &'r Record) -> Held<'r> {
        match &self.source {
            Source::Id => Held::Number(record.id),
            Source::CreatedAt => Held::Words(record.created_at.to_string()),
            Source::UpdatedAt => Held::Words(record.updated_at.to_string()),
            Source::Field(name) => record.data.get(name).map_or(Held::Nothing, Held::Field),
        }
    }

    fn declared(&self) -> String {
        let key = if self.source == Source::Id { " PRIMARY KEY" } else { "" };
        format!("{} {}{key}", quoted(&self.column.name), declaration(self.column.kind))
    }
}

/// A value of a row.
#[derive(Debug)]
pub(crate) enum Held<'r> {
    Nothing,
    Number(RecordId),
    Words(String),
    Field(&'r Value),
}

/// What SQL calls each type. The words after the first choose SQLite's affinity: a date must
/// compare as text, and a column of mixed values must keep each as it is.
const DECLARATIONS: [(ColumnType, &str); 8] = [
    (ColumnType::Unknown, "UNKNOWN BLOB"),
    (ColumnType::Boolean, "BOOLEAN"),
    (ColumnType::Integer, "INTEGER"),
    (ColumnType::Number, "NUMBER"),
    (ColumnType::Date, "DATE TEXT"),
    (ColumnType::Time, "TIME TEXT"),
    (ColumnType::Text, "TEXT"),
    (ColumnType::Json, "JSON BLOB"),
];

fn declaration(kind: ColumnType) -> &'static str {
    DECLARATIONS.iter().find(|(known, _)| *known == kind).map_or("", |(_, words)| words)
}

/// The type that was declared in these words.
pub(crate) fn declared_type(words: &str) -> Option<ColumnType> {
    DECLARATIONS.iter().find(|(_, known)| *known == words).map(|(kind, _)| *kind)
}

/// What every row has by itself, unless its fields bring a column of the same name.
fn own_columns(table: &Table) -> Vec<Place> {
    let own = [
        ("id", ColumnType::Integer, Source::Id),
        ("created_at", ColumnType::Time, Source::CreatedAt),
        ("updated_at", ColumnType::Time, Source::UpdatedAt),
    ];
    let brought =
        |name: &str| table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    let left = own.into_iter().filter(|(name, ..)| !brought(name));
    left.map(|(name, kind, source)| Place { column: Column { name: name.into(), kind }, source })
        .collect()
}

fn free_name(wanted: &str, taken: &[Place]) -> String {
    let is_free =
        |name: &str| !taken.iter().any(|place| place.column.name.eq_ignore_ascii_case(name));
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    // Of more names than there are columns, one is free.
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| is_free(name))
        .unwrap_or_default()
}

/// A name without the characters that end a statement or cannot be typed, and not SQLite's own.
fn spelled(name: &str) -> String {
    if name == ROW_NUMBER {
        return name.to_lowercase();
    }
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
