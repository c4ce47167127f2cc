//! Messages of opencode, which keeps a row for each session, each message and each part of a
//! message: in `opencode.db`, and before version 1.2 in a JSON file each below `storage`.

use super::{StoredRows, is_set, microseconds, rows_of, text_of};
use crate::transcript::{TranscriptMessage, is_from_client};
use crate::turn::Speaker;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Returns the messages of the user and of the main agent, session by session.
pub(super) fn messages(rows: &StoredRows) -> Vec<TranscriptMessage> {
    let texts = texts_of_messages(rows);
    // The session of a subagent has the session that started it as its parent.
    let sessions = rows_of(rows, "session").filter(|row| text_of(row, "parent").is_none());
    let directories: HashMap<String, Option<String>> =
        sessions.filter_map(|row| Some((text_of(row, "id")?, text_of(row, "directory")))).collect();
    let mut found: Vec<(String, TranscriptMessage)> = rows_of(rows, "message")
        .filter_map(|row| {
            let session = text_of(row, "session")?;
            let cwd = directories.get(&session)?.clone();
            let id = text_of(row, "id")?;
            let text = texts.get(&id)?.clone();
            Some((id, message(row, session, cwd, text)?))
        })
        .collect();
    // Ids of messages ascend with time.
    found.sort_by(|(id, one), (other_id, other)| {
        (&one.session, one.at, id).cmp(&(&other.session, other.at, other_id))
    });
    found.into_iter().map(|(_, message)| message).collect()
}

fn message(
    row: &Map<String, Value>,
    session: String,
    cwd: Option<String>,
    text: String,
) -> Option<TranscriptMessage> {
    let speaker = match row.get("role")?.as_str()? {
        "user" => Speaker::User,
        "assistant" => Speaker::Assistant,
        _ => return None,
    };
    // The summary of a compaction repeats what was said.
    let is_summary = speaker == Speaker::Assistant && is_set(row, "summary");
    let is_of_client = speaker == Speaker::User && is_from_client(&text);
    let is_said = !(text.trim().is_empty() || is_summary || is_of_client);
    let at = microseconds(row.get("at"))?;
    is_said.then_some(TranscriptMessage { speaker, text, at, session, cwd, branch: None })
}

/// Returns the text of each message, joined as the plugin of the hooks joins its parts.
fn texts_of_messages(rows: &StoredRows) -> HashMap<String, String> {
    let said = |row: &&Map<String, Value>| {
        let is_text = row.get("type").is_some_and(|kind| kind == "text");
        is_text && !is_set(row, "synthetic")
    };
    let mut parts: Vec<(String, String, String)> = rows_of(rows, "part")
        .filter(said)
        .filter_map(|row| {
            Some((text_of(row, "message")?, text_of(row, "id")?, text_of(row, "text")?))
        })
        .collect();
    parts.sort();
    let mut texts: HashMap<String, String> = HashMap::new();
    for (message, _, text) in parts {
        let whole = texts.entry(message).or_default();
        if !whole.is_empty() {
            whole.push('\n');
        }
        whole.push_str(&text);
    }
    texts
}
