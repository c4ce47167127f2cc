//! Conversion of the memories of a vault, with their flags and links.

use super::{LibrarianVault, confidence_in_words, moment, provenance, text, texts};
use crate::foreign_memory::{flagged_item, foreign_memory};
use crate::transfer::TransferItem;
use engine::ImportedItem;
use model::{
    AgentName, Flag, FlagId, JsonMap, Link, LinkKind, Memory, MemoryId, Moment, Provenance,
    ReviewId, ReviewItem, ReviewKind, ReviewState, Status, limits,
};
use serde_json::Value;
use std::collections::HashMap;

/// Metadata key under which the confidence is kept in words.
const CONFIDENCE_NOTE: &str = "confidence";

/// The converted memories.
pub(super) struct VaultMemories {
    pub items: Vec<TransferItem>,
    /// Paths of skipped files, with the reason.
    pub skipped: Vec<(String, String)>,
}

/// A memory of the vault with what refers to others.
struct VaultNote {
    memory: Memory,
    flags: Vec<Flag>,
    /// Id in the vault.
    key: String,
    supersedes: Vec<String>,
    conflicts_with: Vec<String>,
}

/// Converts all memories.
pub(super) fn convert(vault: &LibrarianVault, from: &Provenance) -> VaultMemories {
    let (mut notes, mut skipped) = (Vec::new(), Vec::new());
    for (path, file) in vault.notes("memories") {
        let id = MemoryId(notes.len() as i64 + 1);
        match note(id, &file.fields, file.body, from) {
            Ok(note) => notes.push(note),
            Err(why) => skipped.push((path.to_owned(), why.to_owned())),
        }
    }
    let links = links(&notes);
    for link in links.iter().filter(|link| link.kind == LinkKind::Supersedes) {
        end_superseded(&mut notes, link);
    }
    let reviews: Vec<TransferItem> = notes.iter().filter_map(review).map(Into::into).collect();
    let memories = notes.into_iter().map(|note| flagged_item(note.memory, note.flags).into());
    let links = links.into_iter().map(|link| ImportedItem::Link(link).into());
    VaultMemories { items: memories.chain(links).chain(reviews).collect(), skipped }
}

fn note(
    id: MemoryId,
    fields: &Value,
    body: String,
    from: &Provenance,
) -> Result<VaultNote, &'static str> {
    let created = moment(fields, "created_at").unwrap_or(from.at);
    let updated = moment(fields, "updated_at").unwrap_or(created);
    let status = match text(fields, "status").unwrap_or("active") {
        "active" => Status::Active,
        "archived" => Status::Retired,
        "proposed" => return Err("a proposal of the curator; approve it there first"),
        _ => return Err("its status is neither active nor archived"),
    };
    if body.is_empty() {
        return Err("it has no body");
    }
    let from = provenance(from, text(fields, "agent_id"), created);
    let confidence = text(fields, "confidence");
    let metadata = confidence.map(|note| (CONFIDENCE_NOTE.to_owned(), Value::from(note)));
    let flags = flags(id, fields, created);
    let mut memory = Memory {
        title: text(fields, "title").map(|title| title.chars().take(limits::TITLE_CHARS).collect()),
        tags: texts(fields, "tags"),
        applies_to: texts(fields, "applies_to"),
        metadata: metadata.into_iter().collect(),
        status,
        ended_at: (status != Status::Active).then_some(updated),
        flags: u32::try_from(flags.len()).unwrap_or(u32::MAX),
        updated_at: updated,
        ..foreign_memory(id, body, created, &from)
    };
    memory.confidence = confidence.and_then(confidence_in_words).unwrap_or(memory.confidence);
    let key = text(fields, "id").unwrap_or_default().to_owned();
    let (supersedes, conflicts_with) =
        (texts(fields, "supersedes"), texts(fields, "conflicts_with"));
    Ok(VaultNote { memory, flags, key, supersedes, conflicts_with })
}

/// Returns the open flags of a memory, newest first.
fn flags(memory: MemoryId, fields: &Value, created: Moment) -> Vec<Flag> {
    let listed = fields.get("flags").and_then(Value::as_array).into_iter().flatten();
    let mut flags: Vec<Flag> = listed
        .filter_map(|flag| {
            let reason = text(flag, "reason")?;
            Some(Flag {
                id: FlagId(0),
                memory,
                reason: reason.chars().take(limits::REASON_CHARS).collect(),
                by: AgentName::new(text(flag, "agent_id").unwrap_or("unknown-agent")),
                at: moment(flag, "created_at").unwrap_or(created),
                settled: false,
            })
        })
        .collect();
    flags.sort_by_key(|flag| std::cmp::Reverse(flag.at));
    flags
}

/// Returns the review item of a flagged memory.
fn review(note: &VaultNote) -> Option<ImportedItem> {
    let flag = note.flags.last().filter(|_| note.memory.status == Status::Active)?;
    Some(ImportedItem::Review(ReviewItem {
        id: ReviewId(note.memory.id.0),
        kind: ReviewKind::Flag,
        subject: Some(note.memory.id),
        against: None,
        reason: flag.reason.clone(),
        details: JsonMap::new(),
        raised_by: flag.by.clone(),
        raised_at: flag.at,
        state: ReviewState::Open,
    }))
}

/// Returns the links between the memories: those in the metadata, and `[[Title]]` and `[[id]]` in
/// their bodies.
fn links(notes: &[VaultNote]) -> Vec<Link> {
    let mut ids: HashMap<String, MemoryId> = HashMap::new();
    for note in notes {
        let title = note.memory.title.iter().map(|title| title.to_lowercase());
        for name in title.chain([note.key.to_lowercase()]).filter(|name| !name.is_empty()) {
            ids.entry(name).or_insert(note.memory.id);
        }
    }
    let mut found: Vec<Link> = Vec::new();
    for note in notes {
        let stated = [
            (LinkKind::Supersedes, note.supersedes.clone()),
            (LinkKind::Contradicts, note.conflicts_with.clone()),
            (LinkKind::RelatedTo, wiki_links(&note.memory.text)),
        ];
        for (kind, names) in stated {
            let targets = names.iter().filter_map(|name| ids.get(&name.to_lowercase()));
            for target in targets.filter(|target| **target != note.memory.id) {
                let link = Link {
                    source: note.memory.id,
                    target: *target,
                    kind,
                    weight: 1.0,
                    created_at: note.memory.updated_at,
                };
                if !found.contains(&link) {
                    found.push(link);
                }
            }
        }
    }
    found
}

/// Returns the targets of `[[target]]`, `[[target|shown]]` and `[[target#heading]]`.
fn wiki_links(body: &str) -> Vec<String> {
    let parts = body.split("[[").skip(1).filter_map(|part| part.split_once("]]"));
    let targets = parts.map(|(inner, _)| inner.split(['|', '#']).next().unwrap_or(inner).trim());
    targets.filter(|target| !target.is_empty()).map(str::to_owned).collect()
}

/// Ends a memory that another one of the vault replaces.
fn end_superseded(notes: &mut [VaultNote], link: &Link) {
    let since = notes
        .iter()
        .find(|note| note.memory.id == link.source)
        .map(|note| note.memory.provenance.at);
    let old = notes.iter_mut().find(|note| note.memory.id == link.target);
    if let (Some(old), Some(since)) = (old, since)
        && old.memory.status == Status::Active
    {
        old.memory.status = Status::Superseded;
        old.memory.ended_at = Some(since);
    }
}
