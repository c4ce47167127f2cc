//! Remakes the memories of the profile's values within a batch, so that recall and the graph say
//! what the profile says.

use super::leaves::{ProfileLeaf, ProfileLeaves};
use super::reconcile::{LeafChanges, reconcile};
use super::{COLLECTION, PROFILE_FIELD, PROFILE_SUBJECT, profile_fields};
use crate::relations::plan_relations;
use engine_core::call::Call;
use engine_core::embedding::Embeddable;
use engine_core::plan::BatchPlan;
use model::{
    Failure, JsonMap, Kind, Memory, MemoryId, NewMemory, Page, ProfileVersion, Provenance, Status,
    StoredVectors, limits, paths_overlap,
};
use std::collections::{BTreeSet, HashMap};
use store::{AddMemory, Change, MemoryEdit, MemoryQuery, OnDuplicate, OnForgotten, Ref};

/// The profile after a batch, and what is known of how it came about.
pub(super) struct ProfileState<'p> {
    pub profile: &'p JsonMap,
    /// Fields that the batch changes.
    pub changed: &'p [String],
    /// Versions before the batch, newest first.
    pub history: &'p [ProfileVersion],
    /// Memories that the batch forgets after these changes.
    pub forgotten: &'p BTreeSet<MemoryId>,
}

impl ProfileState<'_> {
    /// Adds the changes that make the memories say what the profile says. Returns the leaves.
    pub async fn plan(
        &self,
        call: &Call<'_>,
        plan: &mut BatchPlan,
    ) -> Result<ProfileLeaves, Failure> {
        let leaves = ProfileLeaves::read(self.profile);
        let mut stored = current_memories(call, plan).await?;
        stored.retain(|memory| !self.forgotten.contains(&memory.id));
        let changes = reconcile(&stored, &leaves.leaves, self.profile, self.changed);
        self.plan_changes(call, plan, &changes).await?;
        Ok(leaves)
    }

    async fn plan_changes(
        &self,
        call: &Call<'_>,
        plan: &mut BatchPlan,
        changes: &LeafChanges<'_>,
    ) -> Result<(), Failure> {
        let mut vectors = vectors_of(call, changes).await.into_iter();
        for (leaf, replaced) in &changes.added {
            let add = self.addition(call, leaf, vectors.next())?;
            let place = plan.push(Change::AddMemory(Box::new(add)));
            for old in replaced {
                plan.push(Change::Supersede { old: *old, new: Ref::ResultOf(place) });
            }
            plan_relations(call, plan, place, &leaf.relations).await?;
        }
        for (memory, leaf) in &changes.moved {
            let metadata = Some(with_place(memory.metadata.clone(), leaf));
            let edit = Box::new(MemoryEdit { metadata, ..MemoryEdit::default() });
            plan.push(Change::EditMemory { memory: memory.id, edit });
        }
        for (old, new) in &changes.replaced {
            plan.push(Change::Supersede { old: *old, new: Ref::Id(*new) });
        }
        for memory in &changes.retired {
            plan.push(Change::SetStatus { memory: Ref::Id(*memory), status: Status::Retired });
        }
        Ok(())
    }

    fn addition(
        &self,
        call: &Call<'_>,
        leaf: &ProfileLeaf,
        vector: Option<StoredVectors>,
    ) -> Result<AddMemory, Failure> {
        let mut memory = NewMemory::note(leaf.text.clone(), self.writer_of(call, &leaf.path));
        memory.kind = Kind::new("fact")?;
        memory.collection = COLLECTION.to_owned();
        memory.metadata = with_place(JsonMap::new(), leaf);
        Ok(AddMemory {
            memory,
            session: None,
            vector,
            // Two values may read the same; each has a memory of its own.
            on_duplicate: OnDuplicate::Insert,
            // A field is set on purpose, so a text that was once forgotten is allowed again.
            on_forgotten: OnForgotten::Allow,
        })
    }

    /// Returns the provenance of a value: the last writer of its field.
    fn writer_of(&self, call: &Call<'_>, path: &str) -> Provenance {
        let wrote = |changed: &[String]| changed.iter().any(|field| paths_overlap(field, path));
        let last = self.history.iter().find(|version| wrote(&version.changed));
        match last.or(self.history.last()).filter(|_| !wrote(self.changed)) {
            Some(version) => version.provenance.clone(),
            None => call.provenance(call.caller.origin()),
        }
    }
}

fn with_place(mut metadata: JsonMap, leaf: &ProfileLeaf) -> JsonMap {
    metadata.insert(PROFILE_FIELD.to_owned(), leaf.path.as_str().into());
    metadata.remove(PROFILE_SUBJECT);
    metadata.extend(
        leaf.subject.as_ref().map(|name| (PROFILE_SUBJECT.to_owned(), name.as_str().into())),
    );
    metadata
}

/// Returns the vectors of the added values; none when the embedder failed.
async fn vectors_of(call: &Call<'_>, changes: &LeafChanges<'_>) -> Vec<StoredVectors> {
    let texts: Vec<Embeddable> = changes
        .added
        .iter()
        .map(|(leaf, _)| Embeddable::memory(&JsonMap::new(), None, &leaf.text))
        .collect();
    if texts.is_empty() {
        return Vec::new();
    }
    call.core.vectors_of(texts).await.unwrap_or_default()
}

/// Returns the memories of the profile's fields that are active after the changes of a batch so
/// far.
pub(super) async fn current_memories(
    call: &Call<'_>,
    plan: &BatchPlan,
) -> Result<Vec<Memory>, Failure> {
    let query = MemoryQuery {
        collection: Some(COLLECTION.to_owned()),
        statuses: vec![Status::Active],
        ..MemoryQuery::default()
    };
    let mut memories = memories_of(call, &query).await?;
    let statuses = planned_statuses(plan);
    memories.retain(|memory| !statuses.contains_key(&memory.id));
    let active: Vec<MemoryId> = statuses
        .into_iter()
        .filter_map(|(id, status)| (status == Status::Active).then_some(id))
        .collect();
    let revived = call.memories_unchecked(&active).await?;
    memories.extend(revived.into_iter().filter(|memory| memory.collection == COLLECTION));
    memories.retain(|memory| profile_fields(memory).next().is_some());
    Ok(memories)
}

/// Returns every memory that matches.
pub(super) async fn memories_of(
    call: &Call<'_>,
    query: &MemoryQuery,
) -> Result<Vec<Memory>, Failure> {
    let (mut memories, mut page) = (Vec::new(), Page::first(limits::PAGE_ITEMS));
    loop {
        let listed = call.store().list_memories(query, page).await?;
        page.offset += listed.items.len();
        let last = listed.items.is_empty() || page.offset >= listed.total;
        memories.extend(listed.items);
        if last {
            return Ok(memories);
        }
    }
}

/// Returns the statuses that a batch gives to existing memories.
fn planned_statuses(plan: &BatchPlan) -> HashMap<MemoryId, Status> {
    let mut statuses = HashMap::new();
    for change in &plan.changes {
        match change {
            Change::SetStatus { memory: Ref::Id(id), status }
            | Change::RestoreStatus { memory: id, status, .. } => {
                statuses.insert(*id, *status);
            }
            Change::Supersede { old, .. } => {
                statuses.insert(*old, Status::Superseded);
            }
            _ => {}
        }
    }
    statuses
}
