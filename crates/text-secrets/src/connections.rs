//! Passwords inside addresses: `scheme://user:password@host`. Only the password is the secret;
//! where it leads is worth remembering.

use crate::Secret;
use crate::placeholders::is_placeholder;

const PASSWORD_BYTES_MAX: usize = 512;

/// Adds the password of every address that carries one.
pub(super) fn find(text: &str, found: &mut Vec<Secret>) {
    for (mark, _) in text.match_indices("://") {
        let scheme = text[..mark].ends_with(|c: char| c.is_ascii_alphanumeric());
        let start = mark + 3;
        if let Some((user, password)) = credentials(&text[start..]).filter(|_| scheme) {
            let from = start + user.len() + 1;
            if !user_chose_nothing(user, password) {
                found
                    .push(Secret { rule: "connection-string", range: from..from + password.len() });
            }
        }
    }
}

/// The user and password before the `@` of an address. A password may hold an `@` itself, so the
/// last one of the host part counts.
fn credentials(rest: &str) -> Option<(&str, &str)> {
    let ends = |c: char| {
        c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '|' | ')')
    };
    let part = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let (info, host) = part.rsplit_once('@')?;
    let (user, password) = parted(info)?;
    let fits = (3..=PASSWORD_BYTES_MAX).contains(&password.len()) && !host.is_empty();
    fits.then_some((user, password))
}

/// A user and a password. The colon in a name that was put in place of a secret parts nothing.
fn parted(info: &str) -> Option<(&str, &str)> {
    let stands_in = |at: usize| {
        let rule = info[at + 1..].split(']').next().unwrap_or_default();
        let is_rule = rule.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        info[..at].ends_with("[secret") && is_rule && info[at + 1 + rule.len()..].starts_with(']')
    };
    let (at, _) = info.match_indices(':').find(|(at, _)| !stands_in(*at))?;
    Some((&info[..at], &info[at + 1..]))
}

/// `user:password`, `postgres:postgres` and `${USER}:${PASSWORD}` are documentation or defaults.
fn user_chose_nothing(user: &str, password: &str) -> bool {
    user == password || is_placeholder(password)
}
