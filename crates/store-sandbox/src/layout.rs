//! Layout of a table in the sandbox: names and types of its columns, and the statements that create
//! and fill it. SQL does not distinguish `Food` from `food`, so the second of two such columns gets
//! a number as suffix; columns whose name starts with `_` are left out.

use crate::authorizer::ROWID_COLUMN;
use model::{Column, ColumnType, Record, RecordId, Table};
use serde_json::Value;

/// Layout of a table in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableLayout {
    pub name: String,
    pub columns: Vec<LayoutColumn>,
}

/// A column of a table in the sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LayoutColumn {
    pub column: Column,
    source: ColumnSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ColumnSource {
    Id,
    CreatedAt,
    UpdatedAt,
    Field(String),
}

impl TableLayout {
    /// Returns the layout of a table; `None` when SQLite reserves its name.
    pub fn for_table(table: &Table) -> Option<Self> {
        if table.name.starts_with("sqlite_") {
            return None;
        }
        let mut columns = built_in_columns(table);
        for column in table.columns.iter().filter(|column| !column.name.starts_with('_')) {
            let name = free_name(&sanitize_name(&column.name), &columns);
            let source = ColumnSource::Field(column.name.clone());
            columns.push(LayoutColumn { column: Column { name, kind: column.kind }, source });
        }
        Some(Self { name: table.name.clone(), columns })
    }

    /// Returns the statement that creates the table.
    pub fn create_sql(&self) -> String {
        let columns: Vec<_> = self.columns.iter().map(LayoutColumn::definition).collect();
        format!("CREATE TABLE {} ({})", quoted(&self.name), columns.join(", "))
    }

    /// Returns the statement that adds a column.
    pub fn add_column_sql(&self, column: &LayoutColumn) -> String {
        format!("ALTER TABLE {} ADD COLUMN {}", quoted(&self.name), column.definition())
    }

    /// Returns the statement that drops the table.
    pub fn drop_sql(&self) -> String {
        format!("DROP TABLE {}", quoted(&self.name))
    }

    /// Returns the statement that inserts or replaces a row. Parameters: the row number, then a
    /// value for each of the other columns.
    pub fn upsert_sql(&self) -> String {
        let names: Vec<_> = self.value_columns().map(|one| quoted(&one.column.name)).collect();
        let placeholders = ", ?".repeat(names.len());
        // No column starts with `_`, so `_rowid_` always is the row number of SQLite.
        let names: String = names.iter().map(|name| format!(", {name}")).collect();
        format!(
            "INSERT OR REPLACE INTO {} (_rowid_{names}) VALUES (?{placeholders})",
            quoted(&self.name)
        )
    }

    /// Returns the statement that deletes a row.
    pub fn delete_sql(&self) -> String {
        format!("DELETE FROM {} WHERE _rowid_ = ?", quoted(&self.name))
    }

    /// Returns the columns that are parameters of the insert statement.
    pub fn value_columns(&self) -> impl Iterator<Item = &LayoutColumn> {
        self.columns.iter().filter(|column| column.source != ColumnSource::Id)
    }
}

impl LayoutColumn {
    /// Returns the value of this column in a record, with times as text.
    pub fn value_in<'r>(&self, record: &'r Record) -> RowValue<'r> {
        match &self.source {
            ColumnSource::Id => RowValue::Id(record.id),
            ColumnSource::CreatedAt => RowValue::Text(record.created_at.to_string()),
            ColumnSource::UpdatedAt => RowValue::Text(record.updated_at.to_string()),
            ColumnSource::Field(name) => {
                record.data.get(name).map_or(RowValue::Null, RowValue::Field)
            }
        }
    }

    fn definition(&self) -> String {
        let key = if self.source == ColumnSource::Id { " PRIMARY KEY" } else { "" };
        format!("{} {}{key}", quoted(&self.column.name), type_declaration(self.column.kind))
    }
}

/// A value of a row.
#[derive(Debug)]
pub(crate) enum RowValue<'r> {
    Null,
    Id(RecordId),
    Text(String),
    Field(&'r Value),
}

/// Declared type of each column type. The second word selects the type affinity of SQLite: dates
/// must compare as text, and a column of mixed values must store each value unchanged.
// A type of spelled values is declared as the type it is compared as, after that type: the first
// match of a declaration is the type of a result.
const DECLARATIONS: [(ColumnType, &str); 11] = [
    (ColumnType::Unknown, "UNKNOWN BLOB"),
    (ColumnType::Boolean, "BOOLEAN"),
    (ColumnType::BooleanText, "BOOLEAN"),
    (ColumnType::Integer, "INTEGER"),
    (ColumnType::IntegerText, "INTEGER"),
    (ColumnType::Number, "NUMBER"),
    (ColumnType::NumberText, "NUMBER"),
    (ColumnType::Date, "DATE TEXT"),
    (ColumnType::Time, "TIME TEXT"),
    (ColumnType::Text, "TEXT"),
    (ColumnType::Json, "JSON BLOB"),
];

fn type_declaration(kind: ColumnType) -> &'static str {
    DECLARATIONS.iter().find(|(known, _)| *known == kind).map_or("", |(_, words)| words)
}

/// Returns the column type of a declared type.
pub(crate) fn declared_type(words: &str) -> Option<ColumnType> {
    DECLARATIONS.iter().find(|(_, known)| *known == words).map(|(kind, _)| *kind)
}

/// Returns the built-in columns of every table, unless its fields include one of the same name.
fn built_in_columns(table: &Table) -> Vec<LayoutColumn> {
    let own = [
        ("id", ColumnType::Integer, ColumnSource::Id),
        ("created_at", ColumnType::Time, ColumnSource::CreatedAt),
        ("updated_at", ColumnType::Time, ColumnSource::UpdatedAt),
    ];
    let has_field =
        |name: &str| table.columns.iter().any(|column| column.name.eq_ignore_ascii_case(name));
    let left = own.into_iter().filter(|(name, ..)| !has_field(name));
    left.map(|(name, kind, source)| LayoutColumn {
        column: Column { name: name.into(), kind },
        source,
    })
    .collect()
}

fn free_name(wanted: &str, taken: &[LayoutColumn]) -> String {
    let is_free = |name: &str| !taken.iter().any(|one| one.column.name.eq_ignore_ascii_case(name));
    let numbered = (2..).map(|number| format!("{wanted}_{number}"));
    // The names are infinitely many and the columns are not, so one is free.
    std::iter::once(wanted.to_owned())
        .chain(numbered)
        .find(|name| is_free(name))
        .unwrap_or_default()
}

/// Returns a name without control characters that differs from the name of the row number.
fn sanitize_name(name: &str) -> String {
    if name == ROWID_COLUMN {
        return name.to_lowercase();
    }
    name.chars().map(|c| if c.is_control() { '_' } else { c }).collect()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
