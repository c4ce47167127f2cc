//! What must not be kept as it came: keys, tokens, passwords and private keys, and characters that
//! cannot be seen. Each rule knows the shape of a value and a tell-tale word or prefix; prose about
//! secrets, placeholders and references are no secrets. It only finds; what to do about it is the
//! guard's decision. Pure functions over text, without panics on any input; every range lies on
//! character boundaries.

mod assignments;
mod azure;
mod bots;
mod connections;
mod headers;
mod invisible;
mod jwts;
mod keyed_names;
mod nearby;
mod placeholders;
mod private_keys;
mod randomness;
mod tokens;

use std::ops::Range;

pub use invisible::{InvisibleFound, InvisibleKind, clean};

/// A secret value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// What gave it away (`github-token`, `private-key`, `assignment`, …).
    pub rule: &'static str,
    /// The value alone, without the name or the quotes around it.
    pub range: Range<usize>,
}

/// The secrets in `text`, in order, none overlapping another.
pub fn secrets(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    // The surest rules come first: they name a value that several rules see.
    tokens::find(text, &mut found);
    azure::find(text, &mut found);
    bots::find(text, &mut found);
    private_keys::find(text, &mut found);
    jwts::find(text, &mut found);
    connections::find(text, &mut found);
    headers::find(text, &mut found);
    assignments::find(text, &mut found);
    nearby::find(text, &mut found);
    without_overlaps(found)
}

/// How often a text is looked through at most. One look nearly always finds everything; but where
/// something was left out, words that stood far apart have come together, and one may tell of the
/// other.
const LOOKS_MAX: usize = 8;

/// `text` with each secret replaced by `[secret:rule]`, and the rules that applied, look by look in
/// order. Redacting what was redacted changes nothing.
pub fn redact(text: &str) -> (String, Vec<&'static str>) {
    let (mut kept, mut rules) = (text.to_owned(), Vec::new());
    for _ in 0..LOOKS_MAX {
        let (less, more) = redact_once(&kept);
        if more.is_empty() {
            break;
        }
        kept = less;
        rules.extend(more);
    }
    (kept, rules)
}

fn redact_once(text: &str) -> (String, Vec<&'static str>) {
    let found = secrets(text);
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for secret in &found {
        kept.push_str(&text[at..secret.range.start]);
        kept.push_str("[secret:");
        kept.push_str(secret.rule);
        kept.push(']');
        at = secret.range.end;
    }
    kept.push_str(&text[at..]);
    (kept, found.into_iter().map(|secret| secret.rule).collect())
}

/// The beginning of `text`, at most so many bytes, so that no rule reads the same long run again
/// and again.
fn head(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Overlapping finds become one that covers them all, under the name of the surest rule among those
/// that start first. The sort is stable, so the order in which the rules ran decides.
fn without_overlaps(mut found: Vec<Secret>) -> Vec<Secret> {
    found.sort_by_key(|secret| secret.range.start);
    let mut kept: Vec<Secret> = Vec::with_capacity(found.len());
    for secret in found {
        match kept.last_mut() {
            Some(last) if secret.range.start < last.range.end => {
                last.range.end = last.range.end.max(secret.range.end);
            }
            _ => kept.push(secret),
        }
    }
    kept
}

#[cfg(test)]
mod tests;
