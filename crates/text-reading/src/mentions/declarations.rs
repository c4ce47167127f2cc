//! Declarations in fenced code, read line by line with a small table of keywords per language.
//! There is no grammar: a declaration that does not start its line, or spans lines, is missed.

use super::lexicons::is_keyword;
use super::symbols::is_identifier;
use super::{Declaration, MentionKind, MentionSource, ParsedBlock, TextMention, errors, paths};

/// Returns what one line of a fenced block declares, and the errors in it. `info` is the info
/// string of the fence.
pub(super) fn find(info: &str, line: &str) -> Vec<TextMention> {
    let declared = DeclarationKeywords::for_fence(info)
        .and_then(|language| declaration_in_line(language, line));
    let path = file_in_info_string(info);
    let placed = declared.into_iter().map(|mention| TextMention { path: path.clone(), ..mention });
    placed.chain(errors_in_line(info, line)).collect()
}

/// Returns the errors in one line of a fenced block, as in a stack trace or a log.
pub(super) fn errors_in_line(info: &str, line: &str) -> Vec<TextMention> {
    let path = file_in_info_string(info);
    let errors = line.split_whitespace().take(32).filter_map(error_in_word);
    errors
        .map(|mention| TextMention { source: MentionSource::Fence, path: path.clone(), ..mention })
        .collect()
}

/// Returns the declarations that a parser found in a block, each with its offset.
pub(super) fn from_parser(info: &str, block: &ParsedBlock) -> Vec<(usize, TextMention)> {
    let path = file_in_info_string(info);
    let placed = |one: &Declaration| {
        let mention = TextMention::new(one.kind, MentionSource::Grammar, one.name.as_str());
        (one.at, TextMention { path: path.clone(), ..mention })
    };
    block.declarations.iter().map(placed).collect()
}

fn error_in_word(word: &str) -> Option<TextMention> {
    errors::find(word.trim_matches(|c: char| !c.is_alphanumeric()))
}

/// Keywords that introduce declarations in a programming language.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DeclarationKeywords {
    functions: &'static [&'static str],
    types: &'static [&'static str],
    modules: &'static [&'static str],
}

impl DeclarationKeywords {
    /// Returns the keywords of the language that a fence names; `None` for text, logs and shells.
    fn for_fence(info: &str) -> Option<Self> {
        let name = info
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '+' && c != '#')
            .next()
            .unwrap_or("");
        let (functions, types, modules): (&[_], &[_], &[_]) =
            match name.to_ascii_lowercase().as_str() {
                "rust" | "rs" => (&["fn"], &["struct", "enum", "trait", "type", "union"], &["mod"]),
                "python" | "py" => (&["def"], &["class"], &[]),
                "ruby" | "rb" => (&["def"], &["class"], &["module"]),
                "go" => (&["func"], &["type"], &["package"]),
                "js" | "javascript" | "jsx" | "ts" | "typescript" | "tsx" => {
                    (&["function"], &["class", "interface", "type", "enum"], &["namespace"])
                }
                "java" | "cs" | "csharp" | "c#" => (
                    &[],
                    &["class", "interface", "enum", "record", "struct"],
                    &["namespace", "package"],
                ),
                "kotlin" | "kt" => (&["fun"], &["class", "interface", "object"], &["package"]),
                "swift" => (&["func"], &["class", "struct", "enum", "protocol"], &[]),
                "php" => (&["function"], &["class", "interface", "trait"], &["namespace"]),
                "c" | "cpp" | "c++" | "h" | "hpp" => {
                    (&[], &["class", "struct", "enum", "union"], &["namespace"])
                }
                "scala" => (&["def"], &["class", "trait", "object"], &["package"]),
                "" => (
                    &["fn", "def", "func", "function"],
                    &["class", "struct", "interface", "trait"],
                    &[],
                ),
                _ => return None,
            };
        Some(Self { functions, types, modules })
    }
}

fn declaration_in_line(language: DeclarationKeywords, line: &str) -> Option<TextMention> {
    let mut rest = line.trim_start();
    while let Some(after) = MODIFIERS.iter().find_map(|word| after_word(rest, word)) {
        rest = after;
    }
    let kinds = [
        (language.functions, MentionKind::Function),
        (language.types, MentionKind::Type),
        (language.modules, MentionKind::Module),
    ];
    kinds.into_iter().find_map(|(words, kind)| {
        let after = words.iter().find_map(|word| after_word(rest, word))?;
        let name = declared_name(after, kind)?;
        Some(TextMention::new(kind, MentionSource::Fence, name))
    })
}

/// Returns the text after a whole word, past white space and a visibility such as `pub(crate)`.
fn after_word<'t>(rest: &'t str, word: &str) -> Option<&'t str> {
    let after = rest.strip_prefix(word)?;
    let after =
        if word == "pub" && after.starts_with('(') { after.split_once(')')?.1 } else { after };
    after.starts_with([' ', '\t', '*']).then(|| after.trim_start_matches([' ', '\t', '*']))
}

/// Returns the name after the keyword; Go writes a receiver before a method's name.
fn declared_name(after: &str, kind: MentionKind) -> Option<&str> {
    let method = kind == MentionKind::Function && after.starts_with('(');
    let after = if method { after.split_once(')')?.1.trim_start() } else { after };
    let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
    let (name, rest) = after.split_at(end);
    let rest = rest.trim_start();
    let declares = match kind {
        MentionKind::Function => rest.starts_with(['(', '<', '[', ':']) || rest.is_empty(),
        // In prose inside a block ("class of 2024") another lower-case word follows.
        _ => {
            rest.is_empty()
                || !rest.starts_with(|c: char| c.is_ascii_lowercase())
                || CONTINUATION_WORDS.iter().any(|word| after_word(rest, word).is_some())
        }
    };
    (declares && is_identifier(name) && name.len() > 1 && !is_keyword(name)).then_some(name)
}

/// Returns the file that an info string names: `rust src/main.rs`, `ts title="app.ts"`,
/// `python:app.py`.
fn file_in_info_string(info: &str) -> Option<String> {
    let words = info.split([' ', ':', '"', '\'', '=', '{', '}', ',']);
    words.skip(1).find_map(paths::find).and_then(|file| file.path)
}

#[rustfmt::skip]
const MODIFIERS: &[&str] = &[
    "pub", "async", "unsafe", "const", "extern", "export", "default", "public", "private",
    "protected", "internal", "static", "abstract", "final", "sealed", "open", "data", "override",
    "virtual", "inline", "suspend", "declare", "partial", "typedef", "\"C\"",
];

/// Words that may follow the name of a type on its line.
const CONTINUATION_WORDS: &[&str] = &[
    "extends",
    "implements",
    "struct",
    "interface",
    "where",
    "for",
    "with",
    "final",
    "func",
    "map",
    "int",
    "string",
];
