//! Keys as people copy them: a prefix that scanners know, 256 bits of chance, and a checksum that
//! tells a key that was cut off from one that is wrong. Only the hash of a key is ever kept, and
//! none is ever printed by accident.

use model::ContentHash;
use std::fmt;

/// What our own keys begin with.
const PREFIX: &str = "qp_";
/// What the keys of Epitome's clients begin with.
const EPITOME_PREFIX: &str = "epi_";
/// How much chance is in a key, in bytes.
const SECRET_BYTES: usize = 32;
/// How many characters the checksum of our own keys has.
const CHECKSUM_CHARS: usize = 8;
/// How many characters stand between the two underscores of Epitome's form.
const EPITOME_MIDDLE: usize = 4;
/// How many characters of a key are shown to tell keys apart.
const SHOWN_CHARS: usize = 12;
/// No key is longer than this.
const LENGTH_MAX: usize = 200;

/// How a key is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyForm {
    /// `qp_`, 64 hexadecimal digits, 8 of checksum.
    #[default]
    Quipu,
    /// `epi_`, 4 digits, `_`, 64 digits: what Epitome's clients accept.
    Epitome,
}

/// A key in clear. It is shown once, to whoever made it.
#[derive(Clone, PartialEq, Eq)]
pub struct KeySecret(String);

/// The system gave no random numbers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random numbers: {0}")]
pub struct NoChance(String);

impl KeySecret {
    /// A new key.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn new(form: KeyForm) -> Result<Self, NoChance> {
        let mut secret = [0_u8; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(|error| NoChance(error.to_string()))?;
        let digits: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(match form {
            KeyForm::Quipu => {
                let body = format!("{PREFIX}{digits}");
                let sum = checksum(&body);
                Self(body + &sum)
            }
            KeyForm::Epitome => {
                Self(format!("{EPITOME_PREFIX}{}_{digits}", &checksum(&digits)[..EPITOME_MIDDLE]))
            }
        })
    }

    /// A key as somebody shows it, with its form; `None` for what cannot be one, so that nobody has
    /// to look it up.
    #[must_use]
    pub fn read(shown: &str) -> Option<(Self, KeyForm)> {
        if shown.len() > LENGTH_MAX {
            return None;
        }
        let form = if is_ours(shown) {
            KeyForm::Quipu
        } else if is_epitomes(shown) {
            KeyForm::Epitome
        } else {
            return None;
        };
        Some((Self(shown.to_owned()), form))
    }

    /// The key itself, for whoever made it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What is kept of it.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        ContentHash::of_bytes(self.0.as_bytes())
    }

    /// Its first characters, to tell keys apart.
    #[must_use]
    pub fn prefix(&self) -> String {
        self.0.chars().take(SHOWN_CHARS).collect()
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeySecret(…)")
    }
}

fn is_ours(shown: &str) -> bool {
    let Some((body, sum)) = shown.split_at_checked(shown.len().saturating_sub(CHECKSUM_CHARS))
    else {
        return false;
    };
    body.strip_prefix(PREFIX)
        .is_some_and(|digits| digits.len() == 2 * SECRET_BYTES && is_hex(digits))
        && sum == checksum(body)
}

/// Epitome puts the beginning of a user's id in the middle, so there is no checksum to hold it
/// against.
fn is_epitomes(shown: &str) -> bool {
    let parts = shown.strip_prefix(EPITOME_PREFIX).and_then(|rest| rest.split_once('_'));
    parts.is_some_and(|(middle, digits)| {
        middle.len() == EPITOME_MIDDLE
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
    fn a_key_reads_back_as_the_form_it_was_made_in() {
        for form in [KeyForm::Quipu, KeyForm::Epitome] {
            let key = KeySecret::new(form).unwrap();
            assert_eq!(KeySecret::read(key.reveal()), Some((key.clone(), form)));
            assert_ne!(KeySecret::new(form).unwrap(), key);
        }
    }

    #[test]
    fn a_key_that_was_cut_off_or_changed_is_no_key() {
        let key = KeySecret::new(KeyForm::Quipu).unwrap();
        let whole = key.reveal();
        for position in 0..whole.len() {
            let mut changed = whole.as_bytes().to_vec();
            changed[position] = if changed[position] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(KeySecret::read(&changed), None, "{position}");
            assert_eq!(KeySecret::read(&whole[..position]), None, "{position}");
        }
        assert_eq!(KeySecret::read(&format!("{whole}0")), None);
        for strange in ["", "qp_", "epi__", "é", &"q".repeat(10_000)] {
            assert_eq!(KeySecret::read(strange), None, "{strange}");
        }
    }

    #[test]
    fn a_key_of_epitomes_own_making_is_read() {
        let theirs = format!("epi_4f2a_{}", "0123456789abcdef".repeat(4));
        assert_eq!(KeySecret::read(&theirs).unwrap().1, KeyForm::Epitome);
        assert_eq!(KeySecret::read(&theirs.replace("4f2a", "4f2")), None);
    }

    #[test]
    fn a_key_is_never_printed_by_accident_and_its_prefix_does_not_give_it_away() {
        let key = KeySecret::new(KeyForm::Quipu).unwrap();
        assert_eq!(format!("{key:?}"), "KeySecret(…)");
        assert_eq!(key.prefix().len(), SHOWN_CHARS);
    }
}
