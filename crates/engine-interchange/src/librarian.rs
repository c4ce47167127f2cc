//! Import of a vault of The Librarian: a directory of Markdown files with metadata at the top,
//! `memories/`, `handoffs/` and `references/`. Titles, authors, dates, flags, tags, confidences and
//! links are kept; archived memories become retired ones, and proposals of its curator are skipped.

mod confidence_words;
mod front_matter;
mod handoffs;
mod memories;

pub use confidence_words::confidence_in_words;

use crate::foreign::{ForeignItems, ForeignMemory, VaultFile};
pub(crate) use front_matter::FrontMatter;
use model::{AgentName, Author, Moment, Provenance};
use serde_json::Value;

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

    /// Returns true if files are those of a vault: in its directories, with its metadata.
    #[must_use]
    pub(crate) fn is_one(files: &[VaultFile]) -> bool {
        const ITS_OWN: [&str; 4] = ["agent_id", "handoff_id", "requires_approval", "curator_note"];
        let directory =
            |file: &VaultFile| file.path.split_once('/').map(|(first, _)| first.to_owned());
        let is_known = |file: &VaultFile| {
            directory(file).is_some_and(|first| Self::DIRECTORIES.contains(&first.as_str()))
        };
        let is_note = |file: &&VaultFile| {
            directory(file).is_some_and(|first| first == "memories" || first == "handoffs")
        };
        let has_metadata = |file: &VaultFile| {
            let fields = FrontMatter::read(&file.text).fields;
            ITS_OWN.iter().any(|name| fields.get(name).is_some())
        };
        files.iter().filter(is_note).any(has_metadata) || files.iter().all(is_known)
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

impl ForeignMemory for LibrarianVault {
    fn program(&self) -> &'static str {
        "The Librarian"
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let memories = memories::convert(self, from);
        let items = memories.items.into_iter().chain(handoffs::items(self, from));
        ForeignItems {
            items: items.collect(),
            documents: self.files_in("references").cloned().collect(),
            skipped: memories.skipped,
            ..ForeignItems::default()
        }
    }
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
