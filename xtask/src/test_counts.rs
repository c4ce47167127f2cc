//! Counts of passed and failed tests, parsed from the summary lines of a test runner.

use std::fmt;
use std::ops::Add;
use std::process::ExitCode;

/// Number of passed and failed checks or tests.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct TestCounts {
    pub passed: u64,
    pub failed: u64,
}

impl TestCounts {
    /// One passed check.
    pub const PASS: Self = Self { passed: 1, failed: 0 };
    /// One failed check.
    pub const FAIL: Self = Self { passed: 0, failed: 1 };

    /// Returns success when nothing failed.
    pub fn exit_code(self) -> ExitCode {
        if self.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }

    /// Parses the line with which `cargo test` ends one binary; zero for any other line:
    /// `test result: ok. 3 passed; 0 failed; …`.
    pub fn from_cargo_test_line(line: &str) -> Self {
        let counts = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "));
        counts.map_or(Self::default(), |(_, counts)| Self::from_parts(counts, ';'))
    }

    /// Parses the line with which nextest ends the whole run; zero for any other line:
    /// `Summary [ 0.2s] 4 tests run: 3 passed (1 slow), 1 failed, 0 skipped`.
    pub fn from_nextest_line(line: &str) -> Self {
        let counts =
            line.trim_start().strip_prefix("Summary [").and_then(|rest| rest.split_once(" run: "));
        counts.map_or(Self::default(), |(_, counts)| Self::from_parts(counts, ','))
    }

    fn from_parts(counts: &str, separator: char) -> Self {
        counts.split(separator).map(Self::from_part).fold(Self::default(), Add::add)
    }

    /// Parses one part of a summary line, such as `3 passed (1 slow)` or `1 timed out`.
    fn from_part(part: &str) -> Self {
        let mut words = part.split_whitespace();
        let count = words.next().and_then(|word| word.parse().ok()).unwrap_or(0);
        match words.next() {
            Some("passed") => Self { passed: count, failed: 0 },
            Some("failed" | "exec" | "timed") => Self { passed: 0, failed: count },
            _ => Self::default(),
        }
    }
}

impl Add for TestCounts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl fmt::Display for TestCounts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(read: fn(&str) -> TestCounts, line: &str, passed: u64, failed: u64) {
        assert_eq!(read(line), TestCounts { passed, failed }, "{line}");
    }

    #[test]
    fn summary_lines_of_cargo_test_are_counted() {
        let read = TestCounts::from_cargo_test_line;
        check(
            read,
            "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
            12,
            0,
        );
        check(
            read,
            "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
            3,
            2,
        );
    }

    #[test]
    fn the_summary_line_of_nextest_is_counted() {
        let read = TestCounts::from_nextest_line;
        check(read, "     Summary [   0.034s] 1 test run: 1 passed, 0 skipped", 1, 0);
        check(
            read,
            "     Summary [   9.1s] 20 tests run: 15 passed (2 slow, 1 leaky), 5 failed, 3 skipped",
            15,
            5,
        );
    }

    #[test]
    fn tests_that_hang_or_cannot_start_count_as_failed() {
        let line = "Summary [ 600.1s] 9/20 tests run: 5 passed, 1 failed, 1 exec failed, \
                    2 timed out, 0 skipped";
        check(TestCounts::from_nextest_line, line, 5, 4);
    }

    /// nextest shows the output of a failed test, including the summary line of its own binary.
    #[test]
    fn a_failed_test_is_not_counted_again_when_nextest_shows_its_output() {
        check(
            TestCounts::from_nextest_line,
            "    test result: FAILED. 0 passed; 1 failed; 0 ignored",
            0,
            0,
        );
    }

    #[test]
    fn what_a_test_prints_about_itself_is_not_counted() {
        for line in [
            "7 passed, 1 failed",
            "see test result: ok. 3 passed; 0 failed",
            "",
            "Summary [",
            "test result: ",
        ] {
            check(TestCounts::from_cargo_test_line, line, 0, 0);
            check(TestCounts::from_nextest_line, line, 0, 0);
        }
    }
}
