//! Making extracts again: their sources after a batch, and the changes that follow from them.

use super::batch_effects::{BatchEffects, BatchMemory, is_quotable};
use super::extract::{Quote, extract_again, extract_trust, is_empty_extract, is_extract};
use super::extracts_of;
use crate::call::Call;
use crate::embedding::Embeddable;
use index::View;
use model::{Failure, Memory, MemoryId, Seq, Status, limits};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use store::{Batch, Change, ExpectedVersion, Ref};

/// Adds the extracts that a batch changes to it.
pub(super) async fn with_remade(
    call: &Call<'_>,
    effects: &BatchEffects<'_>,
    mut batch: Batch,
) -> Result<Batch, Failure> {
    let view = call.view().await?;
    let sources = view.read(|view| {
        let touched: Vec<MemoryId> = effects.touched().collect();
        let mut extracts = extracts_of(view, &touched);
        extracts.extend(effects.wholes().filter(|&id| super::is_episode(view, id)));
        extracts.retain(|&id| !effects.forgets(id));
        ExtractSources::read(view, effects, &extracts)
    });
    batch.changes.extend(sources.remade(call, effects, effects.forgets_any()).await?);
    batch.expected_versions.push(sources.expected());
    Ok(batch)
}

/// Extracts with their sources as they will be after a batch.
pub(super) struct ExtractSources {
    /// Newest version of each part by extract; `None` for a part that has no current version.
    sources: BTreeMap<MemoryId, Vec<Option<BatchMemory>>>,
    /// All memories that this was read from.
    read: BTreeSet<MemoryId>,
    read_at: Seq,
}

impl ExtractSources {
    /// Reads the sources of these extracts.
    pub fn read(view: &View, effects: &BatchEffects<'_>, extracts: &BTreeSet<MemoryId>) -> Self {
        let mut read: BTreeSet<MemoryId> = effects.touched().chain(effects.wholes()).collect();
        read.extend(extracts);
        let mut sources = BTreeMap::new();
        for &extract in extracts {
            let parts = effects.parts_after(view, extract);
            let newest = parts.iter().map(|part| effects.newest_after(view, *part));
            let newest: BTreeSet<BatchMemory> = newest.collect();
            read.extend(parts.iter().chain(&newest).filter_map(stored_id));
            let current = |memory: BatchMemory| {
                let status = effects.status_after(view, memory);
                (status == Some(Status::Active)).then_some(memory)
            };
            sources.insert(extract, newest.into_iter().map(current).collect());
        }
        Self { sources, read, read_at: view.seq() }
    }

    /// Returns the condition under which the extracts follow from their sources.
    pub fn expected(&self) -> ExpectedVersion {
        let memories = self.read.iter().copied().collect();
        ExpectedVersion::Sources { memories, read_at: self.read_at }
    }

    /// Returns the changes that make the extracts again; none for a text that stays the same.
    pub async fn remade(
        &self,
        call: &Call<'_>,
        effects: &BatchEffects<'_>,
        erase: bool,
    ) -> Result<Vec<Change>, Failure> {
        let known = self.memories(call).await?;
        let mut changes = Vec::new();
        for (id, sources) in &self.sources {
            let Some(extract) = known.get(id).filter(|memory| is_extract(memory)) else { continue };
            // A text without any source left is forgotten with the last of them.
            if sources.is_empty() && effects.forgets_any() {
                changes.push(Change::Forget { memories: vec![*id] });
                continue;
            }
            let quote = |source: &BatchMemory| quote(*source, extract, effects, &known);
            let quotes: Vec<Quote> = sources.iter().flatten().filter_map(quote).collect();
            changes.extend(remake(call, extract, &quotes, erase).await);
            changes.extend(new_status(extract, effects, quotes.is_empty()));
        }
        Ok(changes)
    }

    /// Reads the extracts and the stored sources.
    async fn memories(&self, call: &Call<'_>) -> Result<HashMap<MemoryId, Memory>, Failure> {
        let sources = self.sources.values().flatten().flatten().filter_map(stored_id);
        let ids: BTreeSet<MemoryId> = self.sources.keys().copied().chain(sources).collect();
        let ids: Vec<MemoryId> = ids.into_iter().collect();
        let mut known = HashMap::new();
        for some in ids.chunks(limits::IDS_PER_CALL) {
            let memories = call.memories_unchecked(some).await?;
            known.extend(memories.into_iter().map(|memory| (memory.id, memory)));
        }
        Ok(known)
    }
}

fn stored_id(memory: &BatchMemory) -> Option<MemoryId> {
    if let BatchMemory::Stored(id) = memory { Some(*id) } else { None }
}

/// Quotes a current source. Only what everybody who may read the extract may read too is quoted.
fn quote(
    source: BatchMemory,
    extract: &Memory,
    effects: &BatchEffects<'_>,
    known: &HashMap<MemoryId, Memory>,
) -> Option<Quote> {
    match source {
        BatchMemory::Added(at) => {
            let memory = &effects.added(at)?.memory;
            let fits = memory.source() == extract.source() && is_quotable(&memory.kind);
            fits.then(|| Quote::from_new(memory)).flatten()
        }
        BatchMemory::Stored(id) => {
            let mut memory = known.get(&id)?.clone();
            memory.status = Status::Active;
            if let Some(edit) = effects.edit(id) {
                memory.kind = edit.kind.clone().unwrap_or(memory.kind);
                memory.priority = edit.priority.unwrap_or(memory.priority);
                memory.collection = edit.collection.clone().unwrap_or(memory.collection);
                memory.metadata = edit.metadata.clone().unwrap_or(memory.metadata);
            }
            let fits = memory.source() == extract.source() && is_quotable(&memory.kind);
            fits.then(|| Quote::from_memory(&memory)).flatten()
        }
    }
}

/// Makes the text again, if it changes.
async fn remake(
    call: &Call<'_>,
    extract: &Memory,
    quotes: &[Quote],
    erase: bool,
) -> Option<Change> {
    let (text, trust) = (extract_again(&extract.text, quotes), extract_trust(quotes));
    if text == extract.text && trust == extract.provenance.trust {
        return None;
    }
    let embeddable = Embeddable::memory(&extract.metadata, extract.title.as_deref(), &text);
    let vector = call.core.vector_of(embeddable).await;
    Some(Change::RemakeMemory { memory: extract.id, text, trust, vector, erase })
}

/// Retires an extract that has nothing left to quote, and makes one current again that was retired
/// for that reason.
fn new_status(extract: &Memory, effects: &BatchEffects<'_>, is_empty: bool) -> Option<Change> {
    let status = effects.status(extract.id).unwrap_or(extract.status);
    let new = match status {
        Status::Active if is_empty => Status::Retired,
        Status::Retired if !is_empty && is_empty_extract(&extract.text) => Status::Active,
        _ => return None,
    };
    Some(Change::SetStatus { memory: Ref::Id(extract.id), status: new })
}
