//! Tests with the lines that clients write.

use super::*;

const CLAUDE: &str = r#"{"type":"summary","summary":"x","leafUuid":"1"}
{"type":"user","sessionId":"s-1","cwd":"/work/shop","gitBranch":"main","isMeta":true,"message":{"role":"user","content":"Caveat"},"timestamp":"2026-05-03T10:00:00.000Z"}
{"type":"user","sessionId":"s-1","cwd":"/work/shop","gitBranch":"main","message":{"role":"user","content":"Use Postgres."},"timestamp":"2026-05-03T10:00:00.500Z"}
{"type":"assistant","sessionId":"s-1","message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"I look first."},{"type":"tool_use","id":"t","name":"Bash","input":{}}]},"timestamp":"2026-05-03T10:00:01Z"}
{"type":"user","sessionId":"s-1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]},"timestamp":"2026-05-03T10:00:02Z"}
{"type":"assistant","sessionId":"s-1","message":{"role":"assistant","content":[{"type":"text","text":"Done: Postgres."}]},"timestamp":"2026-05-03T10:00:03Z"}
{"type":"assistant","sessionId":"s-1","isSidechain":true,"message":{"role":"assistant","content":[{"type":"text","text":"A subagent."}]},"timestamp":"2026-05-03T10:00:04Z"}
{"type":"user","sessionId":"s-1","message":{"role":"user","content":"<command-name>/clear</command-name>"},"timestamp":"2026-05-03T10:00:05Z"}
{"type":"user","sessionId":"s-1","cwd":"/work/shop","message":{"role":"user","content":[{"type":"text","text":"Use Postgres."}]},"timestamp":"2026-05-03T10:00:06Z"}
{"type":"assistant","sessionId":"s-1","mess"#;

const CODEX: &str = r#"{"timestamp":"2026-05-03T10:00:00Z","type":"session_meta","payload":{"id":"c-1","cwd":"/work/shop","git":{"branch":"fix"}}}
{"timestamp":"2026-05-03T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}]}}
{"timestamp":"2026-05-03T10:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix it."}]}}
{"timestamp":"2026-05-03T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"Fix it."}}
{"timestamp":"2026-05-03T10:00:02Z","type":"event_msg","payload":{"type":"agent_message","message":"Looking."}}
{"timestamp":"2026-05-03T10:00:03Z","type":"event_msg","payload":{"type":"token_count"}}
{"timestamp":"2026-05-03T10:00:04Z","type":"event_msg","payload":{"type":"agent_message","message":"Fixed."}}"#;

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
