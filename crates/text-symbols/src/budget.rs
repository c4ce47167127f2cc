//! Limits of the parser's work. They count steps, never time: what a text mentions must not depend
//! on the load of the machine.

/// Number of bytes of code that allow the parser one more progress report. The parser reports
/// every hundred steps; dense ordinary code (minified JavaScript, tables of numbers) needs one
/// report for 50 to 60 bytes, error recovery on hostile text one for 20.
const BYTES_PER_REPORT: usize = 40;
/// Number of reports that any piece of code may take, so that a short one with an error is parsed.
const REPORTS_MIN: usize = 16;
/// Number of reports for all code of one text: enough for 64 KiB of ordinary code.
const REPORTS_MAX: usize = 600;

/// Work that remains for the code blocks of one text. A block that exceeds it is abandoned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParseBudget {
    reports: usize,
}

impl Default for ParseBudget {
    fn default() -> Self {
        Self { reports: REPORTS_MAX }
    }
}

impl ParseBudget {
    /// Returns the limit for a piece of code of this many bytes. At the end of a text with errors
    /// the parser compares all readings that it kept, in a single step that takes time quadratic in
    /// the steps before it. So it must be stopped before the end, and the limit follows the length.
    pub(crate) fn limit_for(&self, bytes: usize) -> usize {
        self.reports.min(REPORTS_MIN + bytes / BYTES_PER_REPORT)
    }

    pub(crate) fn spend(&mut self, reports: usize) {
        self.reports = self.reports.saturating_sub(reports);
    }
}
