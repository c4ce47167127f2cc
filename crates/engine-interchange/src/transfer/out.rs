//! Export of everything an owner has, some items at a time. Vectors are left out, since they are
//! computed again; so are grants, keys and the audit log, which belong to this store.

use super::Item;
use crate::Transfer;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    EntityId, Failure, Listing, MemoryId, NewReference, OwnerId, Page, Permission, RecordId,
    ReferenceId, RelationId,
};
use std::collections::VecDeque;
use store::{HandoffQuery, Kept, KeptMemory, MemoryQuery, ReviewQuery, Sort};

/// Number of items read at a time.
const AT_ONCE: usize = 200;

/// State of an export.
#[derive(Debug)]
pub struct Export {
    stages: VecDeque<Stage>,
    memories: Vec<MemoryId>,
    entities: Vec<EntityId>,
    /// Number of items exported so far.
    pub done: usize,
    /// Estimated number of all items.
    pub total: usize,
}

/// Position within a kind of item.
#[derive(Debug, Clone)]
enum Stage {
    Sessions(usize),
    Entities(EntityId),
    Memories(usize),
    Links(usize),
    Observations(usize),
    Relations(RelationId),
    Tables,
    Records(String, RecordId),
    Profile(usize),
    Handoffs(usize),
    References(usize),
    Reviews,
}

