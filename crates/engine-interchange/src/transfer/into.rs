//! Import of an export. Ids are kept where they are free and mapped where they are not; existing
//! items are not added again; items that may not be stored are skipped and reported, and do not
//! stop the rest.

mod known;
mod numbers;

use super::Item;
use crate::Transfer;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::embedding::Embeddable;
use engine_core::screening;
use guard::Resource;
use known::Known;
use model::{Failure, NewReference, Origin, Permission, Provenance, Session, StoredVector, limits};
use numbers::Numbers;
use std::collections::BTreeMap;
use store::{Change, Kept, Made};

/// Options of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportOptions {
    /// The file is somebody else's: everything counts as imported, with no more trust than that.
    pub from_outside: bool,
}

/// State of an import.
#[derive(Debug)]
pub struct Import {
    options: ImportOptions,
    known: Known,
    numbers: Numbers,
    /// Sessions whose episode is set once it is imported.
    with_episode: Vec<Session>,
    /// Result so far.
    pub imported: Imported,
}

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// Number of added items by kind.
    pub added: BTreeMap<&'static str, usize>,
    /// Number of items that existed already.
    pub known: usize,
    /// Skipped items with the reason.
    pub passed_over: Vec<(String, String)>,
    /// Items changed by screening, with what was changed.
    pub changed: Vec<(String, String)>,
}

impl Transfer<'_> {
    /// Begins an import by reading what exists already.
    ///
    /// # Errors
    /// `consent_required` when the caller is not the owner; when the store cannot be read.
    pub async fn open_import(
        self,
        caller: &Caller,
        options: ImportOptions,
    ) -> Result<Import, Failure> {
        Call::begin(self.core, caller, Resource::Administration, Permission::Write, &options)
            .await?;
        Ok(Import {
            options,
            known: Known::of(self.core, &caller.owner).await?,
            numbers: Numbers::default(),
            with_episode: Vec::new(),
            imported: Imported::default(),
        })
    }

    /// Imports some items, in the order of an export.
    ///
    /// # Errors
    /// Fails when there are too many at once, the caller is not the owner, or the store cannot
    /// write.
    pub async fn import_some(
        self,
        caller: &Caller,
        import: &mut Import,
        items: Vec<Item>,
    ) -> Result<(), Failure> {
        limits::count("items", items.len(), limits::IDS)?;
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
            let sort = first.sort();
            let mut run = vec![first];
            while let Some(next) = items.next_if(|next| next.sort() == sort) {
                run.push(next);
            }
            import.take_run(&call, run).await?;
        }
        Ok(())
    }

    /// Ends an import: sets the episodes of sessions.
    ///
    /// # Errors
    /// Fails when the caller is not the owner, or the store cannot write.
    pub async fn end_import(
        self,
        caller: &Caller,
        mut import: Import,
    ) -> Result<Imported, Failure> {
        let call = Call::begin(self.core, caller, Resource::Administration, Permission::Write, &())
            .await?;
        // Sessions come before memories, so their episodes can only be set at the end.
        for mut session in std::mem::take(&mut import.with_episode) {
            session.episode = session.episode.and_then(|memory| import.numbers.memory(memory));
            session.id = import.numbers.session(session.id).unwrap_or(session.id);
            call.write(
                "set the episode of a session",
                vec![Change::Keep(Box::new(Kept::Session(session)))],
            )
            .await?;
        }
        Ok(import.imported)
    }
}

/// A change to write, with the item of the file.
struct Ready {
    was: Item,
    change: Change,
}

impl Import {
    /// Imports items of one kind.
    // One kind at a time, because items refer to the ids that earlier kinds were given.
    async fn take_run(&mut self, call: &Call<'_>, run: Vec<Item>) -> Result<(), Failure> {
        let mut ready = Vec::with_capacity(run.len());
        for item in run {
            match self.prepare(call, item.clone()).await? {
                Verdict::Write(change, notes) => {
                    self.imported.changed.extend(notes.into_iter().map(|note| (item.name(), note)));
                    ready.push(Ready { was: item, change: *change });
                }
                Verdict::Known => self.imported.known += 1,
                Verdict::PassOver(why) => self.pass_over(&item, why),
            }
        }
        give_vectors(call, &mut ready).await?;
        self.write(call, ready).await
    }

    fn pass_over(&mut self, item: &Item, why: impl Into<String>) {
        self.imported.passed_over.push((item.name(), why.into()));
    }

