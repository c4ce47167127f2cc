//! The owner's password, for logging in from another machine: stored as an Argon2id hash and
//! verified one guess at a time. The app knows where the hash is stored; `browser_sessions` limits
//! how often it may be tried.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::io;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Minimum number of characters; the password can be tried from anywhere.
pub const PASSWORD_CHARS_MIN: usize = 10;
/// Maximum number of bytes.
const BYTES_MAX: usize = 1_000;
/// Maximum number of concurrent hash computations: each takes tens of megabytes for a moment.
const AT_ONCE: usize = 1;

/// Storage for the hash of a password. It is read at every login, so that a change takes effect at
/// once.
pub trait PasswordShelf: Send + Sync {
    /// Returns the stored hash.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self) -> io::Result<Option<String>>;
    /// Replaces the stored hash.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, hash: &str) -> io::Result<()>;
}

/// Password of an owner. Clones share the same storage.
#[derive(Clone)]
pub struct Password {
    shelf: Arc<dyn PasswordShelf>,
    turn: Arc<Semaphore>,
}

/// Error for a password that cannot be set.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPassword {
    #[error("a password needs at least {PASSWORD_CHARS_MIN} characters")]
    Short,
    #[error("a password can have at most {BYTES_MAX} bytes")]
    Long,
    /// The salt could not be created.
    #[error("the system provided no random numbers")]
    NoChance,
    #[error("the password could not be saved: {0}")]
    Unkept(#[from] io::Error),
}

impl Password {
    /// Creates the password over this storage.
    #[must_use]
    pub fn on(store: Arc<dyn PasswordShelf>) -> Self {
        Self { shelf: store, turn: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Returns true when a password is set.
    ///
    /// # Errors
    /// When the storage cannot be read.
    pub fn is_set(&self) -> io::Result<bool> {
        Ok(self.shelf.read()?.is_some())
    }

    /// Sets or changes the password.
    ///
    /// # Errors
    /// When it is too short or too long, or cannot be stored.
    pub async fn set(&self, password: &str) -> Result<(), BadPassword> {
        if password.chars().count() < PASSWORD_CHARS_MIN {
            return Err(BadPassword::Short);
        }
        if password.len() > BYTES_MAX {
            return Err(BadPassword::Long);
        }
        let typed = password.to_owned();
        let hash = self.hashing(move || {
            let hash = Argon2::default().hash_password(typed.as_bytes());
            hash.map(|hash| hash.to_string()).ok()
        });
        self.shelf.write(&hash.await.ok_or(BadPassword::NoChance)?)?;
        Ok(())
    }

    /// Verifies a typed password. A wrong one takes as long as the right one.
    pub(super) async fn is(&self, typed: &str) -> bool {
        let stored = self
            .shelf
            .read()
            .inspect_err(|error| tracing::error!(%error, "the password hash cannot be read"));
        let Ok(Some(stored)) = stored else { return false };
        if typed.len() > BYTES_MAX {
            return false;
        }
        let typed = typed.to_owned();
        let verified = self.hashing(move || {
            // The stored string carries its parameters, so hashes with older settings still verify.
            let hash = PasswordHash::new(stored.trim()).ok()?;
            Argon2::default().verify_password(typed.as_bytes(), &hash).ok()
        });
        verified.await.is_some()
    }

    /// Runs the hashing on a blocking thread, one at a time.
    async fn hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Option<T> + Send + 'static,
    ) -> Option<T> {
        // The permit bounds the memory that a flood of guesses can take.
        let _permit = self.turn.acquire().await.ok()?;
        tokio::task::spawn_blocking(work).await.ok().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct InMemory(Mutex<Option<String>>);

    impl PasswordShelf for InMemory {
        fn read(&self) -> io::Result<Option<String>> {
            Ok(self.0.lock().unwrap().clone())
        }

        fn write(&self, hash: &str) -> io::Result<()> {
            *self.0.lock().unwrap() = Some(hash.to_owned());
            Ok(())
        }
    }

    #[tokio::test]
    async fn only_the_password_is_the_password_and_none_is_kept_in_clear() {
        let store = Arc::new(InMemory::default());
        let password = Password::on(store.clone());
        assert!(
            !password.is_set().unwrap() && !password.is("").await,
            "nothing verifies before one is set"
        );
        password.set("correct horse").await.unwrap();
        assert!(password.is("correct horse").await);
        for wrong in ["", "correct hors", "Correct horse", "correct horse "] {
            assert!(!password.is(wrong).await, "{wrong}");
        }
        let stored = store.read().unwrap().unwrap();
        assert!(stored.starts_with("$argon2id$") && !stored.contains("horse"), "{stored}");
    }

    #[tokio::test]
    async fn a_new_password_takes_the_place_of_the_old_one() {
        let password = Password::on(Arc::new(InMemory::default()));
        password.set("correct horse").await.unwrap();
        password.set("battery staple").await.unwrap();
        assert!(!password.is("correct horse").await && password.is("battery staple").await);
    }

    #[tokio::test]
    async fn a_password_that_is_guessed_easily_or_damaged_opens_nothing() {
        let store = Arc::new(InMemory::default());
        let password = Password::on(store.clone());
        assert!(matches!(password.set("short").await, Err(BadPassword::Short)));
        assert!(matches!(password.set(&"x".repeat(1_001)).await, Err(BadPassword::Long)));
        store.write("correct horse").unwrap();
        assert!(!password.is("correct horse").await);
    }
}
