//! Items that existed before an import, so that reading a file twice adds nothing. Sessions,
//! entities, observations, relations, links and tables are recognized by the store itself.

use super::numbers::Numbers;
use engine_core::Core;
use engine_core::call::Call;
use model::{
    ContentHash, Failure, JsonMap, Memory, MemoryId, Moment, NewReference, OwnerId, Page, Record,
    ReviewItem, limits,
};
use std::collections::{HashMap, HashSet};
use store::{HandoffQuery, Kept, Made, MemoryQuery, ReviewQuery, Sort};

/// Items that existed before the import.
#[derive(Debug)]
pub(super) struct Known {
    memories: HashMap<Place, MemoryId>,
    /// Ids of the memories that existed before.
    older: HashSet<MemoryId>,
    handoffs: HashSet<(Moment, ContentHash)>,
    reviews: HashSet<(Moment, ContentHash)>,
    documents: HashMap<String, ContentHash>,
    profile: Option<JsonMap>,
    // The newest version of the file's profile comes first, and only that one is merged.
    merged: bool,
}

/// Text, collection and project of a memory.
type Place = (ContentHash, String, Option<String>);

fn place(memory: &Memory) -> Place {
    (ContentHash::of(&memory.text), memory.collection.clone(), memory.project.clone())
}

impl Known {
    pub async fn of(core: &Core, owner: &OwnerId) -> Result<Self, Failure> {
        let store = core.store_of(owner);
        let mut known = Self {
            memories: HashMap::new(),
            older: HashSet::new(),
            handoffs: HashSet::new(),
            reviews: HashSet::new(),
            documents: HashMap::new(),
            profile: store.profile().await?.map(|profile| profile.data),
            merged: false,
        };
        let oldest = MemoryQuery { sort: Sort::Oldest, ..MemoryQuery::default() };
        for at in (0..).step_by(limits::PAGE) {
            let page = Page { limit: limits::PAGE, offset: at };
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
            known.older.extend(memories.iter().map(|memory| memory.id));
            known.memories.extend(memories.iter().map(|memory| (place(memory), memory.id)));
            known.handoffs.extend(
                handoffs.iter().map(|one| (one.created_at, ContentHash::of(&one.document))),
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
    pub async fn there(
        &self,
        call: &Call<'_>,
        kept: &Kept,
        numbers: &Numbers,
    ) -> Result<Option<Made>, Failure> {
        Ok(match kept {
            Kept::Memory(kept) => {
                self.memories.get(&place(&kept.memory)).map(|id| Made::Duplicate(*id))
            }
            Kept::Handoff(handoff) => self
                .handoffs
                .contains(&(handoff.created_at, ContentHash::of(&handoff.document)))
                .then_some(Made::Nothing),
            Kept::Review(item) => self.reviews.contains(&review_key(item)).then_some(Made::Nothing),
            Kept::Record(record) => {
                self.has_record(call, record, numbers).await?.then_some(Made::Nothing)
            }
            Kept::Profile(_) => (self.profile.is_some() && self.merged).then_some(Made::Nothing),
            Kept::Link(link) => {
                // Two memories of the file may be one here; a memory is not linked to itself.
                let (source, target) = (numbers.memory(link.source), numbers.memory(link.target));
                (source.is_some() && source == target).then_some(Made::Nothing)
            }
            _ => None,
        })
    }

    /// Returns the fields of the file's profile that the existing profile lacks. Existing fields
    /// stay.
    pub fn lacking(&mut self, kept: &Kept) -> Option<JsonMap> {
        let (Kept::Profile(version), Some(here)) = (kept, &self.profile) else { return None };
        self.merged = true;
        let lacking = version.data.iter().filter(|(field, _)| !here.contains_key(*field));
        Some(lacking.map(|(field, value)| (field.clone(), value.clone())).collect())
    }

    /// Returns whether a row exists: with its memory, or without one by its id and fields.
    async fn has_record(
        &self,
        call: &Call<'_>,
        record: &Record,
        numbers: &Numbers,
    ) -> Result<bool, Failure> {
        let store = call.store();
        let Some(memory) = record.memory else {
            let there = store.record(&record.table, record.id).await?;
            return Ok(there.is_some_and(|there| there.data == record.data));
        };
        let Some(memory) = numbers.memory(memory).filter(|memory| self.older.contains(memory))
        else {
            return Ok(false);
        };
        let rows = store.records_of(memory).await?;
        Ok(rows.iter().any(|row| row.table == record.table && row.data == record.data))
    }
}

fn review_key(item: &ReviewItem) -> (Moment, ContentHash) {
    let told = format!("{} {}", item.kind.name(), item.reason);
    (item.raised_at, ContentHash::of_bytes(told.as_bytes()))
}
