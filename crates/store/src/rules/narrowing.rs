//! Narrowing of column types after a value was removed or replaced, as far as the remaining values
//! allow.

use model::{Column, ColumnType, JsonMap};

/// Columns whose types are computed again from the rows of their table.
#[derive(Debug)]
pub struct ColumnNarrowing {
    columns: Vec<Column>,
    /// The types that the values read so far need; `None` for a column that is not concerned.
    needed: Vec<Option<ColumnType>>,
}

impl ColumnNarrowing {
    /// Largest number of rows that are read; in a larger table the types stay.
    // The writer reads them within a transaction that other writers wait for.
    pub const ROWS_MAX: usize = 10_000;

    /// Starts with the columns of a table and the names of those that lost a value.
    #[must_use]
    pub fn new(columns: &[Column], changed: &[&str]) -> Self {
        let concerned = |column: &Column| {
            changed.contains(&column.name.as_str()).then_some(ColumnType::Unknown)
        };
        Self { needed: columns.iter().map(concerned).collect(), columns: columns.to_vec() }
    }

    /// Returns true while another row could still give a column its type again.
    #[must_use]
    pub fn needs_rows(&self) -> bool {
        let mut pairs = self.columns.iter().zip(&self.needed);
        pairs.any(|(column, needed)| needed.is_some_and(|kind| kind != column.kind))
    }

    /// Adds the values of a row.
    pub fn add(&mut self, data: &JsonMap) {
        for (column, needed) in self.columns.iter().zip(&mut self.needed) {
            if let Some(kind) = needed {
                let value = data.get(&column.name);
                *kind = kind.widen(value.map_or(ColumnType::Unknown, ColumnType::infer));
            }
        }
    }

    /// Returns the columns. One without any value keeps its type, which still says what belongs
    /// there.
    #[must_use]
    pub fn result(self) -> Vec<Column> {
        let narrowed = |(column, needed): (Column, Option<ColumnType>)| match needed {
            Some(kind) if kind != ColumnType::Unknown => Column { kind, ..column },
            _ => column,
        };
        self.columns.into_iter().zip(self.needed).map(narrowed).collect()
    }
}
