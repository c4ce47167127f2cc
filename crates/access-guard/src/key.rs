//! API keys: a prefix that secret scanners know, 256 random bits, and a checksum that distinguishes
//! a truncated key from an unknown one. Only the hash of a key is stored, and `Debug` never prints
//! one.

use model::ContentHash;
use std::fmt;

/// Prefix of Quipu keys.
const QUIPU_PREFIX: &str = "qp_";
/// Prefix of the keys that clients of Epitome expect.
const EPITOME_PREFIX: &str = "epi_";
/// Number of random bytes in a key.
const SECRET_BYTES: usize = 32;
/// Length of the checksum of Quipu keys, in characters.
const CHECKSUM_CHARS: usize = 8;
/// Number of characters between the two underscores of the Epitome form.
const EPITOME_MIDDLE_CHARS: usize = 4;
/// Number of leading characters that are displayed to identify a key.
const DISPLAYED_CHARS: usize = 12;
/// Maximum length of a key.
const KEY_BYTES_MAX: usize = 200;

/// Written form of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyForm {
    /// `qp_`, 64 hexadecimal digits, 8 digits of checksum.
    #[default]
    Quipu,
    /// `epi_`, 4 digits, `_`, 64 digits: the form that clients of Epitome accept.
    Epitome,
}

/// A key in plain text. It is displayed once, to whoever created it.
#[derive(Clone, PartialEq, Eq)]
pub struct KeySecret(String);

/// Failure of the random number generator of the system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the random number generator of the system failed: {0}")]
pub struct RandomnessError(String);

impl KeySecret {
    /// Generates a new key.
    ///
    /// # Errors
    /// Fails when the random number generator of the system fails.
    pub fn new(form: KeyForm) -> Result<Self, RandomnessError> {
        let mut secret = [0_u8; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(|error| RandomnessError(error.to_string()))?;
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(match form {
            KeyForm::Quipu => {
                let body = format!("{QUIPU_PREFIX}{digits}");
                let sum = checksum(&body);
                Self(body + &sum)
            }
            KeyForm::Epitome => Self(format!(
                "{EPITOME_PREFIX}{}_{digits}",
                &checksum(&digits)[..EPITOME_MIDDLE_CHARS]
            )),
        })
    }

    /// Parses a key and its form. Returns `None` for a text that cannot be a key, which saves a
    /// lookup in the store.
    #[must_use]
    pub fn parse(text: &str) -> Option<(Self, KeyForm)> {
        // Checked first: the text comes from a request header of any length.
        if text.len() > KEY_BYTES_MAX {
            return None;
        }
        let form = if is_quipu_key(text) {
            KeyForm::Quipu
        } else if is_epitome_key(text) {
            KeyForm::Epitome
        } else {
            return None;
        };
        Some((Self(text.to_owned()), form))
    }

    /// Returns the key in plain text, to display it once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns the hash that is stored.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        ContentHash::of_bytes(self.0.as_bytes())
    }

    /// Returns the first characters, to identify the key in lists.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.0.chars().take(DISPLAYED_CHARS).collect()
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeySecret(…)")
    }
}

fn is_quipu_key(text: &str) -> bool {
    let Some((body, sum)) = text.split_at_checked(text.len().saturating_sub(CHECKSUM_CHARS)) else {
        return false;
    };
    body.strip_prefix(QUIPU_PREFIX)
        .is_some_and(|digits| digits.len() == 2 * SECRET_BYTES && is_hex(digits))
        && sum == checksum(body)
}

/// Returns true for the Epitome form. Epitome puts the beginning of a user id in the middle, so
/// there is no checksum to verify.
fn is_epitome_key(text: &str) -> bool {
    let parts = text.strip_prefix(EPITOME_PREFIX).and_then(|rest| rest.split_once('_'));
    parts.is_some_and(|(middle, digits)| {
        middle.len() == EPITOME_MIDDLE_CHARS
            && is_hex(middle)
            && digits.len() == 2 * SECRET_BYTES
            && is_hex(digits)
    })
}

fn is_hex(digits: &str) -> bool {
    digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn checksum(body: &str) -> String {
    ContentHash::of_bytes(body.as_bytes()).to_string().chars().take(CHECKSUM_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_parsed_as_the_form_it_was_generated_in() {
        for form in [KeyForm::Quipu, KeyForm::Epitome] {
            let key = KeySecret::new(form).unwrap();
            assert_eq!(KeySecret::parse(key.reveal()), Some((key.clone(), form)));
            assert_ne!(KeySecret::new(form).unwrap(), key);
        }
    }

    #[test]
    fn a_truncated_or_changed_key_is_rejected() {
        let key = KeySecret::new(KeyForm::Quipu).unwrap();
        let whole = key.reveal();
        for position in 0..whole.len() {
            let mut changed = whole.as_bytes().to_vec();
            changed[position] = if changed[position] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(KeySecret::parse(&changed), None, "{position}");
            assert_eq!(KeySecret::parse(&whole[..position]), None, "{position}");
        }
        assert_eq!(KeySecret::parse(&format!("{whole}0")), None);
        for strange in ["", "qp_", "epi__", "é", &"q".repeat(10_000)] {
            assert_eq!(KeySecret::parse(strange), None, "{strange}");
        }
    }

    #[test]
    fn a_key_generated_by_epitome_is_parsed() {
        let theirs = format!("epi_4f2a_{}", "0123456789abcdef".repeat(4));
        assert_eq!(KeySecret::parse(&theirs).unwrap().1, KeyForm::Epitome);
        assert_eq!(KeySecret::parse(&theirs.replace("4f2a", "4f2")), None);
    }

    #[test]
    fn debug_output_and_prefix_do_not_reveal_the_key() {
        let key = KeySecret::new(KeyForm::Quipu).unwrap();
        assert_eq!(format!("{key:?}"), "KeySecret(…)");
        assert_eq!(key.prefix().len(), DISPLAYED_CHARS);
    }
}
