//! A line on standard error that tells how far long work is. Only where somebody watches; a pipe
//! gets nothing.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// How often the line is drawn anew.
const EVERY: Duration = Duration::from_millis(100);

/// How far long work is.
#[derive(Debug)]
pub struct Progress {
    doing: &'static str,
    total: usize,
    done: usize,
    drawn: Option<Instant>,
    watched: bool,
}

impl Progress {
    /// Work of so many steps.
    pub fn new(doing: &'static str, total: usize) -> Self {
        Self { doing, total, done: 0, drawn: None, watched: std::io::stderr().is_terminal() }
    }

    /// One more step is done.
    pub fn step(&mut self) {
        self.reach(self.done + 1);
    }

    /// So many steps are done, of so many as it turns out.
    pub fn reach_of(&mut self, done: usize, total: usize) {
        self.total = total;
        self.reach(done);
    }

    /// So many steps are done.
    pub fn reach(&mut self, done: usize) {
        self.done = done;
        if self.watched && self.drawn.is_none_or(|drawn| drawn.elapsed() >= EVERY) {
            self.drawn = Some(Instant::now());
            draw(&line(self.doing, self.done, self.total));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn.is_some() {
            draw("");
        }
    }
}

fn draw(line: &str) {
    // Nothing depends on the line; where it cannot be drawn, the work goes on.
    let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K{line}");
}

fn line(doing: &str, done: usize, total: usize) -> String {
    const CELLS: usize = 24;
    let filled = (done * CELLS).checked_div(total).unwrap_or(CELLS).min(CELLS);
    format!("{doing} [{}{}] {done} of {total}", "#".repeat(filled), "-".repeat(CELLS - filled))
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
