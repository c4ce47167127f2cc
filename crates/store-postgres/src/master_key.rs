//! The master key of the audit logs, which is outside of the database. The key of each owner's log
//! is derived from it, so that every server has the keys of all owners.

use hmac::{Hmac, KeyInit, Mac as _};
use sha2::Sha256;
use store::ChainKey;

/// The master key. Its `Debug` output hides the bytes.
#[derive(Clone)]
pub(crate) struct MasterKey([u8; ChainKey::BYTES]);

impl MasterKey {
    /// Wraps the random bytes of a key.
    pub(crate) fn new(key: [u8; ChainKey::BYTES]) -> Self {
        Self(key)
    }

    /// Derives the key of one owner's log. An owner that is erased and created again has another.
    pub(crate) fn of_owner(&self, identity: &[u8; 16]) -> ChainKey {
        ChainKey::new(self.derive("owner", identity))
    }

    /// Computes a value that tells whether two servers have the same key.
    pub(crate) fn proof(&self) -> [u8; 32] {
        self.derive("proof", &[])
    }

    fn derive(&self, purpose: &str, of: &[u8]) -> [u8; 32] {
        #[expect(clippy::expect_used, reason = "HMAC takes a key of any length")]
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes any key length");
        mac.update(&(purpose.len() as u64).to_le_bytes());
        mac.update(purpose.as_bytes());
        mac.update(of);
        mac.finalize().into_bytes().into()
    }
}

impl std::fmt::Debug for MasterKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MasterKey(…)")
    }
}
