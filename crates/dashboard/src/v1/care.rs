//! Care: how the memory stands, a backup, and erasing everything.

use super::shown::{Counted, counted, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::PurgeAll;
use model::{ErrorCode, Failure};
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

pub(super) async fn status(desk: Desk, _: Nothing, _: Nothing) -> Result<Answer<StatusShown>, Failure> {
    let counts = desk.engine.status(&desk.caller).await?.counts;
    let embedding = desk.engine.embedding_progress(&desk.caller).await?;
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

/// A copy of the memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BackupShown {
    /// The file.
    file: String,
    /// Its size.
    bytes: u64,
}

pub(super) async fn backup(desk: Desk, _: Nothing, _: Nothing) -> Result<Answer<BackupShown>, Failure> {
    let at = desk.engine.status(&desk.caller).await?.at;
    let directory = &desk.backups;
    std::fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))?;
    let name = format!("{}-{}.db", desk.caller.owner, time(at).replace(':', "-"));
    let to = directory.join(name);
    if to.symlink_metadata().is_ok() {
        return Err(Failure::new(ErrorCode::Conflict, "there is a backup of this second; wait for the next"));
    }
    desk.engine.backup(&desk.caller, &to).await?;
    let bytes = to.metadata().map_or(0, |file| file.len());
    Answer::of(BackupShown { file: to.display().to_string(), bytes })
}

fn unwritable(directory: &std::path::Path, error: &std::io::Error) -> Failure {
    let message = format!("the directory {} cannot be made: {error}", directory.display());
    Failure::new(ErrorCode::StorageFailed, message)
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
}

pub(super) async fn erase(desk: Desk, _: Nothing, input: ToErase) -> Result<Answer<Erased>, Failure> {
    if input.confirm.trim() != ERASE {
        return Err(Failure::invalid(format!("type `{ERASE}` to erase everything; nothing was done")));
    }
    let removal = desk.engine.purge_all(&desk.caller, &PurgeAll { confirm: true }).await?;
    Answer::of(Erased { memories: removal.memories, places: counted(removal.places) })
}
