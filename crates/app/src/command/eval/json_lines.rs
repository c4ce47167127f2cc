//! Reads JSON Lines files, compressed or not, with bounds on the size of a line and of the file. It
//! knows nothing about the content of the lines.

use crate::exit::Problem;
use flate2::read::MultiGzDecoder;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// Maximum size of a line.
const LINE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Maximum size of a file after decompression; a small compressed file can expand to a huge one.
const FILE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// A file with its checksum, so that a report identifies the data.
#[derive(Debug)]
pub(super) struct DataFile {
    pub path: PathBuf,
    /// SHA-256 of the file as stored, compressed or not.
    pub sha256: String,
}

impl DataFile {
    /// Finds a file by name in a directory, or its compressed version.
    pub fn find(dir: &Path, name: &str) -> Result<Self, Problem> {
        let plain = dir.join(name);
        let mut packed = OsString::from(name);
        packed.push(".gz");
        let packed = dir.join(packed);
        let path = if !plain.exists() && packed.exists() { packed } else { plain };
        Ok(Self { sha256: checksum(&path)?, path })
    }
}

/// Parses every line of a file that is not blank, with its line number.
///
/// # Errors
/// Fails when the file cannot be read, or a line is too long or invalid; the message has its
/// number.
pub(super) fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<(usize, T)>, Problem> {
    let mut reader = open(path)?;
    let mut read = Vec::new();
    let mut bytes = Vec::new();
    let mut total = 0;
    for number in 1.. {
        bytes.clear();
        let taken = reader.by_ref().take(LINE_BYTES_MAX + 1).read_until(b'\n', &mut bytes);
        total += taken.map_err(|error| line_problem(path, number, &error.to_string()))? as u64;
        if bytes.is_empty() {
            break;
        }
        if bytes.len() as u64 > LINE_BYTES_MAX {
            return Err(line_problem(path, number, &format!("longer than {LINE_BYTES_MAX} bytes")));
        }
        if total > FILE_BYTES_MAX {
            return Err(line_problem(
                path,
                number,
                &format!("the file is larger than {FILE_BYTES_MAX} bytes"),
            ));
        }
        if !bytes.trim_ascii().is_empty() {
            let line = serde_json::from_slice(&bytes);
            read.push((
                number,
                line.map_err(|error| line_problem(path, number, &error.to_string()))?,
            ));
        }
    }
    Ok(read)
}

/// Creates a problem with a line.
pub(super) fn line_problem(path: &Path, number: usize, why: &str) -> Problem {
    let message = format!("{}, line {number}: {why}", path.display());
    Problem::usage(message, "See `quipu eval --help` for the format.")
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Problem> {
    let file = File::open(path).map_err(|error| Problem::file("reading", path, &error))?;
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    Ok(if packed {
        Box::new(BufReader::new(MultiGzDecoder::new(BufReader::new(file))))
    } else {
        Box::new(BufReader::new(file))
    })
}

fn checksum(path: &Path) -> Result<String, Problem> {
    let failed = |error: std::io::Error| Problem::file("reading", path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let mut hasher = Sha256::new();
    let mut block = vec![0; 64 * 1024];
    loop {
        let length = file.read(&mut block).map_err(failed)?;
        if length == 0 {
            return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect());
        }
        hasher.update(&block[..length]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn compressed_and_plain_files_read_the_same_and_blank_lines_count() {
        let dir = tempfile::tempdir().unwrap();
        let text = b"1\n\n2";
        std::fs::write(dir.path().join("a.jsonl"), text).unwrap();
        let packed = File::create(dir.path().join("b.jsonl.gz")).unwrap();
        let mut packer = flate2::write::GzEncoder::new(packed, flate2::Compression::fast());
        packer.write_all(text).unwrap();
        packer.finish().unwrap();
        for name in ["a.jsonl", "b.jsonl"] {
            let source = DataFile::find(dir.path(), name).unwrap();
            assert_eq!(read_lines::<u8>(&source.path).unwrap(), [(1, 1), (3, 2)], "{name}");
        }
    }

    #[test]
    fn the_checksum_is_that_of_the_stored_file() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("abc"), "abc").unwrap();
        let source = DataFile::find(dir.path(), "abc").unwrap();
        assert_eq!(
            source.sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_with_its_number() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("long.jsonl");
        std::fs::write(&path, format!("1\n{}\n", " ".repeat(LINE_BYTES_MAX as usize))).unwrap();
        let problem = read_lines::<u8>(&path).unwrap_err();
        assert!(
            problem.message().contains("line 2: longer than 4194304 bytes"),
            "{}",
            problem.message()
        );
    }
}
