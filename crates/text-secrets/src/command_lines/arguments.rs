//! The arguments of a command, as a shell splits them.

use std::ops::Range;

/// Maximum length of a command that is read.
const COMMAND_BYTES_MAX: usize = 1_024;
const ARGUMENTS_MAX: usize = 40;

/// One argument, without the quotes around it.
pub(super) struct CommandArgument {
    start: usize,
    end: usize,
}

impl CommandArgument {
    pub(super) fn text<'t>(&self, line: &'t str) -> &'t str {
        &line[self.start..self.end]
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// Returns the end of the command at an offset: the end of the line, unless a backslash continues
/// it, or a pipe.
pub(super) fn line_end(text: &str, from: usize) -> usize {
    let rest = crate::truncate_to(&text[from..], COMMAND_BYTES_MAX);
    let mut at = 0;
    let is_end = |byte: u8| matches!(byte, b'\n' | b'`');
    while let Some(offset) = rest[at..].bytes().position(is_end) {
        at += offset;
        if !rest[..at].trim_end_matches('\r').ends_with('\\') || rest[at..].starts_with('`') {
            return from + at;
        }
        at += 1;
    }
    from + rest.len()
}

/// Returns the arguments in `line` from an offset, up to a pipe or the next command.
pub(super) fn arguments(line: &str, from: usize) -> Vec<CommandArgument> {
    let mut arguments = Vec::new();
    let mut at = from;
    while arguments.len() < ARGUMENTS_MAX {
        let bare = line[at..].trim_start_matches([' ', '\t', '\\', '\n', '\r']);
        at = line.len() - bare.len();
        if bare.is_empty() || bare.starts_with(['|', ';', '&']) {
            break;
        }
        let quote = bare.chars().next().filter(|c| matches!(c, '"' | '\''));
        let open = usize::from(quote.is_some());
        let length = match quote {
            Some(quote) => bare[1..].find(quote).unwrap_or(bare.len() - 1),
            None => bare.find([' ', '\t', '\n', ';', '|']).unwrap_or(bare.len()),
        };
        let (start, end) = (at + open, at + open + length);
        arguments.push(CommandArgument { start, end });
        at = (end + open).min(line.len());
    }
    arguments
}
