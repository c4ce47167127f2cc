//! Layout of a table in the sandbox: names and types of its columns, and the statements that create
//! and fill it. SQL does not distinguish `Food` from `food`, so the second of two such columns gets
//! a number as suffix; columns whose name starts with `_` are left out.

use crate::gate::ROW_NUMBER;
use model::{Column, ColumnType, Record, RecordId, Table};
use serde_json::Value;

/// Layout of a table in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Layout {
    pub name: String,
    pub columns: Vec<Place>,
}

/// A column of a table in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub column: Column,
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
    /// Returns the layout of a table; `None` when SQLite reserves its name.
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

    /// Returns the statement that creates the table.
    pub fn create(&self) -> String {
        let columns: Vec<_> = self.columns.iter().map(Place::declared).collect();
        format!("CREATE TABLE {} ({})", quoted(&self.name), columns.join(", "))
    }

    /// Returns the statement that adds a column.
    pub fn add(&self, column: &Place) -> String {
        format!("ALTER TABLE {} ADD COLUMN {}", quoted(&self.name), column.declared())
    }

    /// Returns the statement that drops the table.
    pub fn drop(&self) -> String {
        format!("DROP TABLE {}", quoted(&self.name))
    }

    /// Returns the statement that inserts or replaces a row. Parameters: the row number, then a
    /// value for each of the other columns.
    pub fn put(&self) -> String {
        let names: Vec<_> = self.valued().map(|one| quoted(&one.column.name)).collect();
        let marks = ", ?".repeat(names.len());
        // No column starts with `_`, so `_rowid_` always is the row number of SQLite.
        let names: String = names.iter().map(|name| format!(", {name}")).collect();
        format!("INSERT OR REPLACE INTO {} (_rowid_{names}) VALUES (?{marks})", quoted(&self.name))
    }

    /// Returns the statement that deletes a row.
    pub fn remove(&self) -> String {
        format!("DELETE FROM {} WHERE _rowid_ = ?", quoted(&self.name))
    }

    /// Returns the columns that are parameters of the insert statement.
    pub fn valued(&self) -> impl Iterator<Item = &Place> {
        self.columns.iter().filter(|column| column.source != Source::Id)
    }
}

impl Place {
    /// Returns the value of this column in a record, with times as text.
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

/// Declared type of each column type. The second word selects the type affinity of SQLite: dates
/// must compare as text, and a column of mixed values must store each value unchanged.
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

/// Returns the column type of a declared type.
pub(crate) fn declared_type(words: &str) -> Option<ColumnType> {
    DECLARATIONS.iter().find(|(_, known)| *known == words).map(|(kind, _)| *kind)
}

/// Returns the built-in columns of every table, unless its fields include one of the same name.
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
    let is_free = |name: &str| !taken.iter().any(|one| one.column.name.eq_ignore_ascii_case(name));
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    // The names are infinitely many and the columns are not, so one is free.
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| is_free(name))
        .unwrap_or_default()
}

/// Returns a name without control characters that differs from the name of the row number.
fn spelled(name: &str) -> String {
    if name == ROW_NUMBER {
        return name.to_lowercase();
    }
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
