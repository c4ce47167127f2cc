//! The memory that states a row of an export. In exports of earlier versions a changed row still
//! names the memory that it was first written with.

use super::record_text;
use crate::versions::all_versions;
use engine_core::call::Call;
use model::{Failure, MemoryId, Record, Status};

/// Returns the memory that states a row: the one it names, or the newest that replaced it, if one
/// of them renders the row as it is.
///
/// # Errors
/// Fails when the store cannot be read.
pub async fn stating_memory(call: &Call<'_>, record: &Record) -> Result<Option<MemoryId>, Failure> {
    let Some(named) = record.memory else { return Ok(None) };
    let versions = all_versions(call, named).await?;
    let first = versions.iter().find(|memory| memory.id == named);
    if first.is_none_or(|memory| memory.status != Status::Superseded) {
        return Ok(Some(named));
    }
    let rendered = record_text(&record.table, &record.data);
    let later = || versions.iter().filter(|memory| memory.id > named);
    // A correction that says something else hides the row; only a rendering states it.
    let states = later().any(|memory| memory.text == rendered);
    let newest = later().filter(|memory| memory.status == Status::Active).map(|memory| memory.id);
    Ok(newest.max().filter(|_| states).or(Some(named)))
}
