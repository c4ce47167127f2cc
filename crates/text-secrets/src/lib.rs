//! Detection of credentials (keys, tokens, passwords, private keys) and of invisible characters.
//! Each rule knows the shape of a value and a characteristic name or prefix; prose about secrets,
//! placeholders and references are no secrets. It only finds and redacts; the crate `guard` decides
//! what to do. Pure functions over text, without panics on any input; every range is on character
//! boundaries.

mod assigned_value;
mod assignments;
mod auth_headers;
mod azure_credentials;
mod bot_tokens;
mod command_lines;
mod connection_strings;
mod credential_blocks;
mod credential_lines;
mod high_entropy;
mod invisible;
mod jwts;
mod marks;
mod passphrases;
mod placeholders;
mod prefixed_tokens;
mod private_keys;
mod randomness;
mod secret_names;
mod structured_values;

use std::ops::Range;

pub use invisible::{InvisibleCount, InvisibleKind, remove_invisible};

/// A secret value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SecretMatch {
    /// Rule that matched (`github-token`, `private-key`, `assignment`, …).
    pub rule: &'static str,
    /// Range of the value, without its name and quotes.
    pub range: Range<usize>,
}

/// Returns the secrets in `text`, in order and without overlaps.
pub fn secrets(text: &str) -> Vec<SecretMatch> {
    let mut found = Vec::new();
    // The most specific rules come first: a value that several rules match is named by the first.
    prefixed_tokens::find(text, &mut found);
    azure_credentials::find(text, &mut found);
    bot_tokens::find(text, &mut found);
    marks::find(text, &mut found);
    command_lines::find(text, &mut found);
    credential_lines::find(text, &mut found);
    let names = secret_names::secret_names(text);
    assignments::find(text, &names, &mut found);
    high_entropy::find(text, &names, &mut found);
    merge_overlaps(found)
}

/// Maximum number of passes over a text. One pass nearly always finds everything; but a redaction
/// moves distant words together, so that a name may end up next to a value it was too far from.
const PASSES_MAX: usize = 8;

/// Returns `text` with each secret replaced by `[secret:rule]`, and the rules that matched, pass by
/// pass in order. Redaction is idempotent.
pub fn redact(text: &str) -> (String, Vec<&'static str>) {
    redact_all(text, secrets)
}

/// Returns `text` with each line that contains a part of a secret replaced by `[secret:rule]`, and
/// the rules that matched. The other lines stay as they are.
pub fn redact_lines(text: &str) -> (String, Vec<&'static str>) {
    redact_all(text, |text| {
        merge_overlaps(
            secrets(text)
                .into_iter()
                .map(|secret| SecretMatch { range: lines_around(text, secret.range), ..secret })
                .collect(),
        )
    })
}

/// Returns the range of the lines that a range is in, without the last line break.
fn lines_around(text: &str, range: Range<usize>) -> Range<usize> {
    let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at);
    start..end
}

fn redact_all(text: &str, find: impl Fn(&str) -> Vec<SecretMatch>) -> (String, Vec<&'static str>) {
    let (mut redacted, mut rules) = (text.to_owned(), Vec::new());
    for _ in 0..PASSES_MAX {
        let (next, more) = redact_once(&redacted, find(&redacted));
        if more.is_empty() {
            break;
        }
        redacted = next;
        rules.extend(more);
    }
    (redacted, rules)
}

fn redact_once(text: &str, found: Vec<SecretMatch>) -> (String, Vec<&'static str>) {
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for secret in &found {
        redacted.push_str(&text[at..secret.range.start]);
        redacted.push_str("[secret:");
        redacted.push_str(secret.rule);
        redacted.push(']');
        at = secret.range.end;
    }
    redacted.push_str(&text[at..]);
    (redacted, found.into_iter().map(|secret| secret.rule).collect())
}

/// Returns the beginning of `text`, at most so many bytes. It keeps the rules linear: otherwise
/// each match could read the same long run again.
fn truncate_to(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Returns the offset of a part of a text, which must be a slice of it.
fn offset_in(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Returns the end of the text before an offset, at most so many bytes.
fn window_before(text: &str, at: usize, bytes: usize) -> &str {
    let mut start = at.saturating_sub(bytes);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..at]
}

/// Merges overlapping matches into one that covers them all, named by the most specific rule among
/// those that start first. The sort is stable, so the order in which the rules ran decides.
fn merge_overlaps(mut found: Vec<SecretMatch>) -> Vec<SecretMatch> {
    found.sort_by_key(|secret| secret.range.start);
    let mut merged: Vec<SecretMatch> = Vec::with_capacity(found.len());
    for secret in found {
        match merged.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => merged.push(secret),
        }
    }
    merged
}

#[cfg(test)]
mod fuzz_tests;
#[cfg(test)]
mod tests;
