//! Messages of a chat of Gemini CLI: a line for the session, then one for each message and each
//! change of it.

use super::{TranscriptMessage, content_parts, is_from_client, moment_of, parse_line, text_field};
use crate::hook_input::own_words;
use crate::turn::Speaker;
use client_setup::ClientKind;
use serde_json::Value;

/// Words before the list of directories that a chat works in.
const DIRECTORIES: &str = "Workspace Directories:**\n  - ";

/// Returns the messages of the user and of the main agent.
pub(super) fn messages(text: &str) -> Vec<TranscriptMessage> {
    let lines: Vec<Value> = text.lines().filter_map(parse_line).collect();
    let head = lines.iter().find(|line| line.get("sessionId").is_some());
    let Some(session) = head.and_then(|line| text_field(line, "sessionId")) else {
        return Vec::new();
    };
    let cwd = lines.iter().find_map(workspace);
    let mut found: Vec<(Option<String>, TranscriptMessage)> = Vec::new();
    for line in &lines {
        let Some((speaker, text)) = said(line) else { continue };
        let (session, cwd) = (session.clone(), cwd.clone());
        let at = moment_of(line);
        let message = TranscriptMessage { speaker, text, at, session, cwd, branch: None };
        let id = text_field(line, "id");
        // A message is written again when it changes.
        found.retain(|(known, _)| known.is_none() || *known != id);
        found.push((id, message));
    }
    found.into_iter().map(|(_, message)| message).collect()
}

fn said(line: &Value) -> Option<(Speaker, String)> {
    let speaker = match line.get("type")?.as_str()? {
        "user" => Speaker::User,
        "gemini" => Speaker::Assistant,
        _ => return None,
    };
    let text = content_parts(line.get("content")?);
    let own = own_words(Some(ClientKind::Gemini), &text);
    let is_of_client = speaker == Speaker::User && is_from_client(&own);
    let is_said = !(own.is_empty() || is_of_client);
    is_said.then_some((speaker, own))
}

/// Returns the first directory that the client tells the model of.
fn workspace(line: &Value) -> Option<String> {
    let messages = line.pointer("/$set/messages").or_else(|| line.get("messages"))?;
    let texts = messages.as_array()?.iter().filter_map(|one| one.get("content"));
    texts.map(content_parts).find_map(|text| {
        let (_, list) = text.split_once(DIRECTORIES)?;
        list.lines().next().map(str::to_owned)
    })
}
