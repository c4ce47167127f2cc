//! Where the hash of the owner's password is: in a file next to the memory, readable by the owner
//! only, or in the database that servers share. Hashing and checking are done by the server.

use crate::files;
use crate::setup::{OpenMemory, Setup};
use async_trait::async_trait;
use model::{ContentHash, Moment};
use server::{OwnerPassword, PasswordStore};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use store::{ExpiringValue, OwnerValues, ValueKind};

/// Maximum size of the file.
const PASSWORD_FILE_BYTES_MAX: u64 = 1024;
/// Place of the one password of an owner in a database.
const PLACE: ContentHash = ContentHash([0; 32]);
/// Moment when a password expires.
const NEVER: Moment = Moment(i64::MAX);

/// Returns the password of the configured owner.
pub fn owner_password(setup: &Setup, memory: &OpenMemory) -> OwnerPassword {
    OwnerPassword::new(match &setup.config.store {
        Some(_) => Arc::new(SharedPassword(memory.values.clone())),
        None => Arc::new(PasswordFile(setup.home.password_file(&setup.config.owner))),
    })
}

/// Stores the password hash in a file.
#[derive(Debug, Clone)]
struct PasswordFile(PathBuf);

#[async_trait]
impl PasswordStore for PasswordFile {
    async fn read(&self) -> io::Result<Option<String>> {
        files::read_small(&self.0, PASSWORD_FILE_BYTES_MAX)
    }

    async fn write(&self, hash: &str) -> io::Result<()> {
        let put = files::replace_file(&self.0, &format!("{hash}\n"));
        put.map_err(|problem| io::Error::other(problem.render(false).unwrap_or_default()))
    }
}

/// Stores the password hash where all servers find it.
struct SharedPassword(OwnerValues);

#[async_trait]
impl PasswordStore for SharedPassword {
    async fn read(&self) -> io::Result<Option<String>> {
        let found = self.0.find(ValueKind::Password, PLACE, Moment(0)).await;
        Ok(found.map_err(io::Error::other)?.map(|value| value.text))
    }

    async fn write(&self, hash: &str) -> io::Result<()> {
        let value = ExpiringValue { text: hash.to_owned(), expires_at: NEVER };
        let put = self.0.put(ValueKind::Password, PLACE, value, Moment(0)).await;
        put.map_err(io::Error::other)
    }
}
