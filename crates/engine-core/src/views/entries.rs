//! Index entries of memories: the texts by which a memory is found, and its attributes.

use crate::embedding::speaker;
use index::{DocFacts, IndexEntry, IndexField, OutgoingLink, View};
use model::{Memory, MemoryId, Seq};
use store::{Changes, ViewEntry};

/// Changes of the store, prepared for the view.
pub(super) struct ChangeEntries {
    entries: Vec<(ViewEntry, DerivedTexts)>,
    removed: Vec<MemoryId>,
    upto: Seq,
}

/// Searchable texts that are derived from a memory.
struct DerivedTexts {
    tags: String,
    context: String,
}

impl ChangeEntries {
    pub fn prepare(changes: Changes) -> Self {
        let entries = changes.entries.into_iter().map(|entry| {
            let words = DerivedTexts::derive(&entry.memory);
            (entry, words)
        });
        Self { entries: entries.collect(), removed: changes.removed, upto: changes.upto }
    }

    /// Returns the number of changed and removed memories.
    pub fn len(&self) -> usize {
        self.entries.len() + self.removed.len()
    }

    pub fn apply(&self, view: &mut View) {
        let entries = self.entries.iter().map(|(entry, words)| entry_of(entry, words));
        view.apply(entries, self.removed.iter().copied(), self.upto);
    }
}

impl DerivedTexts {
    fn derive(memory: &Memory) -> Self {
        let speaker = speaker(&memory.metadata).unwrap_or_default();
        // The date is searchable as words, so that "in May" finds what has no date in its text.
        let date = dates::date_words(memory.valid_from.0);
        let context = [speaker, date.as_str()]
            .into_iter()
            .chain(memory.applies_to.iter().map(String::as_str));
        Self { tags: memory.tags.join(" "), context: context.collect::<Vec<_>>().join(" ") }
    }
}

fn entry_of<'e>(entry: &'e ViewEntry, words: &'e DerivedTexts) -> IndexEntry<'e> {
    let memory = &entry.memory;
    let texts = [
        (IndexField::Title, memory.title.as_deref().unwrap_or("")),
        (IndexField::Text, memory.text.as_str()),
        (IndexField::Tags, words.tags.as_str()),
        (IndexField::Context, words.context.as_str()),
    ];
    IndexEntry {
        facts: facts_of(memory),
        texts: texts.into_iter().filter(|(_, text)| !text.is_empty()).collect(),
        tags: memory.tags.iter().map(String::as_str).collect(),
        entities: entry.entities.clone(),
        links: entry
            .links_out
            .iter()
            .map(|link| OutgoingLink { target: link.target, kind: link.kind, weight: link.weight })
            .collect(),
        vector: entry.vector.as_ref(),
    }
}

fn facts_of(memory: &Memory) -> DocFacts<'_> {
    DocFacts {
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
        question_share: reading::question_share(&memory.text),
        flags: memory.flags,
        accesses: memory.access.count,
    }
}
