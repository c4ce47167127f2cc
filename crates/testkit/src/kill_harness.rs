//! The kill -9 harness: runs a program that prints a line for every acknowledged write, kills it in
//! the middle of its work, and returns the lines. The test then checks that every acknowledged
//! write survived.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// Maximum time without output before the harness gives up.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);

/// Time of the kill.
#[derive(Debug, Clone, Copy)]
pub struct KillPlan {
    /// Number of lines to read first.
    pub lines: usize,
    /// Time to wait after the last of these lines.
    pub pause: Duration,
}

impl KillPlan {
    /// Returns a random time within these bounds.
    #[must_use]
    pub fn random(lines_max: usize, pause_max: Duration) -> Self {
        // Each `RandomState` has new random keys, so the hash of nothing is a random number.
        let random = || RandomState::new().hash_one(());
        let random_up_to = |max: u64| if max == 0 { 0 } else { random() % (max + 1) };
        let pause_us = u64::try_from(pause_max.as_micros()).unwrap_or(u64::MAX - 1);
        let lines = usize::try_from(random_up_to(lines_max as u64)).unwrap_or(lines_max);
        Self { lines, pause: Duration::from_micros(random_up_to(pause_us)) }
    }
}

/// Result of a killed program.
#[derive(Debug)]
pub struct KilledProcess {
    /// Complete lines without the line feed. A truncated line acknowledges nothing.
    pub acknowledged: Vec<String>,
    /// Exit status: killed, or ended by itself before.
    pub status: ExitStatus,
}

/// Runs a program and kills it without warning.
///
/// # Errors
/// Fails when the program cannot be started, read or killed, or prints nothing for a minute.
pub fn run_and_kill(command: &mut Command, plan: KillPlan) -> io::Result<KilledProcess> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let lines = read_lines(&mut child)?;
    let watched = collect_lines(&lines, plan.lines);
    if watched.is_ok() {
        thread::sleep(plan.pause);
    }
    child.kill()?;
    let status = child.wait()?;
    let mut acknowledged = watched?;
    // The kill closes the pipe, so this ends after the lines that were written before it.
    acknowledged.extend(lines);
    Ok(KilledProcess { acknowledged, status })
}

/// Reads this many lines, or all lines if the program ends earlier.
fn collect_lines(lines: &Receiver<String>, wanted: usize) -> io::Result<Vec<String>> {
    let mut read = Vec::new();
    while read.len() < wanted {
        match lines.recv_timeout(SILENCE_TIMEOUT) {
            Ok(line) => read.push(line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
    Ok(read)
}

fn read_lines(child: &mut Child) -> io::Result<Receiver<String>> {
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(line) = complete_line(&mut output) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok(receiver)
}

fn complete_line(output: &mut BufReader<impl Read>) -> Option<String> {
    let mut line = String::new();
    output.read_line(&mut line).ok()?;
    line.strip_suffix('\n').map(str::to_owned)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_killed_program_leaves_its_complete_lines_in_order() {
        let endless = "n=0; while :; do n=$((n+1)); echo $n; done";
        let plan = KillPlan { lines: 20, pause: Duration::from_millis(2) };
        let killed = run_and_kill(&mut shell(endless), plan).unwrap();
        assert_eq!(killed.status.signal(), Some(9));
        assert!(killed.acknowledged.len() >= 20);
        let numbers: Vec<usize> =
            killed.acknowledged.iter().map(|line| line.parse().unwrap()).collect();
        assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
    }

    #[test]
    fn a_truncated_line_acknowledges_nothing() {
        let plan = KillPlan { lines: 5, pause: Duration::ZERO };
        let killed = run_and_kill(&mut shell("echo whole; printf half"), plan).unwrap();
        assert_eq!(killed.acknowledged, ["whole"]);
    }

    #[test]
    fn a_random_kill_plan_stays_within_its_bounds() {
        for _ in 0..100 {
            let plan = KillPlan::random(3, Duration::from_micros(10));
            assert!(plan.lines <= 3 && plan.pause <= Duration::from_micros(10));
        }
    }
}
