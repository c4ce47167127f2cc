//! A list of items under construction, for readers of formats: memories with their sessions,
//! entities, links and relations, each text once.

use super::ForeignItems;
use crate::foreign_memory::{foreign_memory, memory_item};
use crate::transfer::TransferItem;
use engine::{AttributedRelation, ImportedItem};
use model::{
    AgentName, Author, ContentHash, Entity, EntityId, JsonMap, Kind, Link, LinkKind, Memory,
    MemoryId, Mention, Moment, Provenance, Relation, RelationId, Session, SessionId, limits,
};
use std::collections::{HashMap, HashSet};

/// Reader that found the mentions, as it is stored.
const MENTION_SOURCE: &str = "import";

/// A note of another program, with defaults for what it does not say.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForeignNote {
    /// Name in messages.
    pub name: String,
    pub text: String,
    pub title: Option<String>,
    pub kind: Option<String>,
    pub tags: Vec<String>,
    pub project: Option<String>,
    pub collection: Option<String>,
    pub agent: Option<String>,
    pub at: Option<Moment>,
    pub updated: Option<Moment>,
    /// End of validity.
    pub until: Option<Moment>,
    pub session: Option<SessionId>,
    pub confidence: Option<f32>,
    pub priority: Option<u8>,
    pub metadata: JsonMap,
}

/// Items under construction.
#[derive(Debug)]
pub(crate) struct ItemList {
    from: Provenance,
    sessions: Vec<Session>,
    entities: Vec<Entity>,
    /// Entities by name in lower case.
    entity_ids: HashMap<String, EntityId>,
    memories: Vec<(Memory, Vec<Mention>)>,
    links: Vec<Link>,
    linked: HashSet<(MemoryId, MemoryId, LinkKind)>,
    relations: Vec<AttributedRelation>,
    seen: HashMap<(ContentHash, Option<String>, Option<SessionId>), MemoryId>,
    found: ForeignItems,
}

impl ItemList {
    /// Creates an empty list; what names no author or time is of `from`.
    pub fn new(from: &Provenance) -> Self {
        Self {
            from: from.clone(),
            sessions: Vec::new(),
            entities: Vec::new(),
            entity_ids: HashMap::new(),
            memories: Vec::new(),
            links: Vec::new(),
            linked: HashSet::new(),
            relations: Vec::new(),
            seen: HashMap::new(),
            found: ForeignItems::default(),
        }
    }

    /// Adds a note and returns its memory. A text that was added before gives that memory, an empty
    /// one none; a text that is too long for a memory becomes a document.
    pub fn add(&mut self, note: ForeignNote) -> Option<MemoryId> {
        let text = note.text.trim().to_owned();
        if text.is_empty() {
            return None;
        }
        if text.len() > limits::TEXT_BYTES {
            self.add_document(note, text);
            return None;
        }
        let key = (ContentHash::of_text(&text), note.project.clone(), note.session);
        if let Some(known) = self.seen.get(&key) {
            self.found.repeated += 1;
            return Some(*known);
        }
        let id = MemoryId(self.memories.len() as i64 + 1);
        self.seen.insert(key, id);
        let memory = self.memory(id, text, note);
        self.memories.push((memory, Vec::new()));
        Some(id)
    }

    fn add_document(&mut self, note: ForeignNote, text: String) {
        let name = note.title.unwrap_or(note.name);
        let path = format!("imported/{}.md", file_name(&name));
        self.found.documents.push(super::VaultFile { path, text });
    }

    fn memory(&self, id: MemoryId, text: String, note: ForeignNote) -> Memory {
        let at = note.at.filter(|at| *at <= self.from.at).unwrap_or(self.from.at);
        let agent =
            note.agent.map_or_else(|| self.from.author.agent.clone(), |name| AgentName::new(&name));
        let author = Author { agent, ..self.from.author.clone() };
        let from = Provenance { author, at, ..self.from.clone() };
        let mut memory = foreign_memory(id, text, at, &from);
        memory.title = note.title.and_then(|title| short(&title, limits::TITLE_CHARS));
        memory.kind = note.kind.and_then(|kind| Kind::new(&kind).ok()).unwrap_or_else(Kind::note);
        memory.tags = tags(note.tags);
        memory.project = note.project.and_then(|project| short(&project, limits::NAME_CHARS));
        memory.collection = note.collection.unwrap_or(memory.collection);
        memory.updated_at = note.updated.filter(|updated| *updated >= at).unwrap_or(at);
        memory.valid_to = note.until.filter(|until| *until > at);
        memory.session = note.session;
        memory.confidence = note.confidence.unwrap_or(memory.confidence).clamp(0.0, 1.0);
        memory.priority = note.priority.unwrap_or(memory.priority).clamp(1, 5);
        memory.metadata = note.metadata;
        memory
    }

    /// Records something that is not imported.
    pub fn skip(&mut self, name: impl Into<String>, why: impl Into<String>) {
        self.found.skipped.push((name.into(), why.into()));
    }

