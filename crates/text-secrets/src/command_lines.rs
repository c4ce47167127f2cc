//! Secrets in the arguments of commands: `curl -u user:…`, `sshpass -p …`, `mysql -p…`. Each
//! program has its own options; `-p` is a port to one and a password to another.

mod arguments;
mod programs;

use crate::marks::ByteStartSet;
use crate::placeholders::is_placeholder;
use crate::{SecretMatch, offset_in};
use arguments::{CommandArgument, arguments, line_end};
use programs::{CommandOption, OptionForm, PROGRAMS, ProgramRule};
use std::ops::Range;

/// Adds the secrets in the arguments of known programs.
pub(super) fn find(text: &str, found: &mut Vec<SecretMatch>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(offset) = bytes[at..].iter().position(u8::is_ascii_alphanumeric) {
        let start = at + offset;
        let length = bytes[start..].iter().take_while(|byte| !ends_program(**byte)).count();
        let end = start + length;
        at = end;
        if bytes.get(end) == Some(&b' ') && PROGRAM_STARTS.contains(&bytes[start..]) {
            found.extend(
                secrets_of(text, start..end)
                    .map(|range| SecretMatch { rule: "command-line", range }),
            );
        }
    }
}

static PROGRAM_STARTS: ByteStartSet = {
    let mut starts = ByteStartSet::new();
    let mut rule = 0;
    while rule < PROGRAMS.len() {
        let mut at = 0;
        while at < PROGRAMS[rule].programs.len() {
            starts = starts.with(PROGRAMS[rule].programs[at]);
            at += 1;
        }
        rule += 1;
    }
    starts
};

fn ends_program(byte: u8) -> bool {
    !(byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

/// Returns the secrets in the arguments of the program at a range.
fn secrets_of(text: &str, program: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let name = &text.as_bytes()[program.clone()];
    // A program starts a command; in the middle of a word it is something else.
    let starts = !text[..program.start].ends_with(['-', '_', '.', '\\', '$', '@']);
    let rules = PROGRAMS.iter().filter(move |rule| starts && rule.programs.contains(&name));
    rules.flat_map(move |rule| {
        let line = &text[..line_end(text, program.end)];
        // Most lines that mention a program are prose, and have no option.
        let is_command = rule.position.is_some() || line[program.end..].contains(['-', '/']);
        let arguments = if is_command { arguments(line, program.end) } else { Vec::new() };
        rule.secrets(line, &arguments)
    })
}

impl ProgramRule {
    fn secrets(&self, line: &str, arguments: &[CommandArgument]) -> Vec<Range<usize>> {
        let has_word = |word: &&str| arguments.iter().any(|one| one.text(line) == *word);
        if !self.subcommands.is_empty() && !self.subcommands.iter().any(has_word) {
            return Vec::new();
        }
        let of_options = arguments.iter().enumerate().flat_map(|(nth, argument)| {
            let next = arguments.get(nth + 1);
            self.options.iter().filter_map(move |option| option.secret(line, argument, next))
        });
        let of_position =
            self.position.and_then(|nth| arguments.get(nth)).map(CommandArgument::range);
        of_options.chain(of_position).filter(|range| is_secret(&line[range.clone()])).collect()
    }
}

impl CommandOption {
    /// Returns the secret that this option gives, in its own word or in the next one.
    fn secret(
        &self,
        line: &str,
        argument: &CommandArgument,
        next: Option<&CommandArgument>,
    ) -> Option<Range<usize>> {
        let word = argument.text(line);
        let attached = word.strip_prefix(self.name)?;
        let value = if attached.is_empty() {
            if self.form == OptionForm::Attached {
                return None;
            }
            next?.range()
        } else {
            let is_long = self.name.starts_with("--") || self.form == OptionForm::Separate;
            let value = attached.strip_prefix('=').or((!is_long).then_some(attached))?;
            let value = value.trim_matches(['\'', '"']);
            let start = offset_in(line, value);
            start..start + value.len()
        };
        self.form.secret_in(line, value).map(|range| without_quotes(line, range))
    }
}

impl OptionForm {
    /// Returns the part of an option's value that is secret.
    fn secret_in(self, line: &str, value: Range<usize>) -> Option<Range<usize>> {
        let text = &line[value.clone()];
        let after = |mark: char| {
            let at = text.find(mark)?;
            Some(value.start + at + mark.len_utf8()..value.end)
        };
        match self {
            Self::Value | Self::Separate | Self::Attached => Some(value),
            Self::AfterColon => after(':'),
            Self::AfterPercent => after('%'),
            Self::AfterEquals => after('='),
            Self::AfterPass => {
                text.starts_with("pass:").then(|| value.start + "pass:".len()..value.end)
            }
        }
    }
}

fn without_quotes(line: &str, range: Range<usize>) -> Range<usize> {
    let bare = line[range.clone()].trim_start_matches(['"', '\'']);
    let start = range.end - bare.len();
    start..start + bare.trim_end_matches(['"', '\'']).len()
}

fn is_secret(value: &str) -> bool {
    let is_other = value.starts_with(['-', '/', '.', '~', '@', '`', '|', '>', '&', ':']);
    (4..=512).contains(&value.len())
        && !is_other
        && !value.contains([' ', '\n'])
        && !is_placeholder(value)
        && !value.bytes().all(|byte| byte.is_ascii_digit() && value.len() < 6)
}
