//! The file that the hash of the owner's password lies in: beside the memory, for its owner's eyes
//! only.

use crate::files;
use server::PasswordShelf;
use std::io;
use std::path::PathBuf;

/// No hash is longer than this.
const BYTES_MAX: u64 = 1024;

/// Keeps the hash in a file.
#[derive(Debug, Clone)]
pub struct PasswordFile(pub PathBuf);

impl PasswordShelf for PasswordFile {
    fn read(&self) -> io::Result<Option<String>> {
        files::read_small(&self.0, BYTES_MAX)
    }

    fn write(&self, hash: &str) -> io::Result<()> {
        let put = files::put(&self.0, &format!("{hash}\n"));
        put.map_err(|problem| io::Error::other(problem.told().unwrap_or_default()))
    }
}
