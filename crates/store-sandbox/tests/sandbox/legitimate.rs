//! Ordinary queries: joins, windows, subqueries, sums, dates and JSON give correct results.

use crate::fixture::{rows, sandbox_with_meals_and_books};
use serde_json::Value;

const QUERIES: &str = include_str!("legitimate.txt");

/// Returns each SELECT with its expected rows.
fn queries() -> Vec<(&'static str, Value)> {
    let mut lines = QUERIES.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
    let mut questions = Vec::new();
    while let Some(sql) = lines.next() {
        let answer = lines.next().and_then(|line| line.strip_prefix("=> ")).expect(sql);
        questions.push((sql, serde_json::from_str(answer).expect(answer)));
    }
    questions
}

#[test]
fn ordinary_queries_give_correct_results() {
    let (mut sandbox, questions) = (sandbox_with_meals_and_books(), queries());
    assert!(questions.len() >= 40, "{}", questions.len());
    for (sql, expected) in questions {
        assert_eq!(rows(&mut sandbox, sql), expected, "{sql}");
    }
}
