//! Reads and writes the files beside a memory that protect its audit log. Only their owner can read
//! them. Knows nothing of chains.

use crate::error::file_error;
use crate::files::sync_directory_above;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use store::{ChainKey, StoreError};

/// Maximum number of bytes that are read of the checkpoints.
// Enough for about 10 million events at one checkpoint of some 160 bytes per 256 events.
const CHECKPOINT_BYTES_MAX: u64 = 8 * 1024 * 1024;

/// Reads a key; `None` when the file is missing or cannot be a key.
pub(super) fn read_key(file: &Path) -> Result<Option<ChainKey>, StoreError> {
    match fs::read(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(file_error("reading", file, &error)),
        // Half a key verifies as little as none.
        Ok(bytes) => {
            Ok(<[u8; ChainKey::BYTES]>::try_from(bytes.as_slice()).ok().map(ChainKey::new))
        }
    }
}

/// Writes a file whole: under another name, synced and then renamed, so that no process and no
/// crash ever leaves half of it to be read.
pub(super) fn replace_file(file: &Path, content: &[u8]) -> Result<(), StoreError> {
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let unfinished = PathBuf::from(name);
    let written =
        open_private(&unfinished, OpenOptions::new().write(true).create(true).truncate(true))
            .and_then(|mut out| out.write_all(content).and_then(|()| out.sync_all()))
            .and_then(|()| fs::rename(&unfinished, file));
    written.map_err(|error| file_error("writing", file, &error))?;
    sync_directory_above(file)
}

/// Appends a line to an existing file, and syncs it.
// A file that was removed is not created again: that would hide its removal.
pub(super) fn append_line(file: &Path, line: &str) -> Result<(), StoreError> {
    let written = OpenOptions::new().append(true).open(file).and_then(|mut out| {
        out.write_all(format!("{line}\n").as_bytes()).and_then(|()| out.sync_data())
    });
    written.map_err(|error| file_error("writing", file, &error))
}

/// Reads the lines of a file; none when it is missing.
pub(super) fn read_lines(file: &Path) -> Result<String, StoreError> {
    let opened = match fs::File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        opened => opened.map_err(|error| file_error("reading", file, &error))?,
    };
    let mut bytes = Vec::new();
    opened
        .take(CHECKPOINT_BYTES_MAX)
        .read_to_end(&mut bytes)
        .map_err(|error| file_error("reading", file, &error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Moves a file that belongs to an earlier chain out of the way, and keeps it.
pub(super) fn set_aside(file: &Path) -> Result<(), StoreError> {
    // Nothing here uses it any more, but the owner may want to know what it said.
    let aside = (1_u32..).map(|number| {
        let mut name = file.as_os_str().to_owned();
        name.push(if number == 1 { ".old".to_owned() } else { format!(".old{number}") });
        PathBuf::from(name)
    });
    let Some(unused) = aside.into_iter().find(|path| path.symlink_metadata().is_err()) else {
        return Ok(());
    };
    match fs::rename(file, unused) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(file_error("moving", file, &error))
        }
        _ => Ok(()),
    }
}

fn open_private(file: &Path, options: &mut OpenOptions) -> std::io::Result<fs::File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(file)
}
