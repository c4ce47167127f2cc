//! Conformance to the OpenAPI document: schemathesis generates valid and invalid requests from it
//! and checks the responses.

use crate::browser::tool;
use crate::fixture::{DashboardFixture, TOKEN};
use serde_json::json;
use std::process::Command;

/// Checks that schemathesis runs.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_schema_conformance";

#[test]
fn schemathesis_finds_no_response_outside_the_openapi_document() {
    let fixture = DashboardFixture::start();
    fixture.call("POST", "/v1/memories", &json!({ "text": "The kiln is blue." }));
    fixture.call("POST", "/v1/tables/meals/rows", &json!({ "data": { "food": "pizza" } }));
    let output = Command::new(tool("schemathesis/bin/schemathesis"))
        .current_dir(fixture.home.path())
        .args(["run", &format!("http://{}/v1/openapi.json", fixture.address)])
        .args(["--header", &format!("Authorization: Bearer {TOKEN}"), "--checks", CHECKS])
        .args([
            "--phases",
            "examples,fuzzing",
            "--max-examples",
            "12",
            "--seed",
            "7",
            "--workers",
            "2",
        ])
        // A stream of events has no end to wait for; the browser tests read them.
        .args(["--exclude-path-regex", "^/v1/events/"])
        .args(["--request-timeout", "20", "--generation-database", "none", "--no-color"])
        .output()
        .unwrap();
    let output_text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output_text}\n{}", String::from_utf8_lossy(&output.stderr));
}
