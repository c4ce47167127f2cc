//! `cargo xtask check`: the table of steps, run in order, each to its end, then one closing line.
//!
//! A step that fails does not hide what the next ones would have said. A step that is not a test
//! run counts as one check; a test run counts its tests.

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
    Step { name: "tools", does: "install what the tests need and is missing", run: tools::run },
    Step { name: "fmt", does: "every file is formatted", run: fmt::run },
    Step { name: "clippy", does: "all targets, warnings are errors", run: clippy::run },
    Step {
        name: "deny",
        does: "bans, licences, sources; advisories where reachable",
        run: deny::run,
    },
    Step { name: "tests", does: "every test of the workspace", run: tests::run },
    Step {
        name: "local models",
        does: "lint and test what only this feature builds",
        run: local_models::run,
    },
    Step { name: "doc tests", does: "every example in the documentation", run: tests::run_docs },
];

/// What a step has to report when it came to its end.
#[derive(Default)]
pub struct Outcome {
    /// How many checks or tests passed and failed.
    pub tally: Tally,
    /// What was left out, to be repeated before the closing line.
    pub note: Option<String>,
}

impl From<Tally> for Outcome {
    fn from(tally: Tally) -> Self {
        Self { tally, note: None }
    }
}

/// Runs every step and says how it went; success only when nothing failed.
pub fn run(house: &House) -> ExitCode {
    let reports: Vec<Report> = STEPS.iter().map(|step| report(step, house)).collect();
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

fn report(step: &Step, house: &House) -> Report {
    println!("\n== {}: {}", step.name, step.does);
    let started = Instant::now();
    let outcome = (step.run)(house).unwrap_or_else(|error| {
        println!("{}: {error:#}", step.name);
        Outcome::from(Tally::FAIL)
    });
    let took = started.elapsed();
    println!("== {}: {} in {:.1} s", step.name, outcome.tally, took.as_secs_f64());
    Report { name: step.name, took, outcome }
}