    /// Returns the session with a key, which is added when it is new.
    pub fn session(&mut self, key: &str, at: Option<Moment>, title: Option<&str>) -> SessionId {
        let at = at.unwrap_or(self.from.at);
        if let Some(known) = self.sessions.iter_mut().find(|one| one.key.as_deref() == Some(key)) {
            known.started_at = known.started_at.min(at);
            return known.id;
        }
        let id = SessionId(self.sessions.len() as i64 + 1);
        let title = title.map(|title| ("title".to_owned(), title.into()));
        self.sessions.push(Session {
            id,
            key: Some(key.to_owned()),
            project: None,
            agent: self.from.author.agent.clone(),
            metadata: title.into_iter().collect(),
            started_at: at,
            ended_at: None,
            episode: None,
        });
        id
    }

    /// Returns the entity with a name, which is added when it is new.
    pub fn entity(&mut self, name: &str, kind: Option<&str>) -> Option<EntityId> {
        let name = short(name, limits::ENTITY_NAME_CHARS)?;
        let next = EntityId(self.entities.len() as i64 + 1);
        let id = *self.entity_ids.entry(name.to_lowercase()).or_insert(next);
        if id == next {
            let kind = kind.and_then(|kind| short(kind, limits::NAME_CHARS));
            self.entities.push(Entity {
                id,
                kind: kind.unwrap_or_else(|| "entity".to_owned()),
                name,
                aliases: Vec::new(),
                properties: JsonMap::new(),
                confidence: 1.0,
                mentions: 0,
                first_seen: self.from.at,
                last_seen: self.from.at,
            });
        }
        Some(id)
    }

    /// Records that a memory mentions an entity.
    pub fn mention(&mut self, memory: MemoryId, entity: EntityId) {
        // Ids count from 1 in the order of the lists.
        let named = self.entities.get(entity.0 as usize - 1);
        let found = self.memories.get_mut(memory.0 as usize - 1);
        if let (Some(named), Some((_, mentions))) = (named, found) {
            mentions.push(Mention {
                memory,
                entity,
                kind: named.kind.clone(),
                name: named.name.clone(),
                source: MENTION_SOURCE.to_owned(),
                path: None,
            });
        }
    }

    /// Adds a link between two memories, once.
    pub fn link(&mut self, source: MemoryId, target: MemoryId, kind: LinkKind) {
        if source != target && self.linked.insert((source, target, kind)) {
            let created_at = self.from.at;
            self.links.push(Link { source, target, kind, weight: 1.0, created_at });
        }
    }

    /// Adds a relation between two entities that a memory states.
    pub fn relate(&mut self, source: EntityId, kind: &str, target: EntityId, stated_in: MemoryId) {
        if source == target {
            return;
        }
        let relation = Relation {
            id: RelationId(0),
            source,
            target,
            kind: engine::canonical_relation(kind),
            weight: 1.0,
            confidence: 1.0,
            memory: Some(stated_in),
            properties: JsonMap::new(),
            first_seen: self.from.at,
            last_seen: self.from.at,
        };
        let stated_in = vec![stated_in];
        self.relations.push(AttributedRelation { relation, stated_in, unattached: false });
    }

    /// Returns the items in the order of an import.
    pub fn finish(self) -> ForeignItems {
        let mut items: Vec<TransferItem> = Vec::new();
        items.extend(self.sessions.into_iter().map(|one| ImportedItem::Session(one).into()));
        items.extend(self.entities.into_iter().map(|one| ImportedItem::Entity(one).into()));
        let memories = self.memories.into_iter();
        items.extend(memories.map(|(one, mentions)| memory_item(one, mentions).into()));
        items.extend(self.links.into_iter().map(|one| ImportedItem::Link(one).into()));
        let relations = self.relations.into_iter().map(Box::new);
        items.extend(relations.map(|one| ImportedItem::Relation(one).into()));
        ForeignItems { items, ..self.found }
    }
}

/// Returns a text of at most so many characters on one line; `None` when it is empty.
fn short(text: &str, chars_max: usize) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!line.is_empty()).then(|| line.chars().take(chars_max).collect())
}

fn tags(tags: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for tag in tags.iter().filter_map(|tag| short(tag.trim_start_matches('#'), limits::TAG_CHARS)) {
        if kept.len() < limits::TAGS && !kept.contains(&tag) {
            kept.push(tag);
        }
    }
    kept
}

/// Returns a name that is safe as the name of a document.
fn file_name(name: &str) -> String {
    let name = name.strip_suffix(".md").unwrap_or(name);
    let safe =
        name.chars().map(|c| if c.is_alphanumeric() || " -_.".contains(c) { c } else { '-' });
    let safe: String = safe.take(80).collect();
    let safe = safe.trim_matches(['.', ' ']).to_owned();
    if safe.is_empty() { "document".to_owned() } else { safe }
}
