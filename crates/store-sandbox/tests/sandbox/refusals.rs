//! Refused statements, and the text of the refusals.

use crate::fixture::{run, sandbox_with_meals_and_books};
use model::ErrorCode;
use sandbox::{Bounds, SqlError};
use std::time::Duration;

#[track_caller]
fn refusal(sql: &str) -> (ErrorCode, String) {
    let error = run(&mut sandbox_with_meals_and_books(), sql).expect_err(sql);
    (error.code(), error.to_string())
}

#[test]
fn a_refusal_says_what_to_do() {
    for (sql, part) in [
        ("DELETE FROM meals", "write one SELECT"),
        ("SELECT 1; SELECT 2", "one statement at a time"),
        ("EXPLAIN SELECT 1", "send the SELECT itself"),
        ("SELECT * FROM meals WHERE food = ?", "write the values into"),
        ("SELECT load_extension('x')", "load_extension is not available"),
        ("SELECT fod FROM meals", "meals has id, created_at, updated_at, calories, day, food"),
        ("SELECT * FROM meal", "you may read: books, meals"),
        ("SELECT food FROM meals WHERE food = \"Pizza\"", "single-quotes"),
        ("", "write one SELECT"),
        ("-- nothing", "write one SELECT"),
    ] {
        let (code, message) = refusal(sql);
        assert_eq!(code, ErrorCode::InvalidArgument, "{sql}: {message}");
        assert!(message.contains(part), "{sql}: {message}");
    }
}

#[test]
fn the_error_names_the_exceeded_limit() {
    let long = format!("SELECT '{}'", "x".repeat(20_000));
    let deep = format!("SELECT {}1{}", "(1+".repeat(150), ")".repeat(150));
    for (sql, part) in [
        (long.as_str(), "the limit is 20000"),
        (deep.as_str(), "100"),
        ("SELECT printf('%900000000d', 1)", "a value exceeded"),
        ("SELECT replace(printf('%.*c', 100000, 'x'), 'x', 'yyyy')", "a value exceeded"),
    ] {
        let (_, message) = refusal(sql);
        assert!(message.contains(part), "{}: {message}", &sql[..40.min(sql.len())]);
    }
}

#[test]
fn an_endless_statement_is_stopped_by_steps_time_or_memory() {
    let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";
    let hoarding = "WITH RECURSIVE n(i) AS (SELECT 1 UNION SELECT i + 1 FROM n) \
                    SELECT printf('%50000d', i) FROM n ORDER BY 1";
    let unbounded =
        Bounds { steps: u64::MAX, scratch: usize::MAX, time: Duration::MAX, ..Bounds::default() };
    for (sql, bounds, part) in [
        (endless, Bounds { steps: 1_000_000, ..unbounded.clone() }, "1000000 steps"),
        (endless, Bounds { time: Duration::ZERO, ..unbounded.clone() }, "longer than 0 ms"),
        (hoarding, Bounds { scratch: 8 * 1024 * 1024, ..unbounded }, "8 MB of memory"),
    ] {
        let stopped = sandbox_with_meals_and_books().run(sql, None, &bounds).unwrap_err();
        assert!(
            matches!(&stopped, SqlError::LimitExceeded(message) if message.contains(part)),
            "{stopped}"
        );
    }
}

#[test]
fn a_result_is_truncated_at_its_limits_and_marked() {
    let mut sandbox = sandbox_with_meals_and_books();
    let two = Bounds { rows: 2, ..Bounds::default() };
    let answer = sandbox.run("SELECT food FROM meals ORDER BY id", None, &two).unwrap();
    assert_eq!((answer.rows.len(), answer.truncated), (2, true));
    let four = Bounds { rows: 4, ..Bounds::default() };
    assert!(!sandbox.run("SELECT food FROM meals", None, &four).unwrap().truncated);
    let narrow = Bounds { bytes: 12, ..Bounds::default() };
    let answer = sandbox.run("SELECT food FROM meals ORDER BY id", None, &narrow).unwrap();
    assert_eq!((answer.rows.len(), answer.truncated), (2, true));
    let none = sandbox.run("SELECT printf('%100d', 1)", None, &narrow).unwrap_err();
    assert!(none.to_string().contains("select fewer columns"), "{none}");
}

#[test]
fn a_sandbox_is_usable_after_a_refusal() {
    let mut sandbox = sandbox_with_meals_and_books();
    let stop = Bounds { steps: 1, ..Bounds::default() };
    for sql in ["DROP TABLE meals", "SELECT nonsense", "SELECT load_extension('x')"] {
        assert!(run(&mut sandbox, sql).is_err());
    }
    assert!(
        sandbox
            .run("SELECT a.id FROM meals a, meals b, meals c, meals d, meals e", None, &stop)
            .is_err()
    );
    assert_eq!(run(&mut sandbox, "SELECT count(*) FROM meals").unwrap().rows[0][0], 4);
}
