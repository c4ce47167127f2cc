//! Azure credentials: keys named in a connection string, newer keys recognised by the signature
//! inside them, client secrets, and the signatures of shared access URLs.

use crate::Secret;
use crate::placeholders::is_placeholder;
use crate::randomness::classes;

/// Names of keys in a connection string, their rules, and the minimum length of a key.
const NAMED: [(&str, &str, usize); 2] =
    [("AccountKey=", "azure-storage-key", 80), ("SharedAccessKey=", "azure-access-key", 40)];
/// Fixed signatures after the first 76 characters of newer keys, meant for secret scanners.
const MARKS: [&str; 3] = ["+ASt", "+ABa", "ACDb"];
/// Number of characters of a key before its signature, and after it.
const MARKED: (usize, usize) = (76, 8);
/// Parameters of which every shared access URL has one besides its signature.
const SIGNED: [&str; 2] = ["sv=", "se="];
const SIGNATURE: std::ops::RangeInclusive<usize> = 40..=128;
const ADDRESS_BYTES: usize = 2_048;

/// Adds every key, client secret and URL signature.
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

/// Matches the signature in the query of a shared access URL.
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

/// Returns true if the URL around an offset has a version or an expiry, as shared access URLs do.
fn is_signed_address(text: &str, at: usize) -> bool {
    let is_url_byte = |byte: &u8| !byte.is_ascii_whitespace();
    let before = text.as_bytes()[..at]
        .iter()
        .rev()
        .take(ADDRESS_BYTES)
        .take_while(|&b| is_url_byte(b))
        .count();
    let after =
        text.as_bytes()[at..].iter().take(ADDRESS_BYTES).take_while(|&b| is_url_byte(b)).count();
    let url = &text.as_bytes()[at - before..at + after];
    SIGNED.iter().any(|mark| url.windows(mark.len()).any(|window| window == mark.as_bytes()))
}

/// Matches `…8Q~…`: three characters and a digit before `Q~`, and 31 to 34 characters after it.
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
