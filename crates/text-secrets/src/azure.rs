//! Keys of Azure: behind their name in a connection string, by the mark that newer ones carry
//! inside, and the signature of an address that lets in whoever has it.

use crate::Secret;
use crate::placeholders::is_placeholder;
use crate::randomness::classes;

/// What stands before a key in a connection string, and how short one may be.
const NAMED: [(&str, &str, usize); 2] =
    [("AccountKey=", "azure-storage-key", 80), ("SharedAccessKey=", "azure-access-key", 40)];
/// What a newer key has behind its first 76 characters, by which anybody can tell what it is.
const MARKS: [&str; 3] = ["+ASt", "+ABa", "ACDb"];
/// How much of a marked key stands before its mark, and behind it.
const MARKED: (usize, usize) = (76, 8);
/// What stands in every signed address beside the signature.
const SIGNED: [&str; 2] = ["sv=", "se="];
const SIGNATURE: std::ops::RangeInclusive<usize> = 40..=128;
const ADDRESS_BYTES: usize = 2_048;

/// Adds every key and signature.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    for (name, rule, shortest) in NAMED {
        let keys = text.match_indices(name).map(|(at, _)| at + name.len());
        found.extend(keys.filter_map(|start| named(text, start, rule, shortest)));
    }
    for mark in MARKS {
        found.extend(text.match_indices(mark).filter_map(|(at, _)| marked(text, at, mark)));
    }
    found.extend(text.match_indices("sig=").filter_map(|(at, _)| signature(text, at)));
    found.extend(text.match_indices("Q~").filter_map(|(at, _)| client_secret(text, at)));
}

fn named(text: &str, start: usize, rule: &'static str, shortest: usize) -> Option<Secret> {
    let length = count(&text.as_bytes()[start..], |byte| is_base64(byte) || byte == b'=');
    let value = &text[start..start + length];
    let real = length >= shortest && classes(value) >= 2 && !is_placeholder(value);
    real.then(|| Secret { rule, range: start..start + length })
}

fn marked(text: &str, mark_at: usize, mark: &str) -> Option<Secret> {
    let (start, end) = (mark_at.checked_sub(MARKED.0)?, mark_at + mark.len() + MARKED.1);
    let key = text.get(start..end)?;
    let whole = key.strip_suffix("==")?.bytes().all(is_base64);
    let begins = !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric());
    (whole && begins).then_some(Secret { rule: "azure-storage-key", range: start..end })
}

/// The signature in the query of an address that says for how long it lets in.
fn signature(text: &str, at: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    let start = at + "sig=".len();
    let queried = text[..at].ends_with(['?', '&', ';', '"', '\'']);
    let length =
        count(&bytes[start..], |byte| is_base64(byte) || matches!(byte, b'%' | b'=' | b'-' | b'_'));
    let value = &text[start..start + length];
    let real = SIGNATURE.contains(&length) && classes(value) >= 2 && !is_placeholder(value);
    (queried && real && is_signed_address(text, at))
        .then(|| Secret { rule: "azure-sas", range: start..start + length })
}

/// Whether the address around a place says which version it was signed by, or when it ends.
fn is_signed_address(text: &str, at: usize) -> bool {
    let is_of_it = |byte: &u8| !byte.is_ascii_whitespace();
    let before =
        text.as_bytes()[..at].iter().rev().take(ADDRESS_BYTES).take_while(|&b| is_of_it(b)).count();
    let behind =
        text.as_bytes()[at..].iter().take(ADDRESS_BYTES).take_while(|&b| is_of_it(b)).count();
    let around = &text.as_bytes()[at - before..at + behind];
    SIGNED.iter().any(|mark| around.windows(mark.len()).any(|window| window == mark.as_bytes()))
}

/// `…8Q~…`: three characters and a digit before the mark, and some more than thirty behind it.
fn client_secret(text: &str, mark_at: usize) -> Option<Secret> {
    let bytes = text.as_bytes();
    let start = mark_at.checked_sub(4)?;
    let head = &bytes[start..mark_at];
    let begins = start == 0 || !is_of_secret(bytes[start - 1]);
    let length = count(&bytes[mark_at + 2..], is_of_secret);
    let fits = head[..3].iter().all(|&byte| is_of_secret(byte)) && head[3].is_ascii_digit();
    let end = mark_at + 2 + length;
    (begins && fits && (31..=34).contains(&length))
        .then_some(Secret { rule: "azure-client-secret", range: start..end })
}

fn count(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take(ADDRESS_BYTES).take_while(|&&byte| is_part(byte)).count()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

fn is_of_secret(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-')
}
