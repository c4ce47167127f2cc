//! Resources: the newest memories, in the form of `recall`.

use super::recall;
use crate::ResourceSpec;
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use serde_json::{Value, json};

const MEMORIES: &str = "librarian://memories";
/// Number of memories that the resource shows.
const NEWEST_MEMORIES: usize = 100;

/// All resources.
pub(super) const ALL: &[ResourceSpec] = &[ResourceSpec {
    uri: MEMORIES,
    name: "Memories",
    description: "The newest memories with their ids, at most a hundred.",
}];

/// Reads a resource.
pub(super) async fn read(engine: &Engine, caller: &Caller, uri: &str) -> Result<Value, Failure> {
    if uri != MEMORIES {
        return Err(Failure::not_found("resource", uri.chars().take(200).collect::<String>()));
    }
    let newest =
        [("limit".to_owned(), json!(NEWEST_MEMORIES)), ("include_ids".to_owned(), json!(true))];
    recall::call(engine, caller, JsonMap::from_iter(newest)).await
}
