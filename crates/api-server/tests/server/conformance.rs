//! The complete official conformance suites against the fixture endpoint. The app's tests run them
//! against the real endpoint.

use crate::server_fixture::{ServerFixture, TOKEN};
use crate::suites::{Suite, failing};
use std::collections::BTreeSet;

/// Prefix of an extension that Quipu does not offer and that the suites run without scoring it.
const NOT_OFFERED: &str = "tasks-";

fn url(server: &ServerFixture, path: &str) -> String {
    format!("http://{}{path}", server.address)
}

#[track_caller]
fn fixture_passes(suite: Suite) {
    let server = ServerFixture::start();
    assert_eq!(failing(suite, &url(&server, "/fixture"), TOKEN, &[NOT_OFFERED]), BTreeSet::new());
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
