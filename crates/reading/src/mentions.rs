//! The things a text names: people, places and organisations in prose, and the things of a developer's day:
//! functions, types, files, commands, variables, errors, tickets, addresses. Few false finds matter more than
//! many finds. Each sort has its own finder in its own file; a parser for real grammars would be one more.

mod addresses;
mod capitals;
mod commands;
mod cues;
mod declarations;
mod environment;
mod errors;
mod known;
mod name_words;
mod names;
mod openers;
mod paths;
mod pieces;
mod symbols;
mod tickets;

use std::collections::HashSet;

use name_words::NameWord;
use pieces::{Chunk, Piece, chunks, pieces};

/// A text that mentions more is a dump, not a note.
const MENTIONS_MAX: usize = 50;
const NAME_CHARS_MAX: usize = 200;

/// Something that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// What it is, as far as the text says.
    pub kind: MentionKind,
    /// Its name as written.
    pub name: String,
    /// Which finder saw it.
    pub source: Source,
    /// The file it is or lives in, where the text says so.
    pub path: Option<String>,
}

/// What a mentioned thing is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MentionKind {
    /// A proper name of which the text does not say more.
    Name,
    /// A person.
    Person,
    /// A place.
    Place,
    /// A company, school or other organisation.
    Organization,
    /// A function, method or variable of code.
    Function,
    /// A class, struct, trait or other type.
    Type,
    /// A module or namespace.
    Module,
    /// A file, by its path.
    File,
    /// A shell command.
    Command,
    /// An environment variable or constant.
    EnvVar,
    /// An error's name or code.
    Error,
    /// A web address.
    Url,
    /// A ticket or pull request.
    Ticket,
    /// An e-mail address.
    Email,
    /// A user's handle.
    Handle,
}

impl MentionKind {
    /// The kind's name in stores and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Person => "person",
            Self::Place => "place",
            Self::Organization => "organization",
            Self::Function => "function",
            Self::Type => "type",
            Self::Module => "module",
            Self::File => "file",
            Self::Command => "command",
            Self::EnvVar => "env_var",
            Self::Error => "error",
            Self::Url => "url",
            Self::Ticket => "ticket",
            Self::Email => "email",
            Self::Handle => "handle",
        }
    }
}

/// The finder that saw a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// Capitalised words of a sentence.
    Prose,
    /// A word that is written like code.
    Code,
    /// A declaration or error inside a fenced block.
    Fence,
    /// A file path.
    Path,
    /// A command in backticks.
    Command,
    /// A web, mail or user address.
    Address,
    /// A ticket number.
    Ticket,
}

impl Source {
    /// The finder's name in stores and results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Code => "code",
            Self::Fence => "fence",
            Self::Path => "path",
            Self::Command => "command",
            Self::Address => "address",
            Self::Ticket => "ticket",
        }
    }
}

impl Mention {
    fn new(kind: MentionKind, source: Source, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), source, path: None }
    }
}

/// What `text` mentions, in order of appearance, each kind and name once whatever their case; at most 50, with
/// names of at most 200 characters.
pub fn mentions(text: &str) -> Vec<Mention> {
    let mut found: Vec<(usize, Mention)> = Vec::new();
    let mut words: Vec<NameWord<'_>> = Vec::new();
    for piece in pieces(text) {
        match piece {
            Piece::Prose { text, start, opens_line } => {
                read_prose(text, start, opens_line, &mut found, &mut words)
            }
            Piece::Inline { code, start } => {
                found.extend(inline(code).map(|mention| (start, mention)));
                words.push(NameWord::barrier());
            }
            Piece::Fenced { info, line, start } => {
                found.extend(declarations::find(info, line).into_iter().map(|mention| (start, mention)));
            }
        }
    }
    found.extend(names::find(&words));
    // Stable, so that finds at one place keep their order.
    found.sort_by_key(|(start, _)| *start);
    first_of_each(found)
}

fn first_of_each(found: Vec<(usize, Mention)>) -> Vec<Mention> {
    let mut seen = HashSet::new();
    let short = found
        .into_iter()
        .map(|(_, mention)| mention)
        .filter(|one| one.name.chars().count() <= NAME_CHARS_MAX);
    short.filter(|one| seen.insert((one.kind, one.name.to_lowercase()))).take(MENTIONS_MAX).collect()
}

/// Finds what stands for itself in a stretch of prose, and keeps the remaining words for the names.
fn read_prose<'t>(
    text: &'t str,
    start: usize,
    opens_line: bool,
    found: &mut Vec<(usize, Mention)>,
    words: &mut Vec<NameWord<'t>>,
) {
    let is_heading = opens_line && text.trim_start().starts_with('#');
    let has_names = !is_heading && !capitals::is_title_case(text) && !capitals::is_code(text);
    let mut before = "";
    for (number, chunk) in chunks(text).enumerate() {
        let first = opens_line && number == 0;
        if let Some(mention) = in_prose(chunk, before) {
            found.push((start + chunk.start, mention));
            words.push(NameWord::barrier());
        } else if has_names {
            name_words::push_words(chunk, start, first, words);
        }
        before = chunk.core;
    }
}

/// What one chunk of prose is, when it stands for itself.
fn in_prose(chunk: Chunk<'_>, before: &str) -> Option<Mention> {
    let core = chunk.core;
    // Most words are plain, and a word of small letters is none of these.
    if core.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return None;
    }
    addresses::find(core)
        .or_else(|| paths::find(core))
        .or_else(|| errors::find(core))
        .or_else(|| tickets::find(core, before))
        .or_else(|| environment::find(core))
        .or_else(|| symbols::in_prose(core))
}

/// What a stretch between backticks is.
fn inline(code: &str) -> Option<Mention> {
    let code = code.trim();
    commands::find(code)
        .or_else(|| addresses::find(code))
        .or_else(|| paths::find(code))
        .or_else(|| errors::find(code))
        .or_else(|| tickets::find(code, "ticket"))
        .or_else(|| environment::find(code))
        .or_else(|| symbols::in_code(code))
}

#[cfg(test)]
mod tests;
