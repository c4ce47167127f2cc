//! What a statement gave.

use model::{Column, JsonMap};
use serde_json::Value;

/// The rows of a SELECT.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The columns in the order of the statement; no two have the same name.
    pub columns: Vec<Column>,
    /// The rows, a value for each column.
    pub rows: Vec<Vec<Value>>,
    /// Whether there were more rows than the bounds allow.
    pub truncated: bool,
}

impl Answer {
    /// The rows as objects.
    #[must_use]
    pub fn records(&self) -> Vec<JsonMap> {
        let names = || self.columns.iter().map(|column| column.name.clone());
        self.rows.iter().map(|row| names().zip(row.iter().cloned()).collect()).collect()
    }
}
