//! One sample for each of several hundred formats of secrets, written from the documentation of
//! their issuers and from everyday files. The held-out part was written before the rules and is
//! used only to measure them. A sample contains generators instead of values, so that no scanner
//! takes these files for leaks.

use crate::corpus::Lcg;
use crate::sample_text::SampleText;
use quipu_secrets::{redact, secrets};

/// Number of differently generated values for each format.
const DRAWS: u64 = 5;
const KNOWN_MIN: f64 = 0.99;
const HELD_OUT_MIN: f64 = 0.94;

#[test]
fn secrets_of_known_formats_are_found() {
    check_share(include_str!("samples/known.txt"), KNOWN_MIN);
}

#[test]
fn secrets_of_held_out_formats_are_found() {
    check_share(include_str!("samples/held_out.txt"), HELD_OUT_MIN);
}

#[test]
fn redaction_changes_only_the_lines_of_a_secret() {
    for line in include_str!("samples/known.txt").lines() {
        let sample = SampleText::generate(line, &mut Lcg(41));
        let document = format!("# Notes\n\nfirst line\n{}\nlast line\n", sample.text);
        let redacted = redact(&document).0;
        let untouched = ["# Notes\n\nfirst line\n", "\nlast line\n"];
        assert!(redacted.starts_with(untouched[0]), "{}: {redacted}", sample.name);
        assert!(redacted.ends_with(untouched[1]), "{}: {redacted}", sample.name);
        for kept in sample.lines_without_secrets() {
            assert!(redacted.contains(kept), "{}: `{kept}` is not in {redacted}", sample.name);
        }
    }
}

/// Checks that at least this share of the formats is found with every value that is generated.
fn check_share(samples: &str, least: f64) {
    let formats: Vec<&str> = samples.lines().collect();
    let missed: Vec<String> = formats.iter().filter_map(|line| missed_sample(line)).collect();
    let share = 1.0 - missed.len() as f64 / formats.len() as f64;
    eprintln!("found {} of {} formats", formats.len() - missed.len(), formats.len());
    assert!(share >= least, "{share:.3}: {:#?}", missed);
}

fn missed_sample(line: &str) -> Option<String> {
    (0..DRAWS).find_map(|draw| {
        let sample = SampleText::generate(line, &mut Lcg(31 + draw));
        let found = secrets(&sample.text);
        let is_covered = |part: &std::ops::Range<usize>| {
            part.clone().all(|at| found.iter().any(|one| one.range.contains(&at)))
        };
        let missed = !sample.secrets.iter().all(is_covered);
        missed.then(|| format!("{}: {} {found:?}", sample.name, sample.text))
    })
}
