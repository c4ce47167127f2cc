//! Filters over rows: tests on one column each. They run here only, so that every backend gives the
//! same result.

use super::value::{compare, equal};
use crate::profile::value_to_text;
use model::{ColumnType, Failure, JsonMap, Record, limits};
use serde_json::Value;
use std::cmp::Ordering;

/// Names of the tests in requests.
const NAMES: &str = "eq, ne, gt, gte, lt, lte, between, in, contains, null";

/// A test on one column.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordFilter {
    /// Every table has `id`, `created_at` and `updated_at`.
    pub column: String,
    pub test: RecordTest,
}

/// Test of a value. A missing value passes only [`RecordTest::Missing`] and
/// [`RecordTest::NotEqual`].
#[derive(Debug, Clone, PartialEq)]
pub enum RecordTest {
    Equal(Value),
    NotEqual(Value),
    Greater(Value),
    AtLeast(Value),
    Less(Value),
    AtMost(Value),
    OneOf(Vec<Value>),
    /// Null or absent.
    Missing,
    Present,
    /// Rendered value contains this text, case-insensitive.
    Contains(String),
}

impl RecordFilter {
    /// Parses filters from an object: `{"food": "pizza", "calories": {"gte": 500, "lt": 900},
    /// "with": null}`. A list means any of its values.
    ///
    /// # Errors
    /// `invalid_argument` naming an unknown test or an unsuitable operand.
    pub fn parse(filters: &JsonMap) -> Result<Vec<Self>, Failure> {
        let mut parsed = Vec::new();
        for (column, wanted) in filters {
            let mut add = |test| parsed.push(Self { column: column.clone(), test });
            match wanted {
                Value::Null => add(RecordTest::Missing),
                Value::Array(values) => add(one_of(values)?),
                Value::Object(tests) => {
                    for (name, operand) in tests {
                        tests_named(column, name, operand)?.into_iter().for_each(&mut add);
                    }
                }
                plain => add(RecordTest::Equal(plain.clone())),
            }
        }
        Ok(parsed)
    }

    /// Returns whether a row passes; `kind` is the type of the column.
    #[must_use]
    pub fn accepts(&self, record: &Record, kind: ColumnType) -> bool {
        let value = field::value(record, &self.column);
        let equal = |wanted: &Value| equal(kind, &value, wanted);
        let compares = |wanted: &Value, passes: fn(Ordering) -> bool| {
            compare(kind, &value, wanted).is_some_and(passes)
        };
        match &self.test {
            RecordTest::Equal(wanted) => equal(wanted),
            RecordTest::NotEqual(wanted) => !equal(wanted),
            RecordTest::Greater(wanted) => compares(wanted, Ordering::is_gt),
            RecordTest::AtLeast(wanted) => compares(wanted, Ordering::is_ge),
            RecordTest::Less(wanted) => compares(wanted, Ordering::is_lt),
            RecordTest::AtMost(wanted) => compares(wanted, Ordering::is_le),
            RecordTest::OneOf(values) => values.iter().any(equal),
            RecordTest::Missing => value.is_null(),
            RecordTest::Present => !value.is_null(),
            RecordTest::Contains(part) => {
                !value.is_null()
                    && value_to_text(&value).to_lowercase().contains(&part.to_lowercase())
            }
        }
    }
}

/// Returns the tests of one name; a range is two of them.
fn tests_named(column: &str, name: &str, operand: &Value) -> Result<Vec<RecordTest>, Failure> {
    match (name, operand.as_array().map(Vec::as_slice)) {
        ("between", Some([low, high])) => Ok(vec![
            RecordTest::AtLeast(comparable(column, low)?),
            RecordTest::AtMost(comparable(column, high)?),
        ]),
        ("between", _) => Err(wrong_operand(column, name, "a list of the lowest and the highest")),
        _ => Ok(vec![test(column, name, operand)?]),
    }
}

fn test(column: &str, name: &str, operand: &Value) -> Result<RecordTest, Failure> {
    Ok(match (name, operand) {
        // Equality with null means absence, unlike in SQL where it is never true.
        ("eq", Value::Null) => RecordTest::Missing,
        ("ne", Value::Null) => RecordTest::Present,
        ("eq", wanted) => RecordTest::Equal(wanted.clone()),
        ("ne", wanted) => RecordTest::NotEqual(wanted.clone()),
        ("gt", wanted) => RecordTest::Greater(comparable(column, wanted)?),
        ("gte", wanted) => RecordTest::AtLeast(comparable(column, wanted)?),
        ("lt", wanted) => RecordTest::Less(comparable(column, wanted)?),
        ("lte", wanted) => RecordTest::AtMost(comparable(column, wanted)?),
        ("in", Value::Array(values)) => one_of(values)?,
        ("contains", Value::String(part)) => RecordTest::Contains(part.clone()),
        ("null", Value::Bool(true)) => RecordTest::Missing,
        ("null", Value::Bool(false)) => RecordTest::Present,
        ("in", _) => return Err(wrong_operand(column, name, "a list")),
        ("contains", _) => return Err(wrong_operand(column, name, "a text")),
        ("null", _) => return Err(wrong_operand(column, name, "true or false")),
        _ => {
            return Err(Failure::invalid(format!(
                "`{name}` on {column} is not a test; use one of: {NAMES}"
            )));
        }
    })
}

