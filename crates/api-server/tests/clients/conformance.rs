//! Runs the official MCP conformance suites against an endpoint and parses their results.

use crate::driver::{node, run_to_end, scripts, tool};
use std::collections::{BTreeMap, BTreeSet};

/// A conformance suite.
#[derive(Debug, Clone, Copy)]
pub enum Suite {
    /// 0.1.16: what it runs by default, for the revisions before 2026-07-28.
    Active,
    /// 0.2: exactly what a revision requires.
    Requirements(&'static str),
}

/// Runs a suite against a URL and returns the scenarios that fail, except those whose names begin
/// with one of `excuses`. A scenario that fails is run once more, alone: some have timeouts of
/// their own, which a busy machine misses.
pub fn failing(suite: Suite, url: &str, token: &str, excuses: &[&str]) -> BTreeSet<String> {
    let scores = parse_summary(&output(suite, &suite.arguments(), url, token));
    assert!(scores.len() > 20, "{suite:?} ran only {scores:?}");
    let excused = |name: &str| excuses.iter().any(|excuse| name.starts_with(excuse));
    let failed = scores
        .into_iter()
        .filter(|(name, failed)| *failed > 0 && !excused(name))
        .map(|(name, _)| name);
    failed
        .filter(|name| count(&scenario_output(suite, name, url, token), "failed") != Some(0))
        .collect()
}

/// Returns a suite's output for one scenario, check by check.
pub fn scenario_output(suite: Suite, scenario: &str, url: &str, token: &str) -> String {
    output(suite, &suite.alone(scenario), url, token)
}

impl Suite {
    fn package(self) -> &'static str {
        match self {
            Self::Active => "conformance-0.1",
            Self::Requirements(_) => "conformance-0.2",
        }
    }

    fn arguments(self) -> Vec<String> {
        match self {
            Self::Active => Vec::new(),
            Self::Requirements(revision) => vec!["--requirements".to_owned(), revision.to_owned()],
        }
    }

    fn alone(self, scenario: &str) -> Vec<String> {
        let mut arguments = vec!["--scenario".to_owned(), scenario.to_owned()];
        if let Self::Requirements(revision) = self {
            arguments.extend(["--spec-version".to_owned(), revision.to_owned()]);
        }
        arguments
    }
}

fn output(suite: Suite, arguments: &[String], url: &str, token: &str) -> String {
    let program = tool("node/node_modules").join(suite.package()).join("dist/index.js");
    let mut command = node(&["--import", "./bearer.mjs"]);
    command.arg(program).args(["server", "--url", url]).args(arguments);
    command.current_dir(scripts()).env("BEARER_TOKEN", token).env("NO_COLOR", "1");
    let output = run_to_end(command, b"");
    output.stdout + &output.stderr
}

/// Parses the lines of the summary: a mark, the scenario's name, the number of passed and of failed
/// checks.
fn parse_summary(output: &str) -> BTreeMap<String, usize> {
    let summary =
        output.split("=== SUMMARY ===").nth(1).unwrap_or_else(|| panic!("no summary:\n{output}"));
    let line = |line: &str| {
        let (name, counts) = line.trim_start_matches(['✓', '✗', ' ']).split_once(": ")?;
        Some((name.to_owned(), count(counts, "failed")?))
    };
    summary.lines().filter(|line| line.starts_with(['✓', '✗'])).filter_map(line).collect()
}

/// Returns the number before a word.
fn count(text: &str, word: &str) -> Option<usize> {
    let before = text.split(word).next().filter(|before| before.len() < text.len())?;
    before.split_whitespace().last()?.parse().ok()
}
