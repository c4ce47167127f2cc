//! Export as a vault of Markdown notes: current memories with their links and the entities they
//! mention, one page for each memory or for each topic. Transcripts and rows of tables stay out.

use crate::Transfer;
use crate::foreign::VaultFile;
use crate::transfer::TransferItem;
use crate::vault_page::{
    PageLink, directory, entity_page, entity_path, file_name, memory_page, memory_path, topic_page,
};
use engine::transcripts::COLLECTION;
use engine::{Caller, Engine, ImportedItem, ImportedMemory};
use model::{Entity, EntityId, Failure, Link, Memory, MemoryId, Status};
use std::collections::{BTreeMap, BTreeSet};

/// Division of a vault into pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VaultLayout {
    /// A page for each memory.
    #[default]
    Memories,
    /// A page for each kind of memory in each project.
    Topics,
}

/// Returns the pages of a vault, by path.
///
/// # Errors
/// `consent_required` when the caller is not the owner. Fails when the store cannot be read.
pub async fn export_vault(
    engine: &Engine,
    caller: &Caller,
    layout: VaultLayout,
) -> Result<Vec<VaultFile>, Failure> {
    let caller = &caller.clone().with_tool("export");
    let mut content = VaultContent::default();
    let mut export = Transfer::of(engine).open_export(caller).await?;
    while let Some(items) = Transfer::of(engine).export_next(caller, &mut export).await? {
        items.into_iter().for_each(|item| content.add(item));
    }
    Ok(match layout {
        VaultLayout::Memories => content.memory_pages(),
        VaultLayout::Topics => content.topic_pages(),
    })
}

/// Content that the pages are made of.
#[derive(Debug, Default)]
struct VaultContent {
    entities: BTreeMap<EntityId, Entity>,
    memories: BTreeMap<MemoryId, ImportedMemory>,
    /// Links by the memory that they start at.
    links: BTreeMap<MemoryId, Vec<Link>>,
}

impl VaultContent {
    fn add(&mut self, item: TransferItem) {
        let TransferItem::Stored(item) = item else { return };
        match *item {
            ImportedItem::Entity(entity) => _ = self.entities.insert(entity.id, entity),
            ImportedItem::Memory(imported) if is_shown(&imported.memory) => {
                self.memories.insert(imported.memory.id, *imported);
            }
            ImportedItem::Link(link) => self.links.entry(link.source).or_default().push(link),
            _ => {}
        }
    }

    /// Returns the links from a memory to memories and entities that have a page.
    fn links_of(&self, imported: &ImportedMemory) -> Vec<PageLink> {
        let linked = self.links.get(&imported.memory.id).into_iter().flatten();
        let memories = linked.filter_map(|link| {
            Some(PageLink::to_memory(link.kind, &self.memories.get(&link.target)?.memory))
        });
        let mentioned: BTreeSet<EntityId> =
            imported.mentions.iter().map(|mention| mention.entity).collect();
        let entities = mentioned.iter().filter_map(|id| self.entities.get(id));
        memories.chain(entities.map(PageLink::to_entity)).collect()
    }

    fn memory_pages(&self) -> Vec<VaultFile> {
        let pages = self.memories.values().map(|imported| {
            let text = memory_page(&imported.memory, &self.links_of(imported));
            page(&memory_path(&imported.memory), text)
        });
        pages.chain(self.entity_pages()).collect()
    }

    fn topic_pages(&self) -> Vec<VaultFile> {
        let mut topics: BTreeMap<(String, String), Vec<&ImportedMemory>> = BTreeMap::new();
        for imported in self.memories.values() {
            let memory = &imported.memory;
            let topic = (directory(memory), file_name(memory.kind.as_str()));
            topics.entry(topic).or_default().push(imported);
        }
        let pages = topics.into_iter().map(|((directory, kind), memories)| {
            // The pages of other memories do not exist here; entities do.
            let links = |one: &ImportedMemory| {
                let links = self.links_of(one).into_iter();
                links.filter(|link| link.kind == "mentions").collect::<Vec<_>>()
            };
            let memories: Vec<_> =
                memories.into_iter().map(|one| (&one.memory, links(one))).collect();
            page(
                &format!("{directory}/{kind}"),
                topic_page(&format!("{directory}: {kind}"), &memories),
            )
        });
        pages.chain(self.entity_pages()).collect()
    }

    /// Returns the pages of entities that a memory with a page mentions. Entities of one name share
    /// a page.
    fn entity_pages(&self) -> Vec<VaultFile> {
        let mentions = self.memories.values().flat_map(|imported| &imported.mentions);
        let mentioned: BTreeSet<EntityId> = mentions.map(|mention| mention.entity).collect();
        let mut pages: BTreeMap<String, VaultFile> = BTreeMap::new();
        for entity in mentioned.iter().filter_map(|id| self.entities.get(id)) {
            let path = entity_path(entity);
            pages.entry(path.to_lowercase()).or_insert_with(|| page(&path, entity_page(entity)));
        }
        pages.into_values().collect()
    }
}

fn is_shown(memory: &Memory) -> bool {
    memory.status == Status::Active && memory.collection != COLLECTION && memory.table().is_none()
}

fn page(path: &str, text: String) -> VaultFile {
    VaultFile { path: format!("{path}.md"), text }
}
