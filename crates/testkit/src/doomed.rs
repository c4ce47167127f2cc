//! The kill -9 harness: runs a program that prints a line for everything it has safely done, kills
//! it in the middle of its work, and gives the lines. Whether what they promise is there, the test
//! asks.

use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// How long a program may stay silent before the harness gives it up.
const PATIENCE: Duration = Duration::from_secs(60);

/// When to kill.
#[derive(Debug, Clone, Copy)]
pub struct Doom {
    /// After so many lines were read,
    pub lines: usize,
    /// and so much time passed after the last of them.
    pub pause: Duration,
}

impl Doom {
    /// Somewhere within these bounds, a different place each time.
    #[must_use]
    pub fn random(lines_max: usize, pause_max: Duration) -> Self {
        // Each `RandomState` has new random keys, so the hash of nothing is a random number.
        let random = || RandomState::new().hash_one(());
        let share = |max: u64| if max == 0 { 0 } else { random() % (max + 1) };
        let pause_us = u64::try_from(pause_max.as_micros()).unwrap_or(u64::MAX - 1);
        let lines = usize::try_from(share(lines_max as u64)).unwrap_or(lines_max);
        Self { lines, pause: Duration::from_micros(share(pause_us)) }
    }
}

/// What a killed program left.
#[derive(Debug)]
pub struct Doomed {
    /// Every whole line it printed, without its end. A line that was cut off acknowledges nothing.
    pub acknowledged: Vec<String>,
    /// How it ended: by the kill, or by itself before that.
    pub status: ExitStatus,
}

/// Runs a program and kills it without warning.
///
/// # Errors
/// When it cannot be started, read or killed, or says nothing for a minute.
pub fn run_doomed(command: &mut Command, doom: Doom) -> io::Result<Doomed> {
    let mut child = command.stdout(Stdio::piped()).spawn()?;
    let lines = read_lines(&mut child)?;
    let watched = watch(&lines, doom.lines);
    if watched.is_ok() {
        thread::sleep(doom.pause);
    }
    child.kill()?;
    let status = child.wait()?;
    let mut acknowledged = watched?;
    acknowledged.extend(lines);
    Ok(Doomed { acknowledged, status })
}

/// Reads until there are so many lines, or the program closed its output.
fn watch(lines: &Receiver<String>, wanted: usize) -> io::Result<Vec<String>> {
    let mut seen = Vec::new();
    while seen.len() < wanted {
        match lines.recv_timeout(PATIENCE) {
            Ok(line) => seen.push(line),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => return Err(io::ErrorKind::TimedOut.into()),
        }
    }
    Ok(seen)
}

fn read_lines(child: &mut Child) -> io::Result<Receiver<String>> {
    let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    let (sender, receiver) = channel();
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        while let Some(line) = whole_line(&mut output) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    Ok(receiver)
}

fn whole_line(output: &mut BufReader<impl Read>) -> Option<String> {
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
    fn a_killed_program_leaves_its_whole_lines_in_order() {
        let endless = "n=0; while :; do n=$((n+1)); echo $n; done";
        let doom = Doom { lines: 20, pause: Duration::from_millis(2) };
        let left = run_doomed(&mut shell(endless), doom).unwrap();
        assert_eq!(left.status.signal(), Some(9));
        assert!(left.acknowledged.len() >= 20);
        let numbers: Vec<usize> =
            left.acknowledged.iter().map(|line| line.parse().unwrap()).collect();
        assert_eq!(numbers, (1..=numbers.len()).collect::<Vec<_>>());
    }

    #[test]
    fn a_line_that_was_cut_off_acknowledges_nothing() {
        let doom = Doom { lines: 5, pause: Duration::ZERO };
        let left = run_doomed(&mut shell("echo whole; printf half"), doom).unwrap();
        assert_eq!(left.acknowledged, ["whole"]);
    }

    #[test]
    fn a_random_doom_stays_within_its_bounds() {
        for _ in 0..100 {
            let doom = Doom::random(3, Duration::from_micros(10));
            assert!(doom.lines <= 3 && doom.pause <= Duration::from_micros(10));
        }
    }
}
