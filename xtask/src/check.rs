//! `cargo xtask check`: a table of steps that are all run in order, followed by a summary.
//!
//! A failing step does not stop the next ones, so that one run reports every problem. A test run
//! counts its tests; any other step counts as one check.

mod clippy;
mod deny;
mod fmt;
mod local_models;
mod tests;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;

use crate::house::House;
use crate::tally::Tally;
use crate::tools;

struct Step {
    name: &'static str,
    does: &'static str,
    run: fn(&House) -> Result<Outcome>,
}

const STEPS: &[Step] = &[
    Step { name: "tools", does: "install missing tools", run: tools::run },
    Step { name: "fmt", does: "check the formatting", run: fmt::run },
    Step { name: "clippy", does: "lint all targets, warnings are errors", run: clippy::run },
    Step {
        name: "deny",
        does: "bans, licences and sources; advisories when reachable",
        run: deny::run,
    },
    Step { name: "tests", does: "run all tests of the workspace", run: tests::run },
    Step {
        name: "local models",
        does: "lint and test the local-models feature",
        run: local_models::run,
    },
    Step { name: "doc tests", does: "run the examples in the documentation", run: tests::run_docs },
];

/// Result of a step that ran to its end.
#[derive(Default)]
pub struct Outcome {
    pub tally: Tally,
    /// Skipped checks, repeated in the summary.
    pub note: Option<String>,
}

impl From<Tally> for Outcome {
    fn from(tally: Tally) -> Self {
        Self { tally, note: None }
    }
}

/// Runs every step and prints a summary. Succeeds only when nothing failed.
pub fn run(checkout: &House) -> ExitCode {
    let reports: Vec<Report> = STEPS.iter().map(|step| report(step, checkout)).collect();
    println!();
    for report in &reports {
        println!(
            "{:>10}  {:>7.1} s  {}",
            report.name,
            report.took.as_secs_f64(),
            report.outcome.tally
        );
    }
    for note in reports.iter().filter_map(|report| report.outcome.note.as_ref()) {
        println!("note: {note}");
    }
    let total = reports.iter().fold(Tally::default(), |sum, report| sum + report.outcome.tally);
    println!("{total}");
    total.exit_code()
}

struct Report {
    name: &'static str,
    took: Duration,
    outcome: Outcome,
}

fn report(step: &Step, checkout: &House) -> Report {
    println!("\n== {}: {}", step.name, step.does);
    let started = Instant::now();
    let outcome = (step.run)(checkout).unwrap_or_else(|error| {
        println!("{}: {error:#}", step.name);
        Outcome::from(Tally::FAIL)
    });
    let took = started.elapsed();
    println!("== {}: {} in {:.1} s", step.name, outcome.tally, took.as_secs_f64());
    Report { name: step.name, took, outcome }
}
