//! Messages of a transcript of Codex: a line about the session, then one for each event. The
//! conversation is in the lines of type `event_msg`; older files have it in `response_item` alone.

use super::{TranscriptMessage, content_text, is_from_client, moment_of, parse_line, text_field};
use crate::turn::Speaker;
use serde_json::Value;

/// Returns the messages of the user and of the agent.
pub(super) fn messages(text: &str) -> Vec<TranscriptMessage> {
    let lines: Vec<Value> = text.lines().filter_map(parse_line).collect();
    let is_type = |line: &Value, name: &str| line.get("type").is_some_and(|kind| kind == name);
    let payload = |line: &Value| line.get("payload").cloned().unwrap_or_default();
    let meta = lines.iter().find(|line| is_type(line, "session_meta")).map(payload);
    let meta = meta.unwrap_or_default();
    let Some(session) = text_field(&meta, "id") else { return Vec::new() };
    let cwd = text_field(&meta, "cwd");
    let branch = meta.get("git").and_then(|git| text_field(git, "branch"));
    let read = |kind: &str, said: fn(&Value) -> Option<(Speaker, String)>| {
        let concerned = lines.iter().filter(|line| is_type(line, kind));
        let messages = concerned.filter_map(|line| {
            let (speaker, text) = said(&payload(line))?;
            let is_own = !text.trim().is_empty() && !is_from_client(&text);
            is_own.then(|| TranscriptMessage {
                speaker,
                text,
                at: moment_of(line),
                session: session.clone(),
                cwd: cwd.clone(),
                branch: branch.clone(),
            })
        });
        messages.collect::<Vec<_>>()
    };
    let events = read("event_msg", said_in_event);
    if events.is_empty() { read("response_item", said_in_item) } else { events }
}

fn said_in_event(payload: &Value) -> Option<(Speaker, String)> {
    let speaker = match payload.get("type")?.as_str()? {
        "user_message" => Speaker::User,
        "agent_message" => Speaker::Assistant,
        _ => return None,
    };
    Some((speaker, text_field(payload, "message")?))
}

fn said_in_item(payload: &Value) -> Option<(Speaker, String)> {
    let content = payload.get("content")?;
    match payload.get("role")?.as_str()? {
        "user" => Some((Speaker::User, content_text(content, "input_text"))),
        "assistant" => Some((Speaker::Assistant, content_text(content, "output_text"))),
        _ => None,
    }
}
