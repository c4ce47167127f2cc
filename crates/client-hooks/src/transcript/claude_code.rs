//! Messages of a transcript of Claude Code: one JSON object on each line.

use super::{TranscriptMessage, content_text, is_from_client, moment_of, parse_line, text_field};
use crate::turn::Speaker;
use serde_json::Value;

/// Returns the messages of the user and of the main agent.
pub(super) fn messages(text: &str) -> Vec<TranscriptMessage> {
    text.lines().filter_map(parse_line).filter_map(|line| message(&line)).collect()
}

fn message(line: &Value) -> Option<TranscriptMessage> {
    let is_set = |name: &str| line.get(name).and_then(Value::as_bool).unwrap_or(false);
    // What the client says to the model, the work of a subagent, and summaries are no turns.
    if is_set("isMeta") || is_set("isSidechain") || is_set("isCompactSummary") {
        return None;
    }
    let speaker = match line.get("type")?.as_str()? {
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        _ => return None,
    };
    let text = content_text(line.get("message")?.get("content")?, "text");
    if text.trim().is_empty() || (speaker == Speaker::User && is_from_client(&text)) {
        return None;
    }
    Some(TranscriptMessage {
        speaker,
        text,
        at: moment_of(line),
        session: text_field(line, "sessionId")?,
        cwd: text_field(line, "cwd"),
        branch: text_field(line, "gitBranch"),
    })
}
