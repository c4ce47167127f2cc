//! Into: what was exported elsewhere, or here, becomes part of this memory. Numbers stay where they
//! are free and are followed where they are not; what is there already is not added again; what may
//! not be kept is passed over and named, and does not stop the rest.

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

/// How an import is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImportOptions {
    /// It is somebody else's: whatever it says of who said it, it counts as imported, and is
    /// trusted no more than that.
    pub from_outside: bool,
}

/// An import under way.
#[derive(Debug)]
pub struct Import {
    options: ImportOptions,
    known: Known,
    numbers: Numbers,
    /// Sessions that learn of their episode once it is there.
    with_episode: Vec<Session>,
    /// What came of it so far.
    pub imported: Imported,
}

/// What came of an import.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Imported {
    /// How many of each sort were added.
    pub added: BTreeMap<&'static str, usize>,
    /// How many were there already.
    pub known: usize,
    /// What was passed over, and why.
    pub passed_over: Vec<(String, String)>,
    /// What was changed on the way in: of which thing, and what.
    pub changed: Vec<(String, String)>,
}

impl Transfer<'_> {
    /// Begins an import: looks what is there already.
    ///
    /// # Errors
    /// `consent_required` when the caller is not the owner; when the store cannot answer.
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

    /// Takes some more in, in the order of an export.
    ///
    /// # Errors
    /// When they are too many at once, the caller is not the owner, or the store cannot write.
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

    /// Ends an import: sessions learn what sums them up.
    ///
    /// # Errors
    /// When the caller is not the owner, or the store cannot write.
    pub async fn end_import(
        self,
        caller: &Caller,
        mut import: Import,
    ) -> Result<Imported, Failure> {
        let call = Call::begin(self.core, caller, Resource::Administration, Permission::Write, &())
            .await?;
        for mut session in std::mem::take(&mut import.with_episode) {
            session.episode = session.episode.and_then(|memory| import.numbers.memory(memory));
            session.id = import.numbers.session(session.id).unwrap_or(session.id);
            call.write(
                "told a session of its episode",
                vec![Change::Keep(Box::new(Kept::Session(session)))],
            )
            .await?;
        }
        Ok(import.imported)
    }
}

/// A thing that is to be written, and what it was in the file.
struct Ready {
    was: Item,
    change: Change,
}

impl Import {
    /// Takes things of one sort in.
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

    /// What is to be done with a thing: its numbers become those of here, and its texts are looked
    /// through.
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
            return Ok(Verdict::PassOver("the owner had this text forgotten".to_owned()));
        }
        Ok(screened(call, Change::Keep(Box::new(kept))))
    }

    /// All at once; one by one where one of them is refused, so that it stops no other.
    async fn write(&mut self, call: &Call<'_>, ready: Vec<Ready>) -> Result<(), Failure> {
        if ready.is_empty() {
            return Ok(());
        }
        let changes = ready.iter().map(|one| one.change.clone()).collect();
        match call.write(format!("imported {} things", ready.len()), changes).await {
            Ok(committed) => {
                for (one, made) in ready.iter().zip(&committed.made) {
                    self.note(&one.was, made);
                }
                Ok(())
            }
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

/// What is to be done with a thing.
enum Verdict {
    /// With what was changed of it on the way in.
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

/// Vectors are made here, by the model that is in use here.
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
