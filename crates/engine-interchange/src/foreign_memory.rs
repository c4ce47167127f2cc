//! Memories of other programs, as items of an import.

use engine::{ImportedItem, ImportedMemory};
use model::{
    AccessStats, Flag, JsonMap, Kind, Memory, MemoryId, Mention, Moment, NewMemory, Provenance,
    Status,
};

/// Returns an active note of a time, with defaults for everything that another program may lack.
pub(crate) fn foreign_memory(id: MemoryId, text: String, at: Moment, from: &Provenance) -> Memory {
    let new = NewMemory::note(text, from.clone());
    Memory {
        id,
        kind: Kind::note(),
        title: None,
        text: new.text,
        summary: None,
        collection: NewMemory::DEFAULT_COLLECTION.to_owned(),
        session: None,
        project: None,
        tags: Vec::new(),
        applies_to: Vec::new(),
        priority: new.priority,
        confidence: new.confidence,
        metadata: JsonMap::new(),
        provenance: from.clone(),
        valid_from: at,
        valid_to: None,
        status: Status::Active,
        ended_at: None,
        access: AccessStats::default(),
        flags: 0,
        updated_at: from.at,
    }
}

/// Returns the item of a memory with what it mentions.
pub(crate) fn memory_item(memory: Memory, mentions: Vec<Mention>) -> ImportedItem {
    let imported = ImportedMemory { memory, vector: None, flags: Vec::new(), mentions };
    ImportedItem::Memory(Box::new(imported))
}

/// Returns the item of a memory with its flags.
pub(crate) fn flagged_item(memory: Memory, flags: Vec<Flag>) -> ImportedItem {
    let imported = ImportedMemory { memory, vector: None, flags, mentions: Vec::new() };
    ImportedItem::Memory(Box::new(imported))
}