    /// Decides about an item: translates its ids and screens its texts.
    async fn prepare(&mut self, call: &Call<'_>, item: Item) -> Result<Verdict, Failure> {
        let kept = match item {
            Item::Reference(document) if self.known.has_document(&document) => {
                return Ok(Verdict::Known);
            }
            Item::Reference(document) => {
                let vectors = vec![None; document.sections.len()];
                return Ok(screened(call, Change::PutReference { reference: document, vectors }));
            }
            Item::Kept(kept) => *kept,
        };
        if let Kept::Session(session) = &kept
            && session.episode.is_some()
        {
            self.with_episode.push(session.clone());
        }
        if let Some(there) = self.known.there(call, &kept, &self.numbers).await? {
            self.numbers.put(&kept, &there);
            return Ok(Verdict::Known);
        }
        if let Some(patch) = self.known.lacking(&kept) {
            if patch.is_empty() {
                return Ok(Verdict::Known);
            }
            let provenance = call.provenance(Origin::Imported);
            return Ok(screened(call, Change::PatchProfile { patch, reason: None, provenance }));
        }
        let mut kept = match self.numbers.translated(kept) {
            Ok(kept) => kept,
            Err(missing) => return Ok(Verdict::PassOver(missing)),
        };
        if self.options.from_outside {
            distrust(&mut kept);
        }
        if was_forgotten(call, &kept).await? {
            return Ok(Verdict::PassOver(
                "this text was forgotten at the owner's request".to_owned(),
            ));
        }
        Ok(screened(call, Change::Keep(Box::new(kept))))
    }

    /// Writes all changes at once; one by one if that is refused, so that one item does not stop
    /// others.
    async fn write(&mut self, call: &Call<'_>, ready: Vec<Ready>) -> Result<(), Failure> {
        if ready.is_empty() {
            return Ok(());
        }
        let changes = ready.iter().map(|one| one.change.clone()).collect();
        match call.write(format!("imported {} items", ready.len()), changes).await {
            Ok(committed) => {
                for (one, made) in ready.iter().zip(&committed.made) {
                    self.note(&one.was, made);
                }
                Ok(())
            }
            // A failing store would fail for each item again, so only refusals are retried one by
            // one.
            Err(failure) if failure.code.http_status() >= 500 => Err(failure),
            Err(failure) if ready.len() == 1 => {
                ready.iter().for_each(|one| self.pass_over(&one.was, failure.message.clone()));
                Ok(())
            }
            Err(_) => {
                for one in ready {
                    Box::pin(self.write(call, vec![one])).await?;
                }
                Ok(())
            }
        }
    }

    fn note(&mut self, was: &Item, made: &Made) {
        *self.imported.added.entry(was.sort()).or_default() += 1;
        if let Item::Kept(kept) = was {
            self.numbers.put(kept, made);
        }
    }
}

/// Decision about an item.
enum Verdict {
    /// With notes on what screening changed.
    Write(Box<Change>, Vec<String>),
    Known,
    PassOver(String),
}

fn screened(call: &Call<'_>, mut change: Change) -> Verdict {
    let mut screen = call.screen();
    match screening::one(&mut screen, &mut change) {
        Ok(()) => Verdict::Write(Box::new(change), screen.notes().to_vec()),
        Err(refusal) => Verdict::PassOver(refusal.message),
    }
}

fn distrust(kept: &mut Kept) {
    let lower = |from: &mut Provenance| {
        from.origin = Origin::Imported;
        from.trust = from.trust.and(Origin::Imported.trust());
    };
    match kept {
        Kept::Memory(kept) => lower(&mut kept.memory.provenance),
        Kept::Profile(version) => lower(&mut version.provenance),
        _ => {}
    }
}

async fn was_forgotten(call: &Call<'_>, kept: &Kept) -> Result<bool, Failure> {
    let Kept::Memory(kept) = kept else { return Ok(false) };
    let hash = model::ContentHash::of(&kept.memory.text);
    Ok(call.store().forgotten(hash).await?.is_some())
}

// Vectors are not imported but computed by the current model.
async fn give_vectors(call: &Call<'_>, ready: &mut [Ready]) -> Result<(), Failure> {
    let texts: Vec<Embeddable> = ready.iter().flat_map(|one| texts(&one.change)).collect();
    if texts.is_empty() {
        return Ok(());
    }
    let Ok(made) = call.core.vectors_of(texts).await else { return Ok(()) };
    let mut made = made.into_iter();
    ready.iter_mut().for_each(|one| put_vectors(&mut one.change, &mut made));
    Ok(())
}

fn texts(change: &Change) -> Vec<Embeddable> {
    match change {
        Change::PutReference { reference, .. } => {
            let NewReference { sections, .. } = reference.as_ref();
            sections.iter().map(|section| Embeddable::whole(section.text.clone())).collect()
        }
        Change::Keep(kept) => match &**kept {
            Kept::Memory(kept) => {
                let memory = &kept.memory;
                vec![Embeddable::memory(&memory.metadata, memory.title.as_deref(), &memory.text)]
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn put_vectors(change: &mut Change, made: &mut impl Iterator<Item = StoredVector>) {
    match change {
        Change::PutReference { vectors, .. } => {
            vectors.iter_mut().for_each(|vector| *vector = made.next())
        }
        Change::Keep(kept) => {
            if let Kept::Memory(kept) = &mut **kept {
                kept.vector = made.next();
            }
        }
        _ => {}
    }
}
