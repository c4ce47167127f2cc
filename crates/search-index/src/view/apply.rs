//! Applying changes to the view: added, changed and removed memories.

use crate::fact_table::FactRow;
use crate::postings::MergeTrigger;
use crate::{DocId, IndexEntry, IndexField, View};
use model::{EntityId, MemoryId, Seq, VectorModel};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Number of entries applied between two checks whether compaction is due. A bulk load would
/// otherwise grow the mutable part of the postings without bound.
const COMPACT_CHECK_INTERVAL: usize = 1_024;

impl View {
    /// Adds or replaces memories, removes others, and records `seq` as the last change applied. A
    /// memory that is both an entry and a removal is removed.
    pub fn apply<'a>(
        &mut self,
        entries: impl IntoIterator<Item = IndexEntry<'a>>,
        removals: impl IntoIterator<Item = MemoryId>,
        seq: Seq,
    ) {
        let mut count = 0;
        for entry in entries {
            self.upsert(&entry);
            count += 1;
            if count % COMPACT_CHECK_INTERVAL == 0 {
                self.compact_if_worthwhile(MergeTrigger::BulkLoad);
            }
        }
        removals.into_iter().for_each(|id| self.remove(id));
        // So many entries are a page of a bulk load, and the next page may follow.
        let is_page = count >= COMPACT_CHECK_INTERVAL;
        let trigger = if is_page { MergeTrigger::BulkLoad } else { MergeTrigger::Changes };
        self.compact_if_worthwhile(trigger);
        self.seq = seq;
    }

    fn upsert(&mut self, entry: &IndexEntry<'_>) {
        // The digests tell `replace` whether texts or vectors changed at all.
        let mut row = FactRow::from_facts(&entry.facts, &mut self.names);
        row.texts = digest_texts(entry);
        row.vectors = xxh3_64(vector_bytes(self.model.as_ref(), entry));
        let doc = match self.doc(entry.facts.id) {
            Some(doc) => self.replace(doc, row, entry),
            None => self.add(row, entry),
        };
        if let Some(weighed) = self.weighted_lengths.get_mut() {
            weighed.set(doc, &self.columns.table.lengths[doc.index()]);
        }
        let tags: Vec<u32> = entry.tags.iter().map(|tag| self.names.intern(tag)).collect();
        let entities: Vec<i64> = entry.entities.iter().map(|entity| entity.0).collect();
        self.has_garbage |= self.tags.set(doc, &tags);
        self.has_garbage |= self.entities.set(doc, &entities);
        self.has_garbage |= self.links.set(doc, entry.facts.id, &entry.links);
        if let Some(key) = self.columns.session_key(doc) {
            self.sessions.insert(key, doc, (&self.by_id, &self.columns));
        }
    }

    fn add(&mut self, mut row: FactRow, entry: &IndexEntry<'_>) -> DocId {
        let doc = DocId(self.columns.slot_count() as u32);
        row.lengths = self.index_texts(doc, entry);
        self.vectors.set(doc, vector_bytes(self.model.as_ref(), entry));
        self.by_id.insert(row.id, doc);
        self.columns.push(row)
    }

    fn replace(&mut self, doc: DocId, mut row: FactRow, entry: &IndexEntry<'_>) -> DocId {
        if let Some(key) = self.columns.session_key(doc) {
            self.sessions.remove(key, doc);
        }
        // Most changes concern a status or a counter, so only what differs is indexed again.
        let before = self.columns.table.row(doc);
        row.lengths = before.lengths;
        if before.texts != row.texts {
            row.lengths = self.index_texts(doc, entry);
        }
        if before.vectors != row.vectors {
            self.vectors.set(doc, vector_bytes(self.model.as_ref(), entry));
        }
        let parts = |row: &FactRow| (row.texts, row.vectors, row.names());
        self.has_garbage |= parts(&before) != parts(&row);
        self.columns.set(doc, row);
        doc
    }

    fn index_texts(&mut self, doc: DocId, entry: &IndexEntry<'_>) -> [u16; IndexField::COUNT] {
        let indexed = self.postings.insert(doc, &entry.texts, &entity_keys(entry));
        self.has_garbage |= self.pairs.set(doc, &indexed.bigrams);
        indexed.lengths
    }

    fn remove(&mut self, id: MemoryId) {
        let Some(doc) = self.doc(id) else { return };
        // A forgotten memory must not be named by the links of others either.
        for source in self.links.possible_sources(id) {
            if let Some(source) = self.doc(source) {
                self.links.unlink(source, id);
            }
        }
        if let Some(key) = self.columns.session_key(doc) {
            self.sessions.remove(key, doc);
        }
        self.links.set(doc, id, &[]);
        self.tags.set(doc, &[]);
        self.entities.set(doc, &[]);
        self.pairs.set(doc, &[]);
        self.postings.remove(doc);
        self.vectors.remove(doc);
        self.columns.remove(doc);
        self.by_id.remove(id.0);
        self.has_garbage = true;
    }
}

/// Returns the posting-list key for the mentions of an entity. It starts with a NUL character,
/// which the tokeniser never emits.
pub(super) fn entity_key(entity: EntityId) -> String {
    format!("\0{entity}")
}

fn entity_keys(entry: &IndexEntry<'_>) -> Vec<String> {
    entry.entities.iter().map(|&entity| entity_key(entity)).collect()
}

fn digest_texts(entry: &IndexEntry<'_>) -> u64 {
    let mut digest = Xxh3::new();
    // The counts and lengths keep apart what would otherwise be the same bytes: a word that moved
    // from one text to the next.
    digest.update(&(entry.texts.len() as u64).to_le_bytes());
    for &(field, text) in &entry.texts {
        digest.update(&[field as u8]);
        digest.update(&(text.len() as u64).to_le_bytes());
        digest.update(text.as_bytes());
    }
    entry.entities.iter().for_each(|entity| digest.update(&entity.0.to_le_bytes()));
    digest.digest()
}

/// Returns the stored vectors of an entry, if they are of the view's model.
fn vector_bytes<'a>(model: Option<&VectorModel>, entry: &IndexEntry<'a>) -> &'a [u8] {
    entry.vector.filter(|vector| Some(&vector.model) == model).map_or(&[], |vector| &vector.data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DocFacts;
    use model::Moment;

    fn digest(texts: &[(IndexField, &str)], entities: &[i64]) -> u64 {
        let mut entry = IndexEntry::new(DocFacts::note(MemoryId(1), Moment(0)));
        entry.texts = texts.to_vec();
        entry.entities = entities.iter().map(|&id| EntityId(id)).collect();
        digest_texts(&entry)
    }

    #[test]
    fn the_digest_of_the_texts_depends_on_fields_boundaries_and_entities() {
        use IndexField::{Text, Title};
        let digests = [
            digest(&[], &[]),
            digest(&[(Text, "")], &[]),
            digest(&[(Text, "abc")], &[]),
            digest(&[(Title, "abc")], &[]),
            digest(&[(Text, "ab"), (Text, "c")], &[]),
            digest(&[(Text, "a"), (Text, "bc")], &[]),
            digest(&[(Text, "abc")], &[7]),
            digest(&[(Text, "abc")], &[8]),
        ];
        for (nth, one) in digests.iter().enumerate() {
            assert!(!digests[..nth].contains(one), "{nth}");
        }
        assert_eq!(digest(&[(Text, "abc")], &[7]), digests[6]);
    }
}
