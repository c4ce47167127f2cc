//! Copied tables: their contents, the types of values, and updates.

use crate::fixture::{books, meals, rows, run, sandbox_with, sandbox_with_meals_and_books, table};
use model::{ColumnType, RecordId, Seq};
use sandbox::{Bounds, MemoryMeter, Sandbox};
use serde_json::json;
use std::sync::Arc;

#[test]
fn values_have_the_types_they_were_written_with() {
    let mut sandbox = sandbox_with_meals_and_books();
    let answer = run(&mut sandbox, "SELECT * FROM meals WHERE id = 1").unwrap();
    let columns: Vec<_> =
        answer.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
    assert_eq!(
        columns,
        [
            ("id", ColumnType::Integer),
            ("created_at", ColumnType::Time),
            ("updated_at", ColumnType::Time),
            ("calories", ColumnType::Number),
            ("day", ColumnType::Date),
            ("food", ColumnType::Text),
            ("vegan", ColumnType::Boolean),
            ("with", ColumnType::Json),
        ]
    );
    let at = "2026-05-01T08:00:00Z";
    assert_eq!(
        json!(answer.rows),
        json!([[1, at, at, 800, "2026-05-01", "Pizza", false, ["Ada", "Bo"]]])
    );
}

#[test]
fn expressions_are_typed_by_their_values() {
    let answer = run(
        &mut sandbox_with_meals_and_books(),
        "SELECT date(day, '+1 day') AS next, count(*) AS n, avg(calories) FROM meals",
    )
    .unwrap();
    let kinds: Vec<_> = answer.columns.iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [ColumnType::Date, ColumnType::Integer, ColumnType::Number]);
}

#[test]
fn equal_column_names_in_a_result_get_a_number() {
    let answer = run(
        &mut sandbox_with_meals_and_books(),
        "SELECT m.id, b.id FROM meals m JOIN books b ON b.id = m.id",
    )
    .unwrap();
    let record = &answer.records()[0];
    assert_eq!(json!(record), json!({"id": 1, "id_2": 1}));
}

#[test]
fn columns_that_differ_only_in_case_get_a_number() {
    let odd =
        table("odd", &[json!({"Food": "a", "food": "b", "id": "x7", "say \"hi\"": 1, "ROWID": 2})]);
    let mut sandbox = sandbox_with(&[odd]);
    assert_eq!(
        rows(&mut sandbox, "SELECT Food, food_2, id, \"say \"\"hi\"\"\", rowid FROM odd"),
        json!([["a", "b", "x7", 1, 2]])
    );
}

#[test]
fn a_column_that_starts_with_an_underscore_never_appears() {
    let kept = table("kept", &[json!({"a": 1, "_deleted_at": "2026-01-01", "_meta_id": 7})]);
    let mut sandbox = sandbox_with(&[kept]);
    let answer = run(&mut sandbox, "SELECT * FROM kept").unwrap();
    assert!(
        answer.columns.iter().all(|column| !column.name.starts_with('_')),
        "{:?}",
        answer.columns
    );
    for hidden in ["_deleted_at", "_meta_id"] {
        assert!(run(&mut sandbox, &format!("SELECT {hidden} FROM kept")).is_err(), "{hidden}");
    }
}

#[test]
fn rows_are_replaced_and_removed_by_their_number() {
    let (meals, mut sandbox) = (meals(), sandbox_with_meals_and_books());
    let mut eaten_again = meals.rows[0].clone();
    eaten_again.data.insert("food".into(), json!("Risotto"));
    sandbox.put("meals", &[eaten_again]).unwrap();
    sandbox.remove("meals", &[RecordId(2), RecordId(99)]).unwrap();
    assert_eq!(
        rows(&mut sandbox, "SELECT id, food FROM meals ORDER BY id"),
        json!([[1, "Risotto"], [3, "Pizza"], [4, "Soup"]])
    );
}

#[test]
fn a_new_column_preserves_the_rows_and_a_changed_type_requires_a_new_copy() {
    let mut sandbox = sandbox_with_meals_and_books();
    let mut grown = meals().table;
    grown.columns.push(model::Column { name: "place".into(), kind: ColumnType::Text });
    sandbox.set_tables(&[grown.clone(), books().table]).unwrap();
    assert_eq!(sandbox.copied_upto("meals"), Some(Seq(1)));
    assert_eq!(rows(&mut sandbox, "SELECT count(*), count(place) FROM meals"), json!([[4, 0]]));
    grown.columns[1].kind = ColumnType::Text;
    sandbox.set_tables(&[grown, books().table]).unwrap();
    assert_eq!(sandbox.copied_upto("meals"), None);
    assert_eq!(sandbox.copied_upto("books"), Some(Seq(1)));
}

#[test]
fn a_table_that_is_not_listed_is_dropped() {
    let mut sandbox = sandbox_with_meals_and_books();
    sandbox.set_tables(&[books().table]).unwrap();
    assert_eq!(sandbox.tables().collect::<Vec<_>>(), ["books"]);
    let refusal = run(&mut sandbox, "SELECT * FROM meals").unwrap_err().to_string();
    assert!(
        refusal.contains("no such table: meals") && refusal.contains("you may read: books"),
        "{refusal}"
    );
}

#[test]
fn the_tables_that_a_statement_reads_are_known() {
    let mut sandbox = sandbox_with_meals_and_books();
    let mut reads = |sql: &str| sandbox.tables_read(sql, None, &Bounds::default()).unwrap();
    assert_eq!(reads("SELECT 1"), Vec::<String>::new());
    assert_eq!(reads("WITH b AS (SELECT 1 AS x) SELECT count(*) FROM MEALS, b"), ["meals"]);
    assert_eq!(reads("SELECT (SELECT max(pages) FROM books) FROM meals"), ["books", "meals"]);
}

#[test]
fn a_query_can_be_limited_to_some_tables() {
    let mut sandbox = sandbox_with_meals_and_books();
    let only = ["books".to_owned()];
    for sql in
        ["SELECT food FROM meals", "SELECT count(*) FROM meals", "SELECT 1 FROM books, meals"]
    {
        assert!(sandbox.run(sql, Some(&only), &Bounds::default()).is_err(), "{sql}");
    }
    assert!(sandbox.run("SELECT title FROM books", Some(&only), &Bounds::default()).is_ok());
}

#[test]
fn the_meter_has_the_size_of_the_copies() {
    let meter = Arc::new(MemoryMeter::default());
    let mut sandbox = Sandbox::new(Arc::clone(&meter)).unwrap();
    let wide = json!({"text": "x".repeat(2_000)});
    let made = table("texts", &vec![wide; 1_000]);
    sandbox.set_tables(std::slice::from_ref(&made.table)).unwrap();
    sandbox.put("texts", &made.rows).unwrap();
    assert!(meter.bytes() > 2_000_000, "{}", meter.bytes());
    drop(sandbox);
    assert_eq!(Arc::strong_count(&meter), 1);
}
