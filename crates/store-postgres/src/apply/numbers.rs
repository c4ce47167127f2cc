//! The last number of everything that is numbered per owner. Kept in the owner's clock, so that
//! numbers follow each other without gaps and no sequence of the database is needed.

use crate::error::SqlResult;
use crate::sql_value::SqlValue;
use crate::stored_row::StoredRow;

/// The types of items that have numbers of their own, in the order of the clock's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NumberedItem {
    Session,
    Author,
    Model,
    Entity,
    Observation,
    Relation,
    Table,
    Handoff,
    Document,
    Review,
    Flag,
    Workspace,
    Question,
}

const TYPES: usize = NumberedItem::Question as usize + 1;

/// The last number of each type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LastNumbers([i64; TYPES]);

impl LastNumbers {
    /// Reads the numbers from the columns at `first`.
    pub(super) fn from_row(row: &StoredRow, first: usize) -> SqlResult<Self> {
        let mut numbers = [0; TYPES];
        for (column, number) in numbers.iter_mut().enumerate() {
            *number = row.get(first + column)?;
        }
        Ok(Self(numbers))
    }

    /// Returns the numbers as parameters.
    pub(super) fn parameters(self) -> impl Iterator<Item = SqlValue<'static>> {
        self.0.into_iter().map(SqlValue::Integer)
    }

    /// Returns the last number of a type.
    pub(super) fn last(&self, of: NumberedItem) -> i64 {
        self.0[of as usize]
    }

    /// Assigns the next number.
    pub(super) fn next(&mut self, of: NumberedItem) -> i64 {
        let number = &mut self.0[of as usize];
        *number = number.saturating_add(1);
        *number
    }

    /// Assigns a number that is known to be free, or else the next one.
    pub(super) fn take(&mut self, of: NumberedItem, free: Option<i64>) -> i64 {
        let Some(free) = free else { return self.next(of) };
        let number = &mut self.0[of as usize];
        *number = free.max(*number);
        free
    }

    /// Starts again after everything was erased. Types whose numbers are never given twice go on.
    pub(super) fn forget_reusable(&mut self) {
        for of in [
            NumberedItem::Session,
            NumberedItem::Table,
            NumberedItem::Handoff,
            NumberedItem::Workspace,
        ] {
            self.0[of as usize] = 0;
        }
    }
}
