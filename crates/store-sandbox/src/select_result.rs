//! Result of a statement.

use model::{Column, JsonMap};
use serde_json::Value;

/// Result of a SELECT.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SelectResult {
    /// Columns in the order of the statement; names are unique.
    pub columns: Vec<Column>,
    /// Rows, with a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// True if there were more rows than the limits allow.
    pub truncated: bool,
}

impl SelectResult {
    /// Returns the rows as JSON objects.
    #[must_use]
    pub fn records(&self) -> Vec<JsonMap> {
        let names = || self.columns.iter().map(|column| column.name.clone());
        self.rows.iter().map(|row| names().zip(row.iter().cloned()).collect()).collect()
    }
}
