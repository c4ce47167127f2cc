//! The owner's password, for logging in from another machine: stored as an Argon2id hash and
//! verified one guess at a time. The app knows where the hash is stored; `browser_sessions` limits
//! how often it may be tried.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use async_trait::async_trait;
use std::io;
use std::sync::Arc;
use tokio::sync::Mutex;

/// Minimum number of characters; the password can be tried from anywhere.
pub const PASSWORD_CHARS_MIN: usize = 10;
/// Maximum number of bytes.
const BYTES_MAX: usize = 1_000;

/// Storage for the hash of a password. It is read at every login, so that a change takes effect at
/// once.
#[async_trait]
pub trait PasswordStore: Send + Sync {
    /// Returns the stored hash.
    ///
    /// # Errors
    /// Fails when it cannot be read.
    async fn read(&self) -> io::Result<Option<String>>;
    /// Replaces the stored hash.
    ///
    /// # Errors
    /// Fails when it cannot be written.
    async fn write(&self, hash: &str) -> io::Result<()>;
}

/// Password of an owner. Clones share the same storage.
#[derive(Clone)]
pub struct OwnerPassword {
    store: Arc<dyn PasswordStore>,
    // One hash computation at a time: each takes tens of megabytes for a moment.
    hashing: Arc<Mutex<()>>,
}

/// Error for a password that cannot be set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPassword {
    #[error("a password needs at least {PASSWORD_CHARS_MIN} characters")]
    TooShort,
    #[error("a password can have at most {BYTES_MAX} bytes")]
    TooLong,
    /// The salt could not be created.
    #[error("the system provided no random numbers")]
    NoRandomness,
    #[error("the password could not be saved: {0}")]
    NotStored(#[from] io::Error),
}

impl OwnerPassword {
    /// Creates the password over this storage.
    #[must_use]
    pub fn new(store: Arc<dyn PasswordStore>) -> Self {
        Self { store, hashing: Arc::default() }
    }

    /// Returns true when a password is set.
    ///
    /// # Errors
    /// Fails when the storage cannot be read.
    pub async fn is_set(&self) -> io::Result<bool> {
        Ok(self.store.read().await?.is_some())
    }

    /// Sets or changes the password.
    ///
    /// # Errors
    /// Fails when it is too short or too long, or cannot be stored.
    pub async fn set(&self, password: &str) -> Result<(), BadPassword> {
        if password.chars().count() < PASSWORD_CHARS_MIN {
            return Err(BadPassword::TooShort);
        }
        if password.len() > BYTES_MAX {
            return Err(BadPassword::TooLong);
        }
        let typed = password.to_owned();
        let hash = self.run_hashing(move || {
            let hash = Argon2::default().hash_password(typed.as_bytes());
            hash.map(|hash| hash.to_string()).ok()
        });
        self.store.write(&hash.await.ok_or(BadPassword::NoRandomness)?).await?;
        Ok(())
    }

    /// Verifies a typed password. A wrong one takes as long as the right one.
    pub(super) async fn verify(&self, typed: &str) -> bool {
        let stored = self
            .store
            .read()
            .await
            .inspect_err(|error| tracing::error!(%error, "the password hash cannot be read"));
        let Ok(Some(stored)) = stored else { return false };
        if typed.len() > BYTES_MAX {
            return false;
        }
        let typed = typed.to_owned();
        let verified = self.run_hashing(move || {
            // The stored string carries its parameters, so hashes with older settings still verify.
            let hash = PasswordHash::new(stored.trim()).ok()?;
            Argon2::default().verify_password(typed.as_bytes(), &hash).ok()
        });
        verified.await.is_some()
    }

    /// Runs the hashing on a blocking thread, one at a time.
    async fn run_hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Option<T> + Send + 'static,
    ) -> Option<T> {
        // Bounds the memory that a flood of guesses can take.
        let _turn = self.hashing.lock().await;
        tokio::task::spawn_blocking(work).await.ok().flatten()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use parking_lot::Mutex;

    #[derive(Default)]
    pub struct InMemoryPasswordStore(Mutex<Option<String>>);

    #[async_trait]
    impl PasswordStore for InMemoryPasswordStore {
        async fn read(&self) -> io::Result<Option<String>> {
            Ok(self.0.lock().clone())
        }

        async fn write(&self, hash: &str) -> io::Result<()> {
            *self.0.lock() = Some(hash.to_owned());
            Ok(())
        }
    }

    #[tokio::test]
    async fn only_the_exact_password_verifies_and_only_its_hash_is_stored() {
        let store = Arc::new(InMemoryPasswordStore::default());
        let password = OwnerPassword::new(store.clone());
        assert!(
            !password.is_set().await.unwrap() && !password.verify("").await,
            "nothing verifies before one is set"
        );
        password.set("correct horse").await.unwrap();
        assert!(password.verify("correct horse").await);
        for wrong in ["", "correct hors", "Correct horse", "correct horse "] {
            assert!(!password.verify(wrong).await, "{wrong}");
        }
        let stored = store.read().await.unwrap().unwrap();
        assert!(stored.starts_with("$argon2id$") && !stored.contains("horse"), "{stored}");
    }

    #[tokio::test]
    async fn a_new_password_replaces_the_old_one() {
        let password = OwnerPassword::new(Arc::new(InMemoryPasswordStore::default()));
        password.set("correct horse").await.unwrap();
        password.set("battery staple").await.unwrap();
        assert!(!password.verify("correct horse").await && password.verify("battery staple").await);
    }

    #[tokio::test]
    async fn short_long_and_damaged_passwords_are_rejected() {
        let store = Arc::new(InMemoryPasswordStore::default());
        let password = OwnerPassword::new(store.clone());
        assert!(matches!(password.set("short").await, Err(BadPassword::TooShort)));
        assert!(matches!(password.set(&"x".repeat(1_001)).await, Err(BadPassword::TooLong)));
        store.write("correct horse").await.unwrap();
        assert!(!password.verify("correct horse").await);
    }
}
