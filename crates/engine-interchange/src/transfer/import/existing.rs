//! Items that existed before an import, so that reading a file twice adds nothing. Sessions,
//! entities, observations, relations, links and tables are recognized by the store itself.

use super::id_map::IdMap;
use engine_core::Core;
use engine_core::call::Call;
use engine_core::derived::is_extract;
use model::{
    ContentHash, Failure, JsonMap, Memory, MemoryId, Moment, NewReference, OwnerId, Page, Record,
    ReviewItem, SessionId, changed_fields, limits, merge_patch,
};
use std::collections::{HashMap, HashSet};
use store::{ChangeResult, HandoffQuery, ImportedItem, MemoryQuery, MemorySort, ReviewQuery};

/// Items that existed before the import.
#[derive(Debug)]
pub(super) struct ExistingItems {
    /// Oldest first, with the start of their validity.
    memories: HashMap<MemoryKey, Vec<(Moment, MemoryId)>>,
    /// Extracts by session and time: their text changes with their sources.
    extracts: HashMap<(SessionId, Moment), MemoryId>,
    /// Ids of the memories that existed before.
    memory_ids: HashSet<MemoryId>,
    handoffs: HashSet<(Moment, ContentHash)>,
    reviews: HashSet<(Moment, ContentHash)>,
    documents: HashMap<String, ContentHash>,
    profile: Option<JsonMap>,
    /// Fields of the profile in which the file differs from what exists.
    pub differing_fields: Vec<String>,
    // The newest version of the file's profile comes first, and only that one is merged.
    merged: bool,
}

/// Text, collection and project of a memory.
type MemoryKey = (ContentHash, String, Option<String>);

fn memory_key(memory: &Memory) -> MemoryKey {
    (ContentHash::of_text(&memory.text), memory.collection.clone(), memory.project.clone())
}

impl ExistingItems {
    pub async fn load(core: &Core, owner: &OwnerId) -> Result<Self, Failure> {
        let store = core.store_of(owner);
        let mut known = Self {
            memories: HashMap::new(),
            extracts: HashMap::new(),
            memory_ids: HashSet::new(),
            handoffs: HashSet::new(),
            reviews: HashSet::new(),
            documents: HashMap::new(),
            profile: store.profile().await?.map(|profile| profile.data),
            differing_fields: Vec::new(),
            merged: false,
        };
        let oldest = MemoryQuery { sort: MemorySort::Oldest, ..MemoryQuery::default() };
        for at in (0..).step_by(limits::PAGE_ITEMS) {
            let page = Page { limit: limits::PAGE_ITEMS, offset: at };
            let memories = store.list_memories(&oldest, page).await?.items;
            let handoffs = store.handoffs(&HandoffQuery::default(), page).await?.items;
            let reviews = store.reviews(&ReviewQuery::default(), page).await?.items;
            let documents = store.references(page).await?.items;
            // Four lists are paged in step; the longest decides when to stop.
            if memories.is_empty()
                && handoffs.is_empty()
                && reviews.is_empty()
                && documents.is_empty()
            {
                break;
            }
            known.memory_ids.extend(memories.iter().map(|memory| memory.id));
            let extracts = memories.iter().filter(|memory| is_extract(memory));
            known.extracts.extend(
                extracts.filter_map(|memory| {
                    Some(((memory.session?, memory.provenance.at), memory.id))
                }),
            );
            for memory in &memories {
                let alike = known.memories.entry(memory_key(memory)).or_default();
                alike.push((memory.valid_from, memory.id));
            }
            known.handoffs.extend(
                handoffs.iter().map(|one| (one.created_at, ContentHash::of_text(&one.document))),
            );
            known.reviews.extend(reviews.iter().map(review_key));
            known.documents.extend(documents.into_iter().map(|one| (one.path, one.hash)));
        }
        Ok(known)
    }

    pub fn has_document(&self, document: &NewReference) -> bool {
        self.documents.get(&document.path) == Some(&document.hash)
    }

