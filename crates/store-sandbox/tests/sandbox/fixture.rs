//! Tables to query: meals and books, and a sandbox that holds them.

use model::{Moment, Record, RecordId, Seq, Table, infer_columns};
use sandbox::{Answer, Bounds, Meter, Sandbox, SqlError};
use serde_json::{Value, json};
use std::sync::Arc;

/// A table with its rows, as a store would hand them over.
pub struct Made {
    pub table: Table,
    pub rows: Vec<Record>,
}

/// A table of these rows, numbered from 1 and written a day apart.
pub fn table(name: &str, rows: &[Value]) -> Made {
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
    Made { table, rows: records }
}

/// What was eaten.
pub fn meals() -> Made {
    table(
        "meals",
        &[
            json!({"food": "Pizza", "calories": 800, "day": "2026-05-01", "vegan": false, "with": ["Ada", "Bo"]}),
            json!({"food": "Salad", "calories": 250, "day": "2026-05-02", "vegan": true, "with": []}),
            json!({"food": "Pizza", "calories": 650.5, "day": "2026-05-03", "vegan": false, "with": ["Ada"]}),
            json!({"food": "Soup", "calories": null, "day": "2026-05-03", "vegan": true}),
        ],
    )
}

/// What was read.
pub fn books() -> Made {
    table(
        "books",
        &[
            json!({"title": "Emma", "pages": 474, "rating": 4.5, "finished": "2026-04-20T21:00:00+02:00"}),
            json!({"title": "Dune", "pages": 612, "rating": 5, "finished": "2026-05-02T18:30:00Z"}),
        ],
    )
}

/// A sandbox that holds these tables.
pub fn holding(made: &[Made]) -> Sandbox {
    let mut sandbox = Sandbox::new(Arc::new(Meter::default())).unwrap();
    let tables: Vec<_> = made.iter().map(|made| made.table.clone()).collect();
    sandbox.hold(&tables).unwrap();
    for made in made {
        sandbox.put(&made.table.name, &made.rows).unwrap();
        sandbox.note_copied(&made.table.name, Seq(1));
    }
    sandbox
}

/// A sandbox with meals and books.
pub fn kitchen() -> Sandbox {
    holding(&[meals(), books()])
}

/// What a statement gives, within the usual bounds.
pub fn run(sandbox: &mut Sandbox, sql: &str) -> Result<Answer, SqlError> {
    sandbox.run(sql, None, &Bounds::default())
}

/// The rows a statement must give, as JSON.
#[track_caller]
pub fn rows(sandbox: &mut Sandbox, sql: &str) -> Value {
    match run(sandbox, sql) {
        Ok(answer) => json!(answer.rows),
        Err(error) => panic!("{sql}: {error}"),
    }
}
