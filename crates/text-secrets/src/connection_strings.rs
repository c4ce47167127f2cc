//! Passwords inside URLs: `scheme://user:password@host`. Only the password is the secret; the rest
//! of the URL is worth remembering.

use crate::SecretMatch;
use crate::placeholders::is_placeholder;

const PASSWORD_BYTES_MAX: usize = 512;

/// Adds the password of the URL around its `://`.
pub(super) fn url(text: &str, mark: usize, found: &mut Vec<SecretMatch>) {
    let scheme = text[..mark].ends_with(|c: char| c.is_ascii_alphanumeric());
    let start = mark + 3;
    let Some((user, password)) = credentials(&text[start..]).filter(|_| scheme) else { return };
    let from = start + user.len() + 1;
    if !is_default_or_placeholder(user, password) {
        let range = from..from + password.len();
        found.push(SecretMatch { rule: "connection-string", range });
    }
}

/// Returns the user and password before the `@` of a URL. A password may contain an `@` itself, so
/// the last one before the path counts.
fn credentials(rest: &str) -> Option<(&str, &str)> {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '|' | ')')
    };
    let part = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let (info, host) = part.rsplit_once('@')?;
    let (user, password) = split_credentials(info)?;
    let fits = (3..=PASSWORD_BYTES_MAX).contains(&password.len()) && !host.is_empty();
    fits.then_some((user, password))
}

/// Splits user and password at the first colon that is not part of a `[secret:rule]` replacement.
fn split_credentials(info: &str) -> Option<(&str, &str)> {
    let is_replacement = |at: usize| {
        let rule = info[at + 1..].split(']').next().unwrap_or_default();
        let is_rule = rule.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        info[..at].ends_with("[secret") && is_rule && info[at + 1 + rule.len()..].starts_with(']')
    };
    let (at, _) = info.match_indices(':').find(|(at, _)| !is_replacement(*at))?;
    Some((&info[..at], &info[at + 1..]))
}

/// Returns true for `user:password`, `postgres:postgres` and `${USER}:${PASSWORD}`, which are
/// documentation or defaults.
fn is_default_or_placeholder(user: &str, password: &str) -> bool {
    user == password || is_placeholder(password)
}
