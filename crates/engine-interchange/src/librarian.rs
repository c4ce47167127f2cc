//! Import of a vault of The Librarian: a directory of Markdown files with metadata at the top,
//! `memories/`, `handoffs/` and `references/`. Titles, authors, dates, flags, tags, confidences and
//! links are kept; archived memories become retired ones, and proposals of its curator are skipped.

mod confidence_words;
mod front_matter;
mod handoffs;
mod memories;

pub use confidence_words::confidence_in_words;

use crate::foreign_items::import_foreign_items;
use crate::transfer::{ImportOutcome, TransferItem};
use crate::{ForgottenTexts, TransferProgress};
use engine::references::FileReferenceRequest;
use engine::{Caller, Engine};
use front_matter::FrontMatter;
use model::{AgentName, Author, Dialect, Failure, Moment, Origin, Provenance};
use serde_json::Value;

/// A file of a vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultFile {
    /// Path below the vault, with forward slashes.
    pub path: String,
    pub text: String,
}

/// The files of a vault.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LibrarianVault {
    files: Vec<VaultFile>,
}

impl LibrarianVault {
    /// Directories of a vault that are imported.
    pub const DIRECTORIES: [&'static str; 3] = ["memories", "handoffs", "references"];

    /// Makes a vault of its files.
    #[must_use]
    pub fn new(files: Vec<VaultFile>) -> Self {
        Self { files }
    }

    /// Returns true when there is nothing to import.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    fn files_in<'v>(&'v self, directory: &'static str) -> impl Iterator<Item = &'v VaultFile> {
        let is_in = move |file: &&VaultFile| {
            file.path.split_once('/').is_some_and(|(first, _)| first == directory)
        };
        self.files.iter().filter(is_in)
    }

    /// Returns the notes of a directory, each with its path.
    fn notes<'v>(
        &'v self,
        directory: &'static str,
    ) -> impl Iterator<Item = (&'v str, FrontMatter)> {
        self.files_in(directory).map(|file| (file.path.as_str(), FrontMatter::read(&file.text)))
    }
}

/// Imports a vault on behalf of the caller, and reports the progress.
///
/// # Errors
/// Fails when the caller is not the owner, or the store cannot write. What was imported before
/// stays, and importing the vault again continues after it.
pub async fn import_vault(
    engine: &Engine,
    caller: &Caller,
    vault: &LibrarianVault,
    forgotten: ForgottenTexts,
    progress: impl FnMut(TransferProgress),
) -> Result<ImportOutcome, Failure> {
    let caller = &caller.clone().with_tool("import");
    let origin = Origin::Imported;
    let author = Author { dialect: Dialect::Import, ..caller.author.clone() };
    let from = Provenance { author, origin, trust: origin.trust(), at: engine.now() };
    let (items, skipped) = convert_vault(vault, &from);
    let mut outcome = import_foreign_items(engine, caller, items, forgotten, progress).await?;
    outcome.skipped.extend(skipped);
    import_references(engine, caller, vault, &mut outcome).await?;
    Ok(outcome)
}

/// Converts the memories and handoffs of a vault. Returns also the skipped files, with the reason.
pub(crate) fn convert_vault(
    vault: &LibrarianVault,
    from: &Provenance,
) -> (Vec<TransferItem>, Vec<(String, String)>) {
    let memories = memories::convert(vault, from);
    let items = memories.items.into_iter().chain(handoffs::items(vault, from));
    (items.collect(), memories.skipped)
}

/// Files the references under their paths below the vault's directory.
async fn import_references(
    engine: &Engine,
    caller: &Caller,
    vault: &LibrarianVault,
    outcome: &mut ImportOutcome,
) -> Result<(), Failure> {
    for file in vault.files_in("references") {
        let input = FileReferenceRequest { path: file.path.clone(), text: file.text.clone() };
        match engine.references().put(caller, &input).await {
            Ok(_) => *outcome.added.entry("reference").or_default() += 1,
            Err(failure) if failure.code.http_status() >= 500 => return Err(failure),
            Err(failure) => outcome.skipped.push((file.path.clone(), failure.message)),
        }
    }
    Ok(())
}

/// Returns the origin of an item with its own author and time.
fn provenance(from: &Provenance, agent: Option<&str>, at: Moment) -> Provenance {
    let agent = agent.map_or_else(|| from.author.agent.clone(), AgentName::new);
    let author = Author { agent, ..from.author.clone() };
    Provenance { author, at, ..from.clone() }
}

/// Returns a time of the metadata.
fn moment(fields: &Value, name: &str) -> Option<Moment> {
    Moment::parse(text(fields, name)?).ok()
}

/// Returns a non-empty text of the metadata.
fn text<'v>(fields: &'v Value, name: &str) -> Option<&'v str> {
    fields.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// Returns the texts of a list of the metadata.
fn texts(fields: &Value, name: &str) -> Vec<String> {
    let items = fields.get(name).and_then(Value::as_array).into_iter().flatten();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}
