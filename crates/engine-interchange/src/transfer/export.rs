//! Export of everything an owner has, some items at a time. Vectors are left out, since they are
//! computed again; so are grants, keys and the audit log, which belong to this store.

use super::TransferItem;
use crate::Transfer;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    EntityId, Failure, Listing, MemoryId, NewReference, OwnerId, Page, Permission, RecordId,
    ReferenceId, RelationId,
};
use std::collections::VecDeque;
use store::{HandoffQuery, ImportedItem, ImportedMemory, MemoryQuery, MemorySort, ReviewQuery};

/// Number of items read at a time.
const BATCH_SIZE: usize = 200;

/// State of an export.
#[derive(Debug)]
pub struct ExportState {
    stages: VecDeque<ExportStage>,
    memories: Vec<MemoryId>,
    entities: Vec<EntityId>,
    /// Number of items exported so far.
    pub done: usize,
    /// Estimated number of all items.
    pub total: usize,
}

/// Position within a kind of item.
#[derive(Debug, Clone)]
enum ExportStage {
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

impl<'e> Transfer<'e> {
    /// Begins an export of everything.
    ///
    /// # Errors
    /// `consent_required` when the caller is not the owner. Fails when the store cannot be read.
    pub fn open_export(self, caller: &'e Caller) -> UseCaseFuture<'e, ExportState> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Read, &())
                    .await?;
            let counts = call.store().counts().await?;
            // Logged before the first item leaves, so that an interrupted export is in the log too.
            call.note_done("started an export of everything").await?;
            let memories: usize = counts.memories.iter().map(|(_, count)| count).sum();
            let facts = counts.observations + counts.relations + counts.records;
            let rest = counts.handoffs + counts.references + counts.reviews_open;
            let stages = [
                ExportStage::Sessions(0),
                ExportStage::Entities(EntityId(0)),
                ExportStage::Memories(0),
                ExportStage::Links(0),
                ExportStage::Observations(0),
                ExportStage::Relations(RelationId(0)),
                ExportStage::Tables,
                ExportStage::Profile(0),
                ExportStage::Handoffs(0),
                ExportStage::References(0),
                ExportStage::Reviews,
            ];
            Ok(ExportState {
                stages: stages.into(),
                memories: Vec::with_capacity(memories),
                entities: Vec::with_capacity(counts.entities),
                done: 0,
                total: counts.sessions + counts.entities + memories + counts.links + facts + rest,
            })
        })
    }

    /// Returns the next items; `None` when everything was exported.
    ///
    /// # Errors
    /// Fails when the caller is not the owner, or the store cannot be read.
    pub fn export_next(
        self,
        caller: &'e Caller,
        export: &'e mut ExportState,
    ) -> UseCaseFuture<'e, Option<Vec<TransferItem>>> {
        Box::pin(async move {
            Call::begin(self.core, caller, Resource::Administration, Permission::Read, &()).await?;
            while let Some(stage) = export.stages.pop_front() {
                let items = self.run_stage(&caller.owner, export, stage).await?;
                if !items.is_empty() {
                    export.done += items.len();
                    // The store may grow during an export; progress must not exceed 100%.
                    export.total = export.total.max(export.done);
                    return Ok(Some(items));
                }
            }
            Ok(None)
        })
    }

    /// Runs a stage once. One that returned items is queued again until it returns none.
    async fn run_stage(
        self,
        owner: &OwnerId,
        export: &mut ExportState,
        stage: ExportStage,
    ) -> Result<Vec<TransferItem>, Failure> {
        let store = self.core.store_of(owner);
        let (items, next) = match stage {
            ExportStage::Sessions(at) => {
                let some = store.sessions(page(at)).await?;
                paged(some, at, ImportedItem::Session, ExportStage::Sessions)
            }
            ExportStage::Entities(after) => self.entity_stage(owner, export, after).await?,
            ExportStage::Memories(at) => self.memory_stage(owner, export, at).await?,
            ExportStage::Links(at) => self.link_stage(owner, export, at).await?,
            ExportStage::Observations(at) => self.observation_stage(owner, export, at).await?,
            ExportStage::Relations(after) => {
                let some = store.relations_after(after, BATCH_SIZE).await?;
                let next = some.last().map(|last| ExportStage::Relations(last.relation.id));
                (
                    some.into_iter()
                        .map(|one| ImportedItem::Relation(Box::new(one)).into())
                        .collect(),
                    next,
                )
            }
            ExportStage::Tables => {
                let tables = store.tables().await?;
                // In reverse, because each is pushed to the front: the tables are exported in their
                // order.
                let records = tables
                    .iter()
                    .rev()
                    .map(|table| ExportStage::Records(table.name.clone(), RecordId(0)));
                records.for_each(|stage| export.stages.push_front(stage));
                (tables.into_iter().map(|table| ImportedItem::Table(table).into()).collect(), None)
            }
            ExportStage::Records(table, after) => {
                let some = store.records(&table, after, BATCH_SIZE).await?;
                let next = some.last().map(|last| ExportStage::Records(table, last.id));
                (some.into_iter().map(|record| ImportedItem::Record(record).into()).collect(), next)
            }
            ExportStage::Profile(at) => {
                let some = store.profile_history(page(at)).await?;
                paged(some, at, ImportedItem::Profile, ExportStage::Profile)
            }
            ExportStage::Handoffs(at) => {
                let all = HandoffQuery::default();
                let some = store.handoffs(&all, page(at)).await?;
                paged(some, at, ImportedItem::Handoff, ExportStage::Handoffs)
            }
            ExportStage::References(at) => self.reference_stage(owner, at).await?,
            ExportStage::Reviews => (self.reviews_in_order(owner).await?, None),
        };
        next.into_iter().for_each(|stage| export.stages.push_front(stage));
        Ok(items)
    }

    async fn entity_stage(
        self,
        owner: &OwnerId,
        export: &mut ExportState,
        after: EntityId,
    ) -> StageResult {
        let cards = self.core.store_of(owner).entity_cards(after, BATCH_SIZE).await?;
        let ids: Vec<EntityId> = cards.iter().map(|card| card.entity).collect();
        let mut entities = self.core.store_of(owner).entities(&ids).await?;
        entities.sort_by_key(|entity| entity.id);
        export.entities.extend(&ids);
        let items =
            entities.into_iter().map(|entity| ImportedItem::Entity(entity).into()).collect();
        Ok((items, ids.last().map(|last| ExportStage::Entities(*last))))
    }

    async fn memory_stage(
        self,
        owner: &OwnerId,
        export: &mut ExportState,
        at: usize,
    ) -> StageResult {
        let oldest = MemoryQuery { sort: MemorySort::Oldest, ..MemoryQuery::default() };
        let listed = self.core.store_of(owner).list_memories(&oldest, page(at)).await?.items;
        let next = (!listed.is_empty()).then(|| ExportStage::Memories(at + listed.len()));
        let mut items = Vec::with_capacity(listed.len());
        for memory in listed {
            let flags = self.core.store_of(owner).flags(memory.id).await?;
            let mentions = self.core.store_of(owner).mentions(memory.id).await?;
            export.memories.push(memory.id);
            items.push(
                ImportedItem::Memory(Box::new(ImportedMemory {
                    memory,
                    vector: None,
                    flags,
                    mentions,
                }))
                .into(),
            );
        }
        Ok((items, next))
    }

    async fn link_stage(self, owner: &OwnerId, export: &ExportState, at: usize) -> StageResult {
        let mut items = Vec::new();
        let mut upto = at;
        while items.len() < BATCH_SIZE && upto < export.memories.len() {
            let links = self.core.store_of(owner).links(export.memories[upto]).await?;
            items.extend(links.outgoing.into_iter().map(|link| ImportedItem::Link(link).into()));
            upto += 1;
        }
        Ok((items, (upto > at).then_some(ExportStage::Links(upto))))
    }

    /// Exports the observations of some entities, oldest first.
    async fn observation_stage(
        self,
        owner: &OwnerId,
        export: &ExportState,
        at: usize,
    ) -> StageResult {
        let mut items: Vec<TransferItem> = Vec::new();
        let mut upto = at;
        while items.len() < BATCH_SIZE && upto < export.entities.len() {
            let (entity, mut said) = (export.entities[upto], Vec::new());
            loop {
                let some = self.core.store_of(owner).observations(entity, page(said.len())).await?;
                if some.items.is_empty() {
                    break;
                }
                said.extend(some.items);
            }
            // The store returns the newest first.
            items.extend(said.into_iter().rev().map(|one| ImportedItem::Observation(one).into()));
            upto += 1;
        }
        Ok((items, (upto > at).then_some(ExportStage::Observations(upto))))
    }

    async fn reference_stage(self, owner: &OwnerId, at: usize) -> StageResult {
        let one = Page { limit: 1, offset: at };
        let Some(document) = self.core.store_of(owner).references(one).await?.items.pop() else {
            return Ok((Vec::new(), None));
        };
        // Sections are ordered by the id of their document, so those of one follow the previous id.
        let mut after = Some((ReferenceId(document.id.0 - 1), usize::MAX >> 1));
        let mut sections = Vec::with_capacity(document.sections);
        while sections.len() < document.sections {
            let some = self.core.store_of(owner).sections(after, BATCH_SIZE).await?;
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
        Ok((
            vec![TransferItem::Reference(Box::new(reference))],
            Some(ExportStage::References(at + 1)),
        ))
    }

    /// Exports all review items by id; there are few.
    async fn reviews_in_order(self, owner: &OwnerId) -> Result<Vec<TransferItem>, Failure> {
        let (query, mut items) = (ReviewQuery::default(), Vec::new());
        loop {
            let some = self.core.store_of(owner).reviews(&query, page(items.len())).await?;
            if some.items.is_empty() {
                items.sort_by_key(|item: &model::ReviewItem| item.id);
                return Ok(items
                    .into_iter()
                    .map(|item| ImportedItem::Review(item).into())
                    .collect());
            }
            items.extend(some.items);
        }
    }
}

/// Items of a stage, with the stage that continues it.
type StageResult = Result<(Vec<TransferItem>, Option<ExportStage>), Failure>;

fn page(offset: usize) -> Page {
    Page { limit: BATCH_SIZE, offset }
}

fn paged<T>(
    listed: Listing<T>,
    at: usize,
    wrap: fn(T) -> ImportedItem,
    stage: fn(usize) -> ExportStage,
) -> (Vec<TransferItem>, Option<ExportStage>) {
    let next = (!listed.items.is_empty()).then(|| stage(at + listed.items.len()));
    (listed.items.into_iter().map(|one| wrap(one).into()).collect(), next)
}
