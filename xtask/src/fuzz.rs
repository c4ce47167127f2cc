//! `cargo xtask fuzz [SECONDS]`: runs the parsers that read the bytes of strangers on samples that
//! are changed at random, for a given time in all. Ordinary tests run the same targets for a
//! moment, from a fixed seed.

use anyhow::{Result, ensure};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::checkout::RepoCheckout;
use crate::command;
use crate::test_counts::TestCounts;

/// Time of a run in seconds, if none is given.
pub const SECONDS_DEFAULT: u64 = 300;

/// The targets: the package of each and the name of its test.
const TARGETS: [(&str, &str); 11] = [
    ("quipu-server", "no_line_makes_the_reader_of_messages_fail"),
    ("quipu-interchange", "no_amem_file_makes_the_parser_fail"),
    ("quipu-interchange", "no_line_of_an_export_makes_the_parser_fail"),
    ("quipu-interchange", "no_document_makes_the_parser_of_epitome_exports_fail"),
    ("quipu-interchange", "no_markdown_file_makes_the_parser_of_vaults_fail"),
    ("quipu-oauth", "no_document_of_a_client_makes_the_parser_fail"),
    ("quipu-sandbox", "no_statement_makes_the_sandbox_fail"),
    ("quipu-dates", "no_text_makes_the_date_parser_fail"),
    ("quipu-reading", "no_text_makes_reading_fail"),
    ("quipu-reading", "no_two_texts_make_the_comparison_fail"),
    ("quipu-secrets", "no_text_makes_screening_fail"),
];

/// Runs every target for its share of the time, and fails at the first input that makes one panic
/// or take too long.
pub fn run(checkout: &RepoCheckout, seconds: u64) -> Result<()> {
    let share = (seconds / TARGETS.len() as u64).max(1);
    let seed = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    println!("seed {seed}; repeat with QUIPU_FUZZ_SEED={seed}");
    for (package, test) in TARGETS {
        let mut command = checkout.cargo(&["test", "--locked", "--package", package, test]);
        command.args(["--", "--nocapture"]);
        command.env("QUIPU_FUZZ_SECONDS", share.to_string());
        if std::env::var_os("QUIPU_FUZZ_SEED").is_none() {
            command.env("QUIPU_FUZZ_SEED", seed.to_string());
        }
        let (tally, success) =
            command::run_counting(&mut command, TestCounts::from_cargo_test_line)?;
        ensure!(success && tally.failed == 0, "{test} failed; the output names the input");
        // A filter that matches no test succeeds too, and would prove nothing.
        ensure!(tally.passed == 1, "{test} did not run once but {} times", tally.passed);
    }
    println!("{} targets, {share} s each, no fault", TARGETS.len());
    Ok(())
}
