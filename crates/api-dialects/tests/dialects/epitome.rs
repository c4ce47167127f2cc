//! The Epitome dialect: each tool with its parameters, defaults, bounds, fields and errors, the
//! examples of its documents verbatim, and documented behavior that the original does not deliver.

mod consent;
mod contract;
mod examples;
mod handed_back;
mod kept;
mod meanings;
mod memorize;
mod odd;
mod older;
mod recall;
mod review;
mod surface;
mod told;

use crate::house::House;
use dialects::Epitome;
use serde_json::Value;

/// Creates a fixture with the Epitome dialect.
async fn house() -> House {
    House::speaking(Epitome::default()).await
}

/// Returns the texts of the facts.
fn facts(answer: &Value) -> Vec<&str> {
    answer["facts"].as_array().unwrap().iter().map(|fact| fact["fact"].as_str().unwrap()).collect()
}

/// Returns a field of each item of a list.
fn each<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}
