//! Values of high entropy within a few words of a secret's name, as in "the prod token you want:
//! …". Hashes, ids and identifiers are skipped.

use crate::placeholders::is_placeholder;
use crate::randomness::{character_classes, entropy, has_digit, has_letter, is_identifier};
use crate::secret_names::SecretName;
use crate::{SecretMatch, truncate_to};

const VALUE_MIN: usize = 20;
const VALUE_MAX: usize = 512;
/// Maximum distance in bytes from a name to its value, on the same line.
const DISTANCE_MAX: usize = 48;
// Bits of entropy per character. Random hex digits reach at most 4 bits, so hex has a lower
// minimum.
const HEX_BITS_MIN: f64 = 3.0;
const TEXT_BITS_MIN: f64 = 3.5;

/// Adds the first value of high entropy shortly after each name of a secret.
pub(super) fn find(text: &str, names: &[SecretName], found: &mut Vec<SecretMatch>) {
    for name in names {
        let rest = truncate_to(&text[name.end..], DISTANCE_MAX + VALUE_MAX + 1);
        let line = rest.lines().next().unwrap_or("");
        let value = key_character_runs(line)
            .take_while(|(start, _)| *start <= DISTANCE_MAX)
            .find(|&(_, run)| is_random_value(run));
        let Some((start, run)) = value else { continue };
        if !announces_hash_or_id(&line[..start]) {
            let from = name.end + start;
            found.push(SecretMatch { rule: "high-entropy", range: from..from + run.len() });
        }
    }
}

/// Returns the runs of characters that keys consist of.
fn key_character_runs(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '=' | '-');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find(|c: char| c.is_ascii_alphanumeric())?;
        at = line[start..].find(|c| !inside(c)).map_or(line.len(), |length| start + length);
        Some((start, &line[start..at]))
    })
}

fn is_random_value(run: &str) -> bool {
    let run = run.trim_matches('=');
    if !(VALUE_MIN..=VALUE_MAX).contains(&run.len())
        || is_identifier(run)
        || is_placeholder(run)
        || is_uuid(run)
    {
        return false;
    }
    let hex = run.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mixed = has_digit(run) && has_letter(run) && (hex || character_classes(run) == 3);
    mixed && !run.starts_with('/') && entropy(run) >= if hex { HEX_BITS_MIN } else { TEXT_BITS_MIN }
}

fn is_uuid(run: &str) -> bool {
    run.len() == 36 && run.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// Returns true if the words before a value say that it is a hash or an id.
fn announces_hash_or_id(between: &str) -> bool {
    let ids = [
        "hash",
        "sha",
        "sha1",
        "sha256",
        "md5",
        "commit",
        "checksum",
        "digest",
        "id",
        "uuid",
        "fingerprint",
        "etag",
        "rev",
    ];
    let words = between.split(|c: char| !c.is_ascii_alphanumeric());
    words.into_iter().any(|word| ids.iter().any(|id| id.eq_ignore_ascii_case(word)))
}
