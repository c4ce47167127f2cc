//! Credentials in HTTP headers: `Bearer …` anywhere, `Basic …` and `Token …` after `Authorization`.

use crate::SecretMatch;
use crate::placeholders::is_placeholder;
use crate::randomness::{character_classes, is_identifier};

const VALUE_MIN: usize = 16;
/// Maximum distance in bytes from the name of the header to its scheme.
const NAME_DISTANCE_MAX: usize = 24;

/// Adds the value after the scheme at an offset, as in `Bearer …`.
pub(super) fn header(text: &str, mark: usize, found: &mut Vec<SecretMatch>) {
    let Some(space) = text[mark..].find(' ').map(|offset| mark + offset) else { return };
    let at = space + 1;
    let Some(scheme) = scheme_before(text, space) else { return };
    let length = value_length(&text[at..]);
    let value = &text[at..at + length];
    let named = follows_authorization(text, space);
    // With the name of the header a shorter value is a credential, too.
    let enough = if named { 8 } else { VALUE_MIN };
    let random = !is_placeholder(value) && !is_identifier(value) && character_classes(value) >= 2;
    if length >= enough && random && (named || scheme == AuthScheme::Bearer) {
        found.push(SecretMatch { rule: "authorization-header", range: at..at + length });
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AuthScheme {
    Bearer,
    Other,
}

fn scheme_before(text: &str, space: usize) -> Option<AuthScheme> {
    let bytes = &text.as_bytes()[..space];
    let length = bytes.iter().rev().take(8).take_while(|byte| byte.is_ascii_alphabetic()).count();
    let word = &bytes[space - length..];
    if word.eq_ignore_ascii_case(b"bearer") {
        Some(AuthScheme::Bearer)
    } else if word.eq_ignore_ascii_case(b"basic") || word.eq_ignore_ascii_case(b"token") {
        Some(AuthScheme::Other)
    } else {
        None
    }
}

fn follows_authorization(text: &str, end: usize) -> bool {
    let near = &text.as_bytes()[end.saturating_sub(NAME_DISTANCE_MAX)..end];
    near.windows(b"authorization".len()).any(|window| window.eq_ignore_ascii_case(b"authorization"))
}

fn value_length(rest: &str) -> usize {
    let allowed = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~+/=-".contains(byte);
    let length = rest.bytes().take(4_096).take_while(allowed).count();
    rest[..length].trim_end_matches('.').len()
}
