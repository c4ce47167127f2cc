//! Import of an export. Ids are kept where they are free and mapped where they are not; existing
//! items are not added again; items that may not be stored are skipped and reported, and do not
//! stop the rest.

mod existing;
mod id_map;

use super::TransferItem;
use crate::intake::was_forgotten;
use crate::{ForgottenTexts, Transfer};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::derived::is_extract;
use engine_core::embedding::{Embeddable, EmbeddedTexts};
use engine_core::plan::BatchPlan;
use engine_core::screening;
use engine_memory::entities::plan_first_names;
use engine_memory::profile::remake_leaves;
use engine_memory::relations::plan_relations;
use engine_memory::remember::TextAnalysis;
use engine_memory::tables::stating_memory;
use engine_memory::transcripts::COLLECTION;
use existing::ExistingItems;
use guard::Resource;
use id_map::{IdMap, MissingReference};
use model::{
    ContentHash, Failure, MemoryId, NewReference, Origin, Permission, Provenance, Session,
    StoredVectors, limits,
};
use std::collections::BTreeMap;
use store::{Change, ChangeResult, ImportedItem};

/// Number of extracts that are checked at a time; each may have to be embedded again.
const EXTRACTS_AT_ONCE: usize = 50;

/// Number of items written at a time, while those behind them are embedded.
const ITEMS_WRITTEN_AT_ONCE: usize = 250;

/// Options of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportOptions {
    /// The file is somebody else's: everything counts as imported, with no more trust than that.
    pub from_outside: bool,
    pub forgotten: ForgottenTexts,
    /// Only counts what would be imported.
    pub dry_run: bool,
}

/// State of an import.
#[derive(Debug)]
pub struct ImportState {
    options: ImportOptions,
    existing: ExistingItems,
    id_map: IdMap,
    /// Sessions whose episode is set once it is imported.
    with_episode: Vec<Session>,
    /// Memories that the import added.
    new_memories: Vec<MemoryId>,
    /// Extracts of the file, whose sources may not be those of this store.
    extracts: Vec<MemoryId>,
    /// Result so far.
    pub outcome: ImportOutcome,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportOutcome {
    /// Number of added items by kind.
    pub added: BTreeMap<&'static str, usize>,
    /// Number of items that existed already.
    pub existing: usize,
    /// Number of texts that were forgotten before and not imported.
    pub forgotten: usize,
    /// Skipped items with the reason.
    pub skipped: Vec<(String, String)>,
    /// Items changed by screening, with what was changed.
    pub changed: Vec<(String, String)>,
}

impl ImportOutcome {
    /// Returns the noun of a kind of items in the singular and in the plural. The name of the kind
    /// may be either.
    #[must_use]
    pub fn nouns(kind: &str) -> (String, String) {
        let kind = kind.replace('_', " ");
        let one = match kind.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => kind.strip_suffix('s').unwrap_or(&kind).to_owned(),
        };
        let many = match one.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{one}s"),
        };
        (one, many)
    }

    /// Adds the result of importing the same file again with the forgotten texts.
    #[must_use]
    pub fn with_forgotten(mut self, again: Self) -> Self {
        for (kind, count) in again.added {
            *self.added.entry(kind).or_default() += count;
        }
        let (forgotten, skipped, changed) = (again.forgotten, again.skipped, again.changed);
        Self { forgotten, skipped, changed, ..self }
    }
}

