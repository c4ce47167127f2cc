//! `cargo xtask check`: a table of steps that are all run in order, followed by a summary.
//!
//! A failing step does not stop the next ones, so that one run reports every problem. A test run
//! counts its tests; any other step counts as one check.

mod clippy;
mod deny;
mod fmt;
pub mod local_models;
mod tests;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::checkout::RepoCheckout;
use crate::test_counts::TestCounts;
use crate::tools;

struct CheckStep {
    name: &'static str,
    description: &'static str,
    run: fn(&RepoCheckout) -> Result<StepOutcome>,
}

const STEPS: &[CheckStep] = &[
    CheckStep { name: "tools", description: "install missing tools", run: tools::run },
    CheckStep { name: "fmt", description: "check the formatting", run: fmt::run },
    CheckStep {
        name: "clippy",
        description: "lint all targets, warnings are errors",
        run: clippy::run,
    },
    CheckStep {
        name: "deny",
        description: "bans, licences and sources; advisories when reachable",
        run: deny::run,
    },
    CheckStep { name: "tests", description: "run all tests of the workspace", run: tests::run },
    CheckStep {
        name: "doc tests",
        description: "run the examples in the documentation",
        run: tests::run_docs,
    },
];

/// Result of a step that ran to its end.
#[derive(Default)]
pub struct StepOutcome {
    pub counts: TestCounts,
    /// Skipped checks, repeated in the summary.
    pub note: Option<String>,
}

impl From<TestCounts> for StepOutcome {
    fn from(tally: TestCounts) -> Self {
        Self { counts: tally, note: None }
    }
}

/// Runs every step and prints a summary. Succeeds only when nothing failed.
pub fn run(checkout: &RepoCheckout) -> ExitCode {
    let reports: Vec<StepReport> = STEPS.iter().map(|step| run_step(step, checkout)).collect();
    println!();
    for report in &reports {
        println!(
            "{:>10}  {:>7.1} s  {}",
            report.name,
            report.took.as_secs_f64(),
            report.outcome.counts
        );
    }
    for note in reports.iter().filter_map(|report| report.outcome.note.as_ref()) {
        println!("note: {note}");
    }
    let total =
        reports.iter().fold(TestCounts::default(), |sum, report| sum + report.outcome.counts);
    println!("{total}");
    total.exit_code()
}

struct StepReport {
    name: &'static str,
    took: Duration,
    outcome: StepOutcome,
}

fn run_step(step: &CheckStep, checkout: &RepoCheckout) -> StepReport {
    println!("\n== {}: {}", step.name, step.description);
    let started = Instant::now();
    let outcome = (step.run)(checkout).unwrap_or_else(|error| {
        println!("{}: {error:#}", step.name);
        StepOutcome::from(TestCounts::FAIL)
    });
    let took = started.elapsed();
    println!("== {}: {} in {:.1} s", step.name, outcome.counts, took.as_secs_f64());
    StepReport { name: step.name, took, outcome }
}
