//! Code symbols: `open()`, `read_all`, `HashMap`, `store::sqlite`. In prose a word must look like
//! code by itself; inside backticks less evidence is needed.

use super::lexicons::{is_brand, is_keyword, is_tool};
use super::{MentionKind, MentionSource, TextMention};

/// Returns the symbol in a word of prose. Unless the text is about code, Pascal case alone is taken
/// for a brand.
pub(super) fn in_prose(word: &str, about_code: bool) -> Option<TextMention> {
    let symbol = SymbolCandidate::read(word)?;
    let called = symbol.called && (symbol.empty_call || symbol.looks_like_code());
    let sure = called || symbol.path.contains(['_', ':']);
    if about_code || sure { symbol.mention(called) } else { None }
}

/// Returns the symbol in inline code.
pub(super) fn in_code(word: &str) -> Option<TextMention> {
    let symbol = SymbolCandidate::read(word)?;
    let plain_type = !symbol.called && is_capitalised(symbol.last) && symbol.last.len() > 2;
    if plain_type {
        // Backticks are put around products as often as around types.
        let kind = if is_tool(symbol.path) { MentionKind::Tool } else { MentionKind::Type };
        return Some(TextMention::new(kind, MentionSource::Code, symbol.path));
    }
    symbol.mention(symbol.called)
}

struct SymbolCandidate<'t> {
    /// Qualified name, without receiver, arguments and type parameters.
    path: &'t str,
    last: &'t str,
    called: bool,
    empty_call: bool,
}

impl<'t> SymbolCandidate<'t> {
    fn read(word: &'t str) -> Option<Self> {
        let word = ["self.", "this.", "&", "*"]
            .iter()
            .fold(word, |rest, lead| rest.strip_prefix(lead).unwrap_or(rest));
        let end = word.find(['(', '<', '!']).unwrap_or(word.len());
        let (path, rest) = word.split_at(end);
        let path = path.trim_end_matches("::");
        let last = path.rsplit([':', '.']).next()?;
        let called = rest.starts_with('(') || rest.starts_with("!(");
        (path.split("::").flat_map(|part| part.split('.')).all(is_identifier) && !is_keyword(path))
            .then_some(Self { path, last, called, empty_call: rest.starts_with("()") })
    }

    fn looks_like_code(&self) -> bool {
        self.path.contains("::") || is_snake_case(self.last) || is_camel_case(self.last)
    }

    fn mention(&self, called: bool) -> Option<TextMention> {
        let dotted = self.path.contains('.') && !called;
        let kind = if called {
            MentionKind::Function
        } else if dotted || is_brand(self.path) {
            return None;
        } else if self.path.contains("::") {
            if is_capitalised(self.last) { MentionKind::Type } else { MentionKind::Module }
        } else if is_snake_case(self.last) || is_camel_case(self.last) {
            MentionKind::Function
        } else if is_pascal_case(self.last) {
            MentionKind::Type
        } else {
            return None;
        };
        Some(TextMention::new(kind, MentionSource::Code, self.path))
    }
}

pub(super) fn is_identifier(part: &str) -> bool {
    part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && part.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns true for snake case: `read_all`.
fn is_snake_case(name: &str) -> bool {
    let inner = name.trim_matches('_');
    inner.len() >= 4 && inner.contains('_') && !inner.bytes().any(|byte| byte.is_ascii_uppercase())
}

/// Returns true for camel case: `readAll`, but not `iPhone` or `macOS`.
fn is_camel_case(name: &str) -> bool {
    let head = name.find(|c: char| c.is_ascii_uppercase()).unwrap_or(0);
    head >= 2
        && name[..head].bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        && name.as_bytes().get(head + 1).is_some_and(u8::is_ascii_lowercase)
        && !name.contains('_')
}

/// Returns true for Pascal case: at least two humps of a capital and two small letters (`HashMap`),
/// except surnames such as `McDonald`.
pub(super) fn is_pascal_case(name: &str) -> bool {
    let bytes = name.as_bytes();
    let is_hump = |three: &[u8]| {
        three[0].is_ascii_uppercase()
            && three[1].is_ascii_lowercase()
            && three[2].is_ascii_lowercase()
    };
    let humps = bytes.windows(3).filter(|three| is_hump(three)).count();
    // Prefixes of surnames that are written with a second capital.
    let surname = ["Mc", "Mac", "De", "La", "Le", "Van", "Von", "Di", "Du", "Fitz", "O"]
        .into_iter()
        .any(|prefix| {
            name.strip_prefix(prefix)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
        });
    humps >= 2 && is_capitalised(name) && !surname && !name.contains('_')
}

fn is_capitalised(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().any(|byte| byte.is_ascii_lowercase())
}
