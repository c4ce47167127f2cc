//! Columns of a row, converted to the types of the reader. A value of the wrong type can only come
//! from a database that somebody else changed, and is reported as damage.

use crate::error::{SqlResult, StatementError};
use std::error::Error;
use store::rules::encoding;
use tokio_postgres::types::{FromSql, Type};

/// A row of an answer.
#[derive(Debug)]
pub(crate) struct StoredRow(pub(crate) tokio_postgres::Row);

impl StoredRow {
    /// Reads a column.
    pub(crate) fn get<'r, T: FromCell<'r>>(&'r self, column: usize) -> SqlResult<T> {
        T::from_cell(self.cell(column)?).ok_or_else(|| {
            conversion_error(column, "a value of an unexpected type or out of range")
        })
    }

    /// Reads a text that is not NULL.
    pub(crate) fn str(&self, column: usize) -> SqlResult<&str> {
        self.get(column)
    }

    /// Reads a text.
    pub(crate) fn str_or_null(&self, column: usize) -> SqlResult<Option<&str>> {
        self.get(column)
    }

    /// Reads the text in a column by a function of the stored format.
    pub(crate) fn decode<T>(
        &self,
        column: usize,
        read: fn(Option<&str>) -> Result<T, String>,
    ) -> SqlResult<T> {
        read(self.str_or_null(column)?).map_err(|problem| conversion_error(column, problem))
    }

    /// Reads a JSON object; NULL is an empty one.
    pub(crate) fn map(&self, column: usize) -> SqlResult<model::JsonMap> {
        self.decode(column, encoding::read_map)
    }

    /// Reads a JSON list of words; NULL is an empty one.
    pub(crate) fn list(&self, column: usize) -> SqlResult<Vec<String>> {
        self.decode(column, encoding::read_list)
    }

    /// Returns the number of columns.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns a column as the database sent it.
    pub(crate) fn cell(&self, column: usize) -> SqlResult<ColumnValue<'_>> {
        let cell = self.0.try_get::<_, Option<ColumnValue<'_>>>(column);
        Ok(cell
            .map_err(|error| conversion_error(column, error.to_string()))?
            .unwrap_or(ColumnValue::Null))
    }
}

/// Creates the error of a column that cannot be converted.
pub(crate) fn conversion_error(column: usize, problem: impl std::fmt::Display) -> StatementError {
    StatementError::Conversion(format!("column {column}: {problem}"))
}

/// A value as the database sent it.
#[derive(Debug)]
pub(crate) enum ColumnValue<'r> {
    Null,
    Integer(i64),
    Number(f64),
    Text(&'r str),
    Bytes(&'r [u8]),
    Words(Vec<String>),
}

impl<'r> FromSql<'r> for ColumnValue<'r> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Self::Integer(i64::from_sql(ty, raw)?),
            Type::INT4 => Self::Integer(i32::from_sql(ty, raw)?.into()),
            Type::BOOL => Self::Integer(bool::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Self::Number(f64::from_sql(ty, raw)?),
            Type::BYTEA => Self::Bytes(<&[u8]>::from_sql(ty, raw)?),
            Type::TEXT_ARRAY => Self::Words(Vec::from_sql(ty, raw)?),
            _ => Self::Text(<&str>::from_sql(ty, raw)?),
        })
    }

    fn accepts(ty: &Type) -> bool {
        let known =
            [Type::INT8, Type::INT4, Type::BOOL, Type::FLOAT8, Type::BYTEA, Type::TEXT_ARRAY];
        known.contains(ty) || <&str as FromSql>::accepts(ty)
    }
}

/// Types that a column is read as.
pub(crate) trait FromCell<'r>: Sized {
    /// Converts a value; `None` when it does not fit.
    fn from_cell(cell: ColumnValue<'r>) -> Option<Self>;
}

impl FromCell<'_> for i64 {
    fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
        if let ColumnValue::Integer(number) = cell { Some(number) } else { None }
    }
}

macro_rules! from_integer_cell {
    ($($type:ty),*) => {
        $(impl FromCell<'_> for $type {
            fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
                i64::from_cell(cell)?.try_into().ok()
            }
        })*
    };
}

from_integer_cell!(u32, u8, usize);

impl FromCell<'_> for bool {
    fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
        i64::from_cell(cell).map(|number| number != 0)
    }
}

impl FromCell<'_> for f32 {
    fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
        if let ColumnValue::Number(number) = cell { Some(number as f32) } else { None }
    }
}

impl<'r> FromCell<'r> for &'r str {
    fn from_cell(cell: ColumnValue<'r>) -> Option<Self> {
        if let ColumnValue::Text(text) = cell { Some(text) } else { None }
    }
}

impl FromCell<'_> for String {
    fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
        if let ColumnValue::Text(text) = cell { Some(text.to_owned()) } else { None }
    }
}

impl FromCell<'_> for Vec<u8> {
    fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
        if let ColumnValue::Bytes(bytes) = cell { Some(bytes.to_vec()) } else { None }
    }
}

impl<const N: usize> FromCell<'_> for [u8; N] {
    fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
        if let ColumnValue::Bytes(bytes) = cell { bytes.try_into().ok() } else { None }
    }
}

impl FromCell<'_> for Vec<String> {
    fn from_cell(cell: ColumnValue<'_>) -> Option<Self> {
        match cell {
            // An aggregate over no rows is NULL.
            ColumnValue::Null => Some(Vec::new()),
            ColumnValue::Words(words) => Some(words),
            _ => None,
        }
    }
}

impl<'r, T: FromCell<'r>> FromCell<'r> for Option<T> {
    fn from_cell(cell: ColumnValue<'r>) -> Option<Self> {
        if let ColumnValue::Null = cell { Some(None) } else { T::from_cell(cell).map(Some) }
    }
}
