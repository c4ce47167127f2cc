//! Secrets assigned to a name: `password = "…"`, `api_key: …`, `--token …`, "the password is …".
//! The right side must look like a value; "password: see policy" and `token = next_token()` do not.

use crate::placeholders::is_placeholder;
use crate::randomness::{
    character_classes, has_alternating_case, has_digit, has_letter, is_identifier,
};
use crate::secret_names::{AnnouncedSecret, SecretName, secret_names};
use crate::{SecretMatch, truncate_to};

const VALUE_BYTES_MAX: usize = 1_024;

/// Adds the value assigned to every name of a secret.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    for name in secret_names(text) {
        let Some((separator, from)) = separator(text, &name) else { continue };
        let value = value_at(text, from);
        let matched = value.filter(|value| value.matches_kind(text, name.announces, separator));
        let matched = matched.or_else(|| {
            typed_value(text, from)
                .filter(|v| v.matches_kind(text, name.announces, Separator::Equals))
        });
        if let Some(value) = matched {
            found.push(SecretMatch { rule: "assignment", range: value.start..value.end });
        }
    }
}

/// Separator between a name and its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `=`, `:=`, `=>`, or a command line's `--name value`.
    Equals,
    Colon,
    /// "is", "was", "to".
    Prose,
}

/// Returns the separator after a name, and the offset of the value.
fn separator(text: &str, name: &SecretName) -> Option<(Separator, usize)> {
    let rest = &text[name.end..];
    let bare = rest.trim_start_matches(['"', '\'', '`', ']', '*', ' ']);
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
    (is_flag && rest.starts_with(' ')).then_some((Separator::Equals, at))
}

/// Range of an assigned value.
#[derive(Debug, Clone, Copy)]
struct AssignedValue {
    start: usize,
    end: usize,
    quoted: bool,
}

fn value_at(text: &str, from: usize) -> Option<AssignedValue> {
    let bare = text[from..].trim_start_matches([' ', '\t']);
    let start = text.len() - bare.len();
    let bare = truncate_to(bare, VALUE_BYTES_MAX + 1);
    let quote = bare.chars().next()?;
    if matches!(quote, '"' | '\'' | '`') {
        let length = bare[1..].find([quote, '\n'])?;
        return Some(AssignedValue { start: start + 1, end: start + 1 + length, quoted: true });
    }
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}')
    };
    // The brackets of a reference such as `${NAME}` or `{{ name }}` stay: they identify it.
    let skipped = bare.len() - bare.trim_start_matches(['$', '{', '[', '(']).len();
    let length = skipped + bare[skipped..].find(ends).unwrap_or(bare.len() - skipped);
    let length = bare[..length].trim_end_matches(['.', ':', '>', '\\']).len();
    Some(AssignedValue { start, end: start + length, quoted: false })
}

/// Returns the value of `name: &str = "…"`, with a type between name and value.
fn typed_value(text: &str, from: usize) -> Option<AssignedValue> {
    const TYPE_BYTES_MAX: usize = 40;
    let rest = &text[from..];
    let equals = rest.bytes().take(TYPE_BYTES_MAX).position(|byte| byte == b'=')?;
    let in_type = |c: char| c.is_ascii_alphanumeric() || " &<>'_:[]".contains(c);
    let is_type = rest[..equals].chars().all(in_type) && rest[..equals].ends_with(' ');
    value_at(text, from + equals + 1).filter(|value| is_type && value.quoted)
}

impl AssignedValue {
    /// Returns true if the value looks like the kind of secret that its name announces.
    fn matches_kind(&self, text: &str, kind: AnnouncedSecret, separator: Separator) -> bool {
        let value = &text[self.start..self.end];
        let called = !self.quoted && text[self.end..].starts_with(['(', '[', '{']);
        let refused =
            value.len() > VALUE_BYTES_MAX || called || is_placeholder(value) || is_reference(value);
        let is_variable = !self.quoted && is_secret_variable(value);
        !refused
            && !is_variable
            && match kind {
                AnnouncedSecret::Password => self.is_password(value, separator),
                AnnouncedSecret::Key => self.is_key(value, separator),
            }
    }

    fn is_password(&self, value: &str, separator: Separator) -> bool {
        if value.len() < 6 || value.contains(' ') {
            return false;
        }
        let mixed = has_digit(value) && has_letter(value);
        // Unquoted, several words with a number are an identifier; a single one (`hunter2`) is a
        // typical password.
        let named = is_identifier(value) && value.contains(['_', '-', '.', '/']);
        let digits =
            value.bytes().all(|byte| byte.is_ascii_digit()) && separator != Separator::Prose;
        (mixed && (self.quoted || !named))
            || digits
            || has_inner_symbol(value)
            || has_alternating_case(value)
    }

    fn is_key(&self, value: &str, separator: Separator) -> bool {
        if value.contains(' ') || is_identifier(value) {
            return false;
        }
        let random = (has_digit(value) && has_letter(value))
            || (value.len() >= 16 && character_classes(value) >= 2);
        let enough = if self.quoted || separator == Separator::Equals { 8 } else { 16 };
        random && value.len() >= enough
    }
}

/// Returns true for `hunt&er` and `p@ssword`, but not for `really?!`.
fn has_inner_symbol(value: &str) -> bool {
    let inner = value.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    inner.len() >= 5
        && has_letter(inner)
        && inner.contains(['!', '@', '#', '$', '%', '^', '&', '*'])
}

/// Returns true for paths, addresses and code that refer to a value stored elsewhere.
fn is_reference(value: &str) -> bool {
    let starts = [
        "/", "./", "../", "~/", "vault:", "op:", "env:", "file:", "arn:", "@", "&", "self.",
        "this.",
    ];
    let leads = value.contains("://")
        || value.contains("::")
        || value.contains("->")
        || value.contains("=>");
    leads
        || starts.iter().any(|start| value.starts_with(start))
        || value.bytes().filter(|b| *b == b'/').count() >= 2 && has_plain_words(value)
}

/// Returns true if at least two segments of a path are plain words.
fn has_plain_words(value: &str) -> bool {
    value
        .split('/')
        .filter(|part| part.len() >= 4 && part.bytes().all(|byte| byte.is_ascii_lowercase()))
        .count()
        >= 2
}

/// Returns true for the names of variables, such as `password1` and `user_token`.
fn is_secret_variable(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["password", "passwd", "token", "secret"].iter().any(|word| lower.contains(word))
        && is_identifier(value)
}
