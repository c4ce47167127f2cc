//! Transcripts that clients keep on disk: Claude Code's `projects/*/*.jsonl`, Codex's
//! `sessions/**/*.jsonl`, Gemini CLI's `tmp/*/chats/*.jsonl`, and the tables of opencode and
//! Cursor. Of each turn, the words of the user and the last answer are read; tool calls, thoughts
//! and what the client itself put into the conversation are not.

mod claude_code;
mod codex;
mod gemini;
mod stored;

pub use stored::{StoredFormat, StoredRows, read_stored};

use crate::turn::{CapturedTurn, Speaker, TurnSource};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Format of a transcript.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TranscriptFormat {
    ClaudeCode,
    Codex,
    Gemini,
}

impl TranscriptFormat {
    /// Returns the format of a file, by its first lines; `None` if it is no transcript.
    pub fn detect(text: &str) -> Option<Self> {
        let mut lines = text.lines().take(20).filter_map(parse_line);
        lines.find_map(|line| match line.get("type").and_then(Value::as_str) {
            Some("session_meta") => Some(Self::Codex),
            _ if line.get("projectHash").is_some() => Some(Self::Gemini),
            _ if line.get("sessionId").is_some() => Some(Self::ClaudeCode),
            _ => None,
        })
    }
}

/// One message of a transcript, as its client wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct TranscriptMessage {
    speaker: Speaker,
    text: String,
    /// Microseconds since 1970.
    at: i64,
    session: String,
    cwd: Option<String>,
    branch: Option<String>,
}

/// Reads the turns of a transcript. `project` returns the name of the project of a directory. A
/// line that cannot be read is left out: the last one of a running session may be incomplete.
pub fn read_transcript(
    format: TranscriptFormat,
    text: &str,
    project: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<CapturedTurn> {
    let (client, messages) = match format {
        TranscriptFormat::ClaudeCode => ("claude-code", claude_code::messages(text)),
        TranscriptFormat::Codex => ("codex", codex::messages(text)),
        TranscriptFormat::Gemini => ("gemini", gemini::messages(text)),
    };
    captured_turns(client, messages, project)
}

/// Makes the messages of a client turns.
fn captured_turns(
    client: &str,
    messages: Vec<TranscriptMessage>,
    project: &mut dyn FnMut(&str) -> Option<String>,
) -> Vec<CapturedTurn> {
    let mut occurrences: HashMap<(String, String), usize> = HashMap::new();
    let mut turns = Vec::new();
    for message in last_answers(messages) {
        let source = TurnSource {
            client: client.to_owned(),
            session: message.session.clone(),
            project: message.cwd.as_deref().and_then(&mut *project),
            branch: message.branch.clone(),
            cwd: message.cwd.clone(),
        };
        let (speaker, at) = (message.speaker, message.at);
        let none = HashSet::new();
        let turn = CapturedTurn::new(&source, speaker, &message.text, at, &none, |hash| {
            let key = (source.session.clone(), hash.to_owned());
            let count = occurrences.entry(key).or_default();
            *count += 1;
            *count - 1
        });
        turns.extend(turn);
    }
    turns
}

/// Removes every answer but the last one before the user speaks again.
fn last_answers(messages: Vec<TranscriptMessage>) -> Vec<TranscriptMessage> {
    let mut kept: Vec<TranscriptMessage> = Vec::new();
    for message in messages {
        let replaces = message.speaker == Speaker::Assistant
            && kept.last().is_some_and(|last| {
                last.speaker == Speaker::Assistant && last.session == message.session
            });
        if replaces {
            kept.pop();
        }
        kept.push(message);
    }
    kept
}

fn parse_line(line: &str) -> Option<Value> {
    serde_json::from_str(line).ok()
}

fn text_field(value: &Value, name: &str) -> Option<String> {
    value.get(name).and_then(Value::as_str).map(str::to_owned).filter(|text| !text.is_empty())
}

/// Returns the moment of a line, in microseconds since 1970; 0 if it tells none.
fn moment_of(line: &Value) -> i64 {
    let stamp = line.get("timestamp").and_then(Value::as_str);
    let parsed = stamp.and_then(|stamp| stamp.parse::<jiff::Timestamp>().ok());
    parsed.map_or(0, jiff::Timestamp::as_microsecond)
}

/// Returns the text of a message, which is a string or a list of parts.
fn content_text(content: &Value, part_type: &str) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let is_text = |part: &&Value| part.get("type").is_some_and(|kind| kind == part_type);
            let texts = parts.iter().filter(is_text).filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns the text of a message, which is a string or a list of parts that may be text.
fn content_parts(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// Returns true if the client put a text into the conversation, not the user.
fn is_from_client(text: &str) -> bool {
    const STARTS: [&str; 10] = [
        "<command-name>",
        "<command-message>",
        "<local-command-",
        "<system-reminder>",
        "<environment_context>",
        "<session_context>",
        "<user_instructions>",
        "# AGENTS.md instructions",
        "Caveat: The messages below were generated",
        "[Request interrupted by user",
    ];
    STARTS.iter().any(|start| text.trim_start().starts_with(start))
}

#[cfg(test)]
#[path = "transcript_tests.rs"]
mod tests;
