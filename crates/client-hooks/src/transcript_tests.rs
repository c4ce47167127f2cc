//! Tests with the lines that clients write.

use super::*;

const CLAUDE: &str = include_str!("../fixtures/claude_code.jsonl");

const GEMINI: &str = include_str!("../fixtures/gemini.jsonl");

const CODEX: &str = include_str!("../fixtures/codex.jsonl");

fn read(format: TranscriptFormat, text: &str) -> Vec<CapturedTurn> {
    let mut project = |cwd: &str| cwd.rsplit('/').next().map(str::to_owned);
    read_transcript(format, text, &mut project)
}

fn words(turns: &[CapturedTurn]) -> Vec<(&str, &str)> {
    turns.iter().map(|turn| (turn.speaker.name(), turn.text.as_str())).collect()
}

#[test]
fn words_of_the_user_and_the_last_answer_are_read_from_claude_code() {
    assert_eq!(TranscriptFormat::detect(CLAUDE), Some(TranscriptFormat::ClaudeCode));
    let turns = read(TranscriptFormat::ClaudeCode, CLAUDE);
    let expected =
        [("user", "Use Postgres."), ("assistant", "Done: Postgres."), ("user", "Use Postgres.")];
    assert_eq!(words(&turns), expected);
    assert_eq!(turns[0].source.project.as_deref(), Some("shop"));
    assert_eq!(turns[0].source.branch.as_deref(), Some("main"));
    assert_eq!(turns[0].at, 1_777_802_400_500_000);
    assert_ne!(turns[0].id, turns[2].id, "said twice, kept twice");
}

#[test]
fn words_of_the_user_and_the_last_answer_are_read_from_codex() {
    assert_eq!(TranscriptFormat::detect(CODEX), Some(TranscriptFormat::Codex));
    let turns = read(TranscriptFormat::Codex, CODEX);
    assert_eq!(words(&turns), [("user", "Fix it."), ("assistant", "Fixed.")]);
    assert_eq!(turns[0].source.session, "c-1");
    let older: Vec<&str> = CODEX.lines().filter(|line| !line.contains("event_msg")).collect();
    let turns = read(TranscriptFormat::Codex, &older.join("\n"));
    assert_eq!(words(&turns), [("user", "Fix it.")]);
}

#[test]
fn words_of_the_user_and_the_last_answer_are_read_from_gemini_cli() {
    assert_eq!(TranscriptFormat::detect(GEMINI), Some(TranscriptFormat::Gemini));
    let turns = read(TranscriptFormat::Gemini, GEMINI);
    assert_eq!(words(&turns), [("user", "Use Postgres."), ("assistant", "Done: Postgres.")]);
    assert_eq!(turns[0].source.session, "g-1");
    assert_eq!(turns[0].source.project.as_deref(), Some("shop"));
    assert_eq!(turns[0].at, 1_777_802_401_000_000);
}

#[test]
fn a_turn_of_a_file_has_the_id_that_a_hook_gave_it() {
    let source =
        TurnSource { client: "codex".into(), session: "c-1".into(), ..TurnSource::default() };
    let by_hook =
        CapturedTurn::new(&source, Speaker::User, "Fix it.", 5, &HashSet::new(), |_| 0).unwrap();
    assert_eq!(read(TranscriptFormat::Codex, CODEX)[0].id, by_hook.id);
}

#[test]
fn another_file_is_no_transcript() {
    for text in ["", "hello", "{\"type\":\"user\"}", "[1]\n[2]"] {
        assert_eq!(TranscriptFormat::detect(text), None, "{text}");
    }
}
