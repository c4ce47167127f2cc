//! Values of high entropy within a few words of a secret's name, as in "the prod token you want:
//! …". Hashes, ids and identifiers are skipped.

use crate::keyed_names::keyed_names;
use crate::placeholders::is_placeholder;
use crate::randomness::{classes, entropy, has_digit, has_letter, is_name};
use crate::{Secret, head};

const VALUE_MIN: usize = 20;
const VALUE_MAX: usize = 512;
/// Maximum distance in bytes from a name to its value, on the same line.
const REACH: usize = 48;
// Bits of entropy per character. Random hex digits reach at most 4 bits, so hex has a lower
// minimum.
const HEX_BITS_MIN: f64 = 3.0;
const TEXT_BITS_MIN: f64 = 3.5;

/// Adds the first value of high entropy shortly after each name of a secret.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    for name in keyed_names(text) {
        let rest = head(&text[name.end..], REACH + VALUE_MAX + 1);
        let line = rest.lines().next().unwrap_or("");
        let value =
            runs(line).take_while(|(start, _)| *start <= REACH).find(|&(_, run)| is_drawn(run));
        let Some((start, run)) = value else { continue };
        if !speaks_of_an_id(&line[..start]) {
            let from = name.end + start;
            found.push(Secret { rule: "high-entropy", range: from..from + run.len() });
        }
    }
}

/// Returns the runs of characters that keys consist of.
fn runs(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '=' | '-');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + line[at..].find(|c: char| c.is_ascii_alphanumeric())?;
        at = line[start..].find(|c| !inside(c)).map_or(line.len(), |length| start + length);
        Some((start, &line[start..at]))
    })
}

fn is_drawn(run: &str) -> bool {
    let run = run.trim_matches('=');
    if !(VALUE_MIN..=VALUE_MAX).contains(&run.len())
        || is_name(run)
        || is_placeholder(run)
        || is_uuid(run)
    {
        return false;
    }
    let hex = run.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mixed = has_digit(run) && has_letter(run) && (hex || classes(run) == 3);
    mixed && !run.starts_with('/') && entropy(run) >= if hex { HEX_BITS_MIN } else { TEXT_BITS_MIN }
}

fn is_uuid(run: &str) -> bool {
    run.len() == 36 && run.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// Returns true if the words before a value say that it is a hash or an id.
fn speaks_of_an_id(between: &str) -> bool {
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
