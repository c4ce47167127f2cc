//! Environment variables and constants: `DATABASE_URL`, `$HOME`, `${XDG_DATA_HOME}`.

use super::{MentionKind, MentionSource, TextMention};

/// Returns the variable that `word` names.
pub(super) fn find(word: &str) -> Option<TextMention> {
    let dollar = word.strip_prefix('$');
    let name = dollar.unwrap_or(word);
    let name = name.strip_prefix('{').map_or(name, |inner| inner.trim_end_matches('}'));
    let name = name.split('=').next().unwrap_or(name);
    let shape = name.len() >= 4
        && name.starts_with(|c: char| c.is_ascii_uppercase())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let joined = name.trim_matches('_').contains('_');
    (shape && (joined || dollar.is_some()))
        .then(|| TextMention::new(MentionKind::EnvVar, MentionSource::Code, name))
}
