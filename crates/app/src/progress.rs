//! A progress bar on standard error. It is drawn on a terminal only; a pipe gets nothing.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shortest interval between two redraws; terminal output must not slow down the work.
const REDRAW_INTERVAL: Duration = Duration::from_millis(100);

/// Progress of a long operation.
#[derive(Debug)]
pub struct Progress {
    label: &'static str,
    total: usize,
    done: usize,
    last_drawn: Option<Instant>,
    on_terminal: bool,
}

impl Progress {
    /// Creates the progress of an operation with `total` steps.
    pub fn new(label: &'static str, total: usize) -> Self {
        Self {
            label,
            total,
            done: 0,
            last_drawn: None,
            on_terminal: std::io::stderr().is_terminal(),
        }
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
            draw(&line(self.label, self.done, self.total));
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

fn line(label: &str, done: usize, total: usize) -> String {
    const CELLS: usize = 24;
    let filled = (done * CELLS).checked_div(total).unwrap_or(CELLS).min(CELLS);
    format!("{label} [{}{}] {done} of {total}", "#".repeat(filled), "-".repeat(CELLS - filled))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bar_fills_up_and_never_overflows() {
        assert_eq!(line("filing", 0, 4), format!("filing [{}] 0 of 4", "-".repeat(24)));
        assert_eq!(
            line("filing", 2, 4),
            format!("filing [{}{}] 2 of 4", "#".repeat(12), "-".repeat(12))
        );
        assert_eq!(line("filing", 9, 4), format!("filing [{}] 9 of 4", "#".repeat(24)));
        assert_eq!(line("filing", 0, 0), format!("filing [{}] 0 of 0", "#".repeat(24)));
    }
}
