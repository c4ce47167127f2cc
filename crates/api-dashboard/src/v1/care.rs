//! Care: how the memory stands, and erasing everything.

use super::shown::{Counted, counted};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::maintenance::StoreStatus;
use model::Failure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must be typed to erase everything.
pub(crate) const ERASE: &str = "erase everything";

/// How the memory stands.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StatusShown {
    /// Memories by status.
    memories: Vec<Counted>,
    /// Links between them.
    links: usize,
    /// Entities.
    entities: usize,
    /// Rows of all tables.
    rows: usize,
    /// Sessions.
    sessions: usize,
    /// Handoffs.
    handoffs: usize,
    /// Reference documents.
    references: usize,
    /// What waits for review.
    reviews: usize,
    /// Bytes on disk.
    bytes: u64,
    /// The version of the program.
    version: &'static str,
    /// The model that makes vectors.
    embedder: String,
    /// How many memories have vectors of it.
    embedded: usize,
}

pub(super) async fn status(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<StatusShown>, Failure> {
    let StoreStatus { counts, embedding, .. } = desk.engine.admin().status(&desk.caller).await?;
    let memories = counts.memories.iter().map(|(status, count)| (status.name().to_owned(), *count));
    Answer::of(StatusShown {
        memories: counted(memories.collect()),
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

/// Everything to erase.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToErase {
    /// `erase everything`, typed by the owner.
    confirm: String,
}

/// What was erased.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Erased {
    /// How many memories.
    memories: usize,
    /// How many things went from each place.
    places: Vec<Counted>,
    /// Backups, which are files of their own and still hold what was erased; to delete them is
    /// yours.
    backups: Vec<String>,
}

pub(super) async fn erase(
    desk: Desk,
    _: Nothing,
    input: ToErase,
) -> Result<Answer<Erased>, Failure> {
    if input.confirm.trim() != ERASE {
        return Err(Failure::invalid(format!(
            "type `{ERASE}` to erase everything; nothing was done"
        )));
    }
    let removal = desk.engine.admin().erase_everything(&desk.caller, true).await?;
    let backups = backups_of(&desk);
    Answer::of(Erased { memories: removal.memories, places: counted(removal.places), backups })
}

/// The backups of the owner in the directory for them.
fn backups_of(desk: &Desk) -> Vec<String> {
    let ours = format!("{}-", desk.caller.owner);
    let listed = std::fs::read_dir(&desk.backups).into_iter().flatten().flatten();
    let is_ours = |name: &str| name.starts_with(&ours) && name.ends_with(".db");
    let files = listed.filter(|entry| entry.file_name().to_str().is_some_and(is_ours));
    let mut files: Vec<String> = files.map(|entry| entry.path().display().to_string()).collect();
    files.sort();
    files
}
