//! Import of JSON Lines in chunks. Lines are untrusted input, so their length is checked while they
//! are read.

use super::{JsonlError, LINE_BYTES, VERSION, from_line};
use crate::Transfer;
use crate::transfer::{Import, ImportOptions, Imported, Item};
use engine::{Caller, Engine};
use std::io::{BufRead, Read};

/// Number of lines imported in one batch.
const AT_ONCE: usize = 200;
/// Approximate size of one batch, in bytes.
// A few lines with large documents fill a batch as well as many short ones.
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// Imports an export and reports the number of bytes read after each chunk.
///
/// # Errors
/// The input is not an export, a line is invalid, the caller is not the owner or the store cannot
/// write. Chunks imported before stay, and importing the file again continues after them.
pub async fn import_jsonl(
    engine: &Engine,
    caller: &Caller,
    from: impl BufRead,
    options: ImportOptions,
    mut progress: impl FnMut(u64),
) -> Result<Imported, JsonlError> {
    let caller = &caller.using("import");
    let mut lines = Lines { from, line: String::new(), number: 0, bytes: 0 };
    lines.header()?;
    let mut import = Transfer::of(engine).open_import(caller, options).await?;
    while take_some(engine, caller, &mut import, &mut lines).await? {
        progress(lines.bytes);
    }
    Ok(Transfer::of(engine).end_import(caller, import).await?)
}

/// Imports the next chunk and returns whether there was one.
async fn take_some(
    engine: &Engine,
    caller: &Caller,
    import: &mut Import,
    lines: &mut Lines<impl BufRead>,
) -> Result<bool, JsonlError> {
    let (mut items, mut bytes): (Vec<Item>, usize) = (Vec::new(), 0);
    let mut broken = None;
    while items.len() < AT_ONCE && bytes < BYTES_AT_ONCE {
        match lines.item() {
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
    Transfer::of(engine).import_some(caller, import, items).await?;
    broken.map_or(Ok(some), Err)
}

struct Lines<R> {
    from: R,
    line: String,
    number: usize,
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    /// Checks the first line, which identifies the format and its version.
    fn header(&mut self) -> Result<(), JsonlError> {
        let exists = self.next_line().map_err(|error| match error {
            JsonlError::Line { .. } => JsonlError::NoExport,
            other => other,
        })?;
        let header: serde_json::Value = serde_json::from_str(&self.line).unwrap_or_default();
        match (exists && header["type"] == "quipu", header["version"].as_u64()) {
            (true, Some(version)) if version == u64::from(VERSION) => Ok(()),
            (true, Some(version)) => {
                Err(JsonlError::Newer(u32::try_from(version).unwrap_or(u32::MAX)))
            }
            _ => Err(JsonlError::NoExport),
        }
    }

    fn item(&mut self) -> Result<Option<Item>, JsonlError> {
        while self.next_line()? {
            if self.line.trim().is_empty() {
                continue;
            }
            if let Some(item) = from_line(&self.line).map_err(|why| self.fault(why))? {
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
            return Err(self.fault(format!("the line has more than {LINE_BYTES} bytes")));
        }
        self.line = String::from_utf8(bytes).map_err(|_| self.fault("the line is not UTF-8"))?;
        Ok(read > 0)
    }

    fn fault(&self, why: impl Into<String>) -> JsonlError {
        JsonlError::Line { line: self.number, why: why.into() }
    }
}
