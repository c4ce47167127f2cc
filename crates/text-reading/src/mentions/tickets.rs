//! Tickets: `ABC-123`, `#123`, `owner/project#123`, `CVE-2024-12345`.

use super::{MentionKind, MentionSource, TextMention};

/// Returns the ticket that `word` names. `before` is the word in front of it; `about_code` is true
/// if the text is about code, without which `AB-12` is more likely a product.
pub(super) fn find(word: &str, before: &str, about_code: bool) -> Option<TextMention> {
    let announced = announces_ticket(before);
    // A word such as "issue" before it is as good as a text about code.
    let keyed = (about_code || announced) && is_project_key(word);
    let is_ticket = keyed || is_numbered(word, announced) || is_vulnerability(word);
    is_ticket.then(|| TextMention::new(MentionKind::Ticket, MentionSource::Ticket, word))
}

fn announces_ticket(before: &str) -> bool {
    const WORDS: [&str; 13] = [
        "issue", "issues", "pr", "pull", "request", "ticket", "bug", "fixes", "fixed", "closes",
        "closed", "see", "mr",
    ];
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(before))
}

fn is_project_key(word: &str) -> bool {
    let Some((key, number)) = word.split_once('-') else { return false };
    let key_fits = (2..=10).contains(&key.len())
        && key.starts_with(|c: char| c.is_ascii_uppercase())
        && key.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    key_fits && is_number(number, 6) && !STANDARDS.contains(&key)
}

/// Returns true for `#123`. A single digit is as often a rank ("our #1 problem"), so it needs a
/// word such as "issue" before it.
fn is_numbered(word: &str, announced: bool) -> bool {
    let Some((project, number)) = word.split_once('#') else { return false };
    let project_fits = project.is_empty()
        || (project.contains('/')
            && project.bytes().all(|b| b.is_ascii_alphanumeric() || b"/_.-".contains(&b)));
    project_fits && is_number(number, 7) && (number.len() > 1 || announced || !project.is_empty())
}

fn is_vulnerability(word: &str) -> bool {
    let Some((year, number)) = word.strip_prefix("CVE-").and_then(|rest| rest.split_once('-'))
    else {
        return false;
    };
    year.len() == 4 && is_number(year, 4) && is_number(number, 7)
}

fn is_number(text: &str, digits_max: usize) -> bool {
    (1..=digits_max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Standards, ciphers, models and aircraft that are written like tickets.
const STANDARDS: &[&str] = &[
    "UTF", "SHA", "ISO", "RFC", "HTTP", "COVID", "GPT", "AES", "RSA", "TLS", "SSL", "IP", "IPV",
    "CP", "MP", "USB", "BM", "FTS", "CC", "EC", "ECMA", "IEEE", "DIN", "EN", "TCP", "UDP", "HTML",
    "CSS", "MD", "CRC", "FP", "INT", "BF", "PBKDF", "BASE", "X", "UTC", "GMT", "WW", "MI", "MIG",
    "SU", "BOEING", "AIRBUS", "CO", "PM", "H", "B", "F", "LLAMA", "ARM", "ES",
];
