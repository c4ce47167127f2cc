//! Errors by their name or code: `TypeError`, `NullPointerException`, `E0382`, `ENOENT`,
//! `ORA-00942`.

use super::{MentionKind, MentionSource, TextMention};

/// Returns the error that `word` names.
pub(super) fn find(word: &str) -> Option<TextMention> {
    let named = error_name(word).or_else(|| is_error_code(word).then_some(word))?;
    Some(TextMention::new(MentionKind::Error, MentionSource::Code, named))
}

/// Returns the name of an error type: all of `io::Error`, but only the name in `TypeError("x")`.
fn error_name(word: &str) -> Option<&str> {
    let name = word.split(['(', '<', '{']).next()?;
    let last = name.rsplit([':', '.']).next()?;
    let is_path =
        name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'.'));
    let kind = ["Error", "Exception"].into_iter().find_map(|ending| last.strip_suffix(ending))?;
    let qualified = last.len() < name.len();
    let prefixed = kind.starts_with(|c: char| c.is_ascii_uppercase());
    (is_path && (prefixed || (kind.is_empty() && qualified && name.contains("::")))).then_some(name)
}

fn is_error_code(word: &str) -> bool {
    let digits = |text: &str, length: std::ops::RangeInclusive<usize>| {
        length.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let rust = word.strip_prefix('E').is_some_and(|code| digits(code, 4..=4));
    let typescript = word.strip_prefix("TS").is_some_and(|code| digits(code, 4..=5));
    let oracle = word.strip_prefix("ORA-").is_some_and(|code| digits(code, 5..=5));
    let shouted = word.len() > 6
        && word.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    rust || typescript
        || oracle
        || ERRNO.contains(&word)
        || (shouted && (word.starts_with("ERR_") || word.ends_with("_ERROR")))
}

#[rustfmt::skip]
const ERRNO: &[&str] = &[
    "ENOENT", "EACCES", "EPERM", "EEXIST", "EAGAIN", "EBUSY", "EINVAL", "EIO", "EMFILE", "ENFILE",
    "ENOSPC", "ENOMEM", "EPIPE", "EROFS", "EINTR", "EISDIR", "ENOTDIR", "ENOTEMPTY", "ECONNREFUSED",
    "ECONNRESET", "ETIMEDOUT", "EADDRINUSE", "EHOSTUNREACH", "ENETUNREACH", "ENOTFOUND", "SIGSEGV",
    "SIGABRT", "SIGKILL", "SIGTERM",
];
