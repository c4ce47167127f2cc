//! Values on the right side of an assignment, and the question if one looks like a secret.

use crate::assignments::Separator;
use crate::placeholders::is_placeholder;
use crate::randomness::{
    character_classes, has_alternating_case, has_digit, has_letter, is_identifier,
};
use crate::secret_names::AnnouncedSecret;
use crate::truncate_to;

const VALUE_BYTES_MAX: usize = 1_024;

/// Range of an assigned value.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssignedValue {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) quoted: bool,
    /// Several words that were recognised as a passphrase.
    pub(super) is_phrase: bool,
}

/// Returns the value at an offset, in quotes or up to the next space.
pub(super) fn value_at(text: &str, from: usize) -> Option<AssignedValue> {
    let bare = text[from..].trim_start_matches([' ', '\t', '*']);
    let start = text.len() - bare.len();
    let bare = truncate_to(bare, VALUE_BYTES_MAX + 1);
    // In JSON inside a JSON string the quotes are escaped.
    let escaped = usize::from(bare.starts_with("\\\""));
    let quote = bare[escaped..].chars().next()?;
    if matches!(quote, '"' | '\'' | '`') {
        let open = escaped + 1;
        let close = bare[open..].find([quote, '\n'])?;
        let length =
            bare[open..open + close].trim_end_matches(if escaped == 1 { "\\" } else { "" });
        let (start, end) = (start + open, start + open + length.len());
        return Some(AssignedValue { start, end, quoted: true, is_phrase: false });
    }
    // The brackets of a reference such as `${NAME}` or `{{ name }}` stay: they identify it.
    let skipped = bare.len() - bare.trim_start_matches(['$', '{', '[', '(', '<']).len();
    let length = skipped + plain_length(&bare[skipped..]);
    let length = bare[..length].trim_end_matches(['.', ':', '>', '\\', '|']).len();
    Some(AssignedValue { start, end: start + length, quoted: false, is_phrase: false })
}

/// Returns the length of a value without quotes.
// Byte by byte: each of many names in one long run reads the run again, which took seconds with a
// search by characters.
fn plain_length(text: &str) -> usize {
    const ENDS: &[u8] = b"\"'`,;()[]{}< \t\n\r\x0b\x0c";
    const IS_END: [bool; 256] = {
        let (mut table, mut at) = ([false; 256], 0);
        while at < ENDS.len() {
            table[ENDS[at] as usize] = true;
            at += 1;
        }
        table
    };
    let is_end = |(at, byte): (usize, &u8)| {
        IS_END[usize::from(*byte)]
            || (*byte >= 0xc2 && text[at..].chars().next().is_some_and(char::is_whitespace))
    };
    text.as_bytes().iter().enumerate().position(is_end).unwrap_or(text.len())
}

/// Returns the value of `name: &str = "…"`, with a type between name and value.
pub(super) fn typed_value(text: &str, from: usize) -> Option<AssignedValue> {
    const TYPE_BYTES_MAX: usize = 40;
    let rest = &text[from..];
    let equals = rest.bytes().take(TYPE_BYTES_MAX).position(|byte| byte == b'=')?;
    let in_type = |c: char| c.is_ascii_alphanumeric() || " &<>'_:[]".contains(c);
    let is_type = rest[..equals].ends_with(' ') && rest[..equals].chars().all(in_type);
    if is_type { value_at(text, from + equals + 1).filter(|value| value.quoted) } else { None }
}

impl AssignedValue {
    /// Returns true if the value looks like the kind of secret that its name announces.
    pub(super) fn matches_kind(
        &self,
        text: &str,
        kind: AnnouncedSecret,
        separator: Separator,
    ) -> bool {
        let value = &text[self.start..self.end];
        let after = text[self.end..].trim_start_matches(' ');
        let called = !self.quoted
            && (text[self.end..].starts_with(['(', '[', '{', '<'])
                || after.starts_with('{')
                || (separator == Separator::Colon && after.starts_with("= ")));
        let refused =
            value.len() > VALUE_BYTES_MAX || called || is_placeholder(value) || is_reference(value);
        if refused || (!self.quoted && is_secret_variable(value)) {
            return false;
        }
        match kind {
            AnnouncedSecret::Password | AnnouncedSecret::Phrase if separator == Separator::Weak => {
                self.is_unmistakable(text, value)
            }
            AnnouncedSecret::Password | AnnouncedSecret::Phrase => {
                self.is_password(value, separator)
            }
            AnnouncedSecret::Key => separator != Separator::Weak && self.is_key(value, separator),
            AnnouncedSecret::Pin => {
                (4..=8).contains(&value.len())
                    && value.bytes().all(|byte| byte.is_ascii_digit())
                    && separator != Separator::Equals
            }
        }
    }

    /// Returns true if the value is this text, in any case.
    pub(super) fn is_text(&self, text: &str, other: &str) -> bool {
        text[self.start..self.end].eq_ignore_ascii_case(other)
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

    /// Returns true for a password that stands beside its name without a separator: letters, digits
    /// and a symbol, or a value in the quotes of SQL.
    fn is_unmistakable(&self, text: &str, value: &str) -> bool {
        let mixed = value.len() >= 8 && has_digit(value) && has_letter(value);
        let symbol = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
        let ends_line = text[self.end..].trim_start_matches(' ').starts_with(['\n', '\r'])
            || self.end == text.len();
        let random = character_classes(value) == 3 && !is_identifier(value) && !value.contains(':');
        !value.contains([' ', '/', '=', '('])
            && mixed
            && (symbol || (self.quoted && !is_identifier(value)) || (random && ends_line))
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
        || value.contains("=>")
        || value.contains(">=")
        || value.contains("<=");
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
