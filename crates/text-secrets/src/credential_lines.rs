//! Lines of files in which the position says what is secret: `.pgpass`, lists of addresses and
//! passwords, access lists of Redis, configurations of switches, recovery codes, columns of CSV.

use crate::SecretMatch;
use crate::placeholders::is_placeholder;
use crate::randomness::{character_classes, has_digit, has_letter, is_identifier};
use std::ops::Range;

/// Maximum length of a line that is read.
const LINE_BYTES_MAX: usize = 512;
const ROWS_MAX: usize = 200;

/// Adds the secrets of every such line.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let content = line.trim_end();
        if content.len() > LINE_BYTES_MAX || content.len() < 8 {
            continue;
        }
        let shift = |range: Range<usize>| start + range.start..start + range.end;
        let one = fields_of_pgpass(content)
            .or_else(|| address_and_password(content))
            .or_else(|| directive(content))
            .or_else(|| piped_password(content));
        found.extend(one.map(|range| SecretMatch { rule: "credential-file", range: shift(range) }));
        let below = &text[at..];
        if is_code_heading(content) {
            push_all(found, at, recovery_codes(below));
        } else if let Some((columns, nth)) = password_column(content) {
            push_all(found, at, column_values(below, columns, nth));
        }
    }
}

fn push_all(found: &mut Vec<SecretMatch>, at: usize, ranges: Vec<Range<usize>>) {
    found.extend(ranges.into_iter().map(|range| SecretMatch {
        rule: "credential-file",
        range: at + range.start..at + range.end,
    }));
}

/// Matches `host:port:database:user:password`.
fn fields_of_pgpass(line: &str) -> Option<Range<usize>> {
    let mut fields = line.splitn(5, ':');
    let (host, port) = (fields.next()?, fields.next()?);
    let is_port = port == "*" || (2..=5).contains(&port.len()) && is_digits(port);
    let is_host = host == "*" || has_letter(host) || host.bytes().filter(|b| *b == b'.').count() == 3;
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

/// Matches the password in `user ana on >… ~*` of Redis, and after some directives of switches.
fn directive(line: &str) -> Option<Range<usize>> {
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
    let start = value.as_ptr() as usize - line.as_ptr() as usize;
    let fits = value.len() >= 5 && !is_placeholder(value) && has_letter(value) && has_digit(value);
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

/// Matches `echo '…' | sudo -S` and `echo 'user:…' | chpasswd`.
fn piped_password(line: &str) -> Option<Range<usize>> {
    let pipe = line.find('|')?;
    let echo = line[..pipe].rfind("echo ")?;
    let reads = ["sudo -S", "chpasswd", "--password-stdin", "passwd --stdin", "gpg --passphrase-fd"];
    if !reads.iter().any(|command| line[pipe..].contains(command)) {
        return None;
    }
    let value = line[echo + 5..pipe].trim_matches([' ', '"', '\'']);
    let value = value.trim_start_matches("-n ").trim_start_matches("-e ").trim_matches(['"', '\'']);
    let is_pair = line[pipe..].contains("chpasswd");
    let value = if is_pair { value.split_once(':')?.1 } else { value };
    let start = value.as_ptr() as usize - line.as_ptr() as usize;
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
fn recovery_codes(below: &str) -> Vec<Range<usize>> {
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

/// Returns the number of columns and the position of the password in the heading of a table.
fn password_column(line: &str) -> Option<(usize, usize)> {
    let is_cell = |cell: &str| {
        let cell = cell.trim_matches([' ', '"']);
        !cell.is_empty() && cell.bytes().all(|b| b.is_ascii_alphanumeric() || b"_- ".contains(&b))
    };
    let is_password = |cell: &str| {
        let cell = cell.trim_matches([' ', '"']).to_ascii_lowercase();
        matches!(&*cell, "password" | "passwd" | "pwd" | "login_password" | "pass")
    };
    let comma = line.contains(',').then_some(line)?;
    let nth = comma.split(',').position(is_password)?;
    comma.split(',').all(is_cell).then(|| (comma.split(',').count(), nth))
}

fn column_values(below: &str, columns: usize, nth: usize) -> Vec<Range<usize>> {
    let mut values = Vec::new();
    let mut at = 0;
    for line in below.split_inclusive('\n').take(ROWS_MAX) {
        if line.trim_end().split(',').count() != columns {
            break;
        }
        let before: usize = line.split(',').take(nth).map(|cell| cell.len() + 1).sum();
        let cell = line.trim_end().split(',').nth(nth).unwrap_or_default();
        let value = cell.trim_matches([' ', '"']);
        let start = at + before + cell.find(value).unwrap_or_default();
        if value.len() >= 6 && is_mixed(value) && !is_placeholder(value) {
            values.push(start..start + value.len());
        }
        at += line.len();
    }
    values
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
