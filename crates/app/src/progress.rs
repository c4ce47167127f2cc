//! A progress bar on standard error, with percent, rate and the time left. It is drawn on a
//! terminal only; a pipe gets nothing.

use crate::render::human_size;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shortest interval between two redraws; terminal output must not slow down the work.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// Progress of a long operation.
#[derive(Debug)]
pub struct Progress {
    label: &'static str,
    unit: StepUnit,
    total: usize,
    done: usize,
    started: Instant,
    last_drawn: Option<Instant>,
    on_terminal: bool,
}

impl Progress {
    /// Creates the progress of an operation with `total` steps.
    pub fn new(label: &'static str, total: usize) -> Self {
        Self {
            label,
            unit: StepUnit::Items,
            total,
            done: 0,
            started: Instant::now(),
            last_drawn: None,
            on_terminal: std::io::stderr().is_terminal(),
        }
    }

    /// Creates the progress through a file with `total` bytes.
    pub fn of_bytes(label: &'static str, total: usize) -> Self {
        Self { unit: StepUnit::Bytes, ..Self::new(label, total) }
    }

    /// Counts one more step as done.
    pub fn step(&mut self) {
        self.set_done(self.done + 1);
    }

    /// Sets the number of steps done and in total, for work whose size is known only on the way.
    pub fn set_done_of(&mut self, done: usize, total: usize) {
        self.total = total;
        self.set_done(done);
    }

    /// Sets the number of steps done.
    pub fn set_done(&mut self, done: usize) {
        self.done = done;
        if self.on_terminal
            && self.last_drawn.is_none_or(|drawn| drawn.elapsed() >= REDRAW_INTERVAL)
        {
            self.last_drawn = Some(Instant::now());
            let pace = Pace::new(self.done, self.total, self.started.elapsed());
            draw(&line(self.label, self.unit, (self.done, self.total), &pace));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.last_drawn.is_some() {
            draw("");
        }
    }
}

fn draw(line: &str) {
    // The bar is decoration: a failure to draw it must not stop the work.
    let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K{line}");
}

/// Unit of the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StepUnit {
    Items,
    Bytes,
}

impl StepUnit {
    fn show(self, count: usize) -> String {
        match self {
            Self::Items => count.to_string(),
            Self::Bytes => human_size(count as u64),
        }
    }
}

/// Rate of the steps, and the time that the rest takes at that rate.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Pace {
    per_second: f64,
    left: Option<Duration>,
}

impl Pace {
    /// Shortest time after which the rate says something.
    const MEASURED_FROM: Duration = Duration::from_secs(1);

    fn new(done: usize, total: usize, elapsed: Duration) -> Self {
        let per_second = done as f64 / elapsed.as_secs_f64().max(f64::EPSILON);
        let known = elapsed >= Self::MEASURED_FROM && per_second > 0.0 && done <= total;
        let left = known.then(|| (total - done) as f64 / per_second);
        Self { per_second, left: left.and_then(|left| Duration::try_from_secs_f64(left).ok()) }
    }
}

fn line(label: &str, unit: StepUnit, (done, total): (usize, usize), pace: &Pace) -> String {
    const CELLS: usize = 24;
    let filled = (done * CELLS).checked_div(total).unwrap_or(CELLS).min(CELLS);
    let percent = (done * 100).checked_div(total).unwrap_or(100).min(100);
    let bar = format!("{}{}", "#".repeat(filled), "-".repeat(CELLS - filled));
    let rest = match pace.left {
        Some(left) => {
            format!(", {}/s, {} left", unit.show(pace.per_second as usize), minutes(left))
        }
        None => String::new(),
    };
    let (done, total) = (unit.show(done), unit.show(total));
    format!("{label} [{bar}] {percent}% ({done} of {total}{rest})")
}

/// Formats a duration in minutes and seconds: `1:05`.
fn minutes(duration: Duration) -> String {
    // A second that has begun counts, so that the end is never promised too early.
    let seconds = duration.as_secs_f64().ceil() as u64;
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_once(done: usize, total: usize) -> String {
        line("filing", StepUnit::Items, (done, total), &Pace::new(done, total, Duration::ZERO))
    }

    #[test]
    fn the_bar_fills_up_and_never_overflows() {
        assert_eq!(at_once(0, 4), format!("filing [{}] 0% (0 of 4)", "-".repeat(24)));
        let half = format!("{}{}", "#".repeat(12), "-".repeat(12));
        assert_eq!(at_once(2, 4), format!("filing [{half}] 50% (2 of 4)"));
        assert_eq!(at_once(9, 4), format!("filing [{}] 100% (9 of 4)", "#".repeat(24)));
        assert_eq!(at_once(0, 0), format!("filing [{}] 100% (0 of 0)", "#".repeat(24)));
    }

    #[test]
    fn the_rate_and_the_time_left_follow_what_was_done() {
        let pace = Pace::new(500, 20_000, Duration::from_secs(2));
        let shown = line("importing", StepUnit::Items, (500, 20_000), &pace);
        assert!(shown.ends_with("250/s, 1:18 left)"), "{shown}");
        assert_eq!(Pace::new(0, 10, Duration::from_secs(5)).left, None);
    }
}
