//! Tables to query, meals and books, and a sandbox with copies of them.

use model::{Moment, Record, RecordId, Seq, Table, infer_columns};
use sandbox::{Bounds, MemoryMeter, Sandbox, SelectResult, SqlError};
use serde_json::{Value, json};
use std::sync::Arc;

/// A table with its rows, as a store returns them.
pub struct TableFixture {
    pub table: Table,
    pub rows: Vec<Record>,
}

/// Builds a table of these rows, numbered from 1 and created a day apart.
pub fn table(name: &str, rows: &[Value]) -> TableFixture {
    let start = Moment::parse("2026-05-01T08:00:00Z").unwrap();
    let mut columns = Vec::new();
    let mut records = Vec::new();
    for (id, row) in (1..).zip(rows) {
        let data = row.as_object().unwrap().clone();
        columns = infer_columns(&columns, &data);
        let at = start.plus_seconds((id - 1) * 86_400);
        let (table, memory) = (name.to_owned(), None);
        records.push(Record {
            id: RecordId(id),
            table,
            data,
            memory,
            created_at: at,
            updated_at: at,
        });
    }
    let rows = records.len();
    let table = Table {
        name: name.into(),
        description: None,
        columns,
        rows,
        created_at: start,
        updated_at: start,
    };
    TableFixture { table, rows: records }
}

/// A table of meals.
pub fn meals() -> TableFixture {
    table(
        "meals",
        &[
            json!({
                "food": "Pizza", "calories": 800, "day": "2026-05-01", "vegan": false,
                "with": ["Ada", "Bo"]
            }),
            json!({
                "food": "Salad", "calories": 250, "day": "2026-05-02", "vegan": true, "with": []
            }),
            json!({
                "food": "Pizza", "calories": 650.5, "day": "2026-05-03", "vegan": false,
                "with": ["Ada"]
            }),
            json!({"food": "Soup", "calories": null, "day": "2026-05-03", "vegan": true}),
        ],
    )
}

/// A table of books.
pub fn books() -> TableFixture {
    table(
        "books",
        &[
            json!({
                "title": "Emma", "pages": 474, "rating": 4.5,
                "finished": "2026-04-20T21:00:00+02:00"
            }),
            json!({"title": "Dune", "pages": 612, "rating": 5, "finished": "2026-05-02T18:30:00Z"}),
        ],
    )
}

/// Creates a sandbox with these tables.
pub fn sandbox_with(fixtures: &[TableFixture]) -> Sandbox {
    let mut sandbox = Sandbox::new(Arc::new(MemoryMeter::default())).unwrap();
    let tables: Vec<_> = fixtures.iter().map(|fixture| fixture.table.clone()).collect();
    sandbox.set_tables(&tables).unwrap();
    for fixture in fixtures {
        sandbox.put(&fixture.table.name, &fixture.rows).unwrap();
        sandbox.note_copied(&fixture.table.name, Seq(1));
    }
    sandbox
}

/// Creates a sandbox with meals and books.
pub fn sandbox_with_meals_and_books() -> Sandbox {
    sandbox_with(&[meals(), books()])
}

/// Runs a statement with the default limits.
pub fn run(sandbox: &mut Sandbox, sql: &str) -> Result<SelectResult, SqlError> {
    sandbox.run(sql, None, &Bounds::default())
}

/// Runs a statement that must succeed, and returns its rows as JSON.
#[track_caller]
pub fn rows(sandbox: &mut Sandbox, sql: &str) -> Value {
    match run(sandbox, sql) {
        Ok(answer) => json!(answer.rows),
        Err(error) => panic!("{sql}: {error}"),
    }
}
