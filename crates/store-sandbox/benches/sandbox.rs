//! Cost of the sandbox compared with plain SQLite on a table of 100,000 rows, and the time by which
//! a statement that must be stopped overruns its deadline. `cargo bench -p quipu-sandbox` prints
//! tables; a size can be given as argument. Times are the shortest of many rounds, because machines
//! are shared and noisy; overruns are the longest.

#![allow(clippy::expect_used, reason = "a benchmark may panic")]

use model::{Moment, Record, RecordId, Seq, Table, infer_columns};
use quipu_sandbox::{Bounds, MemoryMeter, Sandbox};
use rusqlite::Connection;
use serde_json::json;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

const QUERIES: [(&str, &str); 6] = [
    ("one row by its number", "SELECT * FROM meals WHERE id = 4711"),
    ("count", "SELECT count(*) FROM meals"),
    (
        "sum by group",
        "SELECT food, count(*), avg(calories) FROM meals GROUP BY food ORDER BY 2 DESC",
    ),
    (
        "filter and page",
        "SELECT * FROM meals WHERE calories > 900 AND day >= '2026-01-10' ORDER BY day LIMIT 50",
    ),
    (
        "window function",
        "SELECT max(n) FROM (\
         SELECT row_number() OVER (PARTITION BY food ORDER BY calories) AS n FROM meals)",
    ),
    ("text", "SELECT count(*) FROM meals WHERE note LIKE '%seven%' AND instr(note, 'day') > 0"),
];

/// Deadline for the measurement of overruns.
const DEADLINE: Duration = Duration::from_millis(100);
const ROUNDS: usize = 30;

fn main() {
    let size = std::env::args().find_map(|argument| argument.parse().ok()).unwrap_or(100_000);
    let (table, rows) = synthetic_table(size);
    let mut sandbox = copy_into_sandbox(&table, &rows);
    compare_with_sqlite(&mut sandbox, &table, &rows);
    measure_overruns(&mut sandbox);
}

fn synthetic_table(size: usize) -> (Table, Vec<Record>) {
    let foods = ["Pizza", "Salad", "Soup", "Curry", "Bread", "Rice", "Stew"];
    let at = Moment::from_seconds(1_767_225_600);
    let row = |nth: usize| {
        let data = json!({
            "food": foods[nth % 7],
            "calories": nth * 7_919 % 1_000,
            "rating": (nth % 50) as f64 / 10.0,
            "day": Moment::from_seconds(1_767_225_600 + (nth % 365) as i64 * 86_400).date(),
            "vegan": nth.is_multiple_of(3),
            "with": ["Ada", "Bo"],
            "note": format!("made on day {} for {} people", nth % 365, nth % 7),
        });
        let data = data.as_object().cloned().unwrap_or_default();
        let id = RecordId(nth as i64 + 1);
        Record { id, table: "meals".into(), data, memory: None, created_at: at, updated_at: at }
    };
    let rows: Vec<_> = (0..size).map(row).collect();
    let columns = rows.first().map(|row| infer_columns(&[], &row.data)).unwrap_or_default();
    let (name, description) = ("meals".to_owned(), None);
    (Table { name, description, columns, rows: size, created_at: at, updated_at: at }, rows)
}

/// Copies the table into a sandbox, and prints the cost.
fn copy_into_sandbox(table: &Table, rows: &[Record]) -> Sandbox {
    let meter = Arc::new(MemoryMeter::default());
    let mut sandbox = Sandbox::new(Arc::clone(&meter)).expect("a sandbox");
    let started = Instant::now();
    sandbox.set_tables(std::slice::from_ref(table)).expect("held");
    rows.chunks(1_000).for_each(|page| sandbox.put("meals", page).expect("copied"));
    let took = started.elapsed();
    sandbox.note_copied("meals", Seq(1));
    let each = |whole: f64| whole / rows.len().max(1) as f64;
    println!("### Copying {} rows of seven columns\n", rows.len());
    println!(
        "{:.1} µs and {:.0} bytes per row, once; later changes cost only their rows.\n",
        each(took.as_secs_f64() * 1e6),
        each(meter.bytes() as f64)
    );
    sandbox
}

/// Runs each query in the sandbox, including the update of its tables, and in plain SQLite.
fn compare_with_sqlite(sandbox: &mut Sandbox, table: &Table, rows: &[Record]) {
    let bare = plain_sqlite(rows);
    println!("### A second query on {} unchanged rows\n", rows.len());
    println!("| query | sandbox | SQLite alone | ratio |\n|---|---:|---:|---:|");
    for (what, sql) in QUERIES {
        let ours = shortest(|| {
            sandbox.set_tables(std::slice::from_ref(table)).expect("held");
            let bounds = Bounds::default();
            black_box(sandbox.tables_read(sql, None, &bounds).expect(sql));
            black_box(sandbox.run(sql, None, &bounds).expect(sql));
        });
        let floor = shortest(|| run_plain(&bare, sql));
        println!(
            "| {what} | {} | {} | {:.2} |",
            format_duration(ours),
            format_duration(floor),
            ours.as_secs_f64() / floor.as_secs_f64()
        );
    }
    println!();
}

