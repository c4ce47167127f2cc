//! Azure credentials: keys named in a connection string, newer keys recognised by the signature
//! inside them, client secrets, and the signatures of shared access URLs.

use crate::SecretMatch;
use crate::placeholders::is_placeholder;
use crate::randomness::character_classes;

/// Length of the fixed signatures after the first 76 characters of newer keys.
const SIGNATURE_BYTES: usize = 4;
/// Number of characters of a key before its signature, and after it.
const SIGNATURE_POSITION: (usize, usize) = (76, 8);
/// Parameters of which every shared access URL has one besides its signature.
const SAS_PARAMETERS: [&str; 2] = ["sv=", "se="];
const SAS_SIGNATURE_BYTES: std::ops::RangeInclusive<usize> = 40..=128;
const URL_BYTES_MAX: usize = 2_048;

/// Adds every client secret.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    let marks = text.match_indices('~').filter(|(at, _)| text[..*at].ends_with('Q'));
    found.extend(marks.filter_map(|(at, _)| client_secret(text, at - 1)));
}

/// Adds the key of a storage account in a connection string.
pub(super) fn storage_key(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    add_named_key(text, at + "AccountKey=".len(), ("azure-storage-key", 80), found);
}

/// Adds the key of a message bus in a connection string.
pub(super) fn access_key(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    add_named_key(text, at + "SharedAccessKey=".len(), ("azure-access-key", 40), found);
}

/// Adds the key around a signature that is meant for secret scanners.
pub(super) fn signed_key(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    found.extend(key_around(text, at));
}

/// Adds the signature in the query of a shared access URL.
pub(super) fn sas_signature(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    found.extend(url_signature(text, at));
}

/// Adds the key at an offset, unless the one before it goes on there.
fn add_named_key(
    text: &str,
    start: usize,
    (rule, shortest): (&'static str, usize),
    found: &mut Vec<SecretMatch>,
) {
    let is_inside = found.last().is_some_and(|last| last.rule == rule && last.range.end > start);
    if !is_inside {
        found.extend(named_key(text, start, rule, shortest));
    }
}

fn named_key(text: &str, start: usize, rule: &'static str, shortest: usize) -> Option<SecretMatch> {
    let length = leading_count(&text.as_bytes()[start..], |byte| is_base64(byte) || byte == b'=');
    let value = &text[start..start + length];
    let real = length >= shortest && character_classes(value) >= 2 && !is_placeholder(value);
    real.then(|| SecretMatch { rule, range: start..start + length })
}

fn key_around(text: &str, mark_at: usize) -> Option<SecretMatch> {
    let (start, end) = (
        mark_at.checked_sub(SIGNATURE_POSITION.0)?,
        mark_at + SIGNATURE_BYTES + SIGNATURE_POSITION.1,
    );
    let key = text.get(start..end)?;
    let whole = key.strip_suffix("==")?.bytes().all(is_base64);
    let begins = !text[..start].ends_with(|c: char| c.is_ascii_alphanumeric());
    (whole && begins).then_some(SecretMatch { rule: "azure-storage-key", range: start..end })
}

/// Matches the signature in the query of a shared access URL.
fn url_signature(text: &str, at: usize) -> Option<SecretMatch> {
    let bytes = text.as_bytes();
    let start = at + "sig=".len();
    if !text[..at].ends_with(['?', '&', ';', '"', '\'']) {
        return None;
    }
    let length = leading_count(&bytes[start..], |byte| {
        is_base64(byte) || matches!(byte, b'%' | b'=' | b'-' | b'_')
    });
    let value = &text[start..start + length];
    let real = SAS_SIGNATURE_BYTES.contains(&length)
        && character_classes(value) >= 2
        && !is_placeholder(value);
    (real && is_sas_url(text, at))
        .then(|| SecretMatch { rule: "azure-sas", range: start..start + length })
}

/// Returns true if the URL around an offset has a version or an expiry, as shared access URLs do.
fn is_sas_url(text: &str, at: usize) -> bool {
    let is_url_byte = |byte: &u8| !byte.is_ascii_whitespace();
    let before = text.as_bytes()[..at]
        .iter()
        .rev()
        .take(URL_BYTES_MAX)
        .take_while(|&b| is_url_byte(b))
        .count();
    let after =
        text.as_bytes()[at..].iter().take(URL_BYTES_MAX).take_while(|&b| is_url_byte(b)).count();
    let url = &text.as_bytes()[at - before..at + after];
    SAS_PARAMETERS
        .iter()
        .any(|mark| url.windows(mark.len()).any(|window| window == mark.as_bytes()))
}

/// Matches `…8Q~…`: three characters and a digit before `Q~`, and 31 to 34 characters after it.
fn client_secret(text: &str, mark_at: usize) -> Option<SecretMatch> {
    let bytes = text.as_bytes();
    let start = mark_at.checked_sub(4)?;
    let head = &bytes[start..mark_at];
    let begins = start == 0 || !is_client_secret_byte(bytes[start - 1]);
    let length = leading_count(&bytes[mark_at + 2..], is_client_secret_byte);
    let fits =
        head[..3].iter().all(|&byte| is_client_secret_byte(byte)) && head[3].is_ascii_digit();
    let end = mark_at + 2 + length;
    (begins && fits && (31..=34).contains(&length))
        .then_some(SecretMatch { rule: "azure-client-secret", range: start..end })
}

fn leading_count(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes.iter().take(URL_BYTES_MAX).take_while(|&&byte| is_part(byte)).count()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

fn is_client_secret_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'~' | b'.' | b'-')
}
