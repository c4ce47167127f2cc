//! Reading an export, some lines at a time. A line is bytes from strangers: it is bounded before it
//! is read.

use super::{JsonlError, LINE_BYTES, VERSION, from_line};
use crate::Transfer;
use crate::transfer::{Import, ImportOptions, Imported, Item};
use engine::{Caller, Engine};
use std::io::{BufRead, Read};

/// How many lines go in at a time.
const AT_ONCE: usize = 200;
/// About how many bytes go in at a time at most.
const BYTES_AT_ONCE: usize = 4 * 1024 * 1024;

/// Reads an export in, and tells after each step how many bytes of it are done.
///
/// # Errors
/// When it is none, a line cannot be understood, the caller is not the owner or the store cannot
/// write. What went in before stays, and reading it once more goes on there.
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

/// Takes the next lines in; tells whether there were any.
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
    /// Reads the first line, which says what the file is.
    fn header(&mut self) -> Result<(), JsonlError> {
        let known = self.next_line().map_err(|error| match error {
            JsonlError::Line { .. } => JsonlError::NoExport,
            other => other,
        })?;
        let header: serde_json::Value = serde_json::from_str(&self.line).unwrap_or_default();
        match (known && header["type"] == "quipu", header["version"].as_u64()) {
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

    /// Reads a line, and no more than a line may have; tells whether there was one.
    fn next_line(&mut self) -> Result<bool, JsonlError> {
        self.number += 1;
        let mut bytes = Vec::new();
        let read = (&mut self.from).take(LINE_BYTES + 1).read_until(b'\n', &mut bytes)?;
        self.bytes += read as u64;
        if bytes.len() as u64 > LINE_BYTES {
            return Err(self.fault(format!("it has more than {LINE_BYTES} bytes")));
        }
        self.line = String::from_utf8(bytes).map_err(|_| self.fault("it is no UTF-8"))?;
        Ok(read > 0)
    }

    fn fault(&self, why: impl Into<String>) -> JsonlError {
        JsonlError::Line { line: self.number, why: why.into() }
    }
}