impl<'e> Transfer<'e> {
    /// Begins an import by reading what exists already.
    ///
    /// # Errors
    /// `consent_required` when the caller is not the owner. Fails when the store cannot be read.
    pub fn open_import(
        self,
        caller: &'e Caller,
        options: ImportOptions,
    ) -> UseCaseFuture<'e, ImportState> {
        Box::pin(async move {
            Call::begin(self.core, caller, Resource::Administration, Permission::Write, &options)
                .await?;
            Ok(ImportState {
                options,
                existing: ExistingItems::load(self.core, &caller.owner).await?,
                id_map: IdMap::default(),
                with_episode: Vec::new(),
                new_memories: Vec::new(),
                extracts: Vec::new(),
                outcome: ImportOutcome::default(),
            })
        })
    }

    /// Imports some items, in the order of an export.
    ///
    /// # Errors
    /// Fails when there are too many at once, the caller is not the owner, or the store cannot
    /// write.
    pub fn import_items(
        self,
        caller: &'e Caller,
        import: &'e mut ImportState,
        items: Vec<TransferItem>,
    ) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            limits::count("items", items.len(), limits::IDS_PER_CALL)?;
            let call = Call::begin(
                self.core,
                caller,
                Resource::Administration,
                Permission::Write,
                &items.len(),
            )
            .await?;
            let mut items = items.into_iter().peekable();
            while let Some(first) = items.next() {
                let kind = first.kind();
                let mut run = vec![first];
                while let Some(next) = items.next_if(|next| next.kind() == kind) {
                    run.push(next);
                }
                import.import_run(&call, run).await?;
            }
            Ok(())
        })
    }

    /// Ends an import: sets the episodes of sessions, makes extracts again that quote what this
    /// store has corrected or forgotten, and makes the memories of the profile.
    ///
    /// # Errors
    /// Fails when the caller is not the owner, or the store cannot write.
    pub fn end_import(
        self,
        caller: &'e Caller,
        mut import: ImportState,
    ) -> UseCaseFuture<'e, ImportOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Administration, Permission::Write, &())
                    .await?;
            if import.options.dry_run {
                return Ok(import.outcome);
            }
            // Sessions come before memories, so their episodes can only be set at the end.
            for mut session in std::mem::take(&mut import.with_episode) {
                session.episode = session.episode.and_then(|memory| import.id_map.memory(memory));
                session.id = import.id_map.session(session.id).unwrap_or(session.id);
                call.write(
                    "set the episode of a session",
                    vec![Change::Import(Box::new(ImportedItem::Session(session)))],
                )
                .await?;
            }
            for some in import.extracts.chunks(EXTRACTS_AT_ONCE) {
                call.refresh_extracts(some).await?;
            }
            // The file may lack memories of the profile, or have those of another profile.
            let differing = &import.existing.differing_fields;
            let note = remake_leaves(&call, &import.new_memories, differing).await?;
            let profile = note.map(|note| ("profile".to_owned(), note));
            import.outcome.changed.extend(profile);
            Ok(import.outcome)
        })
    }
}

/// A change to write, with the item of the file.
struct PendingItem {
    was: TransferItem,
    change: Change,
    /// Number of its texts that are embedded.
    texts: usize,
}

impl ImportState {
    /// Imports items of one kind.
    // One kind at a time, because items refer to the ids that earlier kinds were given.
    async fn import_run(&mut self, call: &Call<'_>, run: Vec<TransferItem>) -> Result<(), Failure> {
        let mut ready = Vec::with_capacity(run.len());
        // Vectors are not imported but computed by the current model, while other items are read.
        let mut queue = call.core.embedding_queue(run.len());
        for item in run {
            match self.prepare(call, item.clone()).await? {
                ImportDecision::Write(change, notes) => {
                    let texts = texts(&change);
                    self.outcome.changed.extend(notes.into_iter().map(|note| (item.name(), note)));
                    ready.push(PendingItem { was: item, change: *change, texts: texts.len() });
                    if !self.options.dry_run {
                        queue.add(texts);
                    }
                }
                ImportDecision::Existing => self.outcome.existing += 1,
                ImportDecision::Forgotten => self.leave_forgotten(&item),
                ImportDecision::Skip(why) => self.skip(&item, why),
            }
        }
        if self.options.dry_run {
            ready.iter().for_each(|one| self.note(&one.was, &unchanged_id(&one.was)));
            return Ok(());
        }
        let (mut embedded, mut ready) = (queue.close(), ready.into_iter().peekable());
        while ready.peek().is_some() {
            let some: Vec<_> = ready.by_ref().take(ITEMS_WRITTEN_AT_ONCE).collect();
            self.write_embedded(call, some, &mut embedded).await?;
        }
        Ok(())
    }

    /// Writes some items with the vectors of their texts, which come next.
    async fn write_embedded(
        &mut self,
        call: &Call<'_>,
        mut ready: Vec<PendingItem>,
        embedded: &mut EmbeddedTexts,
    ) -> Result<(), Failure> {
        let mut plan = planned(call, &ready).await?;
        let texts = ready.iter().map(|one| one.texts).sum();
        // Without vectors the words alone find a memory, until it is embedded in the background.
        let vectors = embedded.take(texts).await.unwrap_or_default();
        let (mut first, mut again) = (vectors.iter().cloned(), vectors.iter().cloned());
        ready.iter_mut().for_each(|one| put_vectors(&mut one.change, &mut first));
        let changes = plan.changes.iter_mut().take(ready.len());
        changes.for_each(|change| put_vectors(change, &mut again));
        self.write(call, ready, plan).await
    }

