//! Operations on the whole memory: its status, and erasing everything.

use super::json::{NamedCount, named_counts};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::maintenance::StoreStatus;
use model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Text that the owner must type to erase everything.
pub(crate) const ERASE_CONFIRMATION: &str = "erase everything";

/// Counts, size and embedding progress.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusJson {
    /// Number of memories by status.
    memories: Vec<NamedCount>,
    /// Number of links.
    links: usize,
    /// Number of entities.
    entities: usize,
    /// Number of rows in all tables.
    rows: usize,
    /// Number of sessions.
    sessions: usize,
    /// Number of handoffs.
    handoffs: usize,
    /// Number of reference documents.
    references: usize,
    /// Number of open review items.
    reviews: usize,
    /// Size on disk in bytes.
    bytes: u64,
    /// Version of the program.
    version: &'static str,
    /// Embedding model.
    embedder: String,
    /// Number of memories with vectors of this model.
    embedded: usize,
}

pub(super) async fn status(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<StatusJson>, Failure> {
    let StoreStatus { counts, embedding, .. } =
        context.engine.admin().status(&context.caller).await?;
    let memories = counts.memories.iter().map(|(status, count)| (status.name().to_owned(), *count));
    ApiResponse::new(StatusJson {
        memories: named_counts(memories.collect()),
        links: counts.links,
        entities: counts.entities,
        rows: counts.records,
        sessions: counts.sessions,
        handoffs: counts.handoffs,
        references: counts.references,
        reviews: counts.reviews_open,
        bytes: counts.bytes,
        version: env!("CARGO_PKG_VERSION"),
        embedder: embedding.model,
        embedded: embedding.done,
    })
}

/// Confirmation of the erasure.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EraseBody {
    /// `erase everything`, typed by the owner.
    confirm: String,
}

/// Receipt of the erasure.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct EraseReceiptJson {
    /// Number of erased memories.
    memories: usize,
    /// Number of items erased in each place.
    places: Vec<NamedCount>,
    /// Backups, which are separate files and still contain what was erased.
    backups: Vec<String>,
}

pub(super) async fn erase(
    context: RequestContext,
    _: NoFields,
    input: EraseBody,
) -> Result<ApiResponse<EraseReceiptJson>, Failure> {
    // Typed by the owner, because this cannot be undone.
    if input.confirm.trim() != ERASE_CONFIRMATION {
        return Err(Failure::invalid(format!(
            "type `{ERASE_CONFIRMATION}` to erase everything; nothing was done"
        )));
    }
    let removal = context.engine.admin().erase_everything(&context.caller, true).await?;
    let backups = backups_of(&context);
    ApiResponse::new(EraseReceiptJson {
        memories: removal.memories,
        places: named_counts(removal.places),
        backups,
    })
}

/// Returns the paths of the owner's backups, and of the directories of memories that a restore
/// replaced.
fn backups_of(context: &RequestContext) -> Vec<String> {
    let ours = format!("{}-", context.caller.owner);
    let listed = std::fs::read_dir(&context.backups).into_iter().flatten().flatten();
    // The directory is shared with other owners; file names begin with the owner.
    let is_ours = |entry: &std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_kept = || entry.path().join("memory.db").is_file();
        name.starts_with(&ours) && (name.ends_with(".db") || is_kept())
    };
    let files = listed.filter(is_ours);
    let mut files: Vec<String> = files.map(|entry| entry.path().display().to_string()).collect();
    files.sort();
    files
}
