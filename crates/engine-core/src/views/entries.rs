//! Index entries of memories: the texts by which a memory is found, and its attributes.

use crate::embedding::speaker;
use index::{Entry, Facts, Field, LinkOut, View};
use model::{Memory, MemoryId, Seq};
use store::{Changes, ViewEntry};

/// Changes of the store, prepared for the view.
pub(super) struct Entries {
    told: Vec<(ViewEntry, Words)>,
    removed: Vec<MemoryId>,
    upto: Seq,
}

/// Searchable texts that are derived from a memory.
struct Words {
    tags: String,
    context: String,
}

impl Entries {
    pub fn read(changes: Changes) -> Self {
        let told = changes.entries.into_iter().map(|entry| {
            let words = Words::of(&entry.memory);
            (entry, words)
        });
        Self { told: told.collect(), removed: changes.removed, upto: changes.upto }
    }

    /// Returns the number of changed and removed memories.
    pub fn len(&self) -> usize {
        self.told.len() + self.removed.len()
    }

    pub fn apply(&self, view: &mut View) {
        let entries = self.told.iter().map(|(entry, words)| entry_of(entry, words));
        view.apply(entries, self.removed.iter().copied(), self.upto);
    }
}

impl Words {
    fn of(memory: &Memory) -> Self {
        let speaker = speaker(&memory.metadata).unwrap_or_default();
        // The date is searchable as words, so that "in May" finds what has no date in its text.
        let date = dates::date_words(memory.valid_from.0);
        let context = [speaker, date.as_str()]
            .into_iter()
            .chain(memory.applies_to.iter().map(String::as_str));
        Self { tags: memory.tags.join(" "), context: context.collect::<Vec<_>>().join(" ") }
    }
}

fn entry_of<'e>(entry: &'e ViewEntry, words: &'e Words) -> Entry<'e> {
    let memory = &entry.memory;
    let texts = [
        (Field::Title, memory.title.as_deref().unwrap_or("")),
        (Field::Text, memory.text.as_str()),
        (Field::Tags, words.tags.as_str()),
        (Field::Context, words.context.as_str()),
    ];
    Entry {
        facts: facts_of(memory),
        texts: texts.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
        tags: memory.tags.iter().map(String::as_str).collect(),
        entities: entry.entities.clone(),
        links: entry
            .links_out
            .iter()
            .map(|link| LinkOut { target: link.target, kind: link.kind, weight: link.weight })
            .collect(),
        vector: entry.vector.as_ref(),
    }
}

fn facts_of(memory: &Memory) -> Facts<'_> {
    Facts {
        id: memory.id,
        kind: memory.kind.as_str(),
        collection: &memory.collection,
        table: memory.table(),
        project: memory.project.as_deref(),
        session: memory.session,
        agent: memory.provenance.author.agent.as_str(),
        speaker: speaker(&memory.metadata),
        status: memory.status,
        created_at: memory.provenance.at,
        valid_from: memory.valid_from,
        valid_to: memory.valid_to,
        ended_at: memory.ended_at,
        priority: memory.priority,
        confidence: memory.confidence,
        trust: memory.provenance.trust,
        asking: reading::asking(&memory.text),
        flags: memory.flags,
        accesses: memory.access.count,
    }
}
