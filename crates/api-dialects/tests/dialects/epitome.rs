//! The Epitome dialect: each tool with its parameters, defaults, bounds, fields and errors, the
//! examples of its documents verbatim, and documented behavior that the original does not deliver.

mod consent;
mod contract;
mod delete_by_meaning;
mod examples;
mod graph_patterns;
mod invalid_arguments;
mod legacy_tools;
mod memorize;
mod original_defects;
mod profile_values;
mod recall;
mod result_fields;
mod review;
mod row_events;
mod source_refs;
mod surface;
mod truthful_answers;

use crate::fixture::DialectFixture;
use dialects::Epitome;
use serde_json::Value;

/// Creates a fixture with the Epitome dialect.
async fn new_fixture() -> DialectFixture {
    DialectFixture::with_dialect(Epitome::default()).await
}

/// Returns the texts of the facts.
fn facts(answer: &Value) -> Vec<&str> {
    answer["facts"].as_array().unwrap().iter().map(|fact| fact["fact"].as_str().unwrap()).collect()
}

/// Returns a field of each item of a list.
fn each<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}
