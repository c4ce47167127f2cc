//! Import of code-memory: the rows of its SQLite file, of either version. Memories keep their
//! sessions, kinds, summaries, tags, priorities, metadata and times; entities, observations and
//! relations become the graph. Vectors and search indexes are made anew.

mod graph;

use crate::foreign::{ForeignItems, ForeignMemory};
use crate::foreign_memory::{foreign_memory, memory_item};
use crate::transfer::TransferItem;
use engine::ImportedItem;
use model::{
    AgentName, Author, Dialect, JsonMap, Kind, Memory, MemoryId, Moment, Provenance, Session,
    SessionId,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Name of the agent that the memories are attributed to; the file names none.
const AGENT: &str = "code-memory";

/// The rows of a file, by table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CodeMemoryTables {
    tables: BTreeMap<String, Vec<JsonMap>>,
}

impl CodeMemoryTables {
    /// Tables of both versions that are imported.
    pub const NAMES: [&'static str; 7] = [
        "memories",
        "graph_entities",
        "graph_observations",
        "graph_relations",
        "entities",
        "observations",
        "relations",
    ];

    /// Makes the tables of a file; `None` when it is none of code-memory.
    #[must_use]
    pub fn new(tables: BTreeMap<String, Vec<JsonMap>>) -> Option<Self> {
        let rows = tables.get("memories").or_else(|| tables.get("observations"))?;
        // Other programs, this one included, have tables of these names with other columns.
        rows.iter().all(|row| row.contains_key("content")).then_some(Self { tables })
    }

    fn rows(&self, table: &str) -> &[JsonMap] {
        self.tables.get(table).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns true for a file of the later version, which has a memory as an observation.
    fn is_later_version(&self) -> bool {
        !self.tables.contains_key("memories")
    }

    /// Returns the rows that are memories.
    fn memory_rows(&self) -> Vec<&JsonMap> {
        if !self.is_later_version() {
            return self.rows("memories").iter().collect();
        }
        let is_memory = |row: &&JsonMap| graph::is_memory_node(self, row);
        self.rows("observations").iter().filter(is_memory).collect()
    }

    /// Returns all items in the order of the import.
    fn items(&self, from: &Provenance) -> Vec<TransferItem> {
        let mut sessions: BTreeMap<&str, Session> = BTreeMap::new();
        let mut memories: Vec<TransferItem> = Vec::new();
        for row in self.memory_rows() {
            let at = moment(row, from);
            let number = SessionId(sessions.len() as i64 + 1);
            let session = text(row, "session_id").map(|key| {
                let session =
                    sessions.entry(key).or_insert_with(|| new_session(number, key, at, from));
                session.started_at = session.started_at.min(at);
                session.id
            });
            memories.extend(memory(row, session, from).map(|one| memory_item(one, vec![]).into()));
        }
        let sessions = sessions.into_values().map(|session| ImportedItem::Session(session).into());
        let graph = graph::items(self, from);
        sessions.chain(graph.entities).chain(memories).chain(graph.statements).collect()
    }
}

impl ForeignMemory for CodeMemoryTables {
    fn program(&self) -> &'static str {
        "code-memory"
    }

    // The scope of a session applies to what was stored through these tools, also elsewhere.
    fn author(&self, caller: &Author) -> Author {
        let agent = AgentName::new(AGENT);
        Author { agent, dialect: Dialect::CodeMemory, ..caller.clone() }
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        ForeignItems { items: self.items(from), ..ForeignItems::default() }
    }
}

fn new_session(id: SessionId, key: &str, at: Moment, from: &Provenance) -> Session {
    Session {
        id,
        key: Some(key.to_owned()),
        project: None,
        agent: from.author.agent.clone(),
        metadata: JsonMap::new(),
        started_at: at,
        ended_at: None,
        episode: None,
    }
}

fn memory(row: &JsonMap, session: Option<SessionId>, from: &Provenance) -> Option<Memory> {
    let at = moment(row, from);
    let from = Provenance { at, ..from.clone() };
    let kind = text(row, "kind").and_then(|kind| Kind::new(&kind.to_lowercase()).ok());
    let tags = text(row, "tags").unwrap_or_default().split(',').map(str::trim);
    let priority = row.get("priority").and_then(Value::as_i64).unwrap_or(3).clamp(1, 5);
    Some(Memory {
        kind: kind.unwrap_or_else(Kind::note),
        summary: text(row, "summary").map(str::to_owned),
        session,
        tags: tags.filter(|tag| !tag.is_empty()).map(str::to_owned).collect(),
        priority: u8::try_from(priority).unwrap_or(3),
        metadata: metadata(row),
        updated_at: at,
        ..foreign_memory(MemoryId(number(row, "id")?), text(row, "content")?.to_owned(), at, &from)
    })
}

/// Returns the metadata, which is JSON in a text.
fn metadata(row: &JsonMap) -> JsonMap {
    let parsed = text(row, "metadata").and_then(|text| serde_json::from_str(text).ok());
    match parsed {
        Some(Value::Object(fields)) => fields,
        _ => JsonMap::new(),
    }
}

/// Returns the time of a row, which is UTC without saying so.
fn moment(row: &JsonMap, from: &Provenance) -> Moment {
    let written = text(row, "created_at").map(|text| text.replacen(' ', "T", 1));
    written.and_then(|text| Moment::parse(&text).ok()).unwrap_or(from.at)
}

fn text<'r>(row: &'r JsonMap, name: &str) -> Option<&'r str> {
    row.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

fn number(row: &JsonMap, name: &str) -> Option<i64> {
    row.get(name).and_then(Value::as_i64)
}
