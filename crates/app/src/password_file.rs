//! The file with the hash of the owner's password, next to the memory and readable by the owner
//! only. Hashing and checking are done by the server.

use crate::files;
use server::PasswordStore;
use std::io;
use std::path::PathBuf;

/// Maximum size of the file.
const PASSWORD_FILE_BYTES_MAX: u64 = 1024;

/// Stores the password hash in a file.
#[derive(Debug, Clone)]
pub struct PasswordFile(pub PathBuf);

impl PasswordStore for PasswordFile {
    fn read(&self) -> io::Result<Option<String>> {
        files::read_small(&self.0, PASSWORD_FILE_BYTES_MAX)
    }

    fn write(&self, hash: &str) -> io::Result<()> {
        let put = files::replace_file(&self.0, &format!("{hash}\n"));
        put.map_err(|problem| io::Error::other(problem.render(false).unwrap_or_default()))
    }
}
