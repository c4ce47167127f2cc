//! Messages of Cursor. Its `state.vscdb` keeps a value for each conversation, with the order of its
//! messages or the messages themselves, and in newer versions a value for each message. The layout
//! is not documented by its maker; every field but the text and its side may be missing.

use super::{StoredRows, microseconds, rows_of, text_of};
use crate::transcript::{TranscriptMessage, is_from_client, parse_line};
use crate::turn::Speaker;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use std::collections::HashMap;

/// Start of the key of a conversation.
const CONVERSATION: &str = "composerData:";
/// Start of the key of a message, before the ids of its conversation and of itself.
const MESSAGE: &str = "bubbleId:";

type Row = Map<String, Value>;

/// Returns the messages of the user and of the main agent, conversation by conversation.
pub(super) fn messages(rows: &StoredRows) -> Vec<TranscriptMessage> {
    let values = || rows_of(rows, "cursorDiskKV");
    let message = |row| Some((text_of(row, "key")?.strip_prefix(MESSAGE)?.to_owned(), row));
    let by_id: HashMap<String, &Row> = values().filter_map(message).collect();
    let head = |row| Some((text_of(row, "id")?, row));
    let heads: HashMap<String, &Row> = rows_of(rows, "composerHeaders").filter_map(head).collect();
    let mut found = Vec::new();
    for row in values() {
        let key = text_of(row, "key").unwrap_or_default();
        let Some(session) = key.strip_prefix(CONVERSATION) else { continue };
        // The conversation of a subagent is its own work.
        if !row.contains_key("subagent") {
            let head = heads.get(session).copied();
            found.extend(Conversation { session, row, head }.messages(&by_id));
        }
    }
    found
}

/// One conversation: its value, and its entry in the list of newer versions.
struct Conversation<'a> {
    session: &'a str,
    row: &'a Row,
    head: Option<&'a Row>,
}

impl Conversation<'_> {
    fn messages(&self, by_id: &HashMap<String, &Row>) -> Vec<TranscriptMessage> {
        let inside: Vec<Row> = list(self.row, "messages");
        let order = list(self.row, "order");
        let ids = order.iter().filter_map(|header| text_of(header, "bubbleId"));
        let apart = ids.filter_map(|id| by_id.get(&format!("{}:{id}", self.session)).copied());
        let bubbles: Vec<&Row> = inside.iter().chain(apart).collect();
        let cwd = self.directory(&bubbles);
        let branch = text_of(self.row, "branch");
        let message = |bubble: &&Row| {
            let (speaker, text) = said(bubble)?;
            let at = moment(bubble).or_else(|| microseconds(self.row.get("at")))?;
            let (cwd, branch, session) = (cwd.clone(), branch.clone(), self.session.to_owned());
            Some(TranscriptMessage { speaker, text, at, session, cwd, branch })
        };
        bubbles.iter().filter_map(message).collect()
    }

    /// Returns the directory that the conversation is about.
    fn directory(&self, bubbles: &[&Row]) -> Option<String> {
        let own = text_of(self.row, "directory");
        let listed = || self.head.and_then(|head| text_of(head, "directory"));
        let of_message = || bubbles.iter().find_map(|bubble| workspace(bubble));
        own.or_else(listed).or_else(of_message)
    }
}

/// Returns a list of objects that is stored as JSON.
fn list(row: &Row, name: &str) -> Vec<Row> {
    let parsed = row.get(name).and_then(Value::as_str).and_then(parse_line);
    serde_json::from_value(parsed.unwrap_or_default()).unwrap_or_default()
}

fn said(bubble: &Row) -> Option<(Speaker, String)> {
    let speaker = match bubble.get("type")?.as_i64()? {
        1 => Speaker::User,
        2 => Speaker::Assistant,
        _ => return None,
    };
    let text = text_of(bubble, "text").filter(|text| !text.trim().is_empty())?;
    let is_of_client = speaker == Speaker::User && is_from_client(&text);
    (!is_of_client).then_some((speaker, text))
}

/// Returns the time of a message, which is a text or a number.
fn moment(bubble: &Row) -> Option<i64> {
    let at = bubble.get("createdAt");
    let text = at.and_then(Value::as_str).and_then(|at| at.parse::<jiff::Timestamp>().ok());
    text.map(jiff::Timestamp::as_microsecond).or_else(|| microseconds(at))
}

/// Returns the first directory that a message names.
fn workspace(bubble: &Row) -> Option<String> {
    let listed = match bubble.get("workspaceUris")? {
        Value::String(text) => parse_line(text)?,
        value => value.clone(),
    };
    let address = listed.get(0)?.as_str()?.strip_prefix("file://")?;
    let path = percent_decode_str(address).decode_utf8_lossy();
    // On Windows the address is `/c:/Users/…`.
    let has_drive = path.as_bytes().get(2) == Some(&b':');
    Some(if has_drive { path.get(1..)?.to_owned() } else { path.into_owned() })
}
