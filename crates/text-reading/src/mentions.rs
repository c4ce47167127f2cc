//! Mentions: the things a text names. People, places and organisations in prose, and the things of
//! software development: functions, types, files, commands, variables, errors, tickets, addresses.
//! Precision matters more than recall. Each kind has its own finder in its own file; declarations
//! that a real parser found in fenced code can be passed in.

mod addresses;
mod capitalization;
mod code_blocks;
mod code_topic;
mod commands;
mod cues;
mod declarations;
mod env_vars;
mod errors;
mod lexicons;
mod mention;
mod name_words;
mod names;
mod non_names;
mod paths;
mod segments;
mod symbols;
mod tickets;

use std::collections::HashSet;

use name_words::NameWord;
use segments::{ProseToken, TextSegment, prose_tokens, segments};

pub(crate) use code_topic::is_about_code;

pub use code_blocks::{CodeBlock, Declaration, ParsedBlock, code_blocks};
pub use mention::{MentionKind, MentionSource, TextMention};

/// Maximum number of mentions; a text with more is a dump, not a note.
const MENTIONS_MAX: usize = 50;
const NAME_CHARS_MAX: usize = 200;

/// Returns what `text` mentions, in order of appearance, each kind and name once (ignoring case);
/// at most 50, with names of at most 200 characters.
pub fn mentions(text: &str) -> Vec<TextMention> {
    mentions_with(text, &[])
}

/// Same as [`mentions`], but for the [`code_blocks`] that a parser read, its declarations replace
/// those found by keyword.
pub fn mentions_with(text: &str, parsed: &[ParsedBlock]) -> Vec<TextMention> {
    let mut reader = MentionReader {
        about_code: code_topic::is_about_code(text),
        parsed,
        found: Vec::new(),
        words: Vec::new(),
    };
    for piece in segments(text) {
        reader.read(piece);
    }
    reader.found.extend(names::find(&reader.words));
    // Stable, so that mentions at the same offset stay in order.
    reader.found.sort_by_key(|(start, _)| *start);
    deduplicate(reader.found)
}

/// Returns true if a name is that of a tool, in any letter case.
pub(crate) fn is_tool_name(name: &str) -> bool {
    lexicons::names_tool(&name.split_whitespace().collect::<Vec<_>>())
}

fn deduplicate(found: Vec<(usize, TextMention)>) -> Vec<TextMention> {
    let mut seen = HashSet::new();
    let fits = |one: &TextMention| one.name.chars().count() <= NAME_CHARS_MAX;
    let all = found.into_iter().map(|(_, mention)| mention).filter(fits);
    all.filter(|one| seen.insert((one.kind, one.name.to_lowercase()))).take(MENTIONS_MAX).collect()
}

/// Mentions found so far with their offsets, and the words that are still to be searched for names.
struct MentionReader<'t> {
    about_code: bool,
    parsed: &'t [ParsedBlock],
    found: Vec<(usize, TextMention)>,
    words: Vec<NameWord<'t>>,
}

impl<'t> MentionReader<'t> {
    fn read(&mut self, piece: TextSegment<'t>) {
        match piece {
            TextSegment::Prose { text, start, opens_line } => {
                self.read_prose(text, start, opens_line)
            }
            TextSegment::InlineCode { code, start } => {
                self.found.extend(mention_in_inline_code(code).map(|mention| (start, mention)));
                self.words.push(NameWord::barrier());
            }
            TextSegment::FencedLine { info, block, line, start } => {
                let parsed = self.parsed.iter().find(|parsed| parsed.start == block);
                if let Some(parsed) = parsed.filter(|_| start == block) {
                    self.found.extend(declarations::from_parser(info, parsed));
                }
                let found = match parsed {
                    Some(_) => declarations::errors_in_line(info, line),
                    None => declarations::find(info, line),
                };
                self.found.extend(found.into_iter().map(|mention| (start, mention)));
            }
        }
    }

    /// Finds the mentions in a stretch of prose that are recognisable by themselves, and collects
    /// the remaining words for the search for names.
    fn read_prose(&mut self, text: &'t str, start: usize, opens_line: bool) {
        let is_heading = opens_line && text.trim_start().starts_with('#');
        let has_names = !is_heading
            && !capitalization::is_title_case(text)
            && !capitalization::is_code_line(text);
        let mut before = "";
        for (number, token) in prose_tokens(text).enumerate() {
            if let Some(mention) = self.mention_in_token(token, before) {
                self.found.push((start + token.start, mention));
                self.words.push(NameWord::barrier());
            } else if has_names {
                name_words::push_words(token, start, opens_line && number == 0, &mut self.words);
            }
            before = token.core;
        }
    }

    /// Returns the mention that one token of prose is by itself, without its context.
    fn mention_in_token(&self, token: ProseToken<'_>, before: &str) -> Option<TextMention> {
        let core = token.core;
        // Most words are lower case, and none of the finders below accepts such a word.
        if core.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return None;
        }
        addresses::find(core)
            .or_else(|| addresses::handle(core))
            .or_else(|| paths::find(core))
            .or_else(|| errors::find(core))
            .or_else(|| tickets::find(core, before, self.about_code))
            .or_else(|| env_vars::find(core))
            .or_else(|| symbols::in_prose(core, self.about_code))
    }
}

/// Returns the mention that inline code is.
fn mention_in_inline_code(code: &str) -> Option<TextMention> {
    let code = code.trim();
    commands::find(code)
        .or_else(|| addresses::find(code))
        .or_else(|| paths::find(code))
        .or_else(|| errors::find(code))
        .or_else(|| tickets::find(code, "ticket", true))
        .or_else(|| env_vars::find(code))
        .or_else(|| symbols::in_code(code))
}

#[cfg(test)]
mod tests;
