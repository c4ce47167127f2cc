//! Lines of files in which the position says what is secret: `.pgpass`, lists of addresses and
//! passwords, access lists of Redis, configurations of switches, recovery codes.

use crate::placeholders::is_placeholder;
use crate::randomness::{
    character_classes, has_alternating_case, has_digit, has_letter, is_identifier,
};
use crate::{SecretMatch, offset_in, truncate_to, window_before};
use std::ops::Range;

/// Maximum length of a line that is read.
const LINE_BYTES_MAX: usize = 512;
const ROWS_MAX: usize = 200;

/// Adds the passwords in lines of `.pgpass` and in lists of addresses.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    for (at, _) in text.match_indices('@') {
        push(found, text, line_at(text, at), address_and_password);
    }
    for (at, _) in text.match_indices(':') {
        // The second field is a port or an asterisk; this colon is the one before it.
        let port = text.as_bytes()[at + 1..].iter().take(6);
        let digits = port.take_while(|byte| byte.is_ascii_digit() || **byte == b'*').count();
        if digits > 0 && text.as_bytes().get(at + 1 + digits) == Some(&b':') {
            push(found, text, line_at(text, at), fields_of_pgpass);
        }
    }
}

fn line_at(text: &str, at: usize) -> Range<usize> {
    let before = window_before(text, at, LINE_BYTES_MAX + 1);
    let start = at - before.len() + before.rfind('\n').map_or(0, |offset| offset + 1);
    let rest = truncate_to(&text[at..], LINE_BYTES_MAX);
    let end = at + rest.find('\n').unwrap_or(rest.len());
    start..start + text[start..end].trim_end().len()
}

/// Adds the secret that a function finds in a line.
fn push(
    found: &mut Vec<SecretMatch>,
    text: &str,
    line: Range<usize>,
    secret: fn(&str) -> Option<Range<usize>>,
) {
    if line.len() <= LINE_BYTES_MAX {
        let range = secret(&text[line.clone()]);
        let range = range.map(|range| line.start + range.start..line.start + range.end);
        found.extend(range.map(|range| SecretMatch { rule: "credential-file", range }));
    }
}

/// Adds the password in `user ana on >… ~*` of Redis, and after some directives of switches.
pub(super) fn directive(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    push(found, text, line_at(text, at), directive_value);
}

/// Adds the password in `echo '…' | sudo -S` and `echo 'user:…' | chpasswd`.
pub(super) fn piped_password(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    push(found, text, line_at(text, at), echoed_password);
}

/// Adds the codes below "Recovery codes:".
pub(super) fn recovery_codes(text: &str, at: usize, found: &mut Vec<SecretMatch>) {
    let line = line_at(text, at);
    if is_code_heading(&text[line.clone()]) && text[line.end..].starts_with('\n') {
        let below = line.end + 1;
        found.extend(codes_in(&text[below..]).into_iter().map(|range| SecretMatch {
            rule: "recovery-code",
            range: below + range.start..below + range.end,
        }));
    }
}

/// Matches `host:port:database:user:password`.
fn fields_of_pgpass(line: &str) -> Option<Range<usize>> {
    let mut fields = line.splitn(5, ':');
    let (host, port) = (fields.next()?, fields.next()?);
    let is_port = port == "*" || (2..=5).contains(&port.len()) && is_digits(port);
    let is_host =
        host == "*" || has_letter(host) || host.bytes().filter(|b| *b == b'.').count() == 3;
    if !is_port || !is_host || host.contains(['/', ' ', '(', '"', '#']) {
        return None;
    }
    let (_, _, password) = (fields.next()?, fields.next()?, fields.next()?);
    let fits = password.len() >= 4 && !password.contains(' ') && !is_placeholder(password);
    (fits && (is_mixed(password) || port == "*")).then(|| line.len() - password.len()..line.len())
}

