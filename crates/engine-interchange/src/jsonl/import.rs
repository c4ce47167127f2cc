//! Import of JSON Lines in chunks. Lines are untrusted input, so their length is checked while they
//! are read.

use super::{JsonlError, LINE_BYTES, VERSION, from_line};
use crate::Transfer;
use crate::transfer::{ImportOptions, ImportOutcome, ImportState, TransferItem};
use engine::{Caller, Engine};
use std::io::{BufRead, Read};

/// Number of lines imported in one batch.
const CHUNK_LINES: usize = 500;
/// Approximate size of one batch, in bytes.
// A few lines with large documents fill a batch as well as many short ones.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// Imports an export and reports the number of bytes read after each chunk.
///
/// # Errors
/// Fails when the input is not an export, a line is invalid, the caller is not the owner or the
/// store cannot write. Chunks imported before stay, and importing the file again continues after
/// them.
pub async fn import_jsonl(
    engine: &Engine,
    caller: &Caller,
    from: impl BufRead,
    options: ImportOptions,
    mut progress: impl FnMut(u64),
) -> Result<ImportOutcome, JsonlError> {
    let caller = &caller.clone().with_tool("import");
    let mut lines = LineReader { from, line: String::new(), number: 0, bytes: 0 };
    lines.read_header()?;
    let mut import = Transfer::of(engine).open_import(caller, options).await?;
    while import_chunk(engine, caller, &mut import, &mut lines).await? {
        progress(lines.bytes);
    }
    Ok(Transfer::of(engine).end_import(caller, import).await?)
}

/// Imports the next chunk and returns whether there was one.
async fn import_chunk(
    engine: &Engine,
    caller: &Caller,
    import: &mut ImportState,
    lines: &mut LineReader<impl BufRead>,
) -> Result<bool, JsonlError> {
    let (mut items, mut bytes): (Vec<TransferItem>, usize) = (Vec::new(), 0);
    let mut broken = None;
    while items.len() < CHUNK_LINES && bytes < CHUNK_BYTES {
        match lines.next_item() {
            Ok(Some(item)) => {
                bytes += lines.line.len();
                items.push(item);
            }
            Ok(None) => break,
            Err(error) => {
                broken = Some(error);
                break;
            }
        }
    }
    let some = !items.is_empty();
    // The lines before a broken one are imported first: the error says they were.
    Transfer::of(engine).import_items(caller, import, items).await?;
    broken.map_or(Ok(some), Err)
}

struct LineReader<R> {
    from: R,
    line: String,
    number: usize,
    bytes: u64,
}

impl<R: BufRead> LineReader<R> {
    /// Checks the first line, which identifies the format and its version.
    fn read_header(&mut self) -> Result<(), JsonlError> {
        let exists = self.next_line().map_err(|error| match error {
            JsonlError::Line { .. } => JsonlError::NotAnExport,
            other => other,
        })?;
        let header: serde_json::Value = serde_json::from_str(&self.line).unwrap_or_default();
        match (exists && header["type"] == "quipu", header["version"].as_u64()) {
            (true, Some(version)) if version == u64::from(VERSION) => Ok(()),
            (true, Some(version)) => {
                Err(JsonlError::UnsupportedVersion(u32::try_from(version).unwrap_or(u32::MAX)))
            }
            _ => Err(JsonlError::NotAnExport),
        }
    }

    fn next_item(&mut self) -> Result<Option<TransferItem>, JsonlError> {
        while self.next_line()? {
            if self.line.trim().is_empty() {
                continue;
            }
            if let Some(item) = from_line(&self.line).map_err(|why| self.error(why))? {
                return Ok(Some(item));
            }
        }
        Ok(None)
    }

    /// Reads the next line, at most [`LINE_BYTES`] of it, and returns whether there was one.
    fn next_line(&mut self) -> Result<bool, JsonlError> {
        self.number += 1;
        let mut bytes = Vec::new();
        let read = (&mut self.from).take(LINE_BYTES + 1).read_until(b'\n', &mut bytes)?;
        self.bytes += read as u64;
        if bytes.len() as u64 > LINE_BYTES {
            return Err(self.error(format!("the line has more than {LINE_BYTES} bytes")));
        }
        self.line = String::from_utf8(bytes).map_err(|_| self.error("the line is not UTF-8"))?;
        Ok(read > 0)
    }

    fn error(&self, why: impl Into<String>) -> JsonlError {
        JsonlError::Line { line: self.number, why: why.into() }
    }
}
