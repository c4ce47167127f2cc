//! Runs other programs: with their output shown, silently, with test counts read from the output,
//! or with a time limit.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::test_counts::TestCounts;

/// Polling interval for a program with a time limit.
const POLL: Duration = Duration::from_millis(50);

/// Runs `command` with its output shown. The error names the program and its exit status.
pub fn run(command: &mut Command) -> Result<()> {
    println!("$ {}", command_line(command));
    let status =
        command.status().with_context(|| format!("cannot start {}", command_line(command)))?;
    if !status.success() {
        bail!("`{}` failed: {status}", command_line(command));
    }
    Ok(())
}

/// Returns the stdout of `command`; `None` when it is missing or fails.
pub fn output(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs `command`, shows every line, and sums the counts that `count` reads from the lines.
///
/// The second value is true when the program itself reported success.
pub fn run_counting(
    command: &mut Command,
    count: fn(&str) -> TestCounts,
) -> Result<(TestCounts, bool)> {
    println!("$ {}", command_line(command));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child =
        command.spawn().with_context(|| format!("cannot start {}", command_line(command)))?;
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let tally = thread::scope(|scope| {
        let errors = scope.spawn(|| {
            stderr.map_or(TestCounts::default(), |pipe| {
                show_and_count(pipe, count, |l| eprintln!("{l}"))
            })
        });
        let lines = stdout
            .map_or(TestCounts::default(), |pipe| show_and_count(pipe, count, |l| println!("{l}")));
        errors.join().map_or(lines, |errors| lines + errors)
    });
    Ok((tally, child.wait()?.success()))
}

/// Runs `command` for at most `limit`; returns `false` when it failed or had to be stopped.
///
/// Only the program itself is stopped. Its output is inherited, never piped, so that a grandchild
/// that keeps running cannot block this process.
pub fn run_within(command: &mut Command, limit: Duration) -> Result<bool> {
    println!("$ {}", command_line(command));
    let mut child = command
        .stdin(Stdio::null())
        .spawn()
        .with_context(|| format!("cannot start {}", command_line(command)))?;
    let started = Instant::now();
    while started.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        thread::sleep(POLL);
    }
    child.kill()?;
    child.wait()?;
    println!("stopped after {} s", limit.as_secs());
    Ok(false)
}

fn show_and_count(
    pipe: impl Read,
    count: fn(&str) -> TestCounts,
    print: impl Fn(&str),
) -> TestCounts {
    let mut tally = TestCounts::default();
    let mut reader = BufReader::new(pipe);
    let mut bytes = Vec::new();
    // Bytes, not `lines()`: a test may print invalid UTF-8, and the pipe must be drained anyway,
    // or the program blocks on it.
    while reader.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end();
        print(text);
        tally = tally + count(text);
        bytes.clear();
    }
    tally
}

fn command_line(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let program = program.rsplit('/').next().unwrap_or_default().to_owned();
    let args = command.get_args().map(|arg| arg.to_string_lossy().into_owned());
    std::iter::once(program).chain(args).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_that_exceeds_its_time_limit_is_stopped_and_counts_as_failed() {
        assert!(!run_within(&mut shell("exec sleep 600"), Duration::from_millis(100)).unwrap());
    }

    #[test]
    fn a_program_that_ends_in_time_reports_its_own_success() {
        let limit = Duration::from_secs(60);
        assert!(run_within(&mut shell("exit 0"), limit).unwrap());
        assert!(!run_within(&mut shell("exit 3"), limit).unwrap());
    }

    #[test]
    fn counts_are_read_from_both_streams_even_with_invalid_utf8() {
        let script = r"printf '\377\n'; echo 'test result: ok. 2 passed; 0 failed; 0 ignored';
            echo 'test result: FAILED. 3 passed; 1 failed; 0 ignored' >&2; exit 1";
        let (tally, success) =
            run_counting(&mut shell(script), TestCounts::from_cargo_test_line).unwrap();
        assert_eq!(tally, TestCounts { passed: 5, failed: 1 });
        assert!(!success);
    }

    #[test]
    fn a_missing_program_has_no_output() {
        assert_eq!(output(&mut Command::new("no-such-program-anywhere")), None);
    }
}
