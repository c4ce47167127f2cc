//! Secrets assigned to a name: `password = "…"`, `api_key: …`, `--token …`, "the password is …".
//! The right side must look like a value; "password: see policy" and `token = next_token()` do not.

use crate::SecretMatch;
use crate::assigned_value::{AssignedValue, typed_value, value_at};
use crate::passphrases::passphrase_at;
use crate::placeholders::is_placeholder;
use crate::secret_names::{AnnouncedSecret, SecretName};
use crate::structured_values::structured_values;

/// Adds the value assigned to every name of a secret.
pub(super) fn find(text: &str, names: &[SecretName], found: &mut Vec<SecretMatch>) {
    for name in names {
        let values = assigned_values(text, name);
        found.extend(values.into_iter().map(|value| SecretMatch {
            rule: if value.is_phrase { "passphrase" } else { "assignment" },
            range: value.start..value.end,
        }));
    }
}

fn assigned_values(text: &str, name: &SecretName) -> Vec<AssignedValue> {
    let separated = separator(text, name).filter(|(separator, _)| !is_verb(text, name, *separator));
    let Some((separator, from)) = separated else {
        return structured_values(text, name, None);
    };
    let structured = structured_values(text, name, Some((separator, from)));
    if let Some(value) = netrc_password(text, name, separator, from) {
        return vec![value];
    }
    if !structured.is_empty() || name.is_plural && !is_prose_credential(text, name) {
        return structured;
    }
    let matched = value_at(text, from)
        .map(|value| end_at_parameter(text, name, value))
        .map(|value| skip_auth_scheme(text, name, value))
        .filter(|value| value.matches_kind(text, name.announces, separator))
        // `UserPass = "UserPass"` is the name of a constant.
        .filter(|value| !value.is_text(text, &text[name.start..name.end]));
    matched
        .or_else(|| {
            typed_value(text, from)
                .filter(|v| v.matches_kind(text, name.announces, Separator::Equals))
        })
        .or_else(|| passphrase_at(text, name, separator, from))
        .or_else(|| second_of_pair(text, name, from))
        .into_iter()
        .collect()
}

/// Returns true for `pass` in prose, where it is what somebody does.
fn is_verb(text: &str, name: &SecretName, separator: Separator) -> bool {
    matches!(separator, Separator::Prose | Separator::Weak)
        && text[name.start..name.end].eq_ignore_ascii_case("pass")
}

/// Ends the value of a parameter of a URL before the next one.
fn end_at_parameter(text: &str, name: &SecretName, value: AssignedValue) -> AssignedValue {
    if !text[..name.start].ends_with(['?', '&']) {
        return value;
    }
    let next = text[value.start..value.end].find(['&', '#']);
    AssignedValue { end: next.map_or(value.end, |at| value.start + at), ..value }
}

/// Returns the password after `login ana password` in a netrc file, whatever it looks like.
fn netrc_password(
    text: &str,
    name: &SecretName,
    separator: Separator,
    from: usize,
) -> Option<AssignedValue> {
    const BEFORE_BYTES: usize = 160;
    let is_password = separator == Separator::Weak && &text[name.start..name.end] == "password";
    let before = &text.as_bytes()[name.start.saturating_sub(BEFORE_BYTES)..name.start];
    let mut words = before.split(u8::is_ascii_whitespace).rev().filter(|word| !word.is_empty());
    let follows_login = is_password && words.nth(1) == Some(b"login");
    if !follows_login {
        return None;
    }
    let value = value_at(text, from)?;
    let length = value.end - value.start;
    (length >= 4 && !is_placeholder(&text[value.start..value.end])).then_some(value)
}

/// Returns true for `credentials`, which is as often said of one secret as of several.
fn is_prose_credential(text: &str, name: &SecretName) -> bool {
    let word = &text.as_bytes()[name.start..name.end];
    word.len() >= 11 && word[word.len() - 11..].eq_ignore_ascii_case(b"credentials")
}

