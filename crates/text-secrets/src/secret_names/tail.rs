//! The end of a name in a form that is easy to compare.

/// Maximum number of bytes of a name that are compared.
const TAIL_BYTES: usize = 28;

/// The last letters and digits of a name, in small letters and without separators. Without the
/// number or environment at its end: `DB_PASSWORD_PROD` and `API_TOKEN_2` end like `DB_PASSWORD`
/// and `API_TOKEN`.
pub(super) struct NameTail {
    bytes: [u8; TAIL_BYTES],
    start: usize,
    /// Number of bytes of the name after the tail.
    dropped: usize,
    is_plural: bool,
}

impl NameTail {
    pub(super) fn of(name: &[u8]) -> Self {
        let base = without_suffix(name);
        let (base, is_plural) = without_plural(base);
        let mut tail = Self { bytes: [0; TAIL_BYTES], start: TAIL_BYTES, dropped: 0, is_plural };
        for byte in base.iter().rev().filter(|byte| !matches!(byte, b'_' | b'-')) {
            if tail.start == 0 {
                break;
            }
            tail.start -= 1;
            tail.bytes[tail.start] = byte.to_ascii_lowercase();
        }
        tail.dropped = name.len() - base.len();
        tail
    }

    pub(super) fn is(&self, name: &str) -> bool {
        self.bytes[self.start..] == *name.as_bytes()
    }

    pub(super) fn ends_with(&self, ending: &str) -> bool {
        self.bytes[self.start..].ends_with(ending.as_bytes())
    }

    /// Returns the part before an ending.
    pub(super) fn before(&self, ending: &str) -> Option<&[u8]> {
        self.bytes[self.start..].strip_suffix(ending.as_bytes())
    }

    pub(super) fn is_plural(&self) -> bool {
        self.is_plural
    }

    pub(super) fn dropped(&self) -> usize {
        self.dropped
    }
}

/// Returns a name without `_2`, `_PROD`, `-staging` at its end.
fn without_suffix(name: &[u8]) -> &[u8] {
    let name = name.strip_suffix(b"-").unwrap_or(name);
    let Some(cut) = name.iter().rposition(|byte| matches!(byte, b'_' | b'-')) else { return name };
    let suffix = &name[cut + 1..];
    let is_number = suffix.len() <= 2 && suffix.iter().all(u8::is_ascii_digit);
    let is_environment = ENVIRONMENTS.iter().any(|one| suffix.eq_ignore_ascii_case(one.as_bytes()));
    if is_number || is_environment { &name[..cut] } else { name }
}

/// Returns a name without the `s` of a plural.
fn without_plural(name: &[u8]) -> (&[u8], bool) {
    match name {
        [head @ .., b's' | b'S'] if !head.ends_with(b"s") && !head.ends_with(b"S") => {
            let is_word = !ends_like_pass(name);
            if is_word { (head, true) } else { (name, false) }
        }
        _ => (name, false),
    }
}

fn ends_like_pass(name: &[u8]) -> bool {
    name.len() >= 4 && name[name.len() - 4..].eq_ignore_ascii_case(b"pass")
}

#[rustfmt::skip]
const ENVIRONMENTS: &[&str] = &[
    "prod", "production", "live", "staging", "stage", "dev", "development", "qa", "uat", "sandbox",
    "old", "new", "backup", "primary", "secondary", "local", "internal", "v1", "v2", "b64",
    "base64",
];
