//! Tests with the rows that opencode and Cursor keep.

use super::*;
use crate::turn::{Speaker, TurnSource};
use std::collections::HashSet;

const OPENCODE: &str = include_str!("../../fixtures/opencode_rows.json");

const CURSOR: &str = include_str!("../../fixtures/cursor_rows.json");

fn read(format: StoredFormat, rows: &str) -> Vec<CapturedTurn> {
    let mut project = |cwd: &str| cwd.rsplit('/').next().map(str::to_owned);
    read_stored(format, &serde_json::from_str(rows).unwrap(), &mut project)
}

fn words(turns: &[CapturedTurn]) -> Vec<(&str, &str)> {
    turns.iter().map(|turn| (turn.speaker.name(), turn.text.as_str())).collect()
}

#[test]
fn words_of_the_user_and_the_last_answer_are_read_from_opencode() {
    let turns = read(StoredFormat::OpenCode, OPENCODE);
    let expected = [("user", "Use Postgres.\nIt runs in Oslo."), ("assistant", "Done: Postgres.")];
    assert_eq!(words(&turns), expected);
    assert_eq!(turns[0].source.session, "ses_1");
    assert_eq!(turns[0].source.project.as_deref(), Some("shop"));
    assert_eq!(turns[0].at, 4_070_908_801_000_000);
    let source =
        TurnSource { client: "opencode".into(), session: "ses_1".into(), ..TurnSource::default() };
    let text = "Use Postgres.\nIt runs in Oslo.";
    let by_hook = CapturedTurn::new(&source, Speaker::User, text, 5, &HashSet::new(), |_| 0);
    assert_eq!(turns[0].id, by_hook.unwrap().id, "a hook gives the same turn the same id");
}

#[test]
fn words_of_the_user_and_the_last_answer_are_read_from_cursor() {
    let turns = read(StoredFormat::Cursor, CURSOR);
    let expected = [
        ("user", "Use Postgres."),
        ("assistant", "Done: Postgres."),
        ("user", "Use tabs."),
        ("assistant", "Tabs it is."),
    ];
    assert_eq!(words(&turns), expected);
    assert_eq!(turns[0].source.session, "c-1");
    assert_eq!(turns[0].source.project.as_deref(), Some("my shop"));
    assert_eq!(turns[0].source.branch.as_deref(), Some("main"));
    assert_eq!(turns[0].at, 4_070_908_801_000_000);
    assert_eq!(turns[2].source.project.as_deref(), Some("site"));
    assert_eq!(turns[2].at, 4_070_908_900_000_000, "the time of the conversation");
}

#[test]
fn rows_of_nothing_are_no_turns() {
    for format in [StoredFormat::OpenCode, StoredFormat::Cursor] {
        assert_eq!(read(format, "{}"), []);
        assert_eq!(read(format, r#"{"session":[{}],"message":[{}],"cursorDiskKV":[{}]}"#), []);
    }
}
