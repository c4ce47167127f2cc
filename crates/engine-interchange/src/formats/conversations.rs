//! Data exports of Claude and ChatGPT: conversations become sessions with their turns as
//! transcripts, which an ordinary recall weighs below statements; the memory that Claude keeps of a
//! person becomes memories.

use super::field_values::{moment, moment_of, rows, text};
use super::markdown_list::MarkdownList;
use crate::foreign::{
    ForeignItems, ForeignMemory, ForeignNote, ItemList, UnknownFormat, VaultFile,
};
use engine::transcripts::COLLECTION;
use model::{JsonMap, Moment, Provenance};
use serde_json::{Value, json};

/// Maximum length of an answer that is kept, in characters: what the person said matters more.
const ANSWER_CHARS: usize = 2_000;
/// Maximum length of a person's words, in characters.
const WORDS_CHARS: usize = 12_000;

/// Conversations and memories of an export.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct ConversationExport {
    conversations: Vec<JsonMap>,
    /// Texts in Markdown, with the name of their source.
    memories: Vec<(String, String)>,
}

/// One message of a conversation.
struct ConversationTurn {
    id: String,
    is_person: bool,
    text: String,
    at: Option<Moment>,
}

impl ConversationExport {
    /// Returns the content of the files of an export.
    ///
    /// # Errors
    /// Fails when a file is not JSON.
    pub fn from_files(files: &[VaultFile]) -> Result<Self, UnknownFormat> {
        let mut all = Self::default();
        for file in files.iter().filter(|file| file.path.ends_with(".json")) {
            let document: Value = serde_json::from_str(&file.text)
                .map_err(|error| UnknownFormat(format!("{}: not JSON: {error}", file.path)))?;
            if let Some(found) = Self::from_document(&document) {
                all.conversations.extend(found.conversations);
                all.memories.extend(found.memories);
            }
        }
        Ok(all)
    }

    /// Returns the content of one file of an export.
    pub fn from_document(document: &Value) -> Option<Self> {
        let listed = document.as_array()?.iter().filter_map(Value::as_object);
        let is_conversation =
            |row: &&JsonMap| row.contains_key("chat_messages") || row.contains_key("mapping");
        let conversations: Vec<JsonMap> = listed.clone().filter(is_conversation).cloned().collect();
        let memories: Vec<(String, String)> = listed.flat_map(memory_texts).collect();
        let found = !conversations.is_empty() || !memories.is_empty();
        found.then_some(Self { conversations, memories })
    }
}

/// Returns the texts of Claude's memory of a person and of projects.
fn memory_texts(row: &JsonMap) -> Vec<(String, String)> {
    let own = text(row, &["conversations_memory"]).map(|text| ("memory".to_owned(), text));
    let projects = row.get("project_memories").and_then(Value::as_object);
    let projects = projects.into_iter().flatten();
    let projects = projects.filter_map(|(id, text)| Some((id.clone(), text.as_str()?.to_owned())));
    own.into_iter().chain(projects).collect()
}

impl ForeignMemory for ConversationExport {
    fn program(&self) -> &'static str {
        let is_chatgpt = self.conversations.iter().any(|row| row.contains_key("mapping"));
        if is_chatgpt { "ChatGPT" } else { "Claude" }
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        let agent = self.program().to_lowercase();
        for (name, text) in &self.memories {
            let note = ForeignNote { agent: Some(agent.clone()), ..ForeignNote::default() };
            MarkdownList::new(name, text.clone()).add_to(&mut items, &note);
        }
        self.conversations.iter().for_each(|row| add_conversation(&mut items, row, &agent));
        items.finish()
    }
}

fn add_conversation(items: &mut ItemList, row: &JsonMap, agent: &str) {
    let turns = if row.contains_key("mapping") { chatgpt_turns(row) } else { claude_turns(row) };
    let id = text(row, &["uuid", "conversation_id", "id"]);
    let title = text(row, &["name", "title"]);
    let Some(id) = id.filter(|_| !turns.is_empty()) else { return };
    let started = moment(row, &["created_at", "create_time"]);
    let session = items.session(&format!("{agent}:{id}"), started, title.as_deref());
    for turn in turns {
        let limit = if turn.is_person { WORDS_CHARS } else { ANSWER_CHARS };
        let kept: String = turn.text.chars().take(limit).collect();
        let mut metadata = JsonMap::new();
        metadata.insert("turn".to_owned(), turn.id.as_str().into());
        let speaker = if turn.is_person { "user" } else { "assistant" };
        metadata.insert("speaker".to_owned(), speaker.into());
        if kept.len() < turn.text.len() {
            metadata.insert("cut".to_owned(), json!(true));
        }
        items.add(ForeignNote {
            name: format!("turn {}", turn.id),
            text: kept,
            kind: Some("turn".to_owned()),
            collection: Some(COLLECTION.to_owned()),
            agent: Some(agent.to_owned()),
            at: turn.at.or(started),
            session: Some(session),
            priority: Some(5),
            metadata,
            ..ForeignNote::default()
        });
    }
}

/// Returns the messages of a conversation with Claude.
fn claude_turns(row: &JsonMap) -> Vec<ConversationTurn> {
    let message = |message: JsonMap| {
        let parts = rows(&message, "content");
        let said: Vec<String> = parts.iter().filter_map(|part| text(part, &["text"])).collect();
        let words = text(&message, &["text"]).or((!said.is_empty()).then(|| said.join("\n")))?;
        Some(ConversationTurn {
            id: text(&message, &["uuid"])?,
            is_person: text(&message, &["sender"]).as_deref() == Some("human"),
            text: words,
            at: moment(&message, &["created_at"]),
        })
    };
    rows(row, "chat_messages").into_iter().filter_map(message).collect()
}

/// Returns the messages of a conversation with ChatGPT, along the branch that was last shown.
fn chatgpt_turns(row: &JsonMap) -> Vec<ConversationTurn> {
    let Some(nodes) = row.get("mapping").and_then(Value::as_object) else { return Vec::new() };
    let mut turns = Vec::new();
    let mut at = text(row, &["current_node"]);
    // A file may have a cycle; a branch has no more nodes than there are.
    for _ in 0..nodes.len() {
        let Some(node) = at.and_then(|id| nodes.get(&id)) else { break };
        turns.extend(chatgpt_turn(node));
        at = node.get("parent").and_then(Value::as_str).map(str::to_owned);
    }
    turns.reverse();
    turns
}

fn chatgpt_turn(node: &Value) -> Option<ConversationTurn> {
    let message = node.get("message")?;
    let role = message.pointer("/author/role").and_then(Value::as_str)?;
    let parts = message.pointer("/content/parts").and_then(Value::as_array)?;
    let said: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
    let words = said.join("\n").trim().to_owned();
    let is_said = matches!(role, "user" | "assistant") && !words.is_empty();
    is_said.then(|| ConversationTurn {
        id: message.get("id").and_then(Value::as_str).unwrap_or_default().to_owned(),
        is_person: role == "user",
        text: words,
        at: message.get("create_time").and_then(moment_of),
    })
}
