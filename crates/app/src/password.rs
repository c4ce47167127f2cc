//! The file with the hash of the owner's password, next to the memory and readable by the owner
//! only. Hashing and checking are done by the server.

use crate::files;
use server::PasswordShelf;
use std::io;
use std::path::PathBuf;

/// Maximum size of the file.
const BYTES_MAX: u64 = 1024;

/// Stores the password hash in a file.
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
