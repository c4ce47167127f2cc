//! Ordinary queries: joins, windows, subqueries, sums, dates and JSON give correct results.

use crate::fixture::{kitchen, rows};
use serde_json::Value;

const QUESTIONS: &str = include_str!("legitimate.txt");

/// Returns each SELECT with its expected rows.
fn questions() -> Vec<(&'static str, Value)> {
    let mut lines = QUESTIONS.lines().filter(|line| !line.is_empty() && !line.starts_with("//"));
    let mut questions = Vec::new();
    while let Some(sql) = lines.next() {
        let answer = lines.next().and_then(|line| line.strip_prefix("=> ")).expect(sql);
        questions.push((sql, serde_json::from_str(answer).expect(answer)));
    }
    questions
}

#[test]
fn ordinary_questions_are_answered_right() {
    let (mut sandbox, questions) = (kitchen(), questions());
    assert!(questions.len() >= 40, "{}", questions.len());
    for (sql, expected) in questions {
        assert_eq!(rows(&mut sandbox, sql), expected, "{sql}");
    }
}