fn one_of(values: &[Value]) -> Result<RecordTest, Failure> {
    limits::count("a filter's list", values.len(), limits::IDS_PER_CALL)?;
    Ok(RecordTest::OneOf(values.to_vec()))
}

fn comparable(column: &str, operand: &Value) -> Result<Value, Failure> {
    if matches!(operand, Value::Number(_) | Value::String(_)) {
        return Ok(operand.clone());
    }
    Err(wrong_operand(column, "a comparison", "a number, a text or a date"))
}

fn wrong_operand(column: &str, name: &str, wanted: &str) -> Failure {
    Failure::invalid(format!("{name} on {column} needs {wanted}"))
}

/// Access to the values of columns.
pub(super) mod field {
    use model::{ColumnType, Record, Table};
    use serde_json::Value;
    use std::borrow::Cow;

    /// Returns whether every row has this column.
    pub fn is_builtin(column: &str) -> bool {
        matches!(column, "id" | "created_at" | "updated_at")
    }

    /// Returns the type of a column.
    pub fn kind(table: &Table, column: &str) -> ColumnType {
        let own = table.columns.iter().find(|known| known.name == column);
        own.map_or(ColumnType::Unknown, |known| known.kind)
    }

    /// Returns the value of a column; a field of the data takes precedence over a built-in column
    /// of the same name.
    pub fn value<'r>(record: &'r Record, column: &str) -> Cow<'r, Value> {
        // A row may have a column called `id` of its own, which its writer means.
        if let Some(value) = record.data.get(column) {
            return Cow::Borrowed(value);
        }
        Cow::Owned(match column {
            "id" => record.id.0.into(),
            "created_at" => record.created_at.to_string().into(),
            "updated_at" => record.updated_at.to_string().into(),
            _ => Value::Null,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{ErrorCode, Moment, RecordId};
    use serde_json::json;

    fn row(data: &Value) -> Record {
        Record {
            id: RecordId(7),
            table: "meals".into(),
            data: data.as_object().unwrap().clone(),
            memory: None,
            created_at: Moment(0),
            updated_at: Moment(0),
        }
    }

    fn check(filter: &Value, data: &Value) -> bool {
        let filters = RecordFilter::parse(filter.as_object().unwrap()).unwrap();
        let columns = model::infer_columns(&[], data.as_object().unwrap());
        let kind = |name: &str| {
            let known = columns.iter().find(|column| column.name == name);
            known.map_or(ColumnType::Unknown, |column| column.kind)
        };
        filters.iter().all(|filter| filter.accepts(&row(data), kind(&filter.column)))
    }

    #[test]
    fn each_test_passes_exactly_the_values_it_describes() {
        let meal = json!({"food": "Pizza Napoli", "calories": 800, "day": "2026-05-03",
            "with": null, "price": "1,200", "paid": "yes"});
        for (filter, passes) in [
            (json!({"food": "Pizza Napoli"}), true),
            (json!({"food": "pizza napoli"}), false),
            (json!({"calories": 800.0}), true),
            (json!({"calories": {"gt": 800}}), false),
            (json!({"calories": {"gte": 800, "lt": 900}}), true),
            (json!({"calories": {"lte": 799}}), false),
            (json!({"calories": {"ne": 800}}), false),
            (json!({"calories": {"gt": "8"}}), true),
            (json!({"calories": {"gt": "a few"}}), false),
            (json!({"calories": "800"}), true),
            (json!({"calories": {"between": [700, "900"]}}), true),
            (json!({"calories": {"between": [801, 900]}}), false),
            (json!({"price": {"gt": 1000, "lt": 1300}}), true),
            (json!({"price": 1200}), true),
            (json!({"price": [1200]}), true),
            (json!({"paid": true}), true),
            (json!({"paid": {"ne": false}}), true),
            (json!({"calories": [700, 800]}), true),
            (json!({"calories": {"in": [700]}}), false),
            (json!({"day": {"gte": "2026-05-01", "lt": "2026-06-01"}}), true),
            (json!({"with": null}), true),
            (json!({"with": {"null": false}}), false),
            (json!({"nowhere": {"eq": null}}), true),
            (json!({"nowhere": {"ne": 1}}), true),
            (json!({"food": {"contains": "NAP"}}), true),
            (json!({"food": {"contains": "%"}}), false),
            (json!({"id": 7}), true),
            (json!({"created_at": {"lt": "1970-01-02"}}), true),
        ] {
            assert_eq!(check(&filter, &meal), passes, "{filter}");
        }
    }

    #[test]
    fn an_unknown_test_is_refused_with_the_known_ones() {
        let filters = json!({"food": {"like": "piz%"}});
        let refusal = RecordFilter::parse(filters.as_object().unwrap()).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::InvalidArgument);
        assert!(
            refusal.message.contains("`like` on food") && refusal.message.contains("contains"),
            "{refusal}"
        );
        for bad in [
            json!({"a": {"in": 1}}),
            json!({"a": {"gt": null}}),
            json!({"a": {"contains": 3}}),
            json!({"a": {"between": [1]}}),
        ] {
            assert!(RecordFilter::parse(bad.as_object().unwrap()).is_err(), "{bad}");
        }
    }
}
