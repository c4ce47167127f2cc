//! Whether a value looks drawn by a machine or chosen as a password, rather than written as a name.

/// How many of the three classes (digits, small letters, capitals) occur.
pub(super) fn classes(value: &str) -> usize {
    let has = |class: fn(&u8) -> bool| usize::from(value.as_bytes().iter().any(class));
    has(u8::is_ascii_digit) + has(u8::is_ascii_lowercase) + has(u8::is_ascii_uppercase)
}

pub(super) fn has_digit(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_digit())
}

pub(super) fn has_letter(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether every part between `_`, `-`, `.`, `/` and `:` is a word, a word with a short number
/// behind it, or a short number, as in `my-app-secret-v2`, `oauth2_token` or `config.db.password`.
pub(super) fn is_name(value: &str) -> bool {
    value.split(['_', '-', '.', '/', ':']).all(is_word)
}

fn is_word(part: &str) -> bool {
    let letters = part.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = part.len() - letters.len();
    digits <= 4 && letters.bytes().all(|byte| byte.is_ascii_alphabetic()) && !is_shuffled(letters)
}

/// Whether small letters and capitals change too often for any way of writing names.
pub(super) fn is_shuffled(letters: &str) -> bool {
    let bytes = letters.as_bytes();
    let changes = bytes
        .windows(2)
        .filter(|pair| pair[0].is_ascii_uppercase() != pair[1].is_ascii_uppercase())
        .count();
    bytes.len() >= 8 && changes * 3 >= bytes.len()
}

/// The entropy of the value's bytes, in bits per byte.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in value.bytes() {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len().max(1) as f64;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| f64::from(count) / length)
        .map(|p| -p * p.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_drawn_values() {
        for name in [
            "my-app-secret-v2",
            "oauth2_token",
            "config.db.password",
            "getAccessToken",
            "sha256",
            "",
        ] {
            assert!(is_name(name), "{name}");
        }
        for drawn in ["a8f3k2x9", "xK9mQ2", "aBcXyZpQrStW", "550e8400-e29b-41d4"] {
            assert!(!is_name(drawn), "{drawn}");
        }
    }

    #[test]
    fn entropy_grows_with_variety() {
        assert_eq!(entropy("aaaa"), 0.0);
        assert_eq!(entropy("abcd"), 2.0);
        assert_eq!(entropy(""), 0.0);
    }
}
