//! Import of memories of other programs. A reader of a format converts a file to items; everything
//! else is the same for all: who wrote them, the batches, names and statements in their texts,
//! documents, a run that only counts, and what is reported.

mod item_list;
mod source;

pub(crate) use item_list::{ForeignNote, ItemList};
pub use source::{ForeignSource, UnknownFormat, VaultFile};

use crate::transfer::{ImportOptions, ImportOutcome, TransferItem};
use crate::{ForgottenTexts, Transfer, TransferProgress};
use engine::references::FileReferenceRequest;
use engine::{Caller, Engine};
use model::{Author, Dialect, Failure, Origin, Provenance};

/// Number of items imported in one batch.
const BATCH_ITEMS: usize = 500;

/// Content of a file or directory of another program.
pub trait ForeignMemory: Send + Sync {
    /// Returns the name of the program, for people.
    fn program(&self) -> &'static str;

    /// Returns the author of items that name none.
    fn author(&self, caller: &Author) -> Author {
        Author { dialect: Dialect::Import, ..caller.clone() }
    }

    /// Converts the content to items of an import.
    fn convert(&self, from: &Provenance) -> ForeignItems;
}

/// Converted content of another program.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ForeignItems {
    /// Items in the order of an import: each after what it refers to.
    pub(crate) items: Vec<TransferItem>,
    /// Documents to file as references.
    pub(crate) documents: Vec<VaultFile>,
    /// Number of texts that the file has more than once.
    pub(crate) repeated: usize,
    /// Names of what was left out, with the reason.
    pub(crate) skipped: Vec<(String, String)>,
}

impl ForeignItems {
    /// Returns the number of items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len() + self.documents.len()
    }

    /// Returns true if there is nothing to import.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Options of an import from another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ForeignOptions {
    pub forgotten: ForgottenTexts,
    /// Only counts what would be imported.
    pub dry_run: bool,
}

/// Imports the content of another program on behalf of the caller, and reports the progress after
/// each batch.
///
/// # Errors
/// Fails when the caller is not the owner, or the store cannot write. Batches imported before stay,
/// and importing the file again continues after them.
pub async fn import_foreign(
    engine: &Engine,
    caller: &Caller,
    memory: &dyn ForeignMemory,
    options: ForeignOptions,
    mut progress: impl FnMut(TransferProgress),
) -> Result<ImportOutcome, Failure> {
    let caller = &caller.clone().with_tool("import");
    let origin = Origin::Imported;
    let author = memory.author(&caller.author);
    let from = Provenance { author, origin, trust: origin.trust(), at: engine.now() };
    let ForeignItems { mut items, documents, repeated, skipped } = memory.convert(&from);
    let ForeignOptions { forgotten, dry_run } = options;
    let (total, mut done) = (items.len(), 0);
    let options = ImportOptions { from_outside: true, forgotten, dry_run };
    let mut import = Transfer::of(engine).open_import(caller, options).await?;
    while !items.is_empty() {
        let rest = items.split_off(items.len().min(BATCH_ITEMS));
        done += items.len();
        Transfer::of(engine).import_items(caller, &mut import, items).await?;
        progress(TransferProgress { done, total });
        items = rest;
    }
    let mut outcome = Transfer::of(engine).end_import(caller, import).await?;
    outcome.existing += repeated;
    outcome.skipped.extend(skipped);
    for document in documents {
        file_document(engine, caller, document, dry_run, &mut outcome).await?;
    }
    Ok(outcome)
}

async fn file_document(
    engine: &Engine,
    caller: &Caller,
    document: VaultFile,
    dry_run: bool,
    outcome: &mut ImportOutcome,
) -> Result<(), Failure> {
    let VaultFile { path, text } = document;
    let input = FileReferenceRequest { path: path.clone(), text };
    let filed =
        if dry_run { Ok(()) } else { engine.references().put(caller, &input).await.map(drop) };
    match filed {
        Ok(()) => *outcome.added.entry("reference").or_default() += 1,
        Err(failure) if failure.code.http_status() >= 500 => return Err(failure),
        Err(failure) => outcome.skipped.push((path, failure.message)),
    }
    Ok(())
}
