//! JSON web tokens: three parts of URL-safe base64, the first two of which are JSON objects.

use crate::{SecretMatch, window_before};

/// Beginning of every JSON object in base64: `{"`.
const OBJECT: &str = "eyJ";
const PART_MIN: usize = 10;
const PART_MAX: usize = 16_384;
/// Minimum distance of two tokens in one run of characters, so that a run is not read again and
/// again.
const OBJECT_DISTANCE: usize = 64;

/// Adds the signed token at an offset.
pub(super) fn token(text: &str, start: usize, found: &mut Vec<SecretMatch>) {
    // Inside a longer run of base64 `eyJ` is a coincidence.
    let before = window_before(text, start, OBJECT_DISTANCE);
    let repeats = before.ends_with(['-', '_']) && before.contains(OBJECT);
    if repeats || before.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return;
    }
    let end = token_end(text, start);
    found.extend(end.map(|end| SecretMatch { rule: "jwt", range: start..end }));
}

fn token_end(text: &str, start: usize) -> Option<usize> {
    let payload = part_end(text, start)?;
    let signature = part_end(text, payload).filter(|_| text[payload..].starts_with(OBJECT))?;
    let length = part_length(&text[signature..]);
    (length >= PART_MIN).then_some(signature + length)
}

/// Returns the offset of the next part, after the full stop.
fn part_end(text: &str, start: usize) -> Option<usize> {
    let length = part_length(&text[start..]);
    let end = start + length;
    (length >= PART_MIN && text[end..].starts_with('.')).then_some(end + 1)
}

fn part_length(rest: &str) -> usize {
    rest.bytes()
        .take(PART_MAX)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count()
}
