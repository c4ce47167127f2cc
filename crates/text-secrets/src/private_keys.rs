//! Private keys in PEM and PGP armour and in the files of PuTTY. A header without a body, or around
//! an ellipsis, is documentation.

use crate::{SecretMatch, offset_in};

/// Minimum length of the body of a key.
const BODY_MIN: usize = 24;
/// Maximum number of lines in a key file of PuTTY.
const LINES_MAX: usize = 256;
/// Beginnings of blocks: PEM and PGP, and the form of commercial SSH.
const BEGINS: [(&str, &str); 2] = [("-----BEGIN ", "-----"), ("---- BEGIN ", " ----")];

/// Adds the block at an offset if it has the header of a private key and a body.
pub(super) fn armoured(text: &str, begin: usize, found: &mut Vec<SecretMatch>) {
    let Some((head, dashes)) = BEGINS.iter().find(|(head, _)| text[begin..].starts_with(head))
    else {
        return;
    };
    let Some(body) = private_body(text, begin + head.len(), dashes) else { return };
    let end = block_end(text, body, head, dashes);
    let letters = text[body..end].bytes().filter(|byte| is_base64(*byte)).count();
    if letters >= BODY_MIN {
        found.push(SecretMatch { rule: "private-key", range: begin..end });
    }
}

/// Adds the private part of a key file of PuTTY, which says how many lines it has.
pub(super) fn putty_lines(text: &str, header: usize, found: &mut Vec<SecretMatch>) {
    found.extend(putty_body(text, header));
}

fn putty_body(text: &str, header: usize) -> Option<SecretMatch> {
    let (count, _) = text[header..].strip_prefix("Private-Lines: ")?.split_once('\n')?;
    let count: usize = count.trim().parse().ok().filter(|count| *count <= LINES_MAX)?;
    let start = header + text[header..].find('\n')? + 1;
    let is_key = |line: &&str| !line.is_empty() && line.bytes().all(is_base64);
    let body = text[start..].lines().take(count).take_while(is_key);
    let end = body.last().map(|line| offset_in(text, line) + line.len())?;
    (end - start >= BODY_MIN).then_some(SecretMatch { rule: "private-key", range: start..end })
}

/// Returns the offset of the body if the header at `at` is that of a private key.
fn private_body(text: &str, at: usize, dashes: &str) -> Option<usize> {
    let header = crate::truncate_to(&text[at..], 80);
    let close = header.find(dashes)?;
    let label = &header[..close];
    (label.len() <= 60 && label.contains("PRIVATE KEY")).then_some(at + close + dashes.len())
}

/// Returns the offset after the footer, or the end of the body when the footer is missing.
fn block_end(text: &str, body: usize, head: &str, dashes: &str) -> usize {
    let rest = &text[body..];
    // A footer after the next header belongs to that block.
    let next_block = rest.find(head).unwrap_or(rest.len());
    let foot = head.replace("BEGIN", "END");
    if let Some(footer) = rest[..next_block].find(&foot) {
        let label = footer + foot.len();
        let close = rest[label..].find(dashes);
        return body + close.map_or(rest.len(), |offset| label + offset + dashes.len());
    }
    let in_body =
        |c: char| c.is_ascii_whitespace() || c == '\\' || (c.is_ascii() && is_base64(c as u8));
    let end = rest.find(|c| !in_body(c)).unwrap_or(rest.len());
    body + rest[..end].trim_end().len()
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