/// Returns the password in `credentials: ana / …` or `login: ana:…`.
fn second_of_pair(text: &str, name: &SecretName, from: usize) -> Option<AssignedValue> {
    if !is_prose_credential(text, name) {
        return None;
    }
    let user = value_at(text, from)?;
    let rest = &text[user.end..];
    let mark = [" / ", ":", " and ", ", "].into_iter().find(|mark| rest.starts_with(mark))?;
    let value = value_at(text, user.end + mark.len())?;
    value.matches_kind(text, AnnouncedSecret::Password, Separator::Weak).then_some(value)
}

/// Moves from the scheme of an `Authorization` header to the credential after it.
fn skip_auth_scheme(text: &str, name: &SecretName, value: AssignedValue) -> AssignedValue {
    let is_header = text[name.start..name.end].eq_ignore_ascii_case("authorization");
    let word = &text[value.start..value.end];
    let is_scheme = word.len() <= 12 && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    if is_header && is_scheme && !value.quoted && text[value.end..].starts_with(' ') {
        value_at(text, value.end + 1).unwrap_or(value)
    } else {
        value
    }
}

/// Separator between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    /// `=`, `:=`, `=>`, or a command line's `--name value`.
    Equals,
    Colon,
    /// "is", "was", "to".
    Prose,
    /// A space, a dash or the border of a table cell: only a value that can be nothing else counts.
    Weak,
}

/// Returns the separator after a name, and the offset of the value.
fn separator(text: &str, name: &SecretName) -> Option<(Separator, usize)> {
    let rest = &text[name.end..];
    let bare = rest.trim_start_matches(['"', '\'', '`', ']', '*', ' ', '\\']);
    let at = text.len() - bare.len();
    let marks = [
        (":=", Separator::Equals),
        ("=>", Separator::Equals),
        ("=", Separator::Equals),
        (":", Separator::Colon),
    ];
    for (mark, separator) in marks {
        if let Some(after) = bare.strip_prefix(mark) {
            return (!after.starts_with(['=', ':', '/', '~']))
                .then_some((separator, at + mark.len()));
        }
    }
    for word in ["is ", "was ", "to "] {
        if bare.starts_with(word) && rest.starts_with(' ') {
            return Some((Separator::Prose, at + word.len()));
        }
    }
    let is_flag = text[name.start..].starts_with("--");
    if is_flag && rest.starts_with(' ') {
        return Some((Separator::Equals, at));
    }
    weak_separator(text, name, rest)
}

fn weak_separator(text: &str, name: &SecretName, rest: &str) -> Option<(Separator, usize)> {
    if let Some(from) = argument_after(text, name, rest) {
        return Some((Separator::Equals, from));
    }
    let is_setter = ["set", "Set", "with"].iter().any(|verb| text[name.start..].starts_with(verb));
    if is_setter && (rest.starts_with("(\"") || rest.starts_with("('")) {
        return Some((Separator::Equals, name.end + 1));
    }
    let chosen = matches!(name.announces, AnnouncedSecret::Password | AnnouncedSecret::Phrase);
    let bare = rest.trim_start_matches(['*', '`', ']', '"', '\'']);
    let marks = [" - ", " – ", " — ", " | ", " -> ", " → ", " "];
    let mark = marks.into_iter().find(|mark| chosen && bare.starts_with(mark))?;
    Some((Separator::Weak, text.len() - bare.len() + mark.len()))
}

/// Returns the offset of the second argument of `put("api_key", "…")`.
fn argument_after(text: &str, name: &SecretName, rest: &str) -> Option<usize> {
    let after = rest.strip_prefix(['"', '\''])?.strip_prefix(',')?.trim_start_matches(' ');
    let before = text[..name.start].strip_suffix(['"', '\''])?.trim_end_matches(' ');
    (before.ends_with('(') && after.starts_with(['"', '\''])).then(|| text.len() - after.len())
}