/// Opens a plain SQLite database with the same rows.
fn plain_sqlite(rows: &[Record]) -> Connection {
    let conn = Connection::open_in_memory().expect("SQLite");
    conn.execute_batch(
        "CREATE TABLE meals (id INTEGER PRIMARY KEY, created_at TEXT, updated_at TEXT,
                             calories INTEGER, day TEXT, food TEXT, note TEXT, rating REAL,
                             vegan BOOLEAN, \"with\" TEXT); BEGIN",
    )
    .expect("a table");
    for row in rows {
        let text = |name: &str| row.data[name].as_str().unwrap_or_default().to_owned();
        let values = (
            row.id.0,
            row.created_at.to_string(),
            row.data["calories"].as_i64(),
            text("day"),
            text("food"),
            text("note"),
            row.data["rating"].as_f64(),
            row.data["vegan"].as_bool(),
            row.data["with"].to_string(),
        );
        conn.prepare_cached("INSERT INTO meals VALUES (?1, ?2, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
            .and_then(|mut insert| insert.execute(values))
            .expect("a row");
    }
    conn.execute_batch("COMMIT").expect("a commit");
    conn
}

fn run_plain(conn: &Connection, sql: &str) {
    let mut statement = conn.prepare(sql).expect(sql);
    let width = statement.column_count();
    let mut rows = statement.query([]).expect(sql);
    while let Some(row) = rows.next().expect(sql) {
        for column in 0..width {
            black_box(row.get_ref(column).expect(sql));
        }
    }
}

/// Measures by how much expensive statements overrun their deadline.
fn measure_overruns(sandbox: &mut Sandbox) {
    let bounds = Bounds { time: DEADLINE, ..Bounds::default() };
    println!("### Past a deadline of {} ms\n", DEADLINE.as_millis());
    println!("| statement | ran for | past the deadline | how it ended |\n|---|---:|---:|---|");
    for sql in EXPENSIVE_STATEMENTS {
        let (mut longest, mut end) = (Duration::ZERO, String::new());
        for _ in 0..3 {
            let started = Instant::now();
            let result = sandbox.run(sql, None, &bounds);
            longest = longest.max(started.elapsed());
            end = result.err().map_or("answered".to_owned(), |error| {
                error.to_string().chars().take(60).collect()
            });
        }
        let past = longest.saturating_sub(DEADLINE);
        println!(
            "| `{}` | {} | {} | {end} |",
            &sql.replace('|', "\\|"),
            format_duration(longest),
            format_duration(past)
        );
    }
}

/// Statements that do as much as possible in one step: sorts, long texts, wide patterns, deep
/// plans.
const EXPENSIVE_STATEMENTS: &[&str] = &[
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n ORDER BY \
     i % 1000003",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 400000) SELECT i \
     FROM n ORDER BY i * 7919 % 1000003",
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) SELECT \
     max(r) FROM (SELECT rank() OVER (ORDER BY i * 7919 % 1000003) AS r FROM n)",
    "SELECT a.id FROM meals a, meals b ORDER BY a.note || b.note",
    "SELECT a.note FROM meals a ORDER BY note, food, day",
    "SELECT count(DISTINCT a.note || b.id) FROM meals a, meals b",
    "SELECT a.id FROM meals a JOIN meals b ON a.note = b.note JOIN meals c ON b.note = c.note",
    "SELECT trim(printf('%.*c', 130000, 'a'), printf('%.*c', 130000, 'b') || 'a')",
    "SELECT instr(printf('%.*c', 130000, 'a'), printf('%.*c', 65000, 'a') || 'b')",
    "SELECT replace(printf('%.*c', 130000, 'a'), printf('%.*c', 65000, 'a') || 'b', 'c')",
    "SELECT printf('%.*c', 130000, 'a') LIKE '%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%a%b'",
    "SELECT printf('%.*c', 130000, 'a') LIKE \
     '%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\
     aaaaaaaaaab'",
    "SELECT printf('%.*c', 130000, 'a') GLOB \
     '*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*[a-b]*c'",
    "SELECT json_extract('[' || printf('%.*c', 60000, '0') || ']', '$[0]', '$[0]', '$[0]', \
     '$[0]', '$[0]', '$[0]', '$[0]', '$[0]')",
    "WITH a AS (SELECT * FROM meals), b AS (SELECT x.* FROM a x, a y), c AS (SELECT x.* FROM \
     b x, b y), d AS (SELECT x.* FROM c x, c y), e AS (SELECT x.* FROM d x, d y), f AS \
     (SELECT x.* FROM e x, e y) SELECT count(*) FROM f x, f y",
    "SELECT group_concat(note) FROM meals",
    "SELECT count(*) FROM meals WHERE printf('%.*c', 130000, 'a') || id LIKE \
     '%aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'",
    "SELECT count(json_extract('[' || printf('%.*c', 120000, '1') || id || ']', '$[1]')) FROM \
     meals",
    "SELECT count(strftime(replace(printf('%.*c', 20000, 'x'), 'x', '%J '), day)) FROM meals",
];

fn shortest(mut work: impl FnMut()) -> Duration {
    let rounds = (0..ROUNDS).map(|_| {
        let started = Instant::now();
        work();
        started.elapsed()
    });
    rounds.min().unwrap_or_default()
}

fn format_duration(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1_000.0 { format!("{micros:.0} µs") } else { format!("{:.1} ms", micros / 1e3) }
}
