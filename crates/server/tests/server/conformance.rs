//! The official conformance suites: everything against the fixture endpoint, and against the test dialect every
//! scenario that asks for no tool, prompt or resource of its own.

use crate::bed::{Bed, TOKEN};
use crate::suites::{Suite, failing, told};
use std::collections::BTreeSet;

/// An extension that Quipu does not offer, and that the suites run without scoring it.
const NOT_OFFERED: &str = "tasks-";

/// Scenarios that ask for something which only the fixture has.
const WANT_A_FIXTURE: &[&str] = &[
    "elicitation-",
    "http-custom-header-server-validation",
    "input-required-result-",
    "json-schema-2020-12",
    "logging-set-level",
    "prompts-get-",
    "resources-read-",
    "resources-subscribe",
    "resources-templates-read",
    "resources-unsubscribe",
    "server-stateless",
    "tools-call-",
];

fn url(bed: &Bed, path: &str) -> String {
    format!("http://{}{path}", bed.address)
}

#[track_caller]
fn fixture_passes(suite: Suite) {
    let bed = Bed::start();
    assert_eq!(failing(suite, &url(&bed, "/fixture"), TOKEN, &[NOT_OFFERED]), BTreeSet::new());
}

#[track_caller]
fn dialect_passes(suite: Suite) {
    let bed = Bed::start();
    let excuses = [WANT_A_FIXTURE, &[NOT_OFFERED]].concat();
    assert_eq!(failing(suite, &url(&bed, "/mcp"), TOKEN, &excuses), BTreeSet::new());
}

#[test]
fn the_fixture_passes_the_older_suite() {
    fixture_passes(Suite::Active);
}

#[test]
fn the_fixture_passes_what_2025_11_25_requires() {
    fixture_passes(Suite::Requirements("2025-11-25"));
}

#[test]
fn the_fixture_passes_what_2026_07_28_requires() {
    fixture_passes(Suite::Requirements("2026-07-28"));
}

#[test]
fn a_dialect_passes_the_older_suite_where_it_wants_no_fixture() {
    dialect_passes(Suite::Active);
}

#[test]
fn a_dialect_passes_what_2025_11_25_requires_where_it_wants_no_fixture() {
    dialect_passes(Suite::Requirements("2025-11-25"));
}

#[test]
fn a_dialect_passes_what_2026_07_28_requires_where_it_wants_no_fixture() {
    dialect_passes(Suite::Requirements("2026-07-28"));
}

#[test]
fn a_dialect_fails_only_what_cannot_be_tested_without_a_fixture_in_the_stateless_scenario() {
    let bed = Bed::start();
    let told = told(Suite::Requirements("2026-07-28"), "server-stateless", &url(&bed, "/mcp"), TOKEN);
    assert!(told.contains("Passed: 21/25"), "{told}");
    assert_eq!(told.matches("Not testable").count(), 4, "{told}");
}
