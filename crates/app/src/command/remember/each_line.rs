//! `quipu remember --each-line`: stores every line of standard input as a memory and prints its id
//! once it is on disk. A line that is refused is reported and skipped; a failing store ends the
//! run.

use super::with_text;
use crate::command_output::CommandOutput;
use crate::exit::{Exit, Problem};
use crate::render::{self, RememberOutput};
use crate::setup::{OpenMemory, Setup};
use crate::terminal::{OutputFormat, Terminal};
use model::{JsonMap, limits};
use std::io::{BufRead, Read};

/// Maximum size of a line including its line break.
const LINE_BYTES_MAX: u64 = limits::TEXT_BYTES as u64 + 2;

/// Remembers every line of standard input.
pub(super) async fn remember_lines(
    setup: &Setup,
    given: &JsonMap,
    everywhere: bool,
) -> Result<CommandOutput, Problem> {
    let format = setup.terminal.format;
    let refused = setup.with_memory(async |memory| {
        let memory = if everywhere { &memory.outside_projects() } else { memory };
        let mut refused = 0;
        let mut input = std::io::stdin().lock();
        for number in 1.. {
            let Some(line) = next_line(&mut input)? else { break };
            if !line.trim().is_empty() {
                refused += usize::from(!remember_line(memory, format, given, number, line).await?);
            }
        }
        Ok(refused)
    });
    let exit = if refused.await? == 0 { Exit::Done } else { Exit::Refused };
    Ok(CommandOutput::empty(setup.terminal).with_exit(exit))
}

/// Stores one line; returns false if it was refused.
async fn remember_line(
    memory: &OpenMemory,
    format: OutputFormat,
    given: &JsonMap,
    number: usize,
    line: String,
) -> Result<bool, Problem> {
    match memory.call_tool("remember", with_text(given.clone(), Some(line))).await {
        Ok(answer) => {
            let result: RememberOutput = render::parse_result(&answer)?;
            let id = result.id.map(|id| id.to_string()).unwrap_or_default();
            let line = if format == OutputFormat::Json {
                answer.to_string()
            } else {
                format!("{id}\t{}", result.happened)
            };
            Terminal::print(&format!("{line}\n"))?;
            Ok(true)
        }
        Err(problem) if problem.exit == Exit::Failed => Err(problem),
        Err(problem) => {
            Terminal::print_problem(format, &problem.at_line(number));
            Ok(false)
        }
    }
}

fn next_line(input: &mut impl BufRead) -> Result<Option<String>, Problem> {
    let mut line = Vec::new();
    let read = input.take(LINE_BYTES_MAX).read_until(b'\n', &mut line);
    let read = read.map_err(|error| {
        Problem::failed(
            format!("cannot read standard input: {error}"),
            "Check where it comes from.",
        )
    })?;
    // The rest of an overlong line is discarded; otherwise it would be read as the next line.
    if read as u64 == LINE_BYTES_MAX && line.last() != Some(&b'\n') {
        skip_line(input)?;
    }
    Ok((read > 0).then(|| String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned()))
}

fn skip_line(input: &mut impl BufRead) -> Result<(), Problem> {
    loop {
        let failed =
            |error| Problem::failed(format!("cannot read standard input: {error}"), "Try again.");
        let some = input.fill_buf().map_err(failed)?;
        let (length, end) = match some.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (some.len(), some.is_empty()),
        };
        input.consume(length);
        if end {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_is_too_long_does_not_become_two() {
        let long = "x".repeat(limits::TEXT_BYTES * 3);
        let text = format!("one\r\n{long}\n\nlast");
        let mut input = text.as_bytes();
        let mut lines = Vec::new();
        while let Some(line) = next_line(&mut input).unwrap() {
            lines.push(line);
        }
        assert_eq!(lines.len(), 4);
        assert_eq!((lines[0].as_str(), lines[2].as_str(), lines[3].as_str()), ("one", "", "last"));
        assert!(lines[1].len() > limits::TEXT_BYTES, "the engine must see that it is too long");
    }
}