impl Transfer<'_> {
    /// Begins an export of everything.
    ///
    /// # Errors
    /// `consent_required` when the caller is not the owner; when the store cannot be read.
    pub async fn open_export(self, caller: &Caller) -> Result<Export, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Administration, Permission::Read, &()).await?;
        let counts = call.store().counts().await?;
        // Logged before the first item leaves, so that an interrupted export is in the log too.
        call.note_done("started an export of everything").await?;
        let memories: usize = counts.memories.iter().map(|(_, count)| count).sum();
        let told = counts.observations + counts.relations + counts.records;
        let rest = counts.handoffs + counts.references + counts.reviews_open;
        let stages = [
            Stage::Sessions(0),
            Stage::Entities(EntityId(0)),
            Stage::Memories(0),
            Stage::Links(0),
            Stage::Observations(0),
            Stage::Relations(RelationId(0)),
            Stage::Tables,
            Stage::Profile(0),
            Stage::Handoffs(0),
            Stage::References(0),
            Stage::Reviews,
        ];
        Ok(Export {
            stages: stages.into(),
            memories: Vec::with_capacity(memories),
            entities: Vec::with_capacity(counts.entities),
            done: 0,
            total: counts.sessions + counts.entities + memories + counts.links + told + rest,
        })
    }

    /// Returns the next items; `None` when everything was exported.
    ///
    /// # Errors
    /// Fails when the caller is not the owner, or the store cannot be read.
    pub async fn export_more(
        self,
        caller: &Caller,
        export: &mut Export,
    ) -> Result<Option<Vec<Item>>, Failure> {
        Call::begin(self.core, caller, Resource::Administration, Permission::Read, &()).await?;
        while let Some(stage) = export.stages.pop_front() {
            let items = self.stage(&caller.owner, export, stage).await?;
            if !items.is_empty() {
                export.done += items.len();
                // The store may grow during an export; progress must not exceed 100%.
                export.total = export.total.max(export.done);
                return Ok(Some(items));
            }
        }
        Ok(None)
    }

    /// Runs a stage once. One that returned items is queued again until it returns none.
    async fn stage(
        self,
        owner: &OwnerId,
        export: &mut Export,
        stage: Stage,
    ) -> Result<Vec<Item>, Failure> {
        let store = self.core.store_of(owner);
        let (items, next) = match stage {
            Stage::Sessions(at) => {
                let some = store.sessions(page(at)).await?;
                paged(some, at, Kept::Session, Stage::Sessions)
            }
            Stage::Entities(after) => self.entity_stage(owner, export, after).await?,
            Stage::Memories(at) => self.memory_stage(owner, export, at).await?,
            Stage::Links(at) => self.link_stage(owner, export, at).await?,
            Stage::Observations(at) => self.observation_stage(owner, export, at).await?,
            Stage::Relations(after) => {
                let some = store.relations_after(after, AT_ONCE).await?;
                let next = some.last().map(|last| Stage::Relations(last.relation.id));
                (some.into_iter().map(|one| Kept::Relation(Box::new(one)).into()).collect(), next)
            }
            Stage::Tables => {
                let tables = store.tables().await?;
                // In reverse, because each is pushed to the front: the tables are exported in their
                // order.
                let records = tables
                    .iter()
                    .rev()
                    .map(|table| Stage::Records(table.name.clone(), RecordId(0)));
                records.for_each(|stage| export.stages.push_front(stage));
                (tables.into_iter().map(|table| Kept::Table(table).into()).collect(), None)
            }
            Stage::Records(table, after) => {
                let some = store.records(&table, after, AT_ONCE).await?;
                let next = some.last().map(|last| Stage::Records(table, last.id));
                (some.into_iter().map(|record| Kept::Record(record).into()).collect(), next)
            }
            Stage::Profile(at) => {
                let some = store.profile_history(page(at)).await?;
                paged(some, at, Kept::Profile, Stage::Profile)
            }
            Stage::Handoffs(at) => {
                let all = HandoffQuery::default();
                let some = store.handoffs(&all, page(at)).await?;
                paged(some, at, Kept::Handoff, Stage::Handoffs)
            }
            Stage::References(at) => self.reference_stage(owner, at).await?,
            Stage::Reviews => (self.reviews_in_order(owner).await?, None),
        };
        next.into_iter().for_each(|stage| export.stages.push_front(stage));
        Ok(items)
    }

    async fn entity_stage(self, owner: &OwnerId, export: &mut Export, after: EntityId) -> Staged {
        let cards = self.core.store_of(owner).entity_cards(after, AT_ONCE).await?;
        let ids: Vec<EntityId> = cards.iter().map(|card| card.entity).collect();
        let mut entities = self.core.store_of(owner).entities(&ids).await?;
        entities.sort_by_key(|entity| entity.id);
        export.entities.extend(&ids);
        let items = entities.into_iter().map(|entity| Kept::Entity(entity).into()).collect();
        Ok((items, ids.last().map(|last| Stage::Entities(*last))))
    }

    async fn memory_stage(self, owner: &OwnerId, export: &mut Export, at: usize) -> Staged {
        let oldest = MemoryQuery { sort: Sort::Oldest, ..MemoryQuery::default() };
        let listed = self.core.store_of(owner).list_memories(&oldest, page(at)).await?.items;
        let next = (!listed.is_empty()).then(|| Stage::Memories(at + listed.len()));
        let mut items = Vec::with_capacity(listed.len());
        for memory in listed {
            let flags = self.core.store_of(owner).flags(memory.id).await?;
            let mentions = self.core.store_of(owner).mentions(memory.id).await?;
            export.memories.push(memory.id);
            items.push(
                Kept::Memory(Box::new(KeptMemory { memory, vector: None, flags, mentions })).into(),
            );
        }
        Ok((items, next))
    }

    async fn link_stage(self, owner: &OwnerId, export: &Export, at: usize) -> Staged {
        let mut items = Vec::new();
        let mut upto = at;
        while items.len() < AT_ONCE && upto < export.memories.len() {
            let links = self.core.store_of(owner).links(export.memories[upto]).await?;
            items.extend(links.outgoing.into_iter().map(|link| Kept::Link(link).into()));
            upto += 1;
        }
        Ok((items, (upto > at).then_some(Stage::Links(upto))))
    }

    /// Exports the observations of some entities, oldest first.
    async fn observation_stage(self, owner: &OwnerId, export: &Export, at: usize) -> Staged {
        let mut items: Vec<Item> = Vec::new();
        let mut upto = at;
        while items.len() < AT_ONCE && upto < export.entities.len() {
            let (entity, mut said) = (export.entities[upto], Vec::new());
            loop {
                let some = self.core.store_of(owner).observations(entity, page(said.len())).await?;
                if some.items.is_empty() {
                    break;
                }
                said.extend(some.items);
            }
            // The store returns the newest first.
            items.extend(said.into_iter().rev().map(|one| Kept::Observation(one).into()));
            upto += 1;
        }
        Ok((items, (upto > at).then_some(Stage::Observations(upto))))
    }

    async fn reference_stage(self, owner: &OwnerId, at: usize) -> Staged {
        let one = Page { limit: 1, offset: at };
        let Some(document) = self.core.store_of(owner).references(one).await?.items.pop() else {
            return Ok((Vec::new(), None));
        };
        // Sections are ordered by the id of their document, so those of one follow the previous id.
        let mut after = Some((ReferenceId(document.id.0 - 1), usize::MAX >> 1));
        let mut sections = Vec::with_capacity(document.sections);
        while sections.len() < document.sections {
            let some = self.core.store_of(owner).sections(after, AT_ONCE).await?;
            let of_it = some.into_iter().filter(|section| section.hit.reference == document.id);
            let before = sections.len();
            for section in of_it {
                after = Some((document.id, section.hit.ordinal));
                sections.push(section.hit.section);
            }
            if sections.len() == before {
                break;
            }
        }
        let reference = NewReference {
            path: document.path,
            title: document.title,
            hash: document.hash,
            sections,
        };
        Ok((vec![Item::Reference(Box::new(reference))], Some(Stage::References(at + 1))))
    }

    /// Exports all review items by id; there are few.
    async fn reviews_in_order(self, owner: &OwnerId) -> Result<Vec<Item>, Failure> {
        let (query, mut items) = (ReviewQuery::default(), Vec::new());
        loop {
            let some = self.core.store_of(owner).reviews(&query, page(items.len())).await?;
            if some.items.is_empty() {
                items.sort_by_key(|item: &model::ReviewItem| item.id);
                return Ok(items.into_iter().map(|item| Kept::Review(item).into()).collect());
            }
            items.extend(some.items);
        }
    }
}

/// Items of a stage, with the stage that continues it.
type Staged = Result<(Vec<Item>, Option<Stage>), Failure>;

fn page(offset: usize) -> Page {
    Page { limit: AT_ONCE, offset }
}

fn paged<T>(
    listed: Listing<T>,
    at: usize,
    kept: fn(T) -> Kept,
    stage: fn(usize) -> Stage,
) -> (Vec<Item>, Option<Stage>) {
    let next = (!listed.items.is_empty()).then(|| stage(at + listed.items.len()));
    (listed.items.into_iter().map(|one| kept(one).into()).collect(), next)
}
