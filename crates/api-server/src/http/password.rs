//! The owner's password, for coming in from another machine: kept as an Argon2id hash and tried one
//! guess at a time. Where the hash lies is the app's to know; how often it may be tried is the
//! visits'.

use argon2::Argon2;
use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use std::io;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How many characters a password has at least; it can be tried from everywhere.
pub const PASSWORD_CHARS_MIN: usize = 10;
/// How many bytes it has at most.
const BYTES_MAX: usize = 1_000;
/// How many are hashed at once: each takes tens of megabytes for a moment.
const AT_ONCE: usize = 1;

/// Keeps the hash of a password. It is read whenever somebody comes, so that a new one holds at
/// once.
pub trait PasswordShelf: Send + Sync {
    /// The hash that is kept.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self) -> io::Result<Option<String>>;
    /// Keeps a hash in place of the one that is there.
    ///
    /// # Errors
    /// When it cannot be written.
    fn write(&self, hash: &str) -> io::Result<()>;
}

/// The password of an owner. Every clone is the same.
#[derive(Clone)]
pub struct Password {
    shelf: Arc<dyn PasswordShelf>,
    turn: Arc<Semaphore>,
}

/// A password that cannot be taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BadPassword {
    /// It is guessed too easily.
    #[error("a password has at least {PASSWORD_CHARS_MIN} characters")]
    Short,
    /// Nobody types that.
    #[error("a password has at most {BYTES_MAX} bytes")]
    Long,
    /// It could not be hashed.
    #[error("the system gave no random numbers")]
    NoChance,
    /// It could not be kept.
    #[error("the password could not be kept: {0}")]
    Unkept(#[from] io::Error),
}

impl Password {
    /// The password whose hash lies on this shelf, if there is one.
    #[must_use]
    pub fn on(shelf: Arc<dyn PasswordShelf>) -> Self {
        Self { shelf, turn: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Whether there is one.
    ///
    /// # Errors
    /// When the shelf cannot be read.
    pub fn is_set(&self) -> io::Result<bool> {
        Ok(self.shelf.read()?.is_some())
    }

    /// Sets or changes it.
    ///
    /// # Errors
    /// When it is too short or too long, or cannot be kept.
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

    /// Whether this is the password. Every wrong one takes as long as the right one.
    pub(super) async fn is(&self, typed: &str) -> bool {
        let kept = self
            .shelf
            .read()
            .inspect_err(|error| tracing::error!(%error, "the password cannot be read"));
        let Ok(Some(kept)) = kept else { return false };
        if typed.len() > BYTES_MAX {
            return false;
        }
        let typed = typed.to_owned();
        let verified = self.hashing(move || {
            let hash = PasswordHash::new(kept.trim()).ok()?;
            Argon2::default().verify_password(typed.as_bytes(), &hash).ok()
        });
        verified.await.is_some()
    }

    /// Hashes on a thread of its own, one at a time.
    async fn hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Option<T> + Send + 'static,
    ) -> Option<T> {
        let _turn = self.turn.acquire().await.ok()?;
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
        let shelf = Arc::new(InMemory::default());
        let password = Password::on(shelf.clone());
        assert!(
            !password.is_set().unwrap() && !password.is("").await,
            "nothing opens before one is set"
        );
        password.set("correct horse").await.unwrap();
        assert!(password.is("correct horse").await);
        for wrong in ["", "correct hors", "Correct horse", "correct horse "] {
            assert!(!password.is(wrong).await, "{wrong}");
        }
        let kept = shelf.read().unwrap().unwrap();
        assert!(kept.starts_with("$argon2id$") && !kept.contains("horse"), "{kept}");
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
        let shelf = Arc::new(InMemory::default());
        let password = Password::on(shelf.clone());
        assert!(matches!(password.set("short").await, Err(BadPassword::Short)));
        assert!(matches!(password.set(&"x".repeat(1_001)).await, Err(BadPassword::Long)));
        shelf.write("correct horse").unwrap();
        assert!(!password.is("correct horse").await);
    }
}