    /// Counts a forgotten text. What refers to one goes with it and is not counted: the file has a
    /// link or a row for almost every text.
    fn leave_forgotten(&mut self, item: &TransferItem) {
        if let TransferItem::Stored(stored) = item
            && let ImportedItem::Memory(imported) = &**stored
        {
            self.id_map.register_forgotten(imported.memory.id);
            self.outcome.forgotten += 1;
        }
    }

    fn skip(&mut self, item: &TransferItem, why: impl Into<String>) {
        self.outcome.skipped.push((item.name(), why.into()));
    }

    /// Decides about an item: translates its ids and screens its texts.
    async fn prepare(
        &mut self,
        call: &Call<'_>,
        item: TransferItem,
    ) -> Result<ImportDecision, Failure> {
        let imported = match item {
            TransferItem::Reference(document) if self.existing.has_document(&document) => {
                return Ok(ImportDecision::Existing);
            }
            TransferItem::Reference(document) => {
                let vectors = vec![None; document.sections.len()];
                return Ok(screen(call, Change::PutReference { reference: document, vectors }));
            }
            TransferItem::Stored(imported) => *imported,
        };
        if let ImportedItem::Session(session) = &imported
            && session.episode.is_some()
        {
            self.with_episode.push(session.clone());
        }
        if let Some(counterpart) = self.existing.counterpart(call, &imported, &self.id_map).await? {
            self.note_extract(&imported, &counterpart);
            self.id_map.register(&imported, &counterpart);
            return Ok(ImportDecision::Existing);
        }
        if let Some(patch) = self.existing.missing_fields(&imported) {
            if patch.is_empty() {
                return Ok(ImportDecision::Existing);
            }
            let provenance = call.provenance(Origin::Imported);
            return Ok(screen(call, Change::PatchProfile { patch, reason: None, provenance }));
        }
        let mut imported = match self.id_map.translate(imported) {
            Ok(imported) => imported,
            Err(MissingReference::Forgotten) => return Ok(ImportDecision::Forgotten),
            Err(MissingReference::Other(why)) => return Ok(ImportDecision::Skip(why)),
        };
        if self.options.from_outside {
            distrust(&mut imported);
        }
        if let ImportedItem::Memory(added) = &imported
            && self.options.forgotten == ForgottenTexts::Skip
            && was_forgotten(call, ContentHash::of_text(&added.memory.text)).await?
        {
            return Ok(ImportDecision::Forgotten);
        }
        if let ImportedItem::Record(record) = &mut imported {
            record.memory = stating_memory(call, record).await?;
        }
        Ok(screen(call, Change::Import(Box::new(imported))))
    }

    /// Writes all changes at once; one by one if that is refused, so that one item does not stop
    /// others.
    async fn write(
        &mut self,
        call: &Call<'_>,
        ready: Vec<PendingItem>,
        plan: BatchPlan,
    ) -> Result<(), Failure> {
        if ready.is_empty() {
            return Ok(());
        }
        match call.write(format!("imported {} items", ready.len()), plan.changes).await {
            Ok(committed) => {
                for (one, result) in ready.iter().zip(&committed.results) {
                    self.note(&one.was, result);
                }
                Ok(())
            }
            // A failing store would fail for each item again, so only refusals are retried one by
            // one.
            Err(failure) if failure.code.http_status() >= 500 => Err(failure),
            Err(failure) if ready.len() == 1 => {
                ready.iter().for_each(|one| self.skip(&one.was, failure.message.clone()));
                Ok(())
            }
            Err(_) => {
                for one in ready {
                    let one = vec![one];
                    let plan = planned(call, &one).await?;
                    Box::pin(self.write(call, one, plan)).await?;
                }
                Ok(())
            }
        }
    }

    fn note(&mut self, was: &TransferItem, result: &ChangeResult) {
        *self.outcome.added.entry(was.kind()).or_default() += 1;
        if let ChangeResult::Memory(id) = result {
            self.new_memories.push(*id);
        }
        if let TransferItem::Stored(item) = was {
            self.note_extract(item, result);
            self.id_map.register(item, result);
        }
    }