    /// Returns the existing counterpart of an item of the file.
    pub async fn counterpart(
        &self,
        call: &Call<'_>,
        item: &ImportedItem,
        numbers: &IdMap,
    ) -> Result<Option<ChangeResult>, Failure> {
        Ok(match item {
            ImportedItem::Memory(imported) => {
                let same = self.same_memory(&imported.memory);
                let same = same.or_else(|| self.same_extract(&imported.memory, numbers));
                same.map(ChangeResult::Duplicate)
            }
            ImportedItem::Handoff(handoff) => self
                .handoffs
                .contains(&(handoff.created_at, ContentHash::of_text(&handoff.document)))
                .then_some(ChangeResult::Done),
            ImportedItem::Review(item) => {
                self.reviews.contains(&review_key(item)).then_some(ChangeResult::Done)
            }
            ImportedItem::Record(record) => {
                self.has_record(call, record, numbers).await?.then_some(ChangeResult::Done)
            }
            ImportedItem::Profile(_) => {
                (self.profile.is_some() && self.merged).then_some(ChangeResult::Done)
            }
            ImportedItem::Link(link) => {
                // Two memories of the file may be one here; a memory is not linked to itself.
                let (source, target) = (numbers.memory(link.source), numbers.memory(link.target));
                (source.is_some() && source == target).then_some(ChangeResult::Done)
            }
            _ => None,
        })
    }

    /// Returns the existing memory with the text of one of the file. Rows are events: equal ones
    /// are the same only when they are of the same time.
    fn same_memory(&self, memory: &Memory) -> Option<MemoryId> {
        let alike = self.memories.get(&memory_key(memory))?;
        let same_time = alike.iter().find(|(from, _)| *from == memory.valid_from);
        let undated = memory.valid_from == memory.provenance.at;
        let any = alike.last().filter(|_| memory.table().is_none() || undated);
        same_time.or(any).map(|(_, id)| *id)
    }

    /// Returns the extract of the same end of the same session.
    fn same_extract(&self, memory: &Memory, numbers: &IdMap) -> Option<MemoryId> {
        let session = memory.session.and_then(|session| numbers.session(session))?;
        let same = self.extracts.get(&(session, memory.provenance.at)).copied();
        same.filter(|_| is_extract(memory))
    }

    /// Returns the fields of the file's profile that the existing profile lacks. Existing fields
    /// stay.
    pub fn missing_fields(&mut self, item: &ImportedItem) -> Option<JsonMap> {
        let (ImportedItem::Profile(version), Some(existing)) = (item, &self.profile) else {
            return None;
        };
        self.merged = true;
        let lacking = version.data.iter().filter(|(field, _)| !existing.contains_key(*field));
        let lacking: JsonMap =
            lacking.map(|(field, value)| (field.clone(), value.clone())).collect();
        self.differing_fields = changed_fields(&version.data, &merge_patch(existing, &lacking));
        Some(lacking)
    }

    /// Returns whether a row exists: with its memory, or without one by its id and fields.
    async fn has_record(
        &self,
        call: &Call<'_>,
        record: &Record,
        numbers: &IdMap,
    ) -> Result<bool, Failure> {
        let store = call.store();
        let Some(memory) = record.memory else {
            let existing = store.record(&record.table, record.id).await?;
            return Ok(existing.is_some_and(|existing| existing.data == record.data));
        };
        let Some(memory) = numbers.memory(memory).filter(|memory| self.memory_ids.contains(memory))
        else {
            return Ok(false);
        };
        let rows = store.records_of_memory(memory).await?;
        Ok(rows.iter().any(|row| row.table == record.table && row.data == record.data))
    }
}

fn review_key(item: &ReviewItem) -> (Moment, ContentHash) {
    let text = format!("{} {}", item.kind.name(), item.reason);
    (item.raised_at, ContentHash::of_bytes(text.as_bytes()))
}
