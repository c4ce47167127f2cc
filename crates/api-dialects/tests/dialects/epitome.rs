//! Epitome's contract: each tool with its parameters, defaults, bounds, fields and errors, the
//! examples of its documents as written, and each promise that the original did not keep.

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

/// A house where Epitome is spoken.
async fn house() -> House {
    House::speaking(Epitome::default()).await
}

/// The texts of the facts.
fn facts(answer: &Value) -> Vec<&str> {
    answer["facts"].as_array().unwrap().iter().map(|fact| fact["fact"].as_str().unwrap()).collect()
}

/// A field of each item of a list.
fn each<'v>(list: &'v Value, field: &str) -> Vec<&'v str> {
    list.as_array().unwrap().iter().map(|item| item[field].as_str().unwrap()).collect()
}
