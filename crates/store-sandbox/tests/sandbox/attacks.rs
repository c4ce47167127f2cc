//! Corpus of attacks: each statement has the expected outcome, and none changes, leaks or hoards
//! anything.

use crate::fixture::{TableFixture, books, meals, sandbox_with, table};
use model::ErrorCode;
use sandbox::{Bounds, Sandbox, SelectResult, SqlError};
use serde_json::json;
use std::time::Duration;

const CORPUS: &str = include_str!("attacks.txt");

/// A value that no reader of meals, books and journal may see.
const CANARY: &str = "canary-7f3a91";

/// Memory that a statement may take beyond its limit before the next check.
const SLACK_BYTES: i64 = 24 * 1024 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AttackOutcome {
    Refused,
    Stopped,
    Harmless,
}

/// Returns the statements of the corpus with their expected outcomes.
fn attacks() -> Vec<(AttackOutcome, String)> {
    let mut fate = AttackOutcome::Refused;
    let mut attacks = Vec::new();
    for line in CORPUS.lines().filter(|line| !line.is_empty() && !line.starts_with("//")) {
        match line.strip_prefix("== ").and_then(|heading| heading.split(':').next()) {
            Some("refused") => fate = AttackOutcome::Refused,
            Some("stopped") => fate = AttackOutcome::Stopped,
            Some("harmless") => fate = AttackOutcome::Harmless,
            Some(other) => panic!("{other} is not an outcome"),
            None => attacks.push((fate, expand(line))),
        }
    }
    attacks
}

/// Expands a line of the corpus to a statement.
fn expand(line: &str) -> String {
    let mut statement = String::new();
    let mut rest = line;
    while let Some((before, folded)) = rest.split_once('{') {
        statement.push_str(before);
        let repeated = folded.split_once('}').and_then(|(inside, after)| {
            let (count, text) = inside.split_once(':')?;
            Some((text.repeat(count.parse().ok()?), after))
        });
        let (text, after) = repeated.unwrap_or(("{".to_owned(), folded));
        statement.push_str(&text);
        rest = after;
    }
    statement.push_str(rest);
    statement.replace("\\n", "\n").replace("\\t", "\t").replace("\\0", "\0")
}

/// Small limits, so that statements are stopped soon; no time limit, so that tests are
/// deterministic.
fn small_bounds() -> Bounds {
    Bounds { steps: 1_000_000, scratch: 32 * 1024 * 1024, time: Duration::MAX, ..Bounds::default() }
}

fn sandbox_with_canary() -> Sandbox {
    let entry =
        |text: &str| json!({"id": "a", "entry": text, "_deleted_at": CANARY, "_meta_id": 7});
    sandbox_with(&[meals(), books(), table("journal", &[entry("one"), entry("two")])])
}

/// Reads all rows, to detect changes.
fn all_rows(sandbox: &mut Sandbox) -> Vec<SelectResult> {
    let mut read = |sql: &str| sandbox.run(sql, None, &Bounds::default()).unwrap();
    ["SELECT * FROM meals", "SELECT * FROM books", "SELECT * FROM journal"].map(&mut read).into()
}

fn render_result(result: &Result<SelectResult, SqlError>) -> String {
    match result {
        Ok(answer) => json!(answer.records()).to_string(),
        Err(error) => error.to_string(),
    }
}

fn files_here() -> Vec<std::path::PathBuf> {
    let mut files: Vec<_> =
        std::fs::read_dir(".").unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_attack_has_the_expected_outcome() {
    let mut sandbox = sandbox_with_canary();
    let mut unexpected = Vec::new();
    for (fate, sql) in attacks() {
        let result = sandbox.run(&sql, None, &small_bounds());
        let met = match fate {
            AttackOutcome::Refused => result.is_err(),
            AttackOutcome::Stopped => matches!(result, Err(SqlError::LimitExceeded(_))),
            AttackOutcome::Harmless => true,
        };
        let ours = result.as_ref().is_err_and(|error| error.code() == ErrorCode::Internal);
        if !met || ours {
            let brief = |text: &str| text.chars().take(100).collect::<String>();
            unexpected.push(format!(
                "{fate:?}: {}\n    {}",
                brief(&sql),
                brief(&render_result(&result))
            ));
        }
    }
    assert!(unexpected.is_empty(), "{}", unexpected.join("\n"));
}

#[test]
fn no_attack_changes_a_table_creates_a_file_or_sees_other_tables() {
    let vault: TableFixture = table("vault", &[json!({"secret": CANARY})]);
    let _elsewhere = sandbox_with(&[vault]);
    let mut sandbox = sandbox_with_canary();
    let (before, files) = (all_rows(&mut sandbox), files_here());
    for (_, sql) in attacks() {
        let result = sandbox.run(&sql, None, &small_bounds());
        assert!(!render_result(&result).contains(CANARY), "{sql}");
    }
    assert_eq!(all_rows(&mut sandbox), before);
    assert_eq!(files_here(), files);
    assert_eq!(sandbox.tables().collect::<Vec<_>>(), ["books", "journal", "meals"]);
}

#[test]
fn no_attack_takes_more_memory_than_its_bound() {
    let mut sandbox = sandbox_with_canary();
    for (_, sql) in attacks() {
        let before = peak_memory_since_last_call();
        let _ = sandbox.run(&sql, None, &small_bounds());
        let taken = peak_memory_since_last_call() - before;
        let brief: String = sql.chars().take(90).collect();
        let most = i64::try_from(small_bounds().scratch).unwrap() + SLACK_BYTES;
        assert!(taken < most, "{brief} took {taken} bytes");
    }
}

#[test]
fn the_corpus_is_large_and_has_no_duplicates() {
    let attacks = attacks();
    let all: std::collections::HashSet<_> = attacks.iter().map(|(_, sql)| sql).collect();
    assert_eq!(all.len(), attacks.len(), "a statement is listed twice");
    assert!(attacks.len() >= 150, "{}", attacks.len());
}

/// Returns the peak memory of SQLite since the last call.
fn peak_memory_since_last_call() -> i64 {
    // SAFETY: reads and resets a counter of SQLite under its own lock.
    #[expect(unsafe_code, reason = "rusqlite has no safe wrapper")]
    unsafe {
        rusqlite::ffi::sqlite3_memory_highwater(1)
    }
}