    fn note_extract(&mut self, item: &ImportedItem, result: &ChangeResult) {
        if let ImportedItem::Memory(imported) = item
            && is_extract(&imported.memory)
        {
            self.extracts.extend(result.memory());
        }
    }
}

/// Decision about an item.
enum ImportDecision {
    /// With notes on what screening changed.
    Write(Box<Change>, Vec<String>),
    Existing,
    /// A forgotten text, or an item that refers to one.
    Forgotten,
    Skip(String),
}

fn screen(call: &Call<'_>, mut change: Change) -> ImportDecision {
    let mut screen = call.screen();
    match screening::screen_change(&mut screen, &mut change) {
        Ok(()) => ImportDecision::Write(Box::new(change), screen.notes().to_vec()),
        Err(refusal) => ImportDecision::Skip(refusal.message),
    }
}

fn distrust(item: &mut ImportedItem) {
    let lower = |from: &mut Provenance| {
        from.origin = Origin::Imported;
        from.trust = from.trust.combine(Origin::Imported.trust());
    };
    match item {
        // An extract has the least trust of an inference already, and stays one.
        ImportedItem::Memory(imported) if is_extract(&imported.memory) => {}
        ImportedItem::Memory(imported) => lower(&mut imported.memory.provenance),
        ImportedItem::Profile(version) => lower(&mut version.provenance),
        _ => {}
    }
}

/// Returns the result of an item that would be written under its own id.
fn unchanged_id(item: &TransferItem) -> ChangeResult {
    let TransferItem::Stored(item) = item else { return ChangeResult::Done };
    match &**item {
        ImportedItem::Session(session) => ChangeResult::Session(session.id),
        ImportedItem::Entity(entity) => ChangeResult::Entity(entity.id),
        ImportedItem::Memory(imported) => ChangeResult::Memory(imported.memory.id),
        ImportedItem::Record(record) => ChangeResult::Record(record.id),
        _ => ChangeResult::Done,
    }
}

/// Returns the batch of the items with what their texts say.
async fn planned(call: &Call<'_>, ready: &[PendingItem]) -> Result<BatchPlan, Failure> {
    let changes: Vec<Change> = ready.iter().map(|one| one.change.clone()).collect();
    let mut plan = BatchPlan::from(changes);
    plan_texts(call, &mut plan, ready).await?;
    Ok(plan)
}

/// Adds the names and statements in the texts of the memories to their batch, where the file lists
/// none: those of other programs do not.
async fn plan_texts(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    ready: &[PendingItem],
) -> Result<(), Failure> {
    for (index, one) in ready.iter().enumerate() {
        let Change::Import(item) = &one.change else { continue };
        let ImportedItem::Memory(imported) = &**item else { continue };
        let memory = &imported.memory;
        let unread = memory.provenance.origin == Origin::Imported && imported.mentions.is_empty();
        // A turn of a transcript states nothing, and a row is read by its fields.
        if !unread || memory.collection == COLLECTION || memory.table().is_some() {
            continue;
        }
        let analysis = TextAnalysis::analyze(&memory.text).await?;
        analysis.plan_mentions(plan, index);
        plan_relations(call, plan, index, &analysis.relations).await?;
    }
    plan_first_names(call, plan).await
}

fn texts(change: &Change) -> Vec<Embeddable> {
    match change {
        Change::PutReference { reference, .. } => {
            let NewReference { sections, .. } = reference.as_ref();
            sections.iter().map(|section| Embeddable::whole(section.text.clone())).collect()
        }
        Change::Import(item) => match &**item {
            ImportedItem::Memory(imported) => {
                let memory = &imported.memory;
                vec![Embeddable::memory(&memory.metadata, memory.title.as_deref(), &memory.text)]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn put_vectors(change: &mut Change, embedded: &mut impl Iterator<Item = StoredVectors>) {
    match change {
        Change::PutReference { vectors, .. } => {
            vectors.iter_mut().for_each(|vector| *vector = embedded.next())
        }
        Change::Import(item) => {
            if let ImportedItem::Memory(imported) = &mut **item {
                imported.vector = embedded.next();
            }
        }
        _ => {}
    }
}
