//! Export to JSON Lines in chunks, without holding the whole export in memory.

use super::{HEADER, JsonlError, to_line};
use crate::Transfer;
use crate::TransferProgress;
use engine::{Caller, Engine};
use std::collections::BTreeMap;
use std::io::Write;

/// Number of exported items by type.
pub type ExportCounts = BTreeMap<&'static str, usize>;

/// Writes everything stored for the owner and reports the progress after each chunk.
///
/// # Errors
/// Fails when the caller is not the owner, the store cannot be read, or the lines cannot be
/// written.
pub async fn export_jsonl(
    engine: &Engine,
    caller: &Caller,
    out: &mut (impl Write + ?Sized),
    mut progress: impl FnMut(TransferProgress),
) -> Result<ExportCounts, JsonlError> {
    let caller = &caller.clone().with_tool("export");
    let mut export = Transfer::of(engine).open_export(caller).await?;
    let mut exported = ExportCounts::new();
    writeln!(out, "{HEADER}")?;
    while let Some(items) = Transfer::of(engine).export_next(caller, &mut export).await? {
        for item in &items {
            writeln!(out, "{}", to_line(item))?;
            *exported.entry(item.kind()).or_default() += 1;
        }
        progress(TransferProgress { done: export.done, total: export.total });
    }
    out.flush()?;
    Ok(exported)
}