/// Matches a line that ends with `ana@example.org:password`.
fn address_and_password(line: &str) -> Option<Range<usize>> {
    let at_sign = line.find('@')?;
    let word = line.rsplit(' ').next()?;
    let (address, password) = word.split_once(':')?;
    let (user, host) = address.split_once('@').filter(|_| line.len() - word.len() <= at_sign)?;
    let is_address = !user.is_empty()
        && host.contains('.')
        && address.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"@._+-".contains(&byte));
    let fits = is_mixed(password) && !is_placeholder(password) && !password.contains(['/', '(']);
    (is_address && fits).then(|| line.len() - password.len()..line.len())
}

fn directive_value(line: &str) -> Option<Range<usize>> {
    let line_start = line.len() - line.trim_start().len();
    let content = &line[line_start..];
    let value = if content.starts_with("user ") {
        content.split(' ').skip(3).find_map(|word| word.strip_prefix('>'))?
    } else {
        let rest = DIRECTIVES.iter().find_map(|one| content.strip_prefix(one))?;
        let mut words = rest.split(' ').filter(|word| !word.is_empty());
        let first = words.next()?;
        // A digit says how the value is encoded; 0 is plain text and 7 is easily reversed.
        if first.len() == 1 && is_digits(first) { words.next()? } else { first }
    };
    let start = offset_in(line, value);
    let random = has_digit(value) && has_letter(value) || has_alternating_case(value);
    let fits = value.len() >= 5 && !is_placeholder(value) && random;
    fits.then(|| start..start + value.len())
}

const DIRECTIVES: [&str; 7] = [
    "snmp-server community ",
    "enable secret ",
    "enable password ",
    "neighbor password ",
    "tacacs-server key ",
    "radius-server key ",
    "ip ospf authentication-key ",
];

fn echoed_password(line: &str) -> Option<Range<usize>> {
    let pipe = line.find('|')?;
    let echo = line[..pipe].rfind("echo ")?;
    let reads =
        ["sudo -S", "chpasswd", "--password-stdin", "passwd --stdin", "gpg --passphrase-fd"];
    if !reads.iter().any(|command| line[pipe..].contains(command)) {
        return None;
    }
    let value = line[echo + 5..pipe].trim_matches([' ', '"', '\'']);
    let value = value.trim_start_matches("-n ").trim_start_matches("-e ").trim_matches(['"', '\'']);
    let is_pair = line[pipe..].contains("chpasswd");
    let value = if is_pair { value.split_once(':')?.1 } else { value };
    let start = offset_in(line, value);
    let fits = value.len() >= 4 && !is_placeholder(value) && !value.contains('`');
    fits.then(|| start..start + value.len())
}

/// Returns true for "Recovery codes:" and the like.
fn is_code_heading(line: &str) -> bool {
    let Some(head) = line.strip_suffix(':') else { return false };
    let lower = head.to_ascii_lowercase();
    ["recovery codes", "backup codes", "scratch codes", "emergency codes", "one-time codes"]
        .iter()
        .any(|heading| lower.ends_with(heading))
}

/// Returns the codes on the next lines, up to the first line without one.
fn codes_in(below: &str) -> Vec<Range<usize>> {
    let mut codes = Vec::new();
    let mut at = 0;
    for line in below.split_inclusive('\n').take(ROWS_MAX) {
        let content = line.trim_matches([' ', '\t', '\n', '\r', '-', '*', '`']);
        let is_code = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b' ');
        let fits = (6..=48).contains(&content.len()) && has_digit(content);
        if !fits || !content.bytes().all(is_code) {
            break;
        }
        let start = at + line.find(content).unwrap_or_default();
        codes.push(start..start + content.len());
        at += line.len();
    }
    codes
}

fn is_digits(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns true for letters with digits that are no name, or with a symbol.
fn is_mixed(value: &str) -> bool {
    let symbol = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
    has_letter(value)
        && has_digit(value)
        && (symbol || character_classes(value) == 3 || !is_identifier(value))
        && value.len() >= 6
}
