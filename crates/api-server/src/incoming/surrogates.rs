//! Halves of surrogate pairs in escaped text. JavaScript writes `"\ud83d"` when a text was cut
//! inside an emoji; JSON parsers refuse it.

use std::borrow::Cow;

/// Length of an escape such as `\ud83d`.
const ESCAPE_BYTES: usize = 6;

/// Replaces every escaped half of a surrogate pair by U+FFFD. Borrows the bytes when there is none.
pub(crate) fn replace_lone_surrogates(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired = Cow::Borrowed(bytes);
    let mut at = 0;
    while let Some(next) = next_backslash(bytes, at) {
        at = next;
        match code_unit(&bytes[at..]) {
            Some(0xD800..=0xDBFF) if is_low(&bytes[at + ESCAPE_BYTES..]) => at += 2 * ESCAPE_BYTES,
            Some(0xD800..=0xDFFF) => {
                repaired.to_mut()[at..at + ESCAPE_BYTES].copy_from_slice(b"\\ufffd");
                at += ESCAPE_BYTES;
            }
            // Skips the escaped character too, which may be a backslash.
            _ => at += 2,
        }
    }
    repaired
}

fn next_backslash(bytes: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    Some(from + rest.iter().position(|byte| *byte == b'\\')?)
}

fn is_low(bytes: &[u8]) -> bool {
    matches!(code_unit(bytes), Some(0xDC00..=0xDFFF))
}

/// Returns the number of the escape that the bytes begin with.
fn code_unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.get(..ESCAPE_BYTES)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    // `from_str_radix` would accept a sign.
    if digits.starts_with('+') {
        return None;
    }
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_half_without_its_other_half_is_replaced() {
        for (sent, read) in [
            (r#""a\ud83d""#, r#""a\ufffd""#),
            (r#""\uDE00b""#, r#""\ufffdb""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
        ] {
            assert_eq!(replace_lone_surrogates(sent.as_bytes()), read.as_bytes(), "{sent}");
        }
        for whole in [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\u00e9""#, r#""\ud8""#, "\\", ""] {
            assert!(matches!(replace_lone_surrogates(whole.as_bytes()), Cow::Borrowed(_)));
        }
    }
}
